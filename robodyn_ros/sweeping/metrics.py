# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is measured of a run: one number each, from compiled measures or by a user's function."""
from __future__ import annotations

import math
from typing import Any, Callable, Sequence

import numpy as np

from robodyn_ros.errors import ScenarioError, UnknownNameError
from robodyn_ros.plant.measurement import Measured
from robodyn_ros.robots.limits import Limits, TOLERANCE
from robodyn_ros.scenario.result import Result
from robodyn_ros.scenario.user_code import (call_object, import_object, is_import_path, is_metric,
                                            unmarked)

METRICS = {
    'error_max': 'largest tracking error of any joint [rad] or [m]',
    'error_rms': 'root mean square of the tracking errors of all joints [rad] or [m]',
    'tool_error_max': 'largest distance of the tool from where it should be [m]',
    'tool_error_rms': 'root mean square of that distance [m]',
    'effort_max': 'largest torque or force of any joint [N m] or [N]',
    'effort_share': "largest part of a motor's effort limit [-]; 0 where no limit is known",
    'energy': 'integral of sum |tau v|: mechanical energy, braking counted as spending [J]',
    'violation_max': 'largest constraint error [m] or [rad]',
    'limits_passed': 'joints that left their limits of position or velocity',
    'settled': 'whether the error of every joint is within settle_tolerance at the end',
    'settling_time': 'time from which on it is [s]; none where it is not settled',
}
"""Every metric and what it means."""
OF_A_REFERENCE = ('error_max', 'error_rms', 'tool_error_max', 'tool_error_rms', 'settled',
                  'settling_time')
WHOLE, TRUTHS = ('limits_passed',), ('settled',)
"""Metrics that are whole numbers, and those that are true or false."""


def chosen_metrics(names: Sequence[str], place: str) -> list[str]:
    """Return the metrics that are asked for, all of the package's by default."""
    for name in names:
        if name not in METRICS and not is_import_path(name):
            raise UnknownNameError('metric', name, METRICS, place)
    if len(set(names)) < len(names):
        raise ScenarioError(f'{place}: metrics are {", ".join(names)}; expected each once')
    return list(names or METRICS)


def measured_columns(found: Measured, limits: Limits, last: float,
                     followed: bool) -> dict[str, np.ndarray]:
    """
    Return every metric of the package for k runs.

    :param last: time of the last instant of a whole run [s]
    :param followed: there was a reference
    """
    none = np.full(found.values.shape[1], math.nan)
    lower, upper, velocity, effort = (bound[:, None] for bound in (
        limits.lower, limits.upper, limits.velocity, limits.effort))
    with np.errstate(divide='ignore', invalid='ignore'):
        shares = np.where(np.isfinite(effort), found.effort_max / effort, 0.0)
    beyond = ((found.position_min < lower - TOLERANCE)
              | (found.position_max > upper + TOLERANCE)
              | (found.speed_max > velocity + TOLERANCE))
    settled = found.outside < last
    columns = {
        'error_max': found.error_max, 'error_rms': found.error_rms,
        'tool_error_max': found.distance_max, 'tool_error_rms': found.distance_rms,
        'effort_max': found.effort_max.max(axis=0), 'effort_share': np.fmax.reduce(shares, axis=0),
        'energy': found.energy, 'violation_max': found.violation_max,
        'limits_passed': beyond.sum(axis=0).astype(float), 'settled': settled.astype(float),
        'settling_time': np.where(settled, np.maximum(found.outside, 0.0), math.nan)}
    return columns if followed else {
        name: none if name in OF_A_REFERENCE else values for name, values in columns.items()}


def user_metric(text: str, folder: str) -> Callable[[Result], float]:
    """Return a user's metric: a function of a Result that returns a number."""
    made = import_object(text, 'metrics', folder)
    if not is_metric(made):
        raise unmarked(text, 'metrics', made, 'a function of a Result decorated with @metric')

    def number(result: Result) -> float:
        value: Any = call_object(made, text, 'metrics', result)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ScenarioError(f'metrics has {text!r}: it returned {value!r:.60}; expected a '
                                'number') from None
    return number
