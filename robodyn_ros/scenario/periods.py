# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How many control periods a run has, and integration steps a period.

Between the nodes time is counted in whole periods, each a whole number of nanoseconds: a period
such as 1/3 ms is 333,333 ns there, in `simulate` as well, so that the same instants are sampled.
"""
from __future__ import annotations

from robodyn_ros.errors import ScenarioError
from robodyn_ros.ros_time import NANO


def period_ns(period: float) -> int:
    """Return a control period in seconds as the nodes count it [ns]."""
    return max(1, int(round(period * NANO)))


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
