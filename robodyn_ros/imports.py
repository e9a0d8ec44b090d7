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
import sys
from typing import Iterator


@contextlib.contextmanager
def that_stay() -> Iterator[None]:
    """Collect no garbage within the block; never look again at what an import left there."""
    collecting, known = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:  # else nothing came that stays, only garbage
            gc.freeze()
        if collecting:
            gc.enable()
