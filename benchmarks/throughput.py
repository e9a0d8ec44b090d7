# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A thousand rollouts of scara_450 with different starts and payloads: steps per second.

The free arm, so that MuJoCo's rollout module can do the same with as many threads. MuJoCo's
rollout records every step, so ours is measured with recording every step too.
"""
from __future__ import annotations

import os
import time
from typing import Any, Mapping

from benchmarks.peers import find, MUJOCO, require_same
from benchmarks.plants import STEP
from benchmarks.progress import ProgressBars
from benchmarks.row import compared, Row
from benchmarks.sizes import Sizes
from benchmarks.timing import interleave, Task, Timing
from benchmarks.with_mujoco import Mujoco
import numpy as np
from robodyn_ros import load_robot, Plant, State

HEAVIEST_PAYLOAD = 5.0
"""Largest payload [kg]."""


class Batch:
    """Many starts and payloads, for both engines."""

    def __init__(self, count: int, steps: int):
        """Draw them from a fixed seed."""
        random = np.random.default_rng(1)
        self.plant = Plant(load_robot('scara_450'), step=STEP)
        n = self.plant.robot.n
        self.count, self.steps = count, steps
        self.states = [State(0.0, q, v) for q, v in zip(random.uniform(-1.0, 1.0, (count, n)),
                                                        random.uniform(-1.0, 1.0, (count, n)))]
        self.payloads = [{'payload.mass': float(m)}
                         for m in random.uniform(0.1, HEAVIEST_PAYLOAD, count)]

    def ours(self, workers: int, every: int) -> Task:
        """Task of all rollouts on so many cores."""
        return lambda: self.plant.rollouts(self.states, steps=self.steps, every=every,
                                           parameters=self.payloads, workers=workers)

    def mujoco(self, models: list[Any], engine: Any, threads: int) -> Task:
        """Task of the same rollouts in MuJoCo, its outputs allocated beforehand."""
        rollout = find(MUJOCO + '.rollout')
        width = engine.mj_stateSize(models[0], engine.mjtState.mjSTATE_FULLPHYSICS)
        starts = np.zeros((self.count, width))
        for row, state in zip(starts, self.states):
            row[1:1 + len(state.q)] = state.q
            row[1 + len(state.q):1 + 2 * len(state.q)] = state.v
        data = [engine.MjData(models[0]) for _ in range(threads)]
        states = np.empty((self.count, self.steps, width))
        return lambda: rollout.rollout(models, data, starts, nstep=self.steps, state=states,
                                       persistent_pool=True)

    def models(self) -> list[Any]:
        """Return the arm with each of the payloads in MuJoCo."""
        arms = [Mujoco(self.plant.robot, STEP, item['payload.mass']) for item in self.payloads]
        require_same('scara_450 with a payload',
                     self.plant.derivative(self.states[0], parameters=self.payloads[0])[1],
                     arms[0].acceleration(self.states[0]))
        return [arm.model for arm in arms]


def measure(sizes: Sizes, bars: ProgressBars) -> list[Row]:
    """One core, then all, each without recording and with every step recorded."""
    batch = Batch(sizes.rollouts, sizes.rollout_steps)
    cores = os.cpu_count() or 1
    kinds = [('one_core', 1)] + ([('all_cores', cores)] if cores > 1 else [])
    bars.begin(f'{sizes.rollouts} rollouts', len(kinds) * sizes.rollout_repeats)
    engine = find(MUJOCO)
    models = batch.models() if engine is not None else []
    rows = []
    for name, workers in kinds:
        tasks = {'': batch.ours(workers, sizes.rollout_steps),
                 '.recorded': batch.ours(workers, 1)}
        if models:
            tasks[MUJOCO] = batch.mujoco(models, engine, workers)
        units = dict.fromkeys(tasks, sizes.rollouts * sizes.rollout_steps)
        timings = interleave(tasks, units, sizes.rollout_repeats, bars.tick, time.perf_counter)
        rows += [_row(f'scara_450.rollouts.{name}{suffix}', {'ours': timings[suffix], **timings},
                      rollouts=sizes.rollouts, steps=sizes.rollout_steps, cores=workers)
                 for suffix in ('', '.recorded')]
    return rows


def _row(name: str, timings: Mapping[str, Timing], **details: Any) -> Row:
    details['ours_steps_per_s'] = 1e6 / timings['ours'].median
    if MUJOCO not in timings:
        return Row(name, timings['ours'].median, details=details)
    details['peer_steps_per_s'] = 1e6 / timings[MUJOCO].median
    return compared(name, MUJOCO, timings, **details)
