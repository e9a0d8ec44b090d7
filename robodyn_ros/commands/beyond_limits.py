# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Joints that a motion took beyond the limits of the robot's file; no ROS.

A simulation has no stops: it goes on through them, where the plant of the nodes is held.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.mechanics.tree import PRISMATIC
from robodyn_ros.robots.robot import Robot
from robodyn_ros.trajectories.limits import TOLERANCE
from robodyn_ros.types import Rollout


class Beyond(NamedTuple):
    """One joint that was beyond one kind of limit."""

    joint: str
    kind: str
    """'position' or 'velocity'."""
    unit: str
    lower: float
    upper: float
    farthest: float
    """The value farthest from the limits."""
    excess: float
    """How far that is beyond them."""
    first: float
    """When it was first beyond [s]."""


def beyond_limits(robot: Robot, motion: Rollout) -> list[Beyond]:
    """Return every joint that left its limits of position or velocity, in the robot's order."""
    limits = robot.limits
    found = []
    for k, joint in enumerate(robot.joints):
        unit = 'm' if robot.tree.bodies[k].kind == PRISMATIC else 'rad'
        for kind, values, lower, upper, of in (
                ('position', motion.q[:, k], limits.lower[k], limits.upper[k], unit),
                ('velocity', motion.v[:, k], -limits.velocity[k], limits.velocity[k],
                 f'{unit}/s')):
            excess = np.maximum(lower - values, values - upper)
            if excess.max() > TOLERANCE:
                worst = int(excess.argmax())
                found.append(Beyond(joint, kind, of, float(lower), float(upper),
                                    float(values[worst]), float(excess[worst]),
                                    float(motion.t[int(np.argmax(excess > TOLERANCE))])))
    return found
