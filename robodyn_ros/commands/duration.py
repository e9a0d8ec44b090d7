# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How long a run is: a whole number of control periods, and a line where that is not as asked."""
from __future__ import annotations

import dataclasses
import logging
import math

from robodyn_ros.errors import StateError
from robodyn_ros.scenario.schema import Scenario

LOG = logging.getLogger('robodyn_ros')
MOST = 10 ** 8
"""Control periods in a run; what it records would not fit into memory by far."""
NEAR = 1e-6
"""Part of a period that is taken for rounding."""


def with_duration(scenario: Scenario, asked: float | None = None) -> Scenario:
    """
    Return the scenario with the duration it will really have.

    :param asked: of --duration, instead of the scenario's own [s]
    """
    name = f'duration of {scenario.name}' if asked is None else '--duration'
    seconds = scenario.duration if asked is None else asked
    period = scenario.controller.period
    if not 0.0 < seconds < math.inf:
        raise StateError(f'{name} is {seconds}; expected a positive number of seconds')
    if not 1.0 - NEAR <= seconds / period <= MOST:
        raise StateError(f'{name} is {seconds:g} s; expected {period:g} to {MOST * period:g} s, '
                         f'as controller.period is {period:g} s')
    whole = round(seconds / period) * period
    if abs(whole - seconds) <= NEAR * period:
        whole = seconds
    else:
        LOG.warning('%s is %.9g s; the run lasts %.9g s, a whole number of control periods of '
                    '%g s', name, seconds, whole, period)
    return dataclasses.replace(scenario, duration=whole)
