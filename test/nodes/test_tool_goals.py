# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Goals of the tool: ways from where the arm is, within limits, or a refusal with its reason."""

import math

import numpy as np
from plant.cases import parallel_start, robot
import pytest
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.common.options import TrajectoryOptions
from robodyn_ros.nodes.trajectory.goals import _angles, Goals, MOST_POSES, SHARE
from robodyn_ros.robots.geometry import quaternion
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import JointPlan
from scipy.spatial.transform import Rotation

DOWN = [1.0, 0.0, 0.0, 0.0]
HOME = np.array([0.1, 0.4, 0.1, 0.2, 1.0, 0.0])
STILL = np.zeros(6)
LINE, JOINTS = TrajectoryOptions(), TrajectoryOptions(goal_motion='joints')


@pytest.fixture(scope='module')
def arm():
    """Return the goals of irb120's tool; its search is compiled once."""
    return Goals(robot('irb120'), 'tool0')


def states(points, count=400):
    """Return positions, velocities and accelerations along what a controller makes of points."""
    n = points.q.shape[1]
    times = np.linspace(points.times[0], points.times[-1], count).astype(int)
    return np.split(JointPlan(0, points).samples(times)[:, :3 * n], 3, axis=1)


def expect_within(points, goals):
    """Positions inside, velocities below their share, rest at both ends, times that grow."""
    q, v, _ = states(points)
    limits = goals.robot.limits
    assert (q >= limits.lower).all() and (q <= limits.upper).all()
    assert (np.abs(v) <= (SHARE + 0.02) * limits.velocity).all()
    assert np.abs(points.v[[0, -1]]).max() < 1e-9
    assert np.all(np.diff(points.times) > 0) and points.times[0] > 0


@pytest.mark.parametrize('goal', [[0.4, 0.15, 0.35, *DOWN], [0.3, -0.2, 0.4, 0.0, 1.0, 0.0, 0.0],
                                  [0.35, 0.0, 0.5, 0.0, math.sin(0.9), 0.0, math.cos(0.9)]])
def test_a_goal_is_reached_on_a_straight_line(arm, goal):
    """The tool ends at the pose, on the line between, turning on the shortest arc."""
    points = arm.to_pose(HOME, STILL, goal, LINE)
    expect_within(points, arm)
    assert np.abs(points.q[0] - HOME).max() < 1e-6
    here = arm.robot.frame('tool0', states(points)[0])
    begin, end = here.position[0], np.array(goal[:3])
    assert np.abs(here.position[-1] - end).max() < 1e-8
    turn = Rotation.from_matrix(here.rotation)
    assert (turn[-1].inv() * Rotation.from_quat(goal[3:])).magnitude() < 1e-8
    away = here.position - begin
    along = away @ (end - begin) / ((end - begin) @ (end - begin))
    assert np.linalg.norm(away - along[:, None] * (end - begin), axis=1).max() < 1e-5
    whole = (turn[0].inv() * turn[-1]).magnitude()
    part = (turn[0].inv() * turn).magnitude() + (turn.inv() * turn[-1]).magnitude()
    assert np.abs(part - whole).max() < 1e-4


@pytest.mark.parametrize('way', [[0.0, 0.0, -0.05], [-0.04, 0.0, 0.0]])
def test_a_tool_that_points_straight_ahead_is_led(arm, way):
    """There roll and yaw are not known apart: the arm stands at zero, with a pitch of -90 deg."""
    here = arm.robot.frame('tool0', STILL)
    points = arm.to_pose(STILL, STILL, [*here.position + way, *quaternion(here.rotation)], LINE)
    expect_within(points, arm)
    there = arm.robot.frame('tool0', states(points)[0])
    assert there.position[-1] == pytest.approx(here.position + way, abs=1e-8)
    assert np.abs(there.rotation - here.rotation).max() < 1e-6
    assert np.abs(np.diff(states(points)[0], axis=0)).max() < 0.05


@pytest.mark.parametrize('pitch', [-0.5, 0.5, -0.5 + 1e-9, 0.5 - 1e-12, 0.3, 0.0])
def test_angles_are_those_of_the_orientation(pitch):
    """At every pitch [half turns], and for any roll and yaw."""
    for roll, yaw in np.random.default_rng(0).uniform(-math.pi, math.pi, (50, 2)):
        turn = Rotation.from_euler('ZYX', [yaw, pitch * math.pi, roll])
        again = Rotation.from_euler('xyz', _angles(turn.as_quat()))
        assert (turn.inv() * again).magnitude() < 1e-14


