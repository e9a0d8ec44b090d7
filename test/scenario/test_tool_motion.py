# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A tool on a path: on it to rounding, at rest where it is left free, or a reason why not."""

import math

from mechanics.cases import public_urdf
import numpy as np
from oracles import parallel_2dof
from plant.cases import relative, robot
import pytest
from robodyn_ros import joint_combination
from robodyn_ros.errors import LimitError, RobodynError, ScenarioError, SingularityError
from robodyn_ros.robots.robot import load_robot
from scenario.reach import DOWN, expect_on_path, HELD, tool_motion

FLAT = {'frame': 'tool0', 'axes': ('x', 'z')}
"""two_link moves in the plane x z."""


def test_an_arm_over_a_table_turns_on_its_way():
    """irb120, tool down, from a start that is searched: what angles could not do (roll = pi)."""
    arm = robot('irb120')
    desired, reference = tool_motion(arm, 'line', 2.0, 0.004, {
        'start': [0.35, -0.1, 0.35], 'end': [0.35, 0.15, 0.45], 'orientation': DOWN,
        'end_orientation': [math.pi - 0.3, 0.2, 0.9]})
    expect_on_path(arm, desired, reference)
    assert np.abs(reference.v[[0, -1]]).max() < 1e-9


def test_a_scara_holds_its_yaw_on_a_circle_in_space():
    """An arm that has only one angle: x y z along the path, yaw held; three turns, one place."""
    arm = robot('scara_450')
    desired, reference = tool_motion(arm, 'circle', 3.0, 0.002, {
        'start': [0.3, 0.05, 0.12], 'centre': [0.3, 0.0, 0.1], 'axis': [0.0, -0.4, 1.0],
        'turns': 3.0, 'law': 'trapezoid'}, hold={'yaw': 0.3})
    expect_on_path(arm, desired, reference)
    turn = arm.frame('tool0', reference.q).rotation
    assert np.abs(np.arctan2(turn[:, 1, 0], turn[:, 0, 0]) - 0.3).max() < HELD
    assert np.abs(reference.q[-1] - reference.q[0]).max() < 1e-9


@pytest.mark.parametrize('searched', [True, False])
def test_a_closed_chain_follows_as_its_closed_form(searched):
    """parallel_2dof, x and y of a circle: closed, and in the oracle's branch its six joints."""
    arm = robot('parallel_2dof')
    circle = {'start': [0.25, 0.25, 0.0], 'centre': [0.29, 0.25, 0.0]}
    begin = relative(parallel_2dof.inverse_kinematics(np.array(circle['start'][:2])))
    desired, reference = tool_motion(arm, 'circle', 2.0, 0.002, circle, axes=('x', 'y'),
                                     kinematics={} if searched else {'start': tuple(begin)})
    expect_on_path(arm, desired, reference)
    tips = np.array([parallel_2dof.tip_positions(parallel_2dof.absolute_angles(q))
                     for q in reference.q])
    assert np.ptp(tips, axis=1).max() < HELD
    assert np.abs(reference.q).max() < 2.0 * math.pi  # no whole turns too many
    if not searched:
        at = np.array([[float(x) for x in desired.motion(t)] for t in reference.t[::50]])
        exact = np.array([relative(parallel_2dof.inverse_kinematics(point)) for point in at])
        apart = reference.q[::50] - exact  # the closed form counts angles from -pi to pi
        assert np.abs(apart - 2.0 * math.pi * np.round(apart / (2.0 * math.pi))).max() < 1e-8


def test_what_a_path_leaves_open_comes_to_rest():
    """
    Panda on a circle for minutes: the elbow does not wander, the fingers stay.

    The same motion again and again, whatever the null space: lap after lap the same joints.
    """
    arm = load_robot(public_urdf('panda.urdf'))
    laps, lap, period = 60, 4.0, 0.01
    desired, reference = tool_motion(arm, 'circle', laps * lap, period, {
        'start': [0.45, 0.0, 0.4], 'centre': [0.45, 0.08, 0.4], 'orientation': DOWN,
        'turns': float(laps), 'law': 'trapezoid'}, frame='panda_link8')
    expect_on_path(arm, desired, reference)
    finger = arm.joint_index('panda_finger_joint1')
    assert np.abs(reference.q[:, finger] - reference.q[0, finger]).max() < 1e-9
    assert np.abs(reference.q[-1] - reference.q[0]).max() < 0.02
    closed = reference.q[0].copy()
    closed[finger] = arm.limits.lower[finger]
    _, again = tool_motion(
        arm, 'circle', 2.0, period, {**desired.settings.parameters, 'turns': 0.2},
        {'start': tuple(closed)}, frame='panda_link8')
    assert np.abs(again.q[:, finger] - closed[finger]).max() < 1e-9  # at its limit, too


