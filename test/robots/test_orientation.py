# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Roll, pitch, yaw give the rotation back; in planar chains yaw is a sum and never wraps."""

import math

from mechanics.random_urdf import random_urdf
import numpy as np
import pytest
from robodyn_ros.robots.geometry import frame_with_z_along, rotation_from_rpy
from robodyn_ros.robots.orientation import angles_of
from robodyn_ros.robots.robot import load_robot, robot_from_text
from robodyn_ros.tracing import Graph, inputs, jacobian

ROUNDING = 1e-12
PLANAR = ('scara_450', 'scara_1000', 'parallel_2dof')


def planar_urdf(rng, joints):
    """Return a chain whose joints turn about +z or -z or slide anywhere."""
    link = ('<link name="l{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'
            '</inertial></link>')
    parts = ['<robot name="planar"><link name="l0"/>']
    for k in range(joints):
        flip = rng.choice(['0', '3.141592653589793'])
        turning = rng.random() < 0.7
        axis = rng.choice(['0 0 1', '0 0 -1']) if turning else '1 2 3'
        parts.append(
            link.format(k + 1) + f'<joint name="j{k}" '
            f'type="{"revolute" if turning else "prismatic"}"><parent link="l{k}"/>'
            f'<child link="l{k + 1}"/><origin xyz="0.3 0.1 0" rpy="{flip} 0 {rng.normal()!r}"/>'
            f'<axis xyz="{axis}"/><limit lower="-9" upper="9"/></joint>')
    return ''.join(parts) + '</robot>'


def check_planar(arm, frame, q):
    """Compare the sum of angles with the arctangents of the rotation, modulo 2 pi."""
    ours = arm.orientation(frame, q)
    theirs = angles_of(arm.pose(frame, q).rotation)
    for one, other in zip(ours, theirs):
        turns = (one - other) / (2.0 * math.pi)
        assert abs(turns - round(turns)) < ROUNDING, f'{arm.name} {frame} at {q}: {ours} {theirs}'


@pytest.mark.parametrize('name', PLANAR)
def test_planar_yaw_is_the_arctangent_modulo_full_turns(name):
    """At any angles, many turns away too."""
    arm, rng = load_robot(name), np.random.default_rng(131)
    for _ in range(100):
        check_planar(arm, 'tool0', rng.uniform(-20.0, 20.0, arm.n).tolist())


def test_planar_yaw_of_random_chains_is_the_arctangent():
    """Axes up and down, frames turned over, sliding joints between."""
    rng = np.random.default_rng(132)
    for _ in range(60):
        arm = robot_from_text(planar_urdf(rng, int(rng.integers(1, 6))))
        for frame in arm.frames:
            check_planar(arm, frame, rng.uniform(-9.0, 9.0, arm.n).tolist())


@pytest.mark.parametrize('name', PLANAR)
def test_planar_yaw_is_linear_and_does_not_wrap(name):
    """Its derivatives are plain numbers, +-1 or 0: no arctangent is recorded."""
    arm = load_robot(name)
    q = inputs(Graph(), 'q', arm.n)
    rates, = jacobian([arm.orientation('tool0', q)[2]], q)
    assert all(isinstance(rate, float) and rate in (-1.0, 0.0, 1.0) for rate in rates), rates
    assert sum(map(abs, rates)) >= 2.0
    far = arm.orientation('tool0', [100.0 * abs(rate) * rate for rate in rates])[2]
    assert far == pytest.approx(100.0 * sum(map(abs, rates)), abs=7.0)


def test_angles_give_the_rotation_back():
    """R = Rz(yaw) Ry(pitch) Rx(roll) for every frame of random trees; pitch within +-pi/2."""
    rng = np.random.default_rng(133)
    for _ in range(40):
        arm = robot_from_text(random_urdf(rng, int(rng.integers(1, 6))))
        q = rng.uniform(-3.0, 3.0, arm.n).tolist()
        for frame in arm.frames:
            rpy = arm.orientation(frame, q)
            if abs(abs(rpy[1]) - 0.5 * math.pi) < 1e-4:
                continue  # the angles are singular there, as they are
            found = rotation_from_rpy(rpy)
            expected = np.array(arm.pose(frame, q).rotation)
            assert np.abs(found - expected).max() < 1e-11, f'{frame} at {q}\n{arm.urdf}'
            assert abs(rpy[1]) <= 0.5 * math.pi


def test_a_frame_along_any_axis_is_a_rotation_with_that_axis():
    """Third column along the axis, orthonormal, determinant +1; exact for coordinate axes."""
    rng = np.random.default_rng(134)
    near = [(1e-9, 0.0, 1.0), (0.0, 1e-17, -1.0), (1.0, 1e-12, 0.0), (3e-4, 4e-4, 0.0)]
    for axis in [*rng.normal(size=(300, 3)).tolist(), *near]:
        turn = frame_with_z_along(axis)
        assert np.abs(turn[:, 2] - np.array(axis) / np.linalg.norm(axis)).max() < 1e-15, axis
        assert np.abs(turn.T @ turn - np.eye(3)).max() < 1e-15 * 4.0, axis
        assert np.linalg.det(turn) == pytest.approx(1.0, abs=1e-14), axis
    for axis in (*np.eye(3), *-np.eye(3)):
        turn = frame_with_z_along(axis)
        assert set(turn.ravel()) <= {-1.0, 0.0, 1.0} and np.array_equal(turn[:, 2], axis)
        assert np.linalg.det(turn) == 1.0


def test_roll_pitch_yaw_is_the_product_of_three_turns():
    """The URDF convention: fixed axes, roll first."""
    rng = np.random.default_rng(135)
    for r, p, y in rng.uniform(-4.0, 4.0, (200, 3)):
        def turn(i, j, angle):
            m = np.eye(3)
            m[i, i] = m[j, j] = np.cos(angle)
            m[i, j], m[j, i] = -np.sin(angle), np.sin(angle)
            return m
        expected = turn(0, 1, y) @ turn(2, 0, p) @ turn(1, 2, r)
        assert np.abs(rotation_from_rpy((r, p, y)) - expected).max() < 1e-15 * 4.0, (r, p, y)
