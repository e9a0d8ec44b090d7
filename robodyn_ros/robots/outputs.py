# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What Robot.bias and Robot.frame return: arrays with names."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Bias(NamedTuple):
    """Parts of h, each (n,) or (k, n) [N m] or [N]."""

    coriolis: np.ndarray
    gravity: np.ndarray
    friction: np.ndarray


class FrameState(NamedTuple):
    """Kinematics of a frame in the base frame; leading axis k for many states."""

    rotation: np.ndarray
    """(3, 3), frame to base."""
    position: np.ndarray
    """(3,) [m]"""
    velocity: np.ndarray
    """(6,) linear then angular [m/s, rad/s]."""
    drift: np.ndarray
    """Jdot v (6,) linear then angular [m/s^2, rad/s^2]."""
    jacobian: np.ndarray
    """(6, n) linear rows, then angular."""
