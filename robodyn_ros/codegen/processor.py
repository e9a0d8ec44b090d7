# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What tells this processor from others, as far as machine code depends on it.

LLVM compiles for its own description of the processor. Where Linux describes an x86-64 one, that
is taken instead, since LLVM need not be loaded for it: family, model, stepping and the flags of
its instructions. An emulator of processes (valgrind, qemu) leaves that text as it is but has fewer
instructions, so what numpy found by asking the processor itself is part of it.
"""
from __future__ import annotations

from functools import lru_cache
import os
import struct
import sys
from typing import Iterator, NamedTuple

import numpy as np

DESCRIPTION = '/proc/cpuinfo'
NAME, FEATURES = 'ROBODYN_CPU_NAME', 'ROBODYN_CPU_FEATURES'
"""Environment variables: another processor to compile for, in LLVM's words."""
WANTED = ('vendor_id', 'cpu family', 'model', 'stepping', 'flags')
"""Lines of the description that machine code depends on; others change from core to core."""


def x86_64_linux() -> bool:
    """Tell whether this process runs on Linux and x86-64, with addresses of eight bytes."""
    return sys.platform == 'linux' and os.uname().machine == 'x86_64' \
        and struct.calcsize('P') == 8


class Asked(NamedTuple):
    """The processor that the environment asks for; None or '' is this one."""

    name: str | None
    features: str | None


def asked() -> Asked:
    """Return what the environment says of the processor to compile for."""
    return Asked(os.environ.get(NAME), os.environ.get(FEATURES))


@lru_cache(maxsize=1)
def identity() -> tuple[str, ...]:
    """Return words that differ where machine code may."""
    try:
        lines = dict(_described())
        found = np.show_config(mode='dicts')['SIMD Extensions']  # type: ignore[index]
        return (*(lines[name] for name in WANTED), str(found))
    except (OSError, ValueError, KeyError, TypeError):  # another system, numpy before 1.25
        from robodyn_ros.codegen.llvm_loader import processor
        return processor()


def _described() -> Iterator[tuple[str, str]]:
    """Yield the lines about the first core."""
    if not x86_64_linux():
        raise OSError
    with open(DESCRIPTION, encoding='utf-8', errors='replace') as file:
        for line in file:
            name, colon, text = line.partition(':')
            if not colon:
                return
            yield name.strip(), text.strip()
