# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Orientations as quaternions, and their difference without a corner, through all of SO(3)."""
import math

import numpy as np
import pytest
from robodyn_ros import load_robot
from robodyn_ros.mechanics import rotation
from robodyn_ros.mechanics.kinematics import frame_pose, frame_quaternion
from robodyn_ros.robots.geometry import rotation_from_rpy
from robodyn_ros.tracing import directional, Graph, inputs, jacobian
from robodyn_ros.tracing.interpret import evaluate
from scipy.spatial.transform import Rotation


def same_turn(a, b, tolerance=1e-14):
    """Tell whether two quaternions are the same orientation."""
    a, b = np.array(a), np.array(b)
    return min(np.abs(a - b).max(), np.abs(a + b).max()) < tolerance


@pytest.mark.parametrize('seed', range(20))
def test_quaternions_of_angles_matrices_and_chains_are_scipys(seed):
    """Three routes to an orientation, half turns and quarter turns among them."""
    random = np.random.default_rng(seed)
    angles = random.choice([0.0, math.pi, -math.pi / 2, *random.uniform(-4, 4, 3)], 3)
    truth = Rotation.from_euler('xyz', angles)
    assert same_turn(rotation.from_angles(*angles), truth.as_quat())
    assert same_turn(rotation.from_matrix(rotation_from_rpy(angles).tolist()), truth.as_quat())
    robot = load_robot('irb120')
    q, frame = random.uniform(-4, 4, robot.n).tolist(), robot.find_frame('tool0')
    turn = frame_quaternion(robot.tree, frame, q)
    matrix = np.array(frame_pose(robot.tree, frame, q).rotation)
    assert same_turn(turn, Rotation.from_matrix(matrix).as_quat(), 1e-13)


@pytest.mark.parametrize('angle', [1e-12, 1e-3, 1.0, 3.0, math.pi - 1e-6, math.pi])
def test_the_difference_is_the_turn_that_is_missing(angle):
    """4 tan(theta/4) along the axis of scipy's rotation vector, for any two orientations."""
    for seed in range(20):
        turns = Rotation.random(2, random_state=seed)
        axis = turns[1].as_rotvec() / np.linalg.norm(turns[1].as_rotvec())
        there = turns[0] * Rotation.from_rotvec(angle * axis)
        found = np.array(rotation.difference(tuple(turns[0].as_quat()), tuple(there.as_quat())))
        assert np.linalg.norm(found) == pytest.approx(4.0 * math.tan(angle / 4.0), rel=1e-9)
        along = abs(found @ axis) if angle > 3.1 else found @ axis  # half a turn has two axes
        assert along == pytest.approx(np.linalg.norm(found), rel=1e-6)


@pytest.mark.parametrize('angle', [0.0, 1e-9, 0.5, 2.0, 3.0, 3.141, math.pi - 1e-8, math.pi])
def test_its_derivative_is_a_rotation_times_a_factor_up_to_half_a_turn(angle):
    """The trace's derivative against complex-free differences, and no singular direction."""
    for seed in range(5):
        axis = Rotation.random(random_state=seed).as_matrix()[0]
        turn = Rotation.from_rotvec(angle * axis).as_quat()
        if turn[3] < 0.0:
            turn = -turn
        graph = Graph()
        delta = inputs(graph, 'd', 3)  # a small turn, to first order, of the actual orientation
        small = rotation.normalised((delta[0] * 0.5, delta[1] * 0.5, delta[2] * 0.5, 1.0))
        rows = rotation.difference(rotation.UNTURNED,
                                   rotation.multiply(tuple(map(float, turn)), small))
        slopes = np.array(evaluate([x for row in jacobian(rows, delta) for x in row],
                                   dict(zip(delta, (0.0, 0.0, 0.0))))).reshape(3, 3)
        factor = 1.0 + math.tan(angle / 4.0) ** 2
        assert np.linalg.svd(slopes)[1] == pytest.approx([factor] * 3, rel=1e-12)
        if angle < 3.1415:
            for k in range(3):
                step = 1e-6 * np.eye(3)[k]
                ends = [np.array(rotation.difference(rotation.UNTURNED, rotation.multiply(
                    tuple(turn), tuple(Rotation.from_rotvec(s * step).as_quat()))))
                    for s in (1.0, -1.0)]
                assert slopes[:, k] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-8)


@pytest.mark.parametrize('seed', range(20))
def test_a_swing_vanishes_only_where_the_axis_points_there(seed):
    """2 tan(theta/2), whatever the spin."""
    random = np.random.default_rng(seed)
    there, here = (x / np.linalg.norm(x) for x in random.normal(size=(2, 3)))
    found = np.linalg.norm(rotation.swing(tuple(there), tuple(here)))
    assert found == pytest.approx(2.0 * math.tan(math.acos(there @ here) / 2.0), rel=1e-9)
    assert np.linalg.norm(rotation.swing(tuple(there), tuple(there))) < 1e-15
    assert np.linalg.norm(rotation.swing(tuple(there), tuple(-there))) < math.inf


@pytest.mark.parametrize('angle', [0.0, 1e-9, 1e-3, 1.0, 3.0, math.pi - 1e-6, math.pi])
def test_rows_of_an_arms_orientation_have_the_trace_s_derivatives(angle):
    """
    Of irb120's joints, once and twice, against differences; half a turn away is no corner.

    Differences are one-sided where a step would pass half a turn, from which on the error is
    counted the other way about.
    """
    robot = load_robot('irb120')
    random = np.random.default_rng(round(1e3 * angle))
    for _ in range(4):
        q, v = random.uniform(-2.0, 2.0, (2, robot.n))
        here = Rotation.from_matrix(np.array(robot.pose('tool0', q.tolist()).rotation))
        axis = random.normal(size=3)
        there = here * Rotation.from_rotvec(-angle * axis / np.linalg.norm(axis))
        wanted = tuple(there.as_quat().tolist())

        def rows(t, robot=robot, q=q, v=v, wanted=wanted):
            place = [float(x) + t * float(rate) for x, rate in zip(q, v)]
            return rotation.difference(wanted, robot.quaternion('tool0', place))

        time = inputs(Graph(), 't', 1)[0]
        speed = directional(list(rows(time)), {time: 1.0})
        first, second = (np.array(evaluate(what, {time: 0.0})) for what in (
            speed, directional(speed, {time: 1.0})))
        step = 1e-4
        side = min((1.0, -1.0), key=lambda s: np.abs(np.subtract(rows(s * step), rows(0.0))).max())
        f = np.array([rows(side * k * step) for k in range(5)])
        slope = side * np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) @ f / (12.0 * step)
        bend = np.array([35.0, -104.0, 114.0, -56.0, 11.0]) @ f / (12.0 * step ** 2)
        assert slope == pytest.approx(first, abs=1e-7)
        assert bend == pytest.approx(second, abs=2e-4)
