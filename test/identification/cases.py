# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A small arm, arms that differ from it, and recordings of them."""

import numpy as np
from robodyn_ros.identification.filtering import Measured
from robodyn_ros.identification.model_file import identified_text
from robodyn_ros.identification.parameters import parameter_set, values_of
from robodyn_ros.identification.prior import prior_of
from robodyn_ros.robots.robot import robot_from_text
from robodyn_ros.trajectories.fourier import JointFourier

JOINT = """
<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>
<limit lower="-2" upper="2" velocity="4" effort="200"/><dynamics damping="{damping}"
friction="{friction}"/></joint>"""
LINK = """
<link name="{name}"><inertial><origin xyz="{xyz}"/><mass value="{mass}"/>
<inertia ixx="{a}" ixy="0" ixz="0" iyy="{b}" iyz="0.0002" izz="{c}"/></inertial></link>"""


def arm(axis='0 0 1', friction=True):
    """Return an arm of three turning joints with a tool welded to it."""
    parts = ['<robot name="arm"><link name="base"/>']
    turns = '0.3 0 0', '1.5707963267948966 0 0.2', '0 0.4 0.1'
    spots = '0 0 0.3', '0.1 0 0', '0.4 0 0'
    for k in range(3):
        parent = 'base' if k == 0 else f'link_{k}'
        parts.append(LINK.format(name=f'link_{k + 1}', xyz=f'0.1{k} 0.02 0.0{k}', mass=4 - k,
                                 a=0.05, b=0.04, c=0.03))
        parts.append(JOINT.format(
            name=f'joint_{k + 1}', kind='revolute', parent=parent, child=f'link_{k + 1}',
            xyz=spots[k], rpy=turns[k], axis=axis, damping=0.5 * friction,
            friction=0.8 * friction))
    parts.append(LINK.format(name='tool', xyz='0 0 0.05', mass=0.5, a=0.002, b=0.002, c=0.001))
    parts.append('<joint name="weld" type="fixed"><parent link="link_3"/><child link="tool"/>'
                 '<origin xyz="0.2 0 0.1" rpy="0 0.3 0"/></joint></robot>')
    return robot_from_text(''.join(parts), 'arm.urdf')


def other(robot, seed, rotors=True):
    """Return a robot of other inertias, friction and rotors than the file says, and its theta."""
    random = np.random.default_rng(seed)
    chosen = parameter_set(robot)
    prior = prior_of(robot, chosen, np.ones((1, robot.n)), np.ones((1, robot.n)))
    theta = values_of(chosen, robot)
    for k in range(chosen.bodies):  # scaled and turned: as possible as before
        theta[chosen.of_body(k)] = prior.theta[chosen.of_body(k)] * random.uniform(0.6, 1.5)
    theta[chosen.rotors] = random.uniform(0.05, 0.2, robot.n) * rotors
    for name in ('viscous', 'coulomb'):
        theta[chosen.of_joints(name)] = random.uniform(0.3, 1.2, robot.n)
    text = identified_text(robot, chosen, theta, np.full(robot.n, 0.1), 'another arm')
    return robot_from_text(text, 'other.urdf'), theta


def motion(n, seed=0, duration=10.0, rate=100.0):
    """Return a motion of n joints that shows much: a Trajectory."""
    random = np.random.default_rng(seed)
    size = random.normal(size=(2, n, 4)) * 0.3 / np.arange(1, 5)
    fourier = JointFourier((0.1,) * n, tuple(size[0].ravel()), tuple(size[1].ravel()),
                           2.0 * np.pi / duration * 2.0)
    return fourier.sample(np.arange(int(duration * rate)) / rate)


def recording(robot, seed=0, noise=0.0, exact=True, **options):
    """Return what would be measured of a robot on that motion."""
    t, q, v, a = motion(robot.n, seed, **options)
    tau = robot.inverse_dynamics(q, v, a)
    tau = tau + noise * np.random.default_rng(seed + 1).normal(size=tau.shape)
    return Measured('made up', t, q, tau, v, a if exact else None)
