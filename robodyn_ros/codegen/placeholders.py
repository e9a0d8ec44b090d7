# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Names the copied loops refer to, so that their text is complete Python where it stands.

In a compiled program the emitted module defines all of them (program.py); nothing here runs.
"""
from typing import Any

N = ROWS = REFERENCE = DELAY = LANES = SCRATCH = ANY = 0
CONTROLLED = PROJECTED = False
ADVANCE: Any = None


def njit(function: Any) -> Any:
    """Leave a function as it is: stands for numba where the text is only read."""
    return function


def by_address(*_: object) -> Any:
    """Stand for a decorator with arguments."""
    return njit


straight_line = by_address


def cells(pointer: Any, _: int) -> Any:
    """Stand for the array at an address."""
    return pointer


def export() -> None:
    """Stand for what makes a function callable from Python."""


class Emitted:
    """Stand for an emitted kernel."""

    def __call__(self, *_: object) -> Any:
        """Do nothing."""

    text = __call__


dynamics = Emitted()
control = correct = observe = dynamics_terms = correct_terms = row_values = dynamics
