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

import numpy as np

from robodyn_ros.assembly import assemble_start
from robodyn_ros.bench.accuracy import Motion, our_runs, Run, sampled, Task
from robodyn_ros.bench.contender import runge_kutta
from robodyn_ros.bench.plants import closed_plant, NEAR_CLOSED, STEP
from robodyn_ros.bench.with_drake import Drake
from robodyn_ros.bench.with_mujoco import Mujoco
from robodyn_ros.bench.with_pinocchio import Pinocchio
from robodyn_ros.bench.with_pybullet import PyBullet
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.signals import State

NAME = 'parallel_2dof, loops closed'
FASTER = 20.0
"""How much faster than in the other benchmarks it starts, so that 20 s are a hard test [-]."""
BAUMGARTE_STEPS = 10.0
"""Time constant of Baumgarte's terms, in steps [-]."""


def start() -> State:
    """Return the closed chain in quick motion."""
    plant = closed_plant()
    near = NEAR_CLOSED._replace(v=FASTER * NEAR_CLOSED.v)
    return assemble_start(plant, near).state


def our_plant(kind: str, step: float) -> Plant:
    """Return the chain with a stabilisation and a step."""
    gains = {'time_constant': BAUMGARTE_STEPS * step} if kind == 'baumgarte' else {}
    return Plant(load_robot('parallel_2dof'), step=step,
                 stabilisation=stabilisation(kind, **gains))


def task() -> Task:
    """Return the chain, judged by its rows and by the energy it started with."""
    robot, first = load_robot('parallel_2dof'), start()
    energy = np.add(*robot.energy(first.q, first.v))

    def error(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.add(*robot.energy(q, v)) - energy

    return Task(NAME, closed_plant(), error, partial(_runs, first))


def _runs(first: State, duration: float) -> Iterator[Run]:
    yield from our_runs(our_plant, first, duration, {
        'none': 'bare', 'baumgarte': 'Baumgarte', 'projection': 'projection'})
    for step in (2.0 * STEP, STEP, 0.5 * STEP):
        every, count = sampled(step, duration)
        if find_spec(Mujoco.module):
            for name, stiff in (('default softness', False), ('stiffest', True)):
                yield Run('mujoco', name, step,
                          partial(_mujoco, first, step, every, count, stiff))
        if find_spec(Pinocchio.module):
            omega = 1.0 / (BAUMGARTE_STEPS * step)
            for name, kp, kd in (('bare', 0.0, 0.0), ('Baumgarte', omega ** 2, 2.0 * omega)):
                yield Run('pinocchio', name, step,
                          partial(_pinocchio, first, step, every, count, kp, kd))
        if find_spec(Drake.module) and step >= STEP:
            yield Run('drake', 'SAP', step, partial(_drake, first, step, every, count))
        if find_spec(PyBullet.module):
            for name, erp in (('default', None), ('erp 0.9, 200 iterations', 0.9)):
                yield Run('pybullet', name, step,
                          partial(_pybullet, first, step, every, count, erp))


def _mujoco(first: State, step: float, every: int, count: int, stiff: bool) -> Motion:
    peer = Mujoco(load_robot('parallel_2dof'), step)
    if stiff:  # the shortest time constant that it does not clamp, and full impedance
        peer.model.eq_solref[:] = 2.0 * step, 1.0
        peer.model.eq_solimp[:] = 0.9999, 0.9999, 0.001, 0.5, 2.0
        peer.model.opt.tolerance, peer.model.opt.iterations = 1e-15, 200
    peer.start(first)
    n = len(first.q)
    q, v = np.empty((2, count, n))
    for k in range(count):
        peer.engine.mj_step(peer.model, peer.data, every)
        q[k], v[k] = peer.data.qpos, peer.data.qvel
    return q, v


def _pinocchio(first: State, step: float, every: int, count: int, kp: float, kd: float) -> Motion:
    peer, n = Pinocchio(load_robot('parallel_2dof'), step, kp, kd), len(first.q)
    q, v = np.empty((2, count, n))
    state = first
    for k in range(count):
        x = runge_kutta(peer.rate, state, step, every)
        state = State(0.0, x[:n], x[n:])
        q[k], v[k] = state.q, state.v
    return q, v


def _drake(first: State, step: float, every: int, count: int) -> Motion:
    peer, n = Drake(load_robot('parallel_2dof'), step), len(first.q)
    simulator, context, x = peer.simulator(first)
    peer.restart(simulator, context, x)
    q, v = np.empty((2, count, n))
    for k in range(count):
        simulator.AdvanceTo((k + 1) * every * step)
        x = peer.plant.GetPositionsAndVelocities(context)
        q[k], v[k] = x[:n], x[n:]
    return q, v


def _pybullet(first: State, step: float, every: int, count: int, erp: float | None) -> Motion:
    peer, n = PyBullet(load_robot('parallel_2dof'), step), len(first.q)
    if erp is not None:
        options: dict[str, Any] = {'erp': erp, 'numSolverIterations': 200}
        peer.engine.setPhysicsEngineParameter(**options, **peer.only)
    peer.place(first)
    q, v = np.empty((2, count, n))
    for k in range(count):
        for _ in range(every):
            peer.engine.stepSimulation(**peer.only)
        x = peer.state()
        q[k], v[k] = x[:n], x[n:]
    peer.close()
    return q, v
