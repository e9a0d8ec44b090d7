# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of poses: reached where they can be, and a reason where they cannot."""
from concurrent.futures import ThreadPoolExecutor
import math
import os
import subprocess
import sys

from mechanics.cases import public_urdf
import numpy as np
import pytest
from robodyn_ros import load_robot
from robodyn_ros.constraints.ready_made import joint_combination, point
from robodyn_ros.errors import RobodynError
from robodyn_ros.tracing import sqrt
from scipy.spatial.transform import Rotation

DOWN = [1.0, 0.0, 0.0, 0.0]
"""Half a turn about x: a tool that points at the table, where roll is pi."""


def configurations(robot, count, seed):
    """Return random joint positions inside the limits (count, n)."""
    lower, upper = (np.where(np.isfinite(x), x, side * math.pi) for x, side in (
        (robot.limits.lower, -1.0), (robot.limits.upper, 1.0)))
    return np.random.default_rng(seed).uniform(lower, upper, (count, robot.n))


def expect_reached(robot, frame, wanted, found):
    """Compare the frame's pose with the one wanted, by another route than the solver's rows."""
    assert found.reached.all(), [reason for reason in found.reason if reason][:3]
    here = robot.frame(frame, found.q)
    assert np.abs(here.position - wanted.position).max() < 2e-9
    turn = here.rotation @ wanted.rotation.transpose(0, 2, 1)
    assert np.abs(turn - np.eye(3)).max() < 3e-9
    assert (found.q >= robot.limits.lower).all() and (found.q <= robot.limits.upper).all()


@pytest.mark.parametrize('name, frame', [
    ('irb120', 'tool0'), ('ur5_robot.urdf', 'tool0'), ('panda.urdf', 'panda_link8')])
def test_random_poses_are_reached_inside_the_limits(name, frame):
    """Poses of random configurations, from the middle of the limits; same bits every time."""
    robot = load_robot(public_urdf(name) if name.endswith('.urdf') else name)
    wanted = robot.frame(frame, configurations(robot, 400, 1))
    found = robot.solve(frame, wanted)
    expect_reached(robot, frame, wanted, found)
    again = robot.solve(frame, wanted, workers=1)
    alone = robot.solve(frame, type(wanted)(*(part[7] for part in wanted)))
    assert np.array_equal(found.q, again.q) and np.array_equal(found.q[7], alone.q)


@pytest.mark.parametrize('seed', range(4))
def test_a_tool_that_points_down_is_reached_from_any_start(seed):
    """Roll is pi there: what angles could not do."""
    robot = load_robot('irb120')
    start = configurations(robot, 1, seed)[0]
    found = robot.solve('tool0', [0.35, 0.05, 0.3, *DOWN], start=start)
    assert found.reached and found.reason == ''
    here = robot.frame('tool0', found.q)
    assert here.position == pytest.approx([0.35, 0.05, 0.3], abs=2e-9)
    assert here.rotation == pytest.approx(np.diag([1.0, -1.0, -1.0]), abs=3e-9)


def test_four_ways_to_give_a_pose_are_one():
    """Quaternion, matrix, what frame() returns; x y z alone leaves the orientation free."""
    robot = load_robot('irb120')
    state = robot.frame('tool0', np.array([0.3, 0.2, -0.1, 0.4, 0.5, 0.6]))
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = state.rotation, state.position
    by_frame, by_matrix = robot.solve('tool0', state), robot.solve('tool0', matrix)
    by_quaternion = robot.solve('tool0', [
        *state.position, *Rotation.from_matrix(state.rotation).as_quat()])
    assert np.array_equal(by_frame.q, by_matrix.q)
    assert by_quaternion.q == pytest.approx(by_frame.q, abs=1e-7)
    free = robot.solve('tool0', state.position)
    assert free.reached and free.rotation_error == 0.0
    assert robot.positions('tool0', free.q) == pytest.approx(state.position, abs=2e-9)


def test_free_axes_locked_joints_and_a_posture():
    """The spin of the tool is left to the posture; a locked joint does not move at all."""
    robot = load_robot('irb120')
    pose = [0.4, 0.0, 0.4, *DOWN]
    for wanted in (-0.5, 0.0, 0.9):
        posture = np.array([0.0, 0.4, 0.1, 0.0, 1.1, wanted])
        found = robot.solve('tool0', pose, free='rz', posture=posture)
        assert found.reached and found.q[5] == pytest.approx(wanted, abs=1e-4)
        axis = robot.frame('tool0', found.q).rotation[:, 2]
        assert axis == pytest.approx([0.0, 0.0, -1.0], abs=1e-8)
    start = np.array([0.1, 0.4, 0.1, 0.0, 1.1, 0.0])
    found = robot.solve('tool0', pose[:3], start=start, locked=['joint_1', 'joint_4'], free='y')
    assert found.reached and (found.q[[0, 3]] == start[[0, 3]]).all()


