# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
One pose by the shortest way: plain numbers, in arrays that are bound to the search once.

A search takes some ten microseconds; to look at arrays and make them, as a call for many poses
does, would take several times as long. What is not the usual case is left to the other way, which
also writes the sentences; the bits are the same.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Sequence

import numpy as np

FLOAT = np.dtype(float)


class PoseInPlace:
    """A search whose limits, tolerances and posture stay, for one thread at a time."""

    def __init__(self, search: Callable[..., Callable[[], int]], w: np.ndarray,
                 settings: np.ndarray, n: int, scratch: int, found: int):
        """
        Make room.

        :param search: binds the compiled search to its arrays
        """
        self.start, self._target, self._found = np.zeros(n), np.zeros(7), np.zeros(found)
        self._call = search(self.start, self._target, w, settings, np.zeros(scratch), self._found)

    def __call__(self, target: Sequence[float]) -> list[float]:
        """Search from `start` for a target of seven floats; q, rows, error, steps and tries."""
        self._target[:] = target
        self._found.fill(math.nan)  # rows that are no numbers anywhere are never written
        self._call()
        return self._found.tolist()


def plain_target(pose: Any, largest: float) -> tuple[list[float], bool] | None:
    """
    Return x y z qx qy qz qw and whether an orientation was given, of plain numbers.

    :returns: None where the pose is something else, or not what it should be
    """
    if type(pose) is np.ndarray:
        if pose.dtype is not FLOAT or pose.ndim != 1:
            return None
        given = pose.tolist()
    elif type(pose) in (list, tuple):
        given = [*pose]
        for value in given:
            if type(value) is not float:
                return None
    else:
        return None
    if len(given) not in (3, 7):
        return None
    for value in given:
        if not -largest < value < largest:  # a NaN is not, either
            return None
    if len(given) == 3:
        return [*given, 0.0, 0.0, 0.0, 1.0], False
    x, y, z, a, b, c, d = given
    length = math.sqrt(a * a + b * b + c * c + d * d)
    return ([x, y, z, a / length, b / length, c / length, d / length], True) \
        if length > 1e-6 else None


def within(q: Sequence[float], near: Sequence[float], way: float) -> bool:
    """Tell whether every joint is no farther from its place than a way."""
    for here, there in zip(q, near):
        if abs(there - here) > way:
            return False
    return True
