# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion that can be repeated: one that ends elsewhere than it starts gets a way back."""
from __future__ import annotations

import numpy as np

from robodyn_ros.types import Trajectory

CLOSED_TOLERANCE = 1e-3
"""Difference of start and end up to which a motion is closed [rad, m, or per s]."""
SHORTEST_RETURN = 1.0
"""Least time of the way back [s]."""
SPEED_SHARE = 0.25
"""Of a joint's speed limit that its mean speed on the way back may reach [-]."""


def closed(motion: Trajectory, speed_limits: np.ndarray, period: float) -> Trajectory:
    """
    Return the motion with a quintic back to its start, joined in position, speed, acceleration.

    :param speed_limits: of the joints (n,) [rad/s] or [m/s]
    :param period: between samples [s]
    """
    first, last = [[part[k] for part in motion[1:]] for k in (0, -1)]
    if all(np.abs(b - a).max() < CLOSED_TOLERANCE for a, b in zip(first[:2], last[:2])):
        return motion
    known = np.isfinite(speed_limits) & (speed_limits > 0.0)
    speed = SPEED_SHARE * np.where(known, speed_limits, 1.0)
    seconds = max(SHORTEST_RETURN, float((np.abs(last[0] - first[0]) / speed).max()))
    count = int(np.ceil(seconds / period))
    from scipy.interpolate import BPoly  # a quarter of a second, which other motions do not need
    way = BPoly.from_derivatives([0.0, count * period], [last, first])
    t = np.arange(1, count + 1) * period
    back = Trajectory(motion.t[-1] + t, way(t), way.derivative()(t), way.derivative(2)(t))
    return Trajectory(*(np.concatenate(parts) for parts in zip(motion, back)))
