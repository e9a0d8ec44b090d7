# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Accuracy against cost: 20 s of constrained motion in every engine, with several settings and steps.

One yardstick for all: every engine gives positions and velocities each 10 ms, and the violation of
the constraint rows and the energy are computed from them here. Time is that of the thread for one
whole run, per simulated second.
"""
from __future__ import annotations

import time
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from robodyn_ros.bench.effort import Effort
from robodyn_ros.bench.plants import STEP
from robodyn_ros.bench.watch import Watch
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant import Plant

SAMPLE = 0.01
"""Between the samples that are judged [s]."""
Motion = tuple[np.ndarray, np.ndarray]
"""q (k, n) and v (k, n), k samples after the start."""
Energy = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Run(NamedTuple):
    """One engine with one setting and one step."""

    engine: str
    setting: str
    step: float
    """[s]"""
    work: Callable[[], Motion]


class Task(NamedTuple):
    """A constrained motion, and how it is judged."""

    name: str
    plant: Plant
    """Whose rows are the yardstick."""
    energy_error: Energy
    """Of samples q, v: error of the energy at each [J]."""
    runs: Callable[[float], Iterator[Run]]
    """Of the duration [s]."""


def sampled(step: float, duration: float) -> tuple[int, int]:
    """Return the steps per sample and the number of samples."""
    return max(1, round(SAMPLE / step)), round(duration / SAMPLE)


def judge(task: Task, run: Run, duration: float) -> dict[str, Any]:
    """Run once and measure time, violation and energy error."""
    if run.engine == 'ours':
        run.work()  # compiled and warm
    begin = time.thread_time()
    q, v = run.work()
    seconds = time.thread_time() - begin
    plant, n = task.plant, task.plant.robot.n
    t = SAMPLE * np.arange(1, len(q) + 1)
    x = np.concatenate([t[:, None], q, v, np.zeros((len(q), n))], axis=1)
    w = plant.rows.prepared(plant.parameter_vector())
    phi = plant.rows.evaluate('rows', x, w)[:, :len(plant.row_names)]
    worst, energy = float(np.abs(phi).max()), float(np.abs(task.energy_error(q, v)).max())
    return {'engine': run.engine, 'setting': run.setting, 'step_s': run.step,
            'us_per_simulated_s': 1e6 * seconds / duration,
            'violation': worst if np.isfinite(worst) else None,
            'energy_error_J': energy if np.isfinite(energy) else None}


def measure(effort: Effort, watch: Watch) -> dict[str, Any]:
    """One list of points per task."""
    from robodyn_ros.bench import accuracy_closed, accuracy_helix

    duration = effort.accuracy_duration
    tasks = [accuracy_closed.task(), accuracy_helix.task(duration)]
    found: dict[str, Any] = {'duration_s': duration}
    for task in tasks:
        runs = list(task.runs(duration))
        watch.begin(f'accuracy against cost: {task.name}', len(runs))
        found[task.name] = []
        for run in runs:
            try:
                found[task.name].append(judge(task, run, duration))
            except RobodynError as error:  # a motion that broke off is a result too
                found[task.name].append({'engine': run.engine, 'setting': run.setting,
                                         'step_s': run.step, 'failed': str(error)})
            watch.tick()
    return found


def our_runs(plants: Callable[[str, float], Plant], start: Any, duration: float,
             kinds: dict[str, str]) -> Iterator[Run]:
    """
    Return our own runs: every stabilisation with several steps.

    :param plants: of a kind of stabilisation and a step
    :param kinds: name for the page, by kind
    """
    for kind, name in kinds.items():
        for step in (5.0 * STEP, 2.0 * STEP, STEP, 0.5 * STEP):
            plant = plants(kind, step)
            every, count = sampled(step, duration)

            def work(plant: Plant = plant, every: int = every, count: int = count) -> Motion:
                motion = plant.rollout(start, steps=every * count, every=every)
                return motion.q[1:], motion.v[1:]

            yield Run('ours', name, step, work)
