# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a sweep would take: how many runs, how long, how large; told before it starts."""
from __future__ import annotations

from dataclasses import dataclass
import time

import numpy as np

from robodyn_ros.errors import ScenarioError
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import Study

MOST_RUNS = 10 ** 9
"""Of a study; a table of a hundred gigabytes."""
ROW_BYTES = 150
"""Of a row in the table, about."""
SOME = 32
"""Runs that are made to see how long they take."""
UNITS = ((365.25 * 86400.0, 'years'), (86400.0, 'days'), (3600.0, 'hours'), (60.0, 'minutes'),
         (1.0, 's'))
SIZES = ((1e12, 'TB'), (1e9, 'GB'), (1e6, 'MB'), (1e3, 'kB'))


@dataclass(frozen=True)
class Plan:
    """What all runs of a study would take."""

    runs: int
    seconds_a_run: float

    @property
    def seconds(self) -> float:
        """Time of all runs on one core [s]."""
        return self.seconds_a_run * self.runs

    @property
    def size(self) -> int:
        """Bytes of the table, about."""
        return ROW_BYTES * self.runs

    def __str__(self) -> str:
        """Return it in words."""
        return f'{duration_text(self.seconds)} on one core, and a table of {size_text(self.size)}'


def duration_text(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    unit, name = next((one for one in UNITS if seconds >= 2.0 * one[0]), UNITS[-1])
    return f'{seconds / unit:.3g} {name}'


def size_text(count: float) -> str:
    """Return a number of bytes in the unit that suits it."""
    unit, name = next((one for one in SIZES if count >= one[0]), (1.0, 'B'))
    return f'{count / unit:.3g} {name}'


def plan_of(study: Study) -> Plan:
    """Run a few of a study's runs, and tell what all would take."""
    some, runner = np.arange(min(study.count, SOME)), Runner(study)
    runner.rows(some)  # compiles
    begin = time.perf_counter()
    runner.rows(some)
    return Plan(study.count, (time.perf_counter() - begin) / len(some))


def refuse_too_many(study: Study) -> None:
    """Refuse a study that no machine would finish, with what it would take."""
    if study.count > MOST_RUNS:
        raise ScenarioError(
            f'{study.place}: has {study.count:.4g} runs, which would take {plan_of(study)}; '
            f'expected at most {MOST_RUNS:.0e}: give axes fewer values, or draw them (uniform, '
            'draws: 10000) where they span a grid')
