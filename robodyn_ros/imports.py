# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What a program imports stays: Python need not look through it for garbage.

It would, every few hundred new objects while modules are made, then again and again while it
works, and once more at its end: a sixth of a start from the cache.
"""
from __future__ import annotations

import contextlib
import gc
from typing import Iterator


@contextlib.contextmanager
def that_stay() -> Iterator[None]:
    """Collect no garbage within the block, and never look at what is there at its end."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if before:
            gc.enable()
