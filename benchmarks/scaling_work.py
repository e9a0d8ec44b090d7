# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Work that grows: with joints, constraint rows, rollouts, simulated time; ours and MuJoCo's.

Every piece of work returns the last states, so that both can be compared.
"""
from __future__ import annotations

import os
from typing import Any, Callable

from benchmarks.contender import Work
from benchmarks.peers import find, MUJOCO
from benchmarks.plants import chain, chain_start, STEP
from benchmarks.with_mujoco import lean_spec, Mujoco, stiffest_settings
import numpy as np
from robodyn_ros import joint_combination, load_robot, Plant, State

CHAIN_JOINTS = 5
"""Of the chain that gets more and more rows."""
ROW_STEPS, RUN_STEPS = 1000, 1000
"""Steps of a run with rows, and of each rollout."""
OURS = 'ours'


def _ends(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.concatenate([q, v], axis=-1)


def on_chain(engine: str, joints: int) -> Work:
    """Return steps of a free slanted chain."""
    return _steps(engine, Plant(chain(joints), step=STEP), chain_start(joints),
                  max(1, ROW_STEPS // joints))


def with_rows(engine: str, count: int) -> Work:
    """Return steps of a chain whose first joints are held together by so many rows."""
    start = State(0.0, np.full(CHAIN_JOINTS, 0.2), np.zeros(CHAIN_JOINTS))
    if engine == OURS:
        rows = [joint_combination({f'joint_{k}': 1.0, f'joint_{k + 1}': -1.0}, name=f'row_{k}')
                for k in range(1, count + 1)]
        return _steps(engine, Plant(chain(CHAIN_JOINTS), rows, step=STEP), start, ROW_STEPS)
    mujoco, (model, data) = find(MUJOCO), _held_in_mujoco(count)

    def work() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = start.q
        mujoco.mj_step(model, data, ROW_STEPS)
        return _ends(data.qpos, data.qvel)
    return work


def _held_in_mujoco(count: int) -> tuple[Any, Any]:
    """Return model and data of the same chain with joint equalities, as stiff as they can be."""
    engine, spec = find(MUJOCO), lean_spec(chain(CHAIN_JOINTS), STEP, constrained=count > 0)
    for k in range(1, count + 1):
        equality = spec.add_equality(
            type=engine.mjtEq.mjEQ_JOINT, objtype=engine.mjtObj.mjOBJ_JOINT,
            name1=f'joint_{k}', name2=f'joint_{k + 1}')
        equality.data[:2] = 0.0, 1.0  # the polynomial q_k = 0 + 1 q_(k+1)
    model = spec.compile()
    model.eq_solref[:], model.eq_solimp[:] = stiffest_settings(STEP)
    return model, engine.MjData(model)


def rollouts(engine: str, count: int) -> Work:
    """Return so many runs of the free SCARA on all cores, every step recorded."""
    starts = [State(0.0, *pair)
              for pair in np.random.default_rng(2).uniform(-1.0, 1.0, (count, 2, 4))]
    plant = Plant(load_robot('scara_450'), step=STEP)
    if engine != OURS:
        return Mujoco(plant.robot, STEP).rollouts(starts, RUN_STEPS, threads=os.cpu_count() or 1)

    def work() -> np.ndarray:
        runs = plant.rollouts(starts, steps=RUN_STEPS)
        return np.array([_ends(run.q[-1], run.v[-1]) for run in runs])
    return work


def lasting(engine: str, seconds: float) -> Work:
    """Return one run of the free SCARA, nothing recorded."""
    plant, start = _arm()
    return _steps(engine, plant, start, round(seconds / STEP))


def recorded(engine: str, seconds: float) -> Work:
    """Return one run of the free SCARA, every step recorded; the last position."""
    (plant, start), steps = _arm(), round(seconds / STEP)
    if engine != OURS:
        path = Mujoco(plant.robot, STEP).record(start, steps)
        return lambda: path()[-1]
    return lambda: plant.rollout(start, steps=steps).q[-1]


def _arm() -> tuple[Plant, State]:
    return (Plant(load_robot('scara_450'), step=STEP),
            State(0.0, np.full(4, 0.3), np.array([0.5, -1.0, 0.3, 0.2])))


def _steps(engine: str, plant: Plant, start: State, steps: int) -> Work:
    if engine != OURS:
        return Mujoco(plant.robot, STEP).steps(start, steps)

    def work() -> np.ndarray:
        end = plant.advance(start, steps=steps)
        return _ends(end.q, end.v)
    return work


KINDS: dict[str, Callable[[str, Any], Work]] = {
    'chain': on_chain, 'rows': with_rows, 'rollouts': rollouts, 'duration': lasting,
    'recorded': recorded}