def test_the_tool_keeps_its_speed_limits(arm):
    """goal_speed and goal_acceleration, by differences of where the tool is."""
    chosen = TrajectoryOptions(goal_speed=0.1, goal_acceleration=0.3)
    points = arm.to_pose(HOME, STILL, [0.4, 0.25, 0.35, *DOWN], chosen)
    place = arm.robot.positions('tool0', states(points, 2000)[0])
    step = (points.times[-1] - points.times[0]) / NANO / 1999
    speed = np.linalg.norm(np.diff(place, axis=0), axis=1) / step
    assert 0.02 < speed.max() < 0.1 * 1.001


def test_joints_go_straight_where_that_is_asked(arm):
    """Two points, and the same end as on a line."""
    goal = [0.4, 0.15, 0.35, *DOWN]
    points = arm.to_pose(HOME, STILL, goal, JOINTS)
    expect_within(points, arm)
    assert len(points.times) == 2
    assert arm.robot.positions('tool0', points.q[-1]) == pytest.approx(goal[:3], abs=1e-8)


def test_a_path_passes_its_poses(arm):
    """Each nearer than its blend, the last one to rounding."""
    poses = [[0.35, -0.1, 0.4, *DOWN], [0.42, 0.0, 0.4, *DOWN], [0.35, 0.15, 0.3, *DOWN]]
    points = arm.along(HOME, STILL, poses, LINE)
    expect_within(points, arm)
    place = arm.robot.positions('tool0', states(points, 3000)[0])
    far = np.linalg.norm(place[:, None] - np.array(poses)[:, :3], axis=2).min(axis=0)
    assert far.max() < LINE.goal_blend and far[-1] < 1e-8


def test_a_moving_arm_is_braked_first(arm):
    """The way begins where it comes to rest, a moment later."""
    v = np.array([0.3, 0.0, -0.2, 0.0, 0.1, 0.0])
    points = arm.to_pose(HOME, v, [0.4, 0.15, 0.35, *DOWN], LINE)
    ahead = points.q[0] - HOME
    assert ahead == pytest.approx(v * points.times[0] / NANO / 2.0, abs=1e-6)


@pytest.mark.parametrize('name, shift', [
    ('irb120', [0.06, -0.1, 0.05]), ('scara_450', [0.05, -0.06, 0.02]),
    ('parallel_2dof', [0.03, 0.03, 0.0])])
