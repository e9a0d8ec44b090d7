# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""One run of a study as a command of its own, which computes the same bits."""
from __future__ import annotations

import json
from pathlib import Path
import shlex

import numpy as np

from robodyn_ros.errors import ArgumentError
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.scenario.settings import listed_fields
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import found_beside, Study


def replay_command(study: Study, number: int) -> str:
    """Return the command that makes one run of a study again, to the bit."""
    if not 0 <= number < study.count:
        raise ArgumentError(f'--replay is {number}; expected 0 to {study.count - 1}, a run of '
                            f'{study.place}')
    runner = Runner(study)
    scenario = runner.scenario(runner.failed(np.array([number]), ''), 0)
    name = found_beside(Path(study.place).parent, study.settings.scenario)
    words = ['robodyn', 'simulate', name, '--duration', repr(study.scenario.duration)]
    base = {item.name: item.value for item in listed_fields(load_scenario(name))}
    for item in listed_fields(scenario):
        if item.name not in ('name', 'duration') and base.get(item.name) != item.value:
            value = list(item.value) if isinstance(item.value, tuple) else item.value
            words += ['--set', f'{item.name}={json.dumps(value)}']
    return shlex.join(words)
