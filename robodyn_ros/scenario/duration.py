# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How long a run is: whole control periods, each of whole integration steps."""
from __future__ import annotations

import dataclasses
import logging
import math

from robodyn_ros.errors import ArgumentError, ScenarioError
from robodyn_ros.scenario.schema import Scenario

LOG = logging.getLogger('robodyn_ros')
MOST_PERIODS = 10 ** 8
"""Control periods in a run; what it records would not fit into memory by far."""
ROUNDING = 1e-6
"""Part of a period that is taken for rounding."""


def periods_in(duration: float, period: float) -> int:
    """Return how many control periods a duration has [-]; both in seconds."""
    return int(round(duration / period))


def steps_in(period: float, step: float) -> int:
    """Return the integration steps of a control period, which must be a whole number of them."""
    count = int(round(period / step)) if step > 0.0 else 0
    if count < 1 or abs(count * step - period) > 1e-9 * period:
        raise ScenarioError(f'controller.period is {period} s and dynamics.step {step} s; '
                            'expected the period to be a whole number of steps')
    return count


def with_duration(scenario: Scenario, asked: float | None = None) -> Scenario:
    """
    Return the scenario with the duration it will really have; a line says where that differs.

    :param asked: value of --duration, instead of the scenario's own [s]
    """
    name = f'duration of {scenario.name}' if asked is None else '--duration'
    seconds = scenario.duration if asked is None else asked
    period = scenario.controller.period
    if not 0.0 < seconds < math.inf:
        raise ArgumentError(f'{name} is {seconds}; expected a positive number of seconds')
    if not 1.0 - ROUNDING <= seconds / period <= MOST_PERIODS:
        raise ArgumentError(f'{name} is {seconds:g} s; expected {period:g} to '
                            f'{MOST_PERIODS * period:g} s, as controller.period is {period:g} s')
    whole = periods_in(seconds, period) * period
    if abs(whole - seconds) <= ROUNDING * period:
        whole = seconds
    else:
        LOG.warning('%s is %.9g s; the run lasts %.9g s, a whole number of control periods of '
                    '%g s', name, seconds, whole, period)
    return dataclasses.replace(scenario, duration=whole)
