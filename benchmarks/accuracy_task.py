# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A constrained motion whose accuracy is compared, how it is judged, and our own runs of it.

One yardstick for all: every engine gives positions and velocities each 10 ms, and the violation of
the constraint rows and the energy are computed from them here.
"""
from __future__ import annotations

from functools import partial
from typing import Any, Callable, Iterator, NamedTuple

from benchmarks.plants import STEP
import numpy as np
from robodyn_ros import Plant, State

SAMPLE_PERIOD = 0.01
"""Between the samples that are judged [s]."""
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
    return max(1, round(SAMPLE_PERIOD / step)), round(duration / SAMPLE_PERIOD)


def judge(task: Task, motion: Motion) -> dict[str, float | None]:
    """Return the largest violation of any row and the largest energy error; None: no number."""
    q, v = motion
    t = SAMPLE_PERIOD * np.arange(1, len(q) + 1)
    phi = [task.plant.constraint_rows(State(*sample))[0] for sample in zip(t, q, v)]
    worst, energy = float(np.abs(phi).max()), float(np.abs(task.energy_error(q, v)).max())
    return {'violation': worst if np.isfinite(worst) else None,
            'energy_error_J': energy if np.isfinite(energy) else None}


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