def test_loops_and_constraints_are_part_of_it():
    """A closed chain stays closed; a user's row is zero at the solution."""
    robot = load_robot('parallel_2dof')
    home = robot.solve('tool0', [0.25, 0.15, 0.0], free='z')
    assert home.reached, home.reason
    tips = [robot.positions(f'tip_{k}', home.q)[:2] for k in (1, 2, 3)]
    assert tips[0] == pytest.approx([0.25, 0.15], abs=2e-9)
    assert np.ptp(tips, axis=0).max() < 4e-9
    arm = load_robot('irb120')
    rows = [joint_combination({'joint_2': 1.0, 'joint_3': 1.0}, 0.3), point('tool0')]
    found = arm.solve('tool0', [0.4, 0.0, 0.4], free='x', constraints=rows)
    assert found.reached, found.reason
    assert found.q[1] + found.q[2] == pytest.approx(0.3, abs=2e-9)
    assert arm.frame('tool0', found.q).rotation[:, 2] == pytest.approx([0, 0, -1.0], abs=1e-8)


@pytest.mark.parametrize('pose, words', [
    ([2.0, 0.0, 0.5], 'comes no nearer than 1.3'),
    ([0.3, 0.0, 2.0, *DOWN], 'rad'),
    ([0.62, 0.0, 0.29, *DOWN], 'the position alone can be reached')])
def test_what_cannot_be_reached_says_how_near_it_comes(pose, words):
    """One sentence with distance, and no exception."""
    found = load_robot('irb120').solve('tool0', pose)
    assert not found.reached and words in found.reason and 'tool0 of irb120' in found.reason


def test_the_limit_in_the_way_is_named():
    """A slide that ends too early, and nothing else, is named."""
    robot = load_robot('scara_450')
    inside = robot.positions('tool0', configurations(robot, 1, 0)[0])
    found = robot.solve('tool0', [*inside[:2], 5.0])
    assert not found.reached and 'joint_4 stands at its upper limit' in found.reason, found.reason


@pytest.mark.parametrize('pose, changes, words', [
    ([1.0, 2.0], {}, 'pose'), ([0.0] * 7, {}, 'quaternion'), ('there', {}, 'pose'),
    (np.ones((4, 4)), {}, 'rotation'), ([0.3, 0.0, math.nan], {}, 'pose'),
    ([0.3, 0.0, 0.4], {'free': 'yaw'}, 'axis'), ([0.3, 0.0, 0.4], {'free': 'x y z'}, 'nothing'),
    ([0.3, 0.0, 0.4], {'tries': 0}, 'tries'), ([0.3, 0.0, 0.4], {'locked': ['no']}, 'joint'),
    ([0.3, 0.0, 0.4], {'start': [0.0]}, 'start'), ([0.3, 0.0, 0.4], {'tolerance': 0.0}, 'toler'),
    ([1e300, 0.0, 0.4], {}, 'below'), ([0.3, 0.0, 0.4, 1e300, 0.0, 0.0, 0.0], {}, 'below'),
    ([], {}, 'pose'), ([[0.1, 0.2, 0.3], [0.1]], {}, 'pose'), ([1j, 0.0, 0.0], {}, 'pose'),
    ([0.3, 0.0, 0.4], {'free': None}, 'free'), ([0.3, 0.0, 0.4], {'locked': None}, 'locked'),
    ([0.3, 0.0, 0.4], {'posture': np.zeros((2, 6))}, 'posture'),
    ([0.3, 0.0, 0.4], {'posture': [math.nan] * 6}, 'posture'),
    ([0.3, 0.0, 0.4], {'start': [math.inf] * 6}, 'start'),
    ([0.3, 0.0, 0.4], {'tries': 10 ** 12}, 'tries'), ([0.3, 0.0, 0.4], {'workers': -1}, 'workers'),
    ([0.3, 0.0, 0.4], {'workers': 10 ** 6}, 'workers'),
    ([0.3, 0.0, 0.4], {'constraints': [3]}, 'constraint')])
def test_bad_arguments_are_a_sentence(pose, changes, words):
    """Whatever is wrong is named."""
    with pytest.raises(RobodynError, match=words):
        load_robot('irb120').solve('tool0', pose, **changes)


