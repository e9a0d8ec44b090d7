# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Accuracy against cost: 20 s of constrained motion in every engine, with several settings and steps.

Every engine is built and warm before; then all take turns with the first seconds of the motion,
which give the time. How a motion is judged: accuracy_task.py.
"""
from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks import accuracy_closed, accuracy_helix
from benchmarks.accuracy_task import judge, Task
from benchmarks.progress import ProgressBars
from benchmarks.sizes import Sizes
from benchmarks.timing import summarise, take_turns, Task as Timed
from robodyn_ros import RobodynError

TIMED_DURATION = 2
"""How much of the motion is timed in a turn [s]."""


def measure(sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """One list of points per task."""
    duration = sizes.accuracy_duration
    tasks = [accuracy_closed.task(), accuracy_helix.task(duration)]
    return {'duration_s': duration, 'timed_s': TIMED_DURATION,
            **{task.name: points(task, sizes, bars) for task in tasks}}


def points(task: Task, sizes: Sizes, bars: ProgressBars) -> list[dict[str, Any]]:
    """Judge every run once, then time all in turns."""
    runs = list(task.runs())
    bars.begin(f'accuracy against cost: {task.name}', len(runs) + sizes.accuracy_repeats)
    found: list[dict[str, Any]] = []
    timed: dict[str, Timed] = {}
    for k, run in enumerate(runs):
        entry: dict[str, Any] = {'engine': run.engine, 'setting': run.setting,
                                 'step_s': run.step}
        try:
            go = run.prepare()
            entry.update(judge(task, go(sizes.accuracy_duration)))
            timed[str(k)] = partial(go, TIMED_DURATION)
        except RobodynError as error:  # a motion that broke off is a result too
            entry['failed'] = str(error)
        found.append(entry)
        bars.tick()
    turns = take_turns(timed, dict.fromkeys(timed, TIMED_DURATION), sizes.accuracy_repeats,
                       bars.tick)
    for key, times in turns.items():
        timing = summarise(times)
        found[int(key)].update(us_per_simulated_s=timing.median, quartiles_us=timing.quartiles)
    return found
