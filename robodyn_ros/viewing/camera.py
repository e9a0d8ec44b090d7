# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Where the camera stands so that all of a robot is in the picture."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

FIELD_OF_VIEW = np.radians(40.0)
"""Angle between the upper and the lower edge of the picture [rad]."""
NARROWEST = 0.9
"""Width of the picture over its height for which the robot still fits [-]."""
MARGIN = 0.12
"""Empty border at each edge, as a part of half the picture [-]."""
TOWARDS = np.array([0.62, -0.62, 0.42])
"""From the robot to the camera."""
NEAREST = 0.1
"""Distance the camera keeps at least [m]."""


class Camera(NamedTuple):
    """A place to look from, and the point in the middle of the picture."""

    position: np.ndarray
    """(3,) [m]"""
    look_at: np.ndarray
    """(3,) [m]"""


def camera_around(cloud: np.ndarray) -> Camera:
    """
    Return a camera that has all points (k, 3) [m] in its picture.

    A point with coordinates x (right), y (up), t (towards) from the middle is at x / (d - t) from
    a camera at the distance d. It is inside for |x - a| <= k (d - t), which bounds the shift a and
    the distance d from below: d >= (max(x + k t) - min(x - k t)) / (2 k), and so for y.
    """
    towards = TOWARDS / np.linalg.norm(TOWARDS)
    right = np.cross([0.0, 0.0, 1.0], towards)
    right /= np.linalg.norm(right)
    up = np.cross(towards, right)
    t = cloud @ towards
    distance, shifts = NEAREST + float(t.max()), []
    for axis, aspect in ((right, NARROWEST), (up, 1.0)):
        k = (1.0 - MARGIN) * aspect * np.tan(FIELD_OF_VIEW / 2.0)
        x = cloud @ axis
        low, high = (x - k * t).min(), (x + k * t).max()
        distance = max(distance, (high - low) / (2.0 * k))
        shifts.append((low + high) / 2.0 * axis)  # the middle of the room there is
    position = distance * towards + sum(shifts)
    middle = (t.min() + t.max()) / 2.0
    return Camera(position, position + (middle - distance) * towards)