def test_a_goal_that_moves_is_followed_while_it_moves(name, shift):
    """
    Four goals a second along a line, as from a handle: the tool trails it, and nothing jumps.

    Loops stay closed, and the end is the last goal.
    """
    goals = Goals(robot(name), 'tool0')
    arm, n = goals.robot, goals.robot.n
    q = {'irb120': HOME, 'scara_450': np.array([0.5, -0.9, 0.4, 0.1]),
         'parallel_2dof': parallel_start().q}[name]
    here = arm.frame('tool0', q)
    turn, state = quaternion(here.rotation), np.concatenate([q, np.zeros(2 * n)])
    seen, behind, now = [], [], 0
    for k in range(17):
        part = min(1.0, (k + 1) / 12.0)
        goal = [*(here.position + part * np.array(shift)).tolist(), *turn]
        points = (goals.to_pose if k == 0 else goals.after)(state[:n], state[n:2 * n], goal, LINE)
        plan = JointPlan(now, points).begun(now, state, 0.5)
        times = now + np.linspace(0, NANO // 4 if k < 16 else 2 * NANO, 26).astype(int)
        samples = plan.samples(times)[:, :3 * n]
        seen.append(samples[:-1] if k < 16 else samples)
        state, now = samples[-1], int(times[-1])
        behind.append(np.linalg.norm(arm.positions('tool0', state[:n])[:2] - goal[:2]))
    moved = np.concatenate(seen)
    assert max(behind[4:12]) < 0.6 * np.linalg.norm(shift[:2])
    place = arm.positions('tool0', state[:n])
    assert np.abs(place - goal[:3])[:2].max() < 1e-6 and np.abs(state[n:]).max() < 1e-9
    assert (np.abs(moved[:, n:2 * n]) <= arm.limits.velocity).all()
    assert np.abs(np.diff(moved[:-26, n:2 * n], axis=0)).max() < 0.05  # of 10 ms
    if arm.loops:
        tips = [arm.positions(f'tip_{k}', moved[:, :n])[:, :2] for k in (1, 2, 3)]
        assert np.ptp(tips, axis=0).max() < 2e-3


def test_a_goal_that_jumps_is_gone_to_from_rest(arm):
    """Far from where the arm is, or out of reach: as any other goal."""
    v = np.array([0.3, 0.0, -0.2, 0.0, 0.1, 0.0])
    goal = [0.3, -0.3, 0.35, *DOWN]
    assert np.array_equal(arm.after(HOME, v, goal, LINE).q, arm.to_pose(HOME, v, goal, LINE).q)
    with pytest.raises(MessageRefused, match='out of its reach'):
        arm.after(HOME, v, [3.0, 0.0, 0.3, *DOWN], LINE)


def test_arms_of_few_joints_follow_as_much_as_they_have():
    """A SCARA's yaw; a planar chain's x and y, closed all the way."""
    scara = Goals(robot('scara_450'), 'tool0')
    begin = np.array([0.5, -0.9, 0.4, 0.1])
    goal = [0.2, 0.3, 0.05, 0.3, 0.3, math.sin(0.2), math.cos(0.2)]
    assert scara.free_axes(begin) == ('rx', 'ry')
    points = scara.to_pose(begin, np.zeros(4), goal, LINE)
    assert scara.robot.positions('tool0', points.q[-1]) == pytest.approx(goal[:3], abs=1e-8)
    chain = Goals(robot('parallel_2dof'), 'tool0')
    begin = parallel_start().q
    points = chain.to_pose(begin, np.zeros(6), [0.3, 0.27, 0.4, 0.0, 0.0, 0.0, 1.0], LINE)
    assert chain.robot.positions('tool0', points.q[-1])[:2] == pytest.approx([0.3, 0.27], abs=1e-8)
    tips = [chain.robot.positions(f'tip_{k}', points.q)[:, :2] for k in (1, 2, 3)]
    assert np.ptp(tips, axis=0).max() < 1e-8


@pytest.mark.parametrize('goal, words', [
    ([2.0, 0.0, 0.5, *DOWN], 'the goal is not reached: tool0 of irb120 comes no nearer'),
    ([1e9, 0.0, 0.5, *DOWN], 'within reach'), ([math.nan, 0.0, 0.5, *DOWN], 'expected x y z'),
    ([0.4, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0], 'not zero'),
    ([0.4, 0.0, 0.4, 0.0, 1e300, 0.0, 0.1], 'not zero'),
    ([0.4, 0.0, 0.4, *[1.7e308] * 4], 'not zero'), ([0.4, 0.0, 0.4], 'expected x y z'),
    ([0.4, 0.0, 0.4, *DOWN, 1.0], 'expected x y z'), ([], 'expected x y z')])
def test_goals_that_cannot_be_are_refused(arm, goal, words):
    """With a sentence, whatever they are."""
    with pytest.raises(MessageRefused, match=words):
        arm.to_pose(HOME, STILL, goal, LINE)


def test_paths_and_arms_that_cannot_be_are_refused(arm):
    """None, too many, an arm nobody knows, a goal where the tool is already."""
    pose = [0.4, 0.0, 0.4, *DOWN]
    with pytest.raises(MessageRefused, match='0 poses'):
        arm.along(HOME, STILL, [], LINE)
    with pytest.raises(MessageRefused, match='expected 1 to'):
        arm.along(HOME, STILL, [pose] * (MOST_POSES + 1), LINE)
    with pytest.raises(MessageRefused, match='pose 2 of the path'):
        arm.along(HOME, STILL, [pose, [math.inf, 0.0, 0.4, *DOWN]], LINE)
    for way in (arm.to_pose, arm.after, lambda q, v, goal, options: arm.along(
            q, v, [goal], options)):
        for wrong in (math.nan, math.inf, 1e160, -1e300):
            for state in ((HOME * wrong, STILL), (HOME, STILL + wrong)):
                with pytest.raises(MessageRefused, match='no arm'):
                    way(*state, pose, LINE)
    here = arm.robot.frame('tool0', HOME)
    same = [*here.position, *quaternion(here.rotation)]
    for options in (LINE, JOINTS):
        with pytest.raises(MessageRefused, match='already'):
            arm.to_pose(HOME, STILL, same, options)
    with pytest.raises(MessageRefused, match='already'):
        arm.along(HOME, STILL, [same, same], LINE)


def test_a_way_through_the_arm_itself_is_refused():
    """Both ends are reached; between, the tool would come too near to the SCARA's first axis."""
    scara = Goals(robot('scara_450'), 'tool0')
    begin = scara.robot.solve('tool0', [0.25, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0]).q
    with pytest.raises(MessageRefused, match=r'the way, after 0\.\d+ of 0.5 m,'):
        scara.to_pose(begin, np.zeros(4), [-0.25, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0], LINE)
