# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The closed chain swinging freely: its loops must stay closed and its energy must stay.

Each peer with its defaults and with the stiffest stabilisation that its documentation describes.
"""
from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Any, Iterator

from benchmarks.accuracy_task import BAUMGARTE_STEPS, Go, Motion, our_runs, Run, sampled, Task
from benchmarks.contender import runge_kutta
from benchmarks.plants import closed_plant, closed_start, STEP
from benchmarks.with_drake import Drake
from benchmarks.with_mujoco import Mujoco
from benchmarks.with_pinocchio import Pinocchio
from benchmarks.with_pybullet import PyBullet
import numpy as np
from robodyn_ros import load_robot, Plant, stabilisation, State

NAME, ROBOT = 'parallel_2dof, loops closed', 'parallel_2dof'


def our_plant(kind: str, step: float) -> Plant:
    """Return the chain with a stabilisation and a step."""
    gains = {'time_constant': BAUMGARTE_STEPS * step} if kind == 'baumgarte' else {}
    return Plant(load_robot(ROBOT), step=step, stabilisation=stabilisation(kind, **gains))


def task() -> Task:
    """Return the chain, judged by its rows and by the energy it started with."""
    robot, first = load_robot(ROBOT), closed_start()
    energy = np.add(*robot.energy(first.q, first.v))

    def error(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.add(*robot.energy(q, v)) - energy

    return Task(NAME, closed_plant(), error, partial(_runs, first))


def _runs(first: State) -> Iterator[Run]:
    yield from our_runs(our_plant, first, {
        'none': 'bare', 'baumgarte': 'Baumgarte', 'projection': 'projection'})
    for step in (2.0 * STEP, STEP, 0.5 * STEP):
        if find_spec(Mujoco.module):
            for name, stiff in (('default softness', False), ('stiffest', True)):
                yield Run('mujoco', name, step, partial(_mujoco, first, step, stiff))
        if find_spec(Pinocchio.module):
            omega = 1.0 / (BAUMGARTE_STEPS * step)
            for name, kp, kd in (('bare', 0.0, 0.0), ('Baumgarte', omega ** 2, 2.0 * omega)):
                yield Run('pinocchio', name, step, partial(_pinocchio, first, step, kp, kd))
        if find_spec(Drake.module):
            yield Run('drake', 'SAP', step, partial(_drake, first, step))
        if find_spec(PyBullet.module):
            for name, erp in (('default', None), ('erp 0.9, 200 iterations', 0.9)):
                yield Run('pybullet', name, step, partial(_pybullet, first, step, erp))


def _mujoco(first: State, step: float, stiff: bool) -> Go:
    peer, n = Mujoco(load_robot(ROBOT), step, stiff=stiff), len(first.q)

    def go(duration: float) -> Motion:
        every, count = sampled(step, duration)
        q, v = np.empty((2, count, n))
        peer.start(first)
        for k in range(count):
            peer.engine.mj_step(peer.model, peer.data, every)
            q[k], v[k] = peer.data.qpos, peer.data.qvel
        return q, v
    return go


def _pinocchio(first: State, step: float, kp: float, kd: float) -> Go:
    peer, n = Pinocchio(load_robot(ROBOT), step, kp, kd), len(first.q)

    def go(duration: float) -> Motion:
        every, count = sampled(step, duration)
        q, v = np.empty((2, count, n))
        state = first
        for k in range(count):
            x = runge_kutta(peer.rate, state, step, every)
            state = State(0.0, x[:n], x[n:])
            q[k], v[k] = state.q, state.v
        return q, v
    return go


def _drake(first: State, step: float) -> Go:
    peer, n = Drake(load_robot(ROBOT), step), len(first.q)
    simulator, context, start = peer.simulator(first)

    def go(duration: float) -> Motion:
        every, count = sampled(step, duration)
        q, v = np.empty((2, count, n))
        peer.restart(simulator, context, start)
        for k in range(count):
            simulator.AdvanceTo((k + 1) * every * step)
            x = peer.plant.GetPositionsAndVelocities(context)
            q[k], v[k] = x[:n], x[n:]
        return q, v
    return go


def _pybullet(first: State, step: float, erp: float | None) -> Go:
    peer, n = PyBullet(load_robot(ROBOT), step), len(first.q)
    peer.set_error_reduction(erp)

    def go(duration: float) -> Motion:
        every, count = sampled(step, duration)
        only: dict[str, Any] = peer.only
        q, v = np.empty((2, count, n))
        peer.place(first)
        for k in range(count):
            for _ in range(every):
                peer.engine.stepSimulation(**only)
            x = peer.state()
            q[k], v[k] = x[:n], x[n:]
        return q, v
    return go