@pytest.mark.parametrize('frame', [['tool0'], None, 'nope', 3])
def test_what_is_no_frame_is_a_sentence(frame):
    """It lists those there are."""
    with pytest.raises(RobodynError, match='unknown frame .*use one of base_link, .*tool0'):
        load_robot('irb120').solve(frame, [0.3, 0.0, 0.4])


def test_a_frame_of_the_base_cannot_be_put_anywhere():
    """No joint moves it."""
    robot = load_robot('irb120')
    with pytest.raises(RobodynError, match='fixed to the base'):
        robot.solve(robot.base, [0.0, 0.0, 0.0])


def test_no_poses_are_no_work():
    """Arrays of length zero."""
    found = load_robot('irb120').solve('tool0', np.zeros((0, 7)))
    assert found.q.shape == (0, 6) and found.reached.shape == (0,) and found.reason == []


def test_rows_that_are_no_numbers_are_never_reached():
    """A constraint that is the root of a negative number; the answer is where the search began."""
    robot = load_robot('two_link')
    found = robot.solve('tool0', [0.5, 0.0, 0.2], free='y', start=[0.3, 0.4],
                        constraints=[lambda robot, q, t: [sqrt(-1.0 - q[0] * q[0])]])
    assert not found.reached and 'no finite numbers' in found.reason
    assert found.q.tolist() == [0.3, 0.4]


def test_joints_take_no_whole_turn_too_many():
    """Of the same pose, the configuration whose joints are nearest to the posture."""
    robot = load_robot(public_urdf('ur5_robot.urdf'))  # limits of a whole turn either way
    posture = np.array([0.3, -1.0, 1.2, -1.5, -1.5, 0.1])
    wanted = robot.frame('tool0', configurations(robot, 200, 9))
    found = robot.solve('tool0', wanted, posture=posture)
    expect_reached(robot, 'tool0', wanted, found)
    free = [0, 1, 3, 4, 5]  # the elbow has half of that
    assert np.abs(found.q - posture)[:, free].max() < math.pi + 1e-9


@pytest.mark.parametrize('options', [{}, {'posture': np.full(6, 0.1)}, {'tolerance': 1e-5},
                                     {'start': np.full(6, -0.2), 'tries': 7}])
def test_one_pose_has_the_bits_of_many(options):
    """The short way for one pose of plain numbers, and from threads at a time."""
    robot = load_robot('irb120')
    states = robot.frame('tool0', configurations(robot, 60, 11))
    poses = np.column_stack([states.position, Rotation.from_matrix(states.rotation).as_quat()])
    poses[7, 0] = 3.0  # out of reach
    many = robot.solve('tool0', poses, **options)
    with ThreadPoolExecutor(4) as pool:
        alone = list(pool.map(lambda pose: robot.solve('tool0', pose, **options), poses))
    assert np.array_equal(many.q, [found.q for found in alone])
    assert many.steps.tolist() == [found.steps for found in alone]
    assert many.reached.tolist() == [found.reached for found in alone]
    listed = robot.solve('tool0', poses[3].tolist(), **options)
    assert np.array_equal(listed.q, many.q[3]) and type(listed.reached) is bool
    places = robot.solve('tool0', poses[:5, :3], **options)
    assert np.array_equal(places.q[4], robot.solve('tool0', poses[4, :3], **options).q)


def test_limits_that_are_changed_count_at_once():
    """Limits are arrays of the robot, which a user may narrow between two calls."""
    robot = load_robot('irb120')
    before = robot.solve('tool0', [0.35, 0.05, 0.3, *DOWN])
    robot.limits.lower[0] = before.q[0] + 0.2
    after = robot.solve('tool0', [0.35, 0.05, 0.3, *DOWN])
    assert not after.reached or after.q[0] >= before.q[0] + 0.2


SAME_BITS = """
import hashlib, numpy as np
from robodyn_ros import load_robot
robot = load_robot('irb120')
q = np.random.default_rng(5).uniform(-2.0, 2.0, (150, 6))
found = robot.solve('tool0', robot.frame('tool0', q), posture=np.full(6, 0.1), workers=WORKERS)
print(hashlib.sha256(found.q.tobytes() + found.steps.tobytes()).hexdigest())
"""


def test_processes_and_workers_give_the_same_bits():
    """One or three threads, in processes that hash differently."""
    said = {subprocess.run(
        [sys.executable, '-c', SAME_BITS.replace('WORKERS', str(workers))], check=True, text=True,
        capture_output=True, env={**os.environ, 'PYTHONHASHSEED': str(workers)}).stdout
        for workers in (1, 3)}
    assert len(said) == 1 and len(said.pop()) == 65
