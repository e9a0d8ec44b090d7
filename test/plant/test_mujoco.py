# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Free flight of the five robots against MuJoCo, which reads the same URDF."""

import re

import numpy as np
from plant import cases
import pytest
from robodyn_ros import Plant, robot_from_text, State

mujoco = pytest.importorskip('mujoco')

STEP = 2e-4
# Both integrate with RK4 at 0.2 ms; the motions are fast enough that either is good to 1e-9 only.
FLIGHT = 1e-8
STARTS = {
    'scara_450': [0.3, -0.8, 0.2, 0.1], 'two_link': [0.6, -1.1],
    'parallel_2dof': [1.1, -2.2, 3.1, -1.6, -1.4, -1.7],
    'irb120': [0.3, -0.4, 0.2, 0.5, -0.6, 0.1], 'scara_1000': [-0.5, -1.3, 0.7, 1.2]}


def without_rotors(name):
    """Return a robot whose rotors, which MuJoCo cannot take from a URDF, are left out."""
    text = re.sub(r'<rotor[^>]*/>', '', cases.robot(name).urdf)
    return robot_from_text(text, name)


def fly(text, joints, gravity, q, v, steps):
    """Return positions (steps + 1, n) and velocities of MuJoCo, joints by name."""
    # visual shapes are of no use here, and static bodies may stay bodies
    text = re.sub(r'<visual>.*?</visual>|<collision>.*?</collision>', '', text, flags=re.S)
    text = text.replace('</robot>', '<mujoco><compiler balanceinertia="false" '
                        'fusestatic="true"/></mujoco></robot>')
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    model.opt.gravity[:] = gravity
    model.opt.disableflags |= (mujoco.mjtDisableBit.mjDSBL_CONTACT
                               | mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.dof_damping[:] = 0.0
    model.dof_frictionloss[:] = 0.0
    model.dof_armature[:] = 0.0
    data = mujoco.MjData(model)
    places = [model.joint(joint).qposadr[0] for joint in joints]
    speeds = [model.joint(joint).dofadr[0] for joint in joints]
    data.qpos[places], data.qvel[speeds] = q, v
    positions, velocities = [data.qpos[places].copy()], [data.qvel[speeds].copy()]
    for _ in range(steps):
        mujoco.mj_step(model, data)
        positions.append(data.qpos[places].copy())
        velocities.append(data.qvel[speeds].copy())
    return np.array(positions), np.array(velocities)


@pytest.mark.parametrize('name', STARTS)
def test_free_flight_is_mujocos(name):
    """One second without torque, friction, limits or contacts: same angles and rates."""
    robot = without_rotors(name)
    assert robot.n == cases.robot(name).n
    plant = Plant(robot, step=STEP, close_loops=False)
    rng = np.random.default_rng(len(name))
    q, v = np.array(STARTS[name]), rng.uniform(-1.0, 1.0, robot.n)
    steps = round(1.0 / STEP)
    motion = plant.rollout(State(0.0, q, v), steps=steps, parameters={'friction_scale': 0.0})
    theirs_q, theirs_v = fly(robot.urdf, robot.joints, robot.parameters.gravity, q, v, steps)
    assert np.abs(motion.q - q).max() > 0.3, 'it flew'
    cases.assert_close('q', motion.q, theirs_q, FLIGHT, (q, v))
    cases.assert_close('v', motion.v, theirs_v, 10.0 * FLIGHT, (q, v))
