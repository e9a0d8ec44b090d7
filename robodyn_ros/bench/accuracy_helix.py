# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The SCARA held on its helix: four servo rows that move with time, on four joints.

The rows determine the motion, so the exact energy is known. MuJoCo pulls the tool by a moved body
and holds the yaw by a fixed tendon; Pinocchio solves the same equation in Python with its
forwardDynamics. Drake and PyBullet have no constraint that moves with time on chosen axes.
"""
from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Any, Iterator

import numpy as np

from robodyn_ros.assembly import assemble_start
from robodyn_ros.bench.accuracy import Motion, our_runs, Run, sampled, Task
from robodyn_ros.bench.peers import bare_urdf, find, MUJOCO, PINOCCHIO
from robodyn_ros.bench.plants import NEAR_HELIX, servo_plant, STEP
from robodyn_ros.bench.with_mujoco import UNUSED
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.signals import State

NAME = 'scara_450 on its helix'
BAUMGARTE_STEPS = 10.0
"""Time constant of Baumgarte's terms, in steps [-]."""
RADIUS, RATE, CENTRE_Y, CLIMB = 0.05, 0.4 * np.pi, 0.35, 0.02
"""Of the helix (trajectories/paths.py, paper 000) [m, rad/s, m, m/s]."""


def our_plant(kind: str, step: float) -> Plant:
    """Return the arm on the helix with a stabilisation and a step."""
    gains = {'time_constant': BAUMGARTE_STEPS * step} if kind == 'baumgarte' else {}
    return servo_plant(stabilisation(kind, **gains), step)


def task(duration: float) -> Task:
    """Return the arm, judged by its rows and by the energy of the exact motion."""
    robot, plant = load_robot('scara_450'), our_plant('projection', STEP)
    first = assemble_start(plant, NEAR_HELIX).state
    every, count = sampled(STEP, duration)
    exact = plant.rollout(first, steps=every * count, every=every)
    energy = np.add(*robot.energy(exact.q[1:], exact.v[1:]))

    def error(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.add(*robot.energy(q, v)) - energy

    return Task(NAME, servo_plant(), error, partial(_runs, first))


def helix(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration (3,) of the helix."""
    s, c = np.sin(RATE * t), np.cos(RATE * t)
    k = RADIUS * RATE
    return (np.array([RADIUS * s, CENTRE_Y + RADIUS * c, CLIMB * t]),
            np.array([k * c, -k * s, CLIMB]), np.array([-k * RATE * s, -k * RATE * c, 0.0]))


def _runs(first: State, duration: float) -> Iterator[Run]:
    yield from our_runs(our_plant, first, duration, {
        'none': 'bare', 'baumgarte': 'Baumgarte', 'velocity_correction': 'velocity correction',
        'projection': 'projection'})
    for step in (2.0 * STEP, STEP, 0.5 * STEP):
        every, count = sampled(step, duration)
        if find_spec(MUJOCO):
            for name, stiff in (('default softness', False), ('stiffest', True)):
                yield Run('mujoco', name, step,
                          partial(_mujoco, first, step, every, count, stiff))
        if find_spec(PINOCCHIO):
            omega = 1.0 / (BAUMGARTE_STEPS * step)
            for name, kp, kd in (('bare', 0.0, 0.0), ('Baumgarte', omega ** 2, 2.0 * omega)):
                yield Run('pinocchio', name, step,
                          partial(_pinocchio, first, step, every, count, kp, kd))


def _mujoco(first: State, step: float, every: int, count: int, stiff: bool) -> Motion:
    engine, robot = find(MUJOCO), load_robot('scara_450')
    spec = engine.MjSpec.from_string(bare_urdf(robot))
    spec.option.integrator = engine.mjtIntegrator.mjINT_RK4
    spec.option.timestep, spec.option.gravity = step, robot.parameters.gravity
    for stage in UNUSED:
        spec.option.disableflags |= int(getattr(engine.mjtDisableBit, 'mjDSBL_' + stage, 0))
    spec.body('tool0').add_site(name='tool')
    target = spec.worldbody.add_body(name='target', mocap=True)
    target.add_site(name='target')
    tendon = spec.add_tendon(name='yaw')
    for name in robot.joints[:3]:
        tendon.wrap_joint(name, 1.0)
    softness: dict[str, Any] = {}
    if stiff:
        softness = {'solref': [2.0 * step, 1.0], 'solimp': [0.9999, 0.9999, 0.001, 0.5, 2.0]}
        spec.option.tolerance = 1e-15
    spec.add_equality(type=engine.mjtEq.mjEQ_CONNECT, objtype=engine.mjtObj.mjOBJ_SITE,
                      name1='tool', name2='target', **softness)
    spec.add_equality(type=engine.mjtEq.mjEQ_TENDON, objtype=engine.mjtObj.mjOBJ_TENDON,
                      name1='yaw', **softness)
    model = spec.compile()
    data = engine.MjData(model)
    data.qpos[:], data.qvel[:] = first.q, first.v
    q, v = np.empty((2, count, robot.n))
    for k in range(count):
        for i in range(every):
            # where the helix will be at the end of the step, so that it does not lag
            data.mocap_pos[0] = helix((k * every + i + 1) * step)[0]
            engine.mj_step(model, data)
        q[k], v[k] = data.qpos, data.qvel
    return q, v


def _pinocchio(first: State, step: float, every: int, count: int, kp: float, kd: float) -> Motion:
    pin, robot = find(PINOCCHIO), load_robot('scara_450')
    model = pin.buildModelFromXML(bare_urdf(robot))
    model.gravity.linear = np.array(robot.parameters.gravity)
    data, tool, zero = model.createData(), model.getFrameId('tool0'), np.zeros(robot.n)
    rows, phi, rate, gamma = np.zeros((4, robot.n)), np.zeros(4), np.zeros(4), np.zeros(4)
    rows[3, :3] = 1.0
    world = pin.LOCAL_WORLD_ALIGNED

    def acceleration(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        pin.forwardKinematics(model, data, q, v, zero)
        pin.updateFramePlacement(model, data, tool)
        position, velocity, wanted = helix(t)
        rows[:3] = pin.computeFrameJacobian(model, data, q, tool, world)[:3]
        drift = pin.getFrameClassicalAcceleration(model, data, tool, world).linear
        phi[:3], phi[3] = data.oMf[tool].translation - position, q[0] + q[1] + q[2]
        rate[:] = rows @ v
        rate[:3] -= velocity
        gamma[:] = kp * phi + kd * rate
        gamma[:3] += drift - wanted
        return pin.forwardDynamics(model, data, q, v, zero, rows, gamma).copy()

    q, v = first.q, first.v
    path, speeds = np.empty((2, count, robot.n))
    for k in range(count):
        for i in range(every):
            t = (k * every + i) * step
            a1 = acceleration(t, q, v)
            v2 = v + 0.5 * step * a1
            a2 = acceleration(t + 0.5 * step, q + 0.5 * step * v, v2)
            v3 = v + 0.5 * step * a2
            a3 = acceleration(t + 0.5 * step, q + 0.5 * step * v2, v3)
            v4 = v + step * a3
            a4 = acceleration(t + step, q + step * v3, v4)
            q = q + step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
            v = v + step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        path[k], speeds[k] = q, v
    return path, speeds
