# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Refuse a motion before it starts if a joint would leave its limits."""
from __future__ import annotations

import numpy as np

from robodyn_ros.errors import LimitError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.robots.robot import Robot
from robodyn_ros.types import Trajectory

TOLERANCE = 1e-3
"""Room at a limit, for paths that touch it (paper 004 rests on d3 = 1) [rad] or [m]."""


def check_limits(robot: Robot, reference: Trajectory,
                 parameters: Parameters | None = None) -> None:
    """
    Raise LimitError at the first sample beyond a position, velocity or effort limit.

    The effort is that of the free tree's inverse dynamics; robots with loops are not judged by
    effort, since the loops carry part of it.
    """
    limits = robot.limits
    quantities = [
        ('position', reference.q, limits.lower - TOLERANCE, limits.upper + TOLERANCE),
        ('velocity', reference.v, -limits.velocity, limits.velocity)]
    if not robot.loops:
        effort = robot.inverse_dynamics(reference.q, reference.v, reference.a, parameters)
        quantities.append(('effort', effort, -limits.effort, limits.effort))
    for kind, values, lower, upper in quantities:
        outside = (values < lower) | (values > upper)
        if outside.any():
            k = int(np.argmax(outside.any(axis=1)))
            joint = int(np.argmax(outside[k]))
            raise LimitError(robot.joints[joint], float(reference.t[k]), kind,
                             float(values[k, joint]), float(lower[joint]), float(upper[joint]))
