# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How time and memory grow: with constraint rows, with rollouts, with simulated time.

The growth with the length of a chain, which is compiled anew for each length, is in growth.py.
"""
from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from robodyn_ros.bench.chain import chain
from robodyn_ros.bench.effort import Effort
from robodyn_ros.bench.memory import memory_now
from robodyn_ros.bench.peers import bare_urdf, find, MUJOCO
from robodyn_ros.bench.plants import STEP
from robodyn_ros.bench.timing import interleave, Task
from robodyn_ros.bench.watch import Watch
from robodyn_ros.bench.with_mujoco import Mujoco, UNUSED
from robodyn_ros.constraints.ready_made import joint_combination
from robodyn_ros.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.signals import State

JOINTS = 5
"""Of the chain that gets more and more rows."""


def measure(effort: Effort, watch: Watch) -> dict[str, Any]:
    """One list per kind of growth."""
    watch.begin('growth: rows, rollouts, simulated time',
                len(effort.row_counts) + len(effort.rollout_counts) + len(effort.durations))
    return {'rows': [rows_entry(count, effort, watch) for count in effort.row_counts],
            'rollouts': [rollouts_entry(count, effort, watch) for count in effort.rollout_counts],
            'duration': [duration_entry(seconds, effort, watch) for seconds in effort.durations]}


def rows_entry(count: int, effort: Effort, watch: Watch) -> dict[str, Any]:
    """Time a step of a chain whose first joints are held together by so many rows."""
    robot = chain(JOINTS)
    rows = [joint_combination({f'joint_{k}': 1.0, f'joint_{k + 1}': -1.0}, name=f'row_{k}')
            for k in range(1, count + 1)]
    plant = Plant(robot, rows, step=STEP)
    start = State(0.0, np.full(JOINTS, 0.2), np.zeros(JOINTS))
    steps = max(1, effort.chain_steps // 20)
    tasks: dict[str, Task] = {'ours': lambda: plant.advance(start, steps=steps)}
    if find(MUJOCO) is not None:
        model, data = held_in_mujoco(count)

        def theirs() -> None:
            engine.mj_resetData(model, data)
            data.qpos[:] = start.q
            engine.mj_step(model, data, steps)

        engine = find(MUJOCO)
        tasks[MUJOCO] = theirs
    timings = interleave(tasks, dict.fromkeys(tasks, steps), min(effort.repeats, 9))
    watch.tick()
    entry = {'rows': count, 'ours_us': timings['ours'].median,
             'operations': plant.program().operations['dynamics']}
    if MUJOCO in timings:
        entry.update(mujoco_us=timings[MUJOCO].median,
                     ratio=timings[MUJOCO].median / timings['ours'].median)
    return entry


def held_in_mujoco(count: int) -> tuple[Any, Any]:
    """Return model and data of the same chain with soft joint equalities in MuJoCo."""
    engine, robot = find(MUJOCO), chain(JOINTS)
    spec = engine.MjSpec.from_string(bare_urdf(robot))
    spec.option.integrator, spec.option.timestep = engine.mjtIntegrator.mjINT_RK4, STEP
    spec.option.gravity = robot.parameters.gravity
    for stage in UNUSED:
        spec.option.disableflags |= int(getattr(engine.mjtDisableBit, 'mjDSBL_' + stage, 0))
    for k in range(1, count + 1):
        equality = spec.add_equality(
            type=engine.mjtEq.mjEQ_JOINT, objtype=engine.mjtObj.mjOBJ_JOINT,
            name1=f'joint_{k}', name2=f'joint_{k + 1}')
        equality.data[:2] = 0.0, 1.0  # the polynomial q_k = 0 + 1 q_(k+1)
    model = spec.compile()
    return model, engine.MjData(model)


def rollouts_entry(count: int, effort: Effort, watch: Watch) -> dict[str, Any]:
    """Time so many recorded runs of the free SCARA on all cores, and weigh them."""
    random, steps = np.random.default_rng(2), min(effort.rollout_steps, 1000)
    plant = Plant(load_robot('scara_450'), step=STEP)
    starts = [State(0.0, *pair) for pair in random.uniform(-1.0, 1.0, (count, 2, 4))]
    plant.rollouts(starts[:1], steps=steps)
    before, begin = memory_now(), time.perf_counter()
    kept = plant.rollouts(starts, steps=steps)
    seconds, grown = time.perf_counter() - begin, memory_now() - before
    entry = {'rollouts': count, 'steps': steps, 'ours_s': seconds, 'memory_MB': grown,
             'recorded_MB': sum(array.nbytes for run in kept for array in run) / 1e6}
    del kept
    if find(MUJOCO) is not None:
        work = Mujoco(plant.robot, STEP).rollouts(starts, steps, threads=os.cpu_count() or 1)
        work()
        begin = time.perf_counter()
        work()
        entry['mujoco_s'] = time.perf_counter() - begin
        entry['ratio'] = entry['mujoco_s'] / seconds
    watch.tick()
    return entry


def duration_entry(seconds: float, effort: Effort, watch: Watch) -> dict[str, Any]:
    """Time a run of so many simulated seconds, bare and recorded every step."""
    plant, n = Plant(load_robot('scara_450'), step=STEP), 4
    start, steps = State(0.0, np.full(n, 0.3), np.zeros(n)), round(seconds / STEP)
    plant.rollout(start, steps=10)
    times, memory = [], []
    for record in (False, True):
        before, begin = memory_now(), time.thread_time()
        kept = plant.rollout(start, steps=steps, every=1 if record else steps)
        times.append(time.thread_time() - begin)
        memory.append(memory_now() - before)
        del kept
    watch.tick()
    return {'simulated_s': seconds, 'ours_s': times[0], 'memory_MB': memory[0],
            'recorded_s': times[1], 'recorded_MB': memory[1]}
