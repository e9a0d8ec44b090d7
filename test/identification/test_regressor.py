# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The regressor against Pinocchio's, and against our own inverse dynamics."""

import os
import subprocess
import sys

from house import ROOT
from identification.cases import arm
from mechanics.random_urdf import random_urdf, with_rotors
import numpy as np
import pytest
from robodyn_ros.identification.base_parameters import base_of
from robodyn_ros.identification.parameters import parameter_set, TEN, values_of
from robodyn_ros.identification.regressor import Regressor
from robodyn_ros.robots.robot import robot_from_text

THEIRS = (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)
"""Pinocchio's order: m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz."""


def regressor_of(robot):
    """Return parameters and regressor."""
    chosen = parameter_set(robot)
    return chosen, Regressor(chosen, robot.parameters.gravity)


def test_entries_are_those_of_pinocchio():
    """Column by column, at 50 states: another library's hand-written regressor."""
    pinocchio = pytest.importorskip('pinocchio')
    robot = arm()
    chosen, regressor = regressor_of(robot)
    model = pinocchio.buildModelFromXML(robot.urdf)
    data = model.createData()
    q, v, a = np.random.default_rng(0).normal(size=(3, 50, 3))
    Y = regressor(q, v, a, np.full(3, 0.1))
    for k in range(50):
        theirs = pinocchio.computeJointTorqueRegressor(model, data, q[k], v[k], a[k])
        ours = Y[k][:, :3 * TEN].reshape(3, 3, TEN)[:, :, THEIRS].reshape(3, -1)
        # their bodies have no rotor; of our ten, mass and moments mean the same frame: z is axis
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize('seed', range(8))
def test_torque_is_that_of_inverse_dynamics(seed):
    """Y theta = M a + h for random trees with prismatic joints, branches and rotors."""
    random = np.random.default_rng(seed)
    joints = int(random.integers(1, 6))
    text = random_urdf(random, joints, 2)
    links = ['b0', *(f'l{k}' for k in range(joints))]
    robot = robot_from_text(with_rotors(random, text, links, [f'j{k}' for k in range(joints)]))
    chosen, regressor = regressor_of(robot)
    q, v, a = random.normal(size=(3, 30, robot.n))
    tau = regressor(q, v, a, np.full(len(chosen.turns), 0.1)) @ values_of(chosen, robot)
    expected = robot.inverse_dynamics(q, v, a)
    assert np.abs(tau - expected).max() < 1e-11 * np.abs(expected).max()


def test_base_parameters_explain_all_others():
    """What depends on the base columns adds nothing: Y theta = Y_base reduced(theta)."""
    robot = arm()
    chosen, regressor = regressor_of(robot)
    random = np.random.default_rng(1)
    q, v, a = random.normal(size=(3, 100, 3))
    Y = regressor(q, v, a, np.full(3, 0.1)).reshape(-1, chosen.size)
    base = base_of(Y)
    theta = random.normal(size=chosen.size)
    np.testing.assert_allclose(Y[:, base.columns] @ base.reduced(theta), Y @ theta, atol=1e-9)
    # 3 joints in space: 4 + 7 + 7 inertial ones of the tree (Khalil), rotors of the later two
    # joints among other columns, and the friction and offset of each joint
    assert np.linalg.matrix_rank(Y, tol=1e-8 * np.linalg.norm(Y)) == len(base.columns)
    assert len(base.names(chosen.names)) == len(base.columns)


def test_many_states_without_a_compiler():
    """ROBODYN_INTERPRET=1: the same numbers in plain Python, of regressor and robot alike."""
    code = ('import numpy as np\nfrom identification.cases import arm\n'
            'from identification.test_regressor import regressor_of\n'
            'robot = arm()\nchosen, regressor = regressor_of(robot)\n'
            'x = np.random.default_rng(0).normal(size=(3, 5, 3))\n'
            'print(repr(float(regressor(*x, np.full(3, 0.1)).sum())), '
            'repr(float(robot.inverse_dynamics(*x).sum())))')
    said = {subprocess.run([sys.executable, '-c', code], check=True, text=True,
                           stdout=subprocess.PIPE, env={
                               **os.environ, 'ROBODYN_INTERPRET': off,
                               'PYTHONPATH': str(ROOT / 'test')}).stdout for off in '01'}
    assert len(said) == 1 and said.pop().strip()
