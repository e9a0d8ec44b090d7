# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What the view remembers: the last seconds of states, for plots and for the saved page."""
from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

SMALLEST_DRAWN = 1e-17
"""Violations below this are drawn as this: log10 needs a positive number."""


class Moment(NamedTuple):
    """One state as seen."""

    time: float
    """Simulated time [s]."""
    q: np.ndarray
    """(n,) [rad] or [m]"""
    tau: np.ndarray
    """(n,) [N m] or [N]"""
    error: float
    """Largest tracking error of a joint [rad] or [m]; nan where nobody tells."""
    violation: float
    """Largest constraint error; nan where nobody tells."""


class History:
    """Moments of the last seconds, and how fast simulated time runs."""

    def __init__(self, seconds: float):
        """Remember nothing yet."""
        self.seconds = seconds
        self.moments: deque[Moment] = deque()
        self._wall: deque[tuple[float, float]] = deque()

    def add(self, moment: Moment, wall: float) -> bool:
        """
        Take a moment in; returns False if time went back and the past was forgotten.

        :param wall: time of the wall clock [s]
        """
        back = bool(self.moments) and moment.time < self.moments[-1].time
        if back:
            self.clear()
        if not self.moments or moment.time > self.moments[-1].time:
            self.moments.append(moment)
        while moment.time - self.moments[0].time > self.seconds:
            self.moments.popleft()
        self._wall.append((moment.time, wall))
        while wall - self._wall[0][1] > 1.0:
            self._wall.popleft()
        return not back

    def clear(self) -> None:
        """Forget all."""
        self.moments.clear()
        self._wall.clear()

    @property
    def realtime_factor(self) -> float:
        """Return simulated seconds per wall second over the last second."""
        if len(self._wall) < 2 or self._wall[-1][1] <= self._wall[0][1]:
            return 0.0
        (begin, wall), (end, now) = self._wall[0], self._wall[-1]
        return (end - begin) / (now - wall)

    def curves(self) -> dict[str, np.ndarray]:
        """Time (k,), torques (k, n), tracking error (k,) and log10 of the violation (k,)."""
        time, _, tau, error, violation = (np.array(values) for values in zip(*self.moments))
        return {'time': time, 'torque': tau, 'error': _filled(error),
                'violation': np.log10(np.maximum(_filled(violation), SMALLEST_DRAWN))}


def _filled(values: np.ndarray) -> np.ndarray:
    """Replace what nobody told by what was told first; the plot cannot draw gaps."""
    known = values[np.isfinite(values)]
    return np.where(np.isfinite(values), values, known[0] if known.size else 0.0)
