# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories as messages: joint_trajectory_controller's rules, without ROS."""

import numpy as np
import pytest
from robodyn_ros.errors import MessageRefused
from robodyn_ros.robots.limits import Limits
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import (
    check_approach, check_within, checked_points, JointPlan, stop)

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


@pytest.mark.parametrize('order', [0, 1, 2])
def test_many_samples_are_the_single_ones_bit_for_bit(order):
    """Simulation samples all instants at once, the controller node one by one."""
    made, points = plan(order)
    random = np.random.default_rng(7)
    for begin in (4 * NANO, 5 * NANO, 5 * NANO + NANO // 3):
        begun = made.begun(begin, random.normal(size=6), 0.4)
        now = np.concatenate([begin + np.arange(0, 4 * NANO, NANO // 211),
                              5 * NANO + points.times])
        assert np.array_equal(begun.samples(now[now >= begin]),
                              [begun.sample(int(t)) for t in now if t >= begin])


@pytest.mark.parametrize('order', [0, 1, 2])
def test_plans_of_many_arms_are_the_single_ones_bit_for_bit(order):
    """Runs that differ in their start are begun and sampled together; one of them fits exactly."""
    made, points = plan(order)
    states = np.random.default_rng(8).normal(size=(5, 6))
    states[3] = made.sample(made.start)
    now = made.start + np.arange(0, 7 * NANO, NANO // 50)
    begun = made.begun(made.start, states, 0.4)
    many = begun.samples(now)
    for state, rows, apart in zip(states, many, begun.began_apart):
        single = made.begun(made.start, state, 0.4)
        assert single.samples(now).tobytes() == rows.tobytes()
        assert single.began_apart.tobytes() == apart.tobytes()


@pytest.mark.parametrize('order', [0, 1, 2])
def test_a_plan_begins_at_the_state_and_meets_its_points(order):
    """Whenever it is begun: no step in position or velocity, the first point at its time."""
    made, points = plan(order)
    late = JointPlan(made.start, points._replace(times=points.times + NANO))
    random = np.random.default_rng(order)
    for chosen, begin in ((late, 5 * NANO), (late, 5 * NANO + NANO // 2), (made, 5 * NANO),
                          (made, 5 * NANO + 1234567), (made, 7 * NANO)):
        state = random.normal(size=6)
        begun = chosen.begun(begin, state, 0.3)
        assert begun.sample(begin)[:4] == pytest.approx(state[:4], abs=1e-12)
        step = 20_000
        rows = np.array([begun.sample(begin + k * step) for k in range(20_000)])
        speed = np.diff(rows[:, :2], axis=0) / (step / NANO)
        assert np.abs(speed - rows[:-1, 2:4]).max() < 1e-2 * max(1.0, np.abs(rows[:, 4:]).max())
        for k, time in enumerate(chosen.start + chosen.points.times):
            if time >= begin + 0.3 * NANO or (chosen is late and k == 0):
                assert np.array_equal(begun.sample(int(time))[:2], points.q[k])


def test_a_single_point_is_reached_by_the_order_of_its_fields():
    """joint_trajectory_controller's pieces: a line, a cubic from rest, a quintic from rest."""
    rest = np.array([0.5, -0.5, 0.0, 0.0, 0.0, 0.0])
    for order, half_way in ((0, 0.25), (1, 0.15625), (2, 0.103515625)):
        rows = [[[1.5, 0.5]], [[0.0, 0.0]], [[0.0, 0.0]]][:order + 1]
        points = checked_points(JOINTS, JOINTS, [4 * NANO], fields(*rows))
        begun = JointPlan(NANO, points).begun(NANO, rest, 0.5)
        assert begun.sample(2 * NANO)[:2] == pytest.approx(rest[:2] + half_way, abs=1e-12)
        assert np.array_equal(begun.sample(5 * NANO), [1.5, 0.5, 0.0, 0.0, 0.0, 0.0])
        assert np.array_equal(begun.sample(9 * NANO), [1.5, 0.5, 0.0, 0.0, 0.0, 0.0])


def test_a_plan_that_fits_the_arm_is_followed_as_it_is():
    """Nothing is added, not even a rounding, where the state is the plan's own."""
    made, _ = plan(2)
    begun = made.begun(6 * NANO + 7, made.sample(6 * NANO + 7), 0.5)
    for now in range(6 * NANO + 7, 9 * NANO, NANO // 13):
        assert np.array_equal(begun.sample(now), made.sample(now))


def test_joints_left_out_stay_where_they_are():
    """allow_partial_joints_goal: the others move."""
    points = checked_points(JOINTS, ('b',), [NANO, 2 * NANO], fields([[1.0], [2.0]]),
                            allow_partial=True)
    begun = JointPlan(0, points).begun(0, np.array([0.7, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.5)
    assert begun.sample(2 * NANO).tolist() == [0.7, 2.0, 0.0, 0.0, 0.0, 0.0]
    assert {begun.sample(k * NANO // 9)[0] for k in range(20)} == {0.7}


def test_a_joint_without_limits_takes_the_nearer_way_round():
    """From 6.2 rad to 0.1 rad is a small step forward for a continuous joint."""
    points = checked_points(JOINTS, JOINTS, [NANO], fields([[0.1, 0.1]]))
    state = np.array([6.2, 6.2, 0.0, 0.0, 0.0, 0.0])
    begun = JointPlan(0, points).begun(0, state, 0.5, np.array([True, False]))
    assert begun.sample(NANO)[:2] == pytest.approx([0.1 + 2.0 * np.pi, 0.1])


def test_stop_brakes_to_rest_within_limits():
    """From a state in motion: continuous, then still, and never beyond a limit."""
    limits = within()
    made = stop(NANO, np.array([0.0, 0.98, 1.0, 1.0, 0.3, 0.3]), 0.2, limits)
    assert made.sample(NANO).tolist() == [0.0, 0.98, 1.0, 1.0, 0.3, 0.3]
    assert made.sample(2 * NANO) == pytest.approx([0.1, 1.0, 0.0, 0.0, 0.0, 0.0])


def within(speed=2.0):
    """Return limits of +-1 rad and a speed."""
    ones = np.ones(2)
    return Limits(JOINTS, ('rad', 'rad'), -ones, ones, speed * ones, ones)


@pytest.mark.parametrize('times, rows, reason', [
    ([NANO], [[[0.0, 1.2]]], "at 1 s position of joint 'b' is 1.2 rad, beyond its limits -1 .. 1"),
    ([0, NANO], [[[0.0, 0.0], [0.0, 0.5]], [[0.0, 2.5], [0.0, 0.0]]],
     "at 0 s velocity of joint 'b' is 2.5 rad/s, beyond its limits -2 .. 2"),
    ([0, NANO // 4], [[[0.0, 0.0], [0.9, 0.0]]], "velocity of joint 'a' is 3.6 rad/s"),
    ([0, NANO], [[[0.9, 0.0], [0.9, 0.0]], [[1.9, 0.0], [-1.9, 0.0]]], "position of joint 'a'"),
    ([0, NANO], [[[-0.8, 0.0], [0.8, 0.0]], [[0.0] * 2] * 2], "velocity of joint 'a'"),
    ([0, NANO], [[[-0.6, 0.0], [0.6, 0.0]], [[0.0] * 2] * 2, [[0.0] * 2] * 2], 'give it more'),
])
def test_motions_beyond_limits_are_refused_with_joint_and_number(times, rows, reason):
    """Points and what happens between them."""
    points = checked_points(JOINTS, JOINTS, times, fields(*rows), allow_moving_end=True)
    with pytest.raises(MessageRefused, match=reason):
        check_within(points, within(), 1e-3)
    check_within(points, within(), 3.0)


@pytest.mark.parametrize('order', [0, 1, 2])
def test_limits_are_judged_as_by_fine_sampling(order):
    """Random trajectories: refused if and only if some moment is beyond a limit."""
    random, refused = np.random.default_rng(order), 0
    for _ in range(100):
        rows = [random.normal(0.0, 0.45, size=(5, 2)) for _ in range(order + 1)]
        times = [0, *np.cumsum(random.integers(NANO // 2, NANO, 4)).tolist()]
        points = checked_points(JOINTS, JOINTS, times, fields(*rows), allow_moving_end=True)
        made = JointPlan(0, points).samples(np.linspace(0, times[-1] - 1, 3000).astype(int))
        excess = max(np.abs(made[:, :2]).max() - 1.0, np.abs(made[:, 2:4]).max() - 2.0)
        if abs(excess - 1e-3) < 5e-3:
            continue  # too near to call
        try:
            check_within(points, within(), 1e-3)
            assert excess < 0.0
        except MessageRefused:
            assert excess > 0.0
            refused += 1
    assert 10 < refused < 95


def test_an_approach_that_is_too_fast_is_refused():
    """The way from the arm to the first point counts, with the time it is given."""
    points = checked_points(JOINTS, JOINTS, [NANO // 10], fields([[0.9, 0.0]]))
    state = np.zeros(6)
    with pytest.raises(MessageRefused, match="velocity of joint 'a' is 9 rad/s.*later time_from"):
        check_approach(JointPlan(0, points).begun(0, state, 0.5), within(), 1e-3)
    check_approach(JointPlan(0, points).begun(0, state, 0.5), within(20.0), 1e-3)


def test_what_smoothing_adds_is_judged_by_the_limits():
    """A line that ends at rest is half as fast again before; an arm that turns back runs out."""
    line = checked_points(JOINTS, JOINTS, [NANO], fields([[0.9, 0.0]]))
    made = JointPlan(0, line).begun(0, np.zeros(6), 0.4)
    fastest = np.abs(made.samples(np.arange(0, NANO, NANO // 500))[:, 2]).max()
    assert fastest > 1.3
    for speed in (1.0, fastest - 0.02):
        with pytest.raises(MessageRefused, match="velocity of joint 'a' .*give it more time"):
            check_approach(made, within(speed), 1e-3)
    check_approach(made, within(fastest), 1e-3)
    back = checked_points(JOINTS, JOINTS, [0, NANO], fields([[0.9, 0.0], [0.2, 0.0]],
                                                            [[0.0, 0.0]] * 2))
    state = np.array([0.9, 0.0, 1.5, 0.0, 0.0, 0.0])
    with pytest.raises(MessageRefused, match="position of joint 'a' is 1.0"):
        check_approach(JointPlan(0, back).begun(0, state, 0.5), within(9.0), 1e-3)
    state[0], state[2] = 1.0001, 0.0  # one that begins beyond a limit comes back
    check_approach(JointPlan(0, back).begun(0, state, 0.5), within(9.0), 1e-3)


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
