# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a run achieved, in numbers: tracking, violation, forces, joints beyond their limits."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robodyn_ros.mechanics.tree import PRISMATIC
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario.result import Result
from robodyn_ros.trajectories.limits import TOLERANCE
from robodyn_ros.types import Rollout


def summary(result: Result, seconds: float) -> dict[str, Any]:
    """Return the numbers worth knowing of a run, as plain values."""
    scenario, motion = result.scenario, result.motion
    tracking: float | None = None
    if result.desired.in_space:
        tracking = float(result.tool_error.max())
    elif result.reference is not None:
        tracking = float(np.abs(result.error).max())
    rows = bool(result.row_names)
    return {
        'scenario': scenario.name, 'robot': result.robot.name,
        'simulated_s': float(motion.t[-1]), 'wall_s': seconds,
        'realtime_factor': float(motion.t[-1]) / seconds,
        'tracking_error': tracking, 'tracking_unit': 'm' if result.desired.in_space else 'rad or m',
        'tolerance': scenario.tolerance,
        'healthy': tracking is None or tracking <= scenario.tolerance,
        'constraint_rows': list(result.row_names),
        'violation': float(motion.violation.max()) if rows else None,
        'constraint_force_min': motion.constraint_force.min(axis=0).tolist() if rows else None,
        'constraint_force_max': motion.constraint_force.max(axis=0).tolist() if rows else None,
        'torque_max': np.abs(motion.tau).max(axis=0).tolist(),
        'start_moved': float(np.abs(result.assembly.moved).max()),
        'beyond_limits': [one._asdict() for one in beyond_limits(result.robot, motion)],
        'ignore_limits': scenario.trajectory.ignore_limits,
        'joints': list(result.robot.joints),
    }


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
    """
    Return every joint that left its limits of position or velocity, in the robot's order.

    A simulation has no stops: it goes on through them, where the plant of the nodes is held.
    """
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
