# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The numbers of a report, as plain values for JSON: None where something was not recorded.

They are kept in summary.json, by which the folder of a former report is known: a report goes into
a new folder or into such a one, never among other files.
"""
from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from robodyn_ros.errors import RecordingError
from robodyn_ros.report.motion import Motion

MADE_BY = 'robodyn report'
SUMMARY = 'summary.json'
ENDINGS = ('.png', '.gif', '.mp4', '.html', '.json')


def summary_of(motion: Motion) -> dict[str, Any]:
    """
    Return the numbers worth knowing.

    Errors are desired minus actual; rms over all samples; motor_work is the time integral of
    tau . v, what the motors put in.
    """
    distance = motion.tool_error
    power = (motion.tau * motion.v).sum(axis=1)
    work = float((0.5 * (power[1:] + power[:-1]) * np.diff(motion.t)).sum())
    joints = {name: {'unit': unit, 'error_max': _finite(np.abs(error).max()),
                     'error_rms': _finite(_rms(error)), 'torque_max': _largest(tau),
                     'speed_max': _largest(v)}
              for name, unit, error, tau, v in zip(motion.robot.joints, motion.robot.units,
                                                   motion.error.T, motion.tau.T, motion.v.T)}
    return {
        'made_by': MADE_BY, 'source': motion.source, 'source_complete': motion.complete,
        'scenario': motion.scenario or None, 'robot': motion.robot.name, 'frame': motion.frame,
        'samples': len(motion.t), 'start_s': float(motion.t[0]),
        'duration_s': float(motion.t[-1] - motion.t[0]),
        'tool_error_max_m': _finite(distance.max()), 'tool_error_rms_m': _finite(_rms(distance)),
        'constraint_rows': list(motion.row_names), 'violation_max': _largest(motion.violation),
        'motor_work_J': _finite(work), 'joints': joints}


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _largest(values: np.ndarray) -> float | None:
    known = np.abs(values[np.isfinite(values)])
    return float(known.max()) if known.size else None


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def prepare_folder(folder: Path) -> None:
    """Make an empty folder, or empty that of a former report; refuse any other."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = list(folder.iterdir())
        if there and not _is_report(folder / SUMMARY):
            raise RecordingError(f'{folder}: is not empty and not a former report; give another '
                                 'folder with --output')
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, 'Permission denied')
        for path in there:  # only what a report writes
            if path.is_file() and path.suffix in ENDINGS:
                path.unlink()
        # from now on it is ours, also if the report is cut short
        (folder / SUMMARY).write_text(json.dumps({'made_by': MADE_BY}), encoding='utf-8')
    except OSError as error:
        raise RecordingError(f'{folder}: cannot be used as a folder ({error.strerror}); give '
                             'another one with --output') from None


def _is_report(summary: Path) -> bool:
    try:
        return json.loads(summary.read_text())['made_by'] == MADE_BY
    except (OSError, ValueError, LookupError, TypeError):
        return False