def test_a_posture_may_be_chosen():
    """Of the joints that the path leaves free; a joint that it does not move at all goes there."""
    arm = robot('scara_450')
    wanted = [0.0, 1.0, 0.9, 0.1]
    start = arm.solve('tool0', [0.3, 0.0, 0.1], free='z', start=wanted).q
    _, reference = tool_motion(
        arm, 'line', 4.0, 0.004, {'start': [0.3, 0.0, 0.1], 'end': [0.3, 0.02, 0.1],
                                  'duration': 1.0},
        {'start': tuple(start), 'posture': (*start[:2], wanted[2], 0.05)}, axes=('x', 'y'))
    assert reference.q[-1, 3] == pytest.approx(0.05, abs=1e-6)
    assert np.abs(reference.v[-1]).max() < 1e-6


def test_constraints_of_the_plant_hold_along_the_path():
    """A user's row, here the height of the slide over time, is kept by the reference, too."""
    arm = robot('scara_450')
    own = joint_combination({'joint_1': 0.1, 'joint_4': 1.0}, 0.1, name='cam')
    desired, reference = tool_motion(
        arm, 'line', 2.0, 0.004, {'start': [0.3, -0.1, 0.0], 'end': [0.3, 0.1, 0.0]},
        axes=('x', 'y'), constraints=[own])
    expect_on_path(arm, desired, reference)
    assert np.abs(0.1 * reference.q[:, 0] + reference.q[:, 3] - 0.1).max() < HELD
    assert np.abs(0.1 * reference.v[:, 0] + reference.v[:, 3]).max() < 1e-9


def test_the_start_given_picks_the_branch_and_one_found_is_inside_the_limits():
    """Either elbow of two_link; without a start it is one of them."""
    arm = robot('two_link')
    line = {'start': [0.5, 0.0, 0.2], 'end': [0.6, 0.0, -0.2]}
    found = {}
    for name, start in (('down', (0.5, -1.5)), ('up', (-0.5, 1.5)), ('searched', ())):
        desired, reference = tool_motion(arm, 'line', 1.0, 0.004, line, {'start': start}, **FLAT)
        expect_on_path(arm, desired, reference)
        found[name] = reference.q[0]
    assert found['down'][1] < 0.0 < found['up'][1]
    assert min(np.abs(found['searched'] - found[name]).max() for name in ('down', 'up')) < 1e-9


@pytest.mark.parametrize('end, error, words', [
    ([1.4, 0.0, -0.2], SingularityError,
     r"tool0 of two_link cannot follow the path 'line' beyond t = 1\.0\d* s, x z = 1\.0\d+, "
     r'.*comes no nearer than .*out of its reach'),
    ([-0.5, 0.0, -0.2], SingularityError,
     r"cannot follow the path 'line' beyond t = 1 s, x z = 0, 0 m: the arm passes a singularity, "
     'where tool0 cannot be moved along'),
    ([5.0, 0.0, 0.2], SingularityError, 'cannot follow the path')])
def test_a_path_that_cannot_be_followed_says_where_and_why(end, error, words):
    """In the path's own coordinates: out of reach, or stretched between."""
    line = {'start': [0.5, 0.0, 0.2], 'end': end}
    with pytest.raises(error, match=words):
        tool_motion(robot('two_link'), 'line', 2.0, 0.004, line, **FLAT)


def test_a_beginning_out_of_reach_says_by_how_much():
    """Before anything moves."""
    line = {'start': [1.5, 0.0, 0.2], 'end': [0.5, 0.0, 0.2]}
    with pytest.raises(ScenarioError, match=r'its beginning, x z = 1.5, 0.2 m, is not reached: '
                       r'tool0 of two_link comes no nearer than 0.513 m'):
        tool_motion(robot('two_link'), 'line', 2.0, 0.004, line, **FLAT)


def test_a_limit_on_the_way_is_named_with_the_place():
    """The slide of the SCARA ends; the sentence has the joint, the time and the place."""
    line = {'start': [0.3, 0.0, 0.1], 'end': [0.3, 0.0, 3.0]}
    with pytest.raises((LimitError, SingularityError), match=r'(?s)cannot follow .* beyond t = .*'
                       r'x y z = 0.3, 0, .*joint_4'):
        tool_motion(robot('scara_450'), 'line', 2.0, 0.004, line, hold={'yaw': 0.0})


@pytest.mark.parametrize('changes, words', [
    ({'axes': ('x', 'z', 'pitch')}, 'leads x, y, z or some of them'),
    ({'hold': {'pitch': 0.1}, 'turned': True}, 'remove one of them'),
    ({'duration': 0.5, 'speed': 0.1}, 'and the scenario lasts 0.5 s')])
def test_settings_that_do_not_fit_are_a_sentence(changes, words):
    """Before anything is compiled."""
    line = {'start': [0.5, 0.0, 0.2], 'end': [0.6, 0.0, -0.2], 'speed': changes.pop('speed', 0.0)}
    if changes.pop('turned', False):
        line['orientation'] = DOWN
    duration = changes.pop('duration', 5.0)
    with pytest.raises(RobodynError, match=words):
        tool_motion(robot('two_link'), 'line', duration, 0.004, line, **{**FLAT, **changes})
