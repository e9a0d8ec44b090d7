# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Accuracy against cost: 20 s of constrained motion in every engine, with several settings and steps.

One yardstick for all: every engine gives positions and velocities each 10 ms, and the violation of
the constraint rows and the energy are computed from them here. Every engine is built and warm
before; then all take turns with the first seconds of the motion, which give the time.
"""
from __future__ import annotations

from functools import partial
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from benchmarks.plants import STEP
from benchmarks.progress import Watch
from benchmarks.sizes import Effort
from benchmarks.timing import summarise, take_turns, Task as Timed
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant.plant import Plant

SAMPLE = 0.01
"""Between the samples that are judged [s]."""
TIMED = 2
"""How much of the motion is timed in a turn [s]."""
BAUMGARTE_STEPS = 10.0
"""Time constant of Baumgarte's terms, in steps [-]."""
Motion = tuple[np.ndarray, np.ndarray]
"""q (k, n) and v (k, n), k samples after the start."""
Go = Callable[[float], Motion]
"""Of a duration [s]; begins anew each time."""
Energy = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Run(NamedTuple):
    """One engine with one setting and one step."""

    engine: str
    setting: str
    step: float
    """[s]"""
    prepare: Callable[[], Go]
    """Reads the robot and whatever else is done once."""


class Task(NamedTuple):
    """A constrained motion, and how it is judged."""

    name: str
    plant: Plant
    """Whose rows are the yardstick."""
    energy_error: Energy
    """Of samples q, v: error of the energy at each [J]."""
    runs: Callable[[], Iterator[Run]]


def sampled(step: float, duration: float) -> tuple[int, int]:
    """Return the steps per sample and the number of samples."""
    return max(1, round(SAMPLE / step)), round(duration / SAMPLE)


def judge(task: Task, motion: Motion) -> dict[str, float | None]:
    """Return the largest violation of any row and the largest energy error; None: no number."""
    (q, v), plant, n = motion, task.plant, task.plant.robot.n
    t = SAMPLE * np.arange(1, len(q) + 1)
    x = np.concatenate([t[:, None], q, v, np.zeros((len(q), n))], axis=1)
    w = plant.model.rows_program.prepared(plant.model.vector())
    phi = plant.model.rows_program.evaluate('rows', x, w)[:, :len(plant.row_names)]
    worst, energy = float(np.abs(phi).max()), float(np.abs(task.energy_error(q, v)).max())
    return {'violation': worst if np.isfinite(worst) else None,
            'energy_error_J': energy if np.isfinite(energy) else None}


def measure(effort: Effort, watch: Watch) -> dict[str, Any]:
    """One list of points per task."""
    from benchmarks import accuracy_closed, accuracy_helix

    duration = effort.accuracy_duration
    tasks = [accuracy_closed.task(), accuracy_helix.task(duration)]
    return {'duration_s': duration, 'timed_s': TIMED,
            **{task.name: points(task, effort, watch) for task in tasks}}


def points(task: Task, effort: Effort, watch: Watch) -> list[dict[str, Any]]:
    """Judge every run once, then time all in turns."""
    runs = list(task.runs())
    watch.begin(f'accuracy against cost: {task.name}', len(runs) + effort.accuracy_repeats)
    found: list[dict[str, Any]] = []
    timed: dict[str, Timed] = {}
    for k, run in enumerate(runs):
        entry: dict[str, Any] = {'engine': run.engine, 'setting': run.setting,
                                 'step_s': run.step}
        try:
            go = run.prepare()
            entry.update(judge(task, go(effort.accuracy_duration)))
            timed[str(k)] = partial(go, TIMED)
        except RobodynError as error:  # a motion that broke off is a result too
            entry['failed'] = str(error)
        found.append(entry)
        watch.tick()
    turns = take_turns(timed, dict.fromkeys(timed, TIMED), effort.accuracy_repeats, watch.tick)
    for key, times in turns.items():
        timing = summarise(times)
        found[int(key)].update(us_per_simulated_s=timing.median, quartiles_us=timing.quartiles)
    return found


def our_runs(plants: Callable[[str, float], Plant], start: Any, kinds: dict[str, str]
             ) -> Iterator[Run]:
    """
    Return our own runs: every stabilisation with several steps.

    :param plants: of a kind of stabilisation and a step
    :param kinds: name for the page, by kind
    """
    def prepare(kind: str, step: float) -> Go:
        plant = plants(kind, step)

        def go(duration: float) -> Motion:
            every, count = sampled(step, duration)
            motion = plant.rollout(start, steps=every * count, every=every)
            return motion.q[1:], motion.v[1:]
        return go

    for kind, name in kinds.items():
        for step in (5.0 * STEP, 2.0 * STEP, STEP, 0.5 * STEP):
            yield Run('ours', name, step, partial(prepare, kind, step))
