# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories as messages: joint_trajectory_controller's rules, without ROS."""

import numpy as np
import pytest
from robodyn_ros.errors import MessageRefused
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import checked_points, JointPlan

JOINTS = ('a', 'b')


def fields(positions=(), velocities=(), accelerations=(), effort=()):
    """Return the fields of points; what is not given is empty at every point."""
    count = max(map(len, (positions, velocities, accelerations, effort)))
    given = {'positions': positions, 'velocities': velocities, 'accelerations': accelerations,
             'effort': effort}
    return {key: list(rows) or [[]] * count for key, rows in given.items()}


def plan(order, start=5 * NANO):
    """Return a plan through random points with derivatives up to an order, and its points."""
    random = np.random.default_rng(order)
    rows = [random.normal(size=(4, 2)) for _ in range(order + 1)]
    times = [0, NANO // 2, NANO, 3 * NANO]
    points = checked_points(JOINTS, JOINTS, times, fields(*rows), allow_moving_end=True)
    return JointPlan(start, points), points


@pytest.mark.parametrize('order', [0, 1, 2])
def test_points_are_met_bit_for_bit_in_any_order_of_asking(order):
    """At a point's time its own values come back, whatever was asked before."""
    made, points = plan(order)
    for k in (0, 2, 1, 3, 0, 1, 2):
        sample = made.sample(5 * NANO + int(points.times[k]))
        assert np.array_equal(sample[:2], points.q[k])
        if order > 0:
            assert np.array_equal(sample[2:4], points.v[k])
        if order > 1:
            assert np.array_equal(sample[4:], points.a[k])


@pytest.mark.parametrize('order', [0, 1, 2])
def test_between_points_velocity_is_the_rate_of_position(order):
    """The pieces are lines, cubics and quintics whose derivatives are consistent."""
    made, _ = plan(order)
    step = NANO // 10000
    for now in range(5 * NANO + NANO // 20, 8 * NANO, NANO // 7):
        before, here, after = (made.sample(now + k * step) for k in (-1, 0, 1))
        rate = (after[:2] - before[:2]) / 2e-4
        assert rate == pytest.approx(here[2:4], abs=1e-4)
        if order > 0:
            assert (after[2:4] - before[2:4]) / 2e-4 == pytest.approx(here[4:], abs=1e-3)


def test_before_and_after_the_plan_rests():
    """Outside its time a plan stands still at its ends."""
    made, points = plan(2)
    assert np.array_equal(made.sample(0), [*points.q[0], 0.0, 0.0, 0.0, 0.0])
    assert np.array_equal(made.sample(99 * NANO), [*points.q[-1], 0.0, 0.0, 0.0, 0.0])


def test_joints_may_come_in_any_order():
    """Names are the contract."""
    points = checked_points(JOINTS, ('b', 'a'), [NANO], fields([[1.0, 2.0]]))
    assert points.q.tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize('names, times, given, reason', [
    ((), [0], fields([[1.0, 2.0]]), 'names no joints'),
    (JOINTS, [], fields(), 'has no points'),
    (('a', 'c'), [0], fields([[1.0, 2.0]]), "unknown joint 'c'"),
    (('a',), [0], fields([[1.0]]), "lacks joint 'b'; name every joint of a, b"),
    (('a', 'a'), [0], fields([[1.0, 2.0]]), "names joint 'a' twice"),
    (JOINTS, [NANO, NANO], fields([[1.0, 2.0]] * 2), 'times must increase'),
    (JOINTS, [-1], fields([[1.0, 2.0]]), 'times must increase'),
    (JOINTS, [0], fields([[1.0]]), 'positions of point 0 has 1 values for 2 joints'),
    (JOINTS, [0, NANO], fields([[1.0, 2.0]] * 2, [[0.0, 0.0], []]), 'velocities of point 1'),
    (JOINTS, [0], fields([[1.0, float('nan')]]), "positions of joint 'b' at point 0 is nan"),
    (JOINTS, [0], fields((), [[0.0, 0.0]]), 'has no positions'),
    (JOINTS, [0], fields([[1.0, 2.0]], (), [[0.0, 0.0]]), 'accelerations but no velocities'),
    (JOINTS, [0], fields([[1.0, 2.0]], (), (), [[1.0, 1.0]]), 'leave effort empty'),
    (JOINTS, [0], fields([[1.0, 2.0]], [[0.0, 0.1]]), 'last point has velocity 0.1'),
])
def test_what_the_controller_refuses_it_refuses_with_a_reason(names, times, given, reason):
    """Every rejection is one sentence that names what is wrong."""
    with pytest.raises(MessageRefused, match=reason):
        checked_points(JOINTS, names, times, given)
