# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a run achieved, in numbers: tracking, violation, forces, joints beyond their limits."""
from __future__ import annotations

from typing import Any

import numpy as np

from robodyn_ros.scenario.result import Result


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
        'tracking_error': tracking,
        'tracking_unit': 'm' if result.desired.in_space else 'rad or m',
        'tolerance': scenario.tolerance,
        'healthy': tracking is None or tracking <= scenario.tolerance,
        'constraint_rows': list(result.row_names),
        'violation': float(motion.violation.max()) if rows else None,
        'constraint_force_min': motion.constraint_force.min(axis=0).tolist() if rows else None,
        'constraint_force_max': motion.constraint_force.max(axis=0).tolist() if rows else None,
        'torque_max': np.abs(motion.tau).max(axis=0).tolist(),
        'start_moved': float(np.abs(result.assembly.moved).max()),
        'beyond_limits': [one._asdict() for one in result.robot.limits.passed_by(motion)],
        'ignore_limits': scenario.trajectory.ignore_limits,
        'joints': list(result.robot.joints),
    }
