# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The SCARA held on its helix: four servo rows that move with time, on four joints.

The rows leave no freedom, so the exact motion is where they vanish: it is solved for at every
sample, without integrating. Drake and the Robotics Toolbox have no constraint to a moving point.

MuJoCo pulls the tool by a moved body and holds the yaw by a fixed tendon; PyBullet holds the tool
by a fixed constraint whose frame is moved. Both take the target for standing still during a step
and would trail behind it, so it is led by just that lag. Pinocchio solves the same equation as we
do, in Python with its forwardDynamics. Where the target goes is known before the run.
"""
from __future__ import annotations

from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any, Iterator

from benchmarks.accuracy_task import (BAUMGARTE_STEPS, Go, Motion, our_runs, Run, SAMPLE_PERIOD,
                                      sampled, Task)
from benchmarks.peers import bare_urdf, find, MUJOCO, PINOCCHIO
from benchmarks.plants import NEAR_HELIX, servo_plant, STEP
from benchmarks.with_mujoco import lean_spec, stiffest_settings
from benchmarks.with_pybullet import DEFAULT_ERP, PyBullet
import numpy as np
from robodyn_ros import assemble_start, load_robot, Plant, stabilisation, State

NAME = 'scara_450 on its helix'
RADIUS, RATE, CENTRE_Y, CLIMB = 0.05, 0.4 * np.pi, 0.35, 0.02
"""Of the helix (trajectories/paths.py, paper 000) [m, rad/s, m, m/s]."""
ROBOT, TOOL = 'scara_450', 'tool0'


def our_plant(kind: str, step: float) -> Plant:
    """Return the arm on the helix with a stabilisation and a step."""
    gains = {'time_constant': BAUMGARTE_STEPS * step} if kind == 'baumgarte' else {}
    return servo_plant(stabilisation(kind, **gains), step)


def exact_motion(duration: float) -> Motion:
    """Return the states at the samples that satisfy the rows and their rates."""
    plant = servo_plant()
    state = assemble_start(plant, NEAR_HELIX).state
    found = []
    for k in range(1, sampled(STEP, duration)[1] + 1):
        # from the last one on, so that it stays on the same branch of the elbow
        near = State(k * SAMPLE_PERIOD, state.q + SAMPLE_PERIOD * state.v, state.v)
        state = assemble_start(plant, near).state
        found.append(state)
    return np.array([s.q for s in found]), np.array([s.v for s in found])


def task(duration: float) -> Task:
    """Return the arm, judged by its rows and by the energy of the exact motion."""
    robot, plant = load_robot(ROBOT), servo_plant()
    first = assemble_start(plant, NEAR_HELIX).state
    energy = np.add(*robot.energy(*exact_motion(duration)))

    def error(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.add(*robot.energy(q, v)) - energy

    return Task(NAME, plant, error, partial(_runs, first))


def _runs(first: State) -> Iterator[Run]:
    yield from our_runs(our_plant, first, {
        'none': 'bare', 'baumgarte': 'Baumgarte', 'velocity_correction': 'velocity correction',
        'projection': 'projection'})
    for step in (2.0 * STEP, STEP, 0.5 * STEP):
        if find_spec(MUJOCO):
            for name, stiff in (('default softness', False), ('stiffest', True)):
                yield Run('mujoco', name, step, partial(in_mujoco, first, step, stiff))
        if find_spec(PINOCCHIO):
            omega = 1.0 / (BAUMGARTE_STEPS * step)
            for name, kp, kd in (('bare', 0.0, 0.0), ('Baumgarte', omega ** 2, 2.0 * omega)):
                yield Run('pinocchio', name, step, partial(in_pinocchio, first, step, kp, kd))
        if find_spec('pybullet'):
            for name, erp in (('default', None), ('erp 0.9, 200 iterations', 0.9)):
                yield Run('pybullet', name, step, partial(in_pybullet, first, step, erp))


@lru_cache
def helix(step: float, count: int, ahead: float = 0.0) -> tuple[np.ndarray, ...]:
    """Positions, velocities and accelerations (count, 3) at the times (k + ahead) step."""
    t = (np.arange(count) + ahead) * step
    s, c, k = np.sin(RATE * t), np.cos(RATE * t), RADIUS * RATE
    zero, one = np.zeros(count), np.ones(count)
    return (np.stack([RADIUS * s, CENTRE_Y + RADIUS * c, CLIMB * t], axis=1),
            np.stack([k * c, -k * s, CLIMB * one], axis=1),
            np.stack([-k * RATE * s, -k * RATE * c, zero], axis=1))


def in_mujoco(first: State, step: float, stiff: bool) -> Go:
    """
    Pull the tool by a mocap body.

    Its reference acceleration is -b v - k r with b = 2 / (d T), k = 1 / (d T^2) of solref and
    solimp (its chapter on computation); it is that of the helix when the target is led by
    2 T v + d T^2 a.
    """
    engine, robot = find(MUJOCO), load_robot(ROBOT)
    spec = lean_spec(robot, step, constrained=True)
    spec.body(TOOL).add_site(name='tool')
    spec.worldbody.add_body(name='target', mocap=True).add_site(name='target')
    tendon = spec.add_tendon(name='yaw')
    for name in robot.joints[:3]:
        tendon.wrap_joint(name, 1.0)
    spec.add_equality(type=engine.mjtEq.mjEQ_CONNECT, objtype=engine.mjtObj.mjOBJ_SITE,
                      name1='tool', name2='target')
    spec.add_equality(type=engine.mjtEq.mjEQ_TENDON, objtype=engine.mjtObj.mjOBJ_TENDON,
                      name1='yaw')
    model = spec.compile()
    if stiff:
        model.eq_solref[:], model.eq_solimp[:] = stiffest_settings(step)
        model.opt.tolerance, model.opt.iterations = 1e-15, 200
    data = engine.MjData(model)
    constant, impedance = model.eq_solref[0, 0], model.eq_solimp[0, 1]

    def go(duration: float) -> Motion:
        every, count = sampled(step, duration)
        p, v, a = helix(step, every * count, 0.5)
        targets = p + 2.0 * constant * v + impedance * constant ** 2 * a
        path, speeds = np.empty((2, count, robot.n))
        engine.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = first.q, first.v
        target = data.mocap_pos[0]
        for k in range(count):
            for i in range(k * every, (k + 1) * every):
                target[:] = targets[i]
                engine.mj_step(model, data)
            path[k], speeds[k] = data.qpos, data.qvel
        return path, speeds
    return go


def in_pybullet(first: State, step: float, erp: float | None) -> Go:
    """Move the frame of a fixed constraint; a share erp of the gap is closed in each step."""
    peer, n = PyBullet(load_robot(ROBOT), step), len(first.q)
    peer.set_error_reduction(erp)
    peer.place(first)
    hold, turn = peer.hold(TOOL)
    lead = 1.0 / (erp or DEFAULT_ERP)

    def go(duration: float) -> Motion:
        every, count = sampled(step, duration)
        change, advance = peer.engine.changeConstraint, peer.engine.stepSimulation
        only: dict[str, Any] = peer.only
        targets = helix(step, every * count, lead)[0].tolist()
        path, speeds = np.empty((2, count, n))
        peer.place(first)
        for k in range(count):
            for target in targets[k * every:(k + 1) * every]:
                change(hold, target, turn, maxForce=1e9, **only)
                advance(**only)
            x = peer.state()
            path[k], speeds[k] = x[:n], x[n:]
        return path, speeds
    return go


def in_pinocchio(first: State, step: float, kp: float, kd: float) -> Go:
    """Solve the constrained equation in each stage of RK4."""
    pin, robot = find(PINOCCHIO), load_robot(ROBOT)
    model = pin.buildModelFromXML(bare_urdf(robot))
    model.gravity.linear = np.array(robot.parameters.gravity)
    data, tool, zero = model.createData(), model.getFrameId(TOOL), np.zeros(robot.n)
    rows, phi, rate, gamma = np.zeros((4, robot.n)), np.zeros(4), np.zeros(4), np.zeros(4)
    rows[3, :3] = 1.0
    world = pin.LOCAL_WORLD_ALIGNED

    def acceleration(wanted: tuple[np.ndarray, ...], q: np.ndarray, v: np.ndarray) -> np.ndarray:
        pin.forwardKinematics(model, data, q, v, zero)
        pin.updateFramePlacement(model, data, tool)
        rows[:3] = pin.computeFrameJacobian(model, data, q, tool, world)[:3]
        drift = pin.getFrameClassicalAcceleration(model, data, tool, world).linear
        phi[:3], phi[3] = data.oMf[tool].translation - wanted[0], q[0] + q[1] + q[2]
        rate[:] = rows @ v
        rate[:3] -= wanted[1]
        gamma[:] = kp * phi + kd * rate
        gamma[:3] += drift - wanted[2]
        return pin.forwardDynamics(model, data, q, v, zero, rows, gamma).copy()

    def go(duration: float) -> Motion:
        every, count = sampled(step, duration)
        stages = list(zip(*helix(0.5 * step, 2 * every * count + 1)))
        q, v = first.q, first.v
        path, speeds = np.empty((2, count, robot.n))
        for k in range(count):
            for i in range(k * every, (k + 1) * every):
                begin, middle, end = stages[2 * i:2 * i + 3]
                a1 = acceleration(begin, q, v)
                v2 = v + 0.5 * step * a1
                a2 = acceleration(middle, q + 0.5 * step * v, v2)
                v3 = v + 0.5 * step * a2
                a3 = acceleration(middle, q + 0.5 * step * v2, v3)
                v4 = v + step * a3
                a4 = acceleration(end, q + step * v3, v4)
                q = q + step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
                v = v + step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
            path[k], speeds[k] = q, v
        return path, speeds
    return go
