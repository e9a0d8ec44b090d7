# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The numbers of a report, as plain values for JSON: None where something was not recorded."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from robodyn_ros.report.motion import Motion

MADE_BY = 'robodyn report'


def summary_of(motion: Motion) -> dict[str, Any]:
    """
    Return the numbers worth knowing.

    Errors are desired minus actual; rms over all samples; motor_work is the time integral of
    tau . v, what the motors put in.
    """
    error, distance, tau = motion.error, motion.tool_error, motion.tau
    power = (tau * motion.v).sum(axis=1)
    work = float((0.5 * (power[1:] + power[:-1]) * np.diff(motion.t)).sum())
    joints = {}
    for k, (name, unit) in enumerate(zip(motion.robot.joints, motion.robot.units)):
        joints[name] = {
            'unit': unit,
            'error_max': _finite(np.abs(error[:, k]).max()),
            'error_rms': _finite(_rms(error[:, k])),
            'torque_max': _largest(tau[:, k]),
            'speed_max': _largest(motion.v[:, k]),
        }
    return {
        'made_by': MADE_BY, 'source': motion.source, 'source_complete': motion.complete,
        'scenario': motion.scenario or None, 'robot': motion.robot.name, 'frame': motion.frame,
        'samples': len(motion.t), 'start_s': float(motion.t[0]),
        'duration_s': float(motion.t[-1] - motion.t[0]),
        'tool_error_max_m': _finite(distance.max()),
        'tool_error_rms_m': _finite(_rms(distance)),
        'constraint_rows': list(motion.row_names),
        'violation_max': _largest(motion.violation),
        'motor_work_J': _finite(work),
        'joints': joints,
    }


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _largest(values: np.ndarray) -> float | None:
    known = np.abs(values[np.isfinite(values)])
    return float(known.max()) if known.size else None


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
