# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Which trajectories a robot may be sent, as far as a message tells by itself; no ROS."""
from __future__ import annotations

from dataclasses import asdict
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.robots.limits import Limits
from robodyn_ros.trajectories.joint_plan import check_within, checked_points, Points


class Judge(NamedTuple):
    """What a message is checked by."""

    limits: Limits
    """Of the robot's joints, in its order."""
    tolerance: float | None
    """Room at the limits [rad], [m], or per s; None: they are ignored."""
    moving_end: bool = False
    """A trajectory may end at speed."""
    partial: bool = False
    """It may leave joints out."""

    def points(self, names: Sequence[str], times: Sequence[int] | np.ndarray,
               fields: Mapping[str, Any]) -> Points:
        """Return the points of a message; MessageRefused says what is wrong with it."""
        points = checked_points(self.limits.joints, names, times, fields, self.moving_end,
                                self.partial)
        if self.tolerance is not None:
            check_within(points, self.limits, self.tolerance)
        return points

    def words(self) -> dict[str, Any]:
        """Return this as words and numbers that JSON knows; they are read back to the bit."""
        limits = {key: value.tolist() if isinstance(value, np.ndarray) else value
                  for key, value in asdict(self.limits).items()}
        return {**self._asdict(), 'limits': limits}

    @classmethod
    def read(cls, words: Mapping[str, Any]) -> 'Judge':
        """Return what words() tells."""
        limits: dict[str, Any] = {
            key: tuple(value) if key in ('joints', 'units') else np.array(value, dtype=float)
            for key, value in words['limits'].items()}
        return cls(Limits(**limits), *(words[name] for name in cls._fields[1:]))
