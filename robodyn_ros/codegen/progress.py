# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How far a long compilation is: a bar on a terminal, which vanishes when it is done."""
from __future__ import annotations

from contextlib import contextmanager
import sys
from typing import Callable, Iterator, TextIO

from robodyn_ros.errors import printable

LONG = 6000
"""Operations from which on a compilation takes a second or more."""
WIDTH = 30


@contextmanager
def told(title: str, operations: int, stream: TextIO | None = None
         ) -> Iterator[Callable[[float], None]]:
    """
    Yield what is called with the share that is done, from 0 to 1.

    :param stream: stderr where none is given; nothing is written unless it is a terminal
    """
    stream = sys.stderr if stream is None else stream
    if operations < LONG or stream is None or not stream.isatty():
        yield lambda share: None
        return
    line = ''

    def show(share: float) -> None:
        nonlocal line
        filled = round(WIDTH * min(max(share, 0.0), 1.0))
        line = printable(f'compiling {title}')[:100]
        line += f' {"█" * filled}{"░" * (WIDTH - filled)} {100.0 * share:3.0f} %'
        stream.write(f'\r{line}')
        stream.flush()

    try:
        show(0.0)
        yield show
    finally:
        stream.write(f'\r{" " * len(line)}\r')
        stream.flush()
