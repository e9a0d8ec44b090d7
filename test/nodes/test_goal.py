# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What becomes of goals by joint_trajectory_controller's rules, and the speed factor; no ROS."""

import numpy as np
import pytest
from robodyn_ros import load_robot
from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.errors import MessageRefused, RobodynError
from robodyn_ros.nodes.common.options import ControllerOptions
from robodyn_ros.nodes.controller.controller_runner import ControllerRunner, PathTolerance, Rules
from robodyn_ros.nodes.controller.goal import (
    checked_goal, Following, GOAL_TOLERANCE_VIOLATED, GoalRefused, INVALID_GOAL, INVALID_JOINTS,
    JointTolerance, OLD_HEADER_TIMESTAMP, PATH_TOLERANCE_VIOLATED, SUCCESSFUL, Tolerances)
from robodyn_ros.ros_time import NANO

PERIOD = NANO // 500
JOINTS = ('joint_1', 'joint_2')
ANY = PathTolerance()


def tolerances(path=ANY, goal=ANY, time=0.0):
    """Return the same for both joints."""
    return Tolerances((path,) * 2, (goal,) * 2, time)


class Arm:
    """Two joints that are exactly where they should be, but for what is set beside them."""

    def __init__(self, given=tolerances()):
        """Stand at zero, and take a goal of 1 s that leads both joints to 0.2."""
        self.robot = load_robot('two_link')
        self.runner = ControllerRunner(
            self.robot, computed_torque(self.robot, kp=100.0, kd=20.0),
            Rules(path_tolerance=(0.5, 0.5), simulated=True))
        self.now, self.q, self.v = NANO, np.zeros(2), np.zeros(2)
        self.apart, self.rate = 0.0, 0.0
        self.wanted, self.path = [], []
        self.step()
        self.goal = self.send(0.2, given)

    def send(self, end, given=tolerances(), seconds=1.0):
        """Give it a goal; returns what follows it."""
        fields = {'positions': [[end, end]], 'velocities': [[0.0, 0.0]],
                  'accelerations': [[0.0, 0.0]], 'effort': [[]]}
        points = checked_goal(self.runner, self.now, 0, JOINTS, [round(seconds * NANO)], fields)
        self.runner.accept(0, points, self.now, given.path)
        return Following(self.runner, given)

    def step(self):
        """Answer a state."""
        answer = self.runner.answer(self.now, self.q + self.apart, self.v + self.rate)
        if answer is not None:
            self.q, self.v = answer.desired[:2].copy(), answer.desired[2:4].copy()
            self.wanted.append(answer.desired.copy())
        self.now += PERIOD
        return answer

    def run(self, seconds, goal=None):
        """Go on until the goal has ended, or for a time; returns what became of it."""
        goal = goal or self.goal
        for _ in range(round(seconds * NANO / PERIOD)):
            self.step()
            outcome = goal.outcome()
            if outcome is not None:
                return outcome
        return None


def test_a_goal_is_reached_at_the_end_and_not_before():
    """At the last point, with nothing in the way."""
    arm = Arm(tolerances(PathTolerance(0.01), PathTolerance(0.01, 0.01), 1.0))
    assert arm.run(0.95) is None
    assert arm.run(0.1).code == SUCCESSFUL
    assert abs(arm.q - 0.2).max() < 1e-12


def test_a_path_tolerance_names_joint_amount_and_source():
    """The goal's own one, of position and of velocity; the arm is held."""
    arm = Arm(tolerances(PathTolerance(0.01)))
    assert arm.run(0.3) is None
    arm.apart = np.array([0.0, 0.02])
    code, text = arm.run(0.3)
    assert code == PATH_TOLERANCE_VIOLATED and arm.runner.held
    assert "'joint_2' is 0.01" in text
    assert 'rad from the trajectory, more than 0.01 (path_tolerance of the goal)' in text
    arm = Arm(tolerances(PathTolerance(0.0, 0.05)))
    assert arm.run(0.3) is None
    arm.rate = np.array([0.06, 0.0])
    code, text = arm.run(0.3)
    assert code == PATH_TOLERANCE_VIOLATED
    assert "'joint_1' is 0.05798 rad/s from the velocity" in text


def test_a_lifted_path_tolerance_is_none():
    """-1 in the goal: even half a radian is no violation, that of the parameters would be."""
    usual = tolerances(PathTolerance(0.01), ANY, 0.0)
    lifted = usual.changed(JOINTS, [JointTolerance(j, -1.0, -1.0) for j in JOINTS], [], 0.0)
    arm = Arm(lifted)
    arm.run(0.1)
    arm.apart = 0.04  # grows, as a state that jumps is another matter
    for _ in range(12):
        arm.step()
        arm.apart += 0.04
    assert arm.run(2.0).code == SUCCESSFUL


def test_a_goal_that_is_missed_waits_for_the_goal_time():
    """Then it names joint, tolerance, amount; 0 waits for ever; it may still be reached."""
    arm = Arm(tolerances(ANY, PathTolerance(0.01), 0.5))
    arm.apart = np.array([0.02, 0.0])
    assert arm.run(1.4) is None
    code, text = arm.run(0.3)
    assert code == GOAL_TOLERANCE_VIOLATED
    assert "'joint_1' is 0.02 rad from the goal, more than 0.01" in text and '0.5 s' in text
    arm = Arm(tolerances(ANY, PathTolerance(0.01), 0.0))
    arm.apart = 0.02
    assert arm.run(8.0) is None
    arm.apart = 0.005
    assert arm.run(0.1).code == SUCCESSFUL
    arm = Arm(tolerances(ANY, PathTolerance(0.0, 0.01), 0.5))
    arm.rate = np.array([0.0, 0.02])
    assert "'joint_2' moves at 0.02 rad/s" in arm.run(2.0).text


@pytest.mark.parametrize('seconds, code', [(0.14, SUCCESSFUL), (0.6, INVALID_GOAL)])
def test_a_goal_that_takes_long_to_unpack_keeps_states_waiting(seconds, code):
    """Of 20,000 points it is followed without a jump; of 80,000 it is aborted, the arm is held."""
    arm = Arm()
    arm.run(0.3)
    goal = arm.send(0.1)
    arm.now += round(seconds * NANO)
    arm.v *= 0.0  # the plant has held it meanwhile
    seen, at = len(arm.wanted), arm.q.copy()
    outcome = arm.run(6.0, goal)
    wanted = np.array(arm.wanted[seen:])
    assert outcome.code == code
    assert np.abs(np.diff([at, *wanted[:, :2]], axis=0)).max() < 2.0 * PERIOD / NANO
    if code == SUCCESSFUL:
        assert abs(arm.q - 0.1).max() < 1e-12
    else:
        assert 'joint_states lack 0.6' in outcome.text and arm.runner.held


def test_every_other_end_of_a_trajectory_ends_the_goal():
    """Another trajectory, a stop, a reset, lost states: none is left hanging."""
    arm = Arm()
    arm.run(0.3)
    later = arm.send(0.1)
    assert arm.goal.outcome().code == INVALID_GOAL and 'preempted' in arm.goal.outcome().text
    assert arm.run(2.0, later).code == SUCCESSFUL
    for end in (lambda arm: arm.runner.stop(), lambda arm: arm.runner.reset(arm.now),
                lambda arm: arm.runner.lose('no states')):
        arm = Arm()
        arm.run(0.3)
        end(arm)
        assert arm.goal.outcome().code == INVALID_GOAL and arm.goal.outcome().text
    arm = Arm()
    arm.run(0.3)
    arm.now += NANO  # states are lost
    assert 'lack 1' in arm.run(0.1).text
    arm = Arm()
    with pytest.raises(MessageRefused):  # what is refused preempts nobody
        arm.send(9.0)
    assert arm.run(2.0).code == SUCCESSFUL


def test_a_stop_is_smooth():
    """Position and velocity go on without a step, to rest."""
    arm = Arm()
    arm.run(0.5)
    arm.runner.stop('the goal was cancelled')
    arm.run(0.6, Following(arm.runner, tolerances()))
    for _ in range(200):
        arm.step()
    rows = np.array(arm.wanted)
    assert np.abs(np.diff(rows[:, :2], axis=0)).max() < 0.4 * PERIOD / NANO * 1.5
    assert np.abs(np.diff(rows[:, 2:4], axis=0)).max() < 0.05
    assert np.abs(rows[-1, 2:]).max() == 0.0


def test_zero_is_the_usual_and_minus_one_is_none():
    """joint_trajectory_controller's rule (resolve_tolerance_source), for each field."""
    usual = tolerances(PathTolerance(0.1, 0.2), PathTolerance(0.3, 0.4), 5.0)
    changed = usual.changed(JOINTS, [JointTolerance('joint_2', 0.0, -1.0)],
                            [JointTolerance('joint_1', -1.0, 7.0)], -1.0)
    assert changed == ((PathTolerance(0.1, 0.2), PathTolerance(0.1, 0.0)),
                       (PathTolerance(0.0, 7.0), PathTolerance(0.3, 0.4)), 0.0)
    assert usual.changed(JOINTS, [], [], 0.0) == usual


@pytest.mark.parametrize('path, goal, seconds, code, words', [
    ([('elbow', 0.1, 0.0)], [], 0.0, INVALID_JOINTS, "path_tolerance names joint 'elbow'"),
    ([], [('elbow', 0.1, 0.0)], 0.0, INVALID_JOINTS, "goal_tolerance names joint 'elbow'"),
    ([('joint_1', -2.0, 0.0)], [], 0.0, INVALID_GOAL, "joint 'joint_1': position is -2"),
    ([], [('joint_2', 0.0, float('nan'))], 0.0, INVALID_GOAL, "'joint_2': velocity is nan"),
    ([('joint_1', 0.0, 0.0, float('nan'))], [], 0.0, INVALID_GOAL, "'joint_1': acceleration is"),
    ([('joint_1', 1e-9, 0.0), ('joint_1', 9.0, 0.0)], [], 0.0, INVALID_JOINTS, 'joint_1. twice'),
    ([('x' * 10 ** 6, 0.0, 0.0)], [], 0.0, INVALID_JOINTS, 'names joint .xxx'),
    ([], [], -3.0, INVALID_GOAL, 'goal_time_tolerance is -3')])
def test_impossible_tolerances_are_refused(path, goal, seconds, code, words):
    """With a sentence and a code; joint_trajectory_controller would take others in silence."""
    with pytest.raises(GoalRefused, match=words) as error:
        tolerances().changed(JOINTS, [JointTolerance(*one) for one in path],
                             [JointTolerance(*one) for one in goal], seconds)
    assert error.value.outcome.code == code and len(error.value.outcome.text) < 300


@pytest.mark.parametrize('names, start, times, q, code', [
    (['joint_1', 'elbow'], 0, [NANO], [[0.1, 0.1]], INVALID_JOINTS),
    (['joint_1'], 0, [NANO], [[0.1]], INVALID_JOINTS),
    ([], 0, [NANO], [[]], INVALID_JOINTS),
    (['joint_1', 'joint_1'], 0, [NANO], [[0.1, 0.1]], INVALID_JOINTS),
    (JOINTS, 0, [], [], INVALID_GOAL),
    (JOINTS, 0, [NANO, NANO], [[0.1, 0.1]] * 2, INVALID_GOAL),
    (JOINTS, 0, [NANO], [[0.1, float('nan')]], INVALID_GOAL),
    (JOINTS, 0, [NANO], [[0.1]], INVALID_GOAL),
    (JOINTS, 0, [NANO], [[0.1, 99.0]], INVALID_GOAL),
    (JOINTS, NANO, [NANO], [[0.1, 0.1]], OLD_HEADER_TIMESTAMP)])
def test_bad_trajectories_have_their_code(names, start, times, q, code):
    """And a sentence."""
    fields = {'positions': q, 'velocities': [[]] * len(q), 'accelerations': [[]] * len(q),
              'effort': [[]] * len(q)}
    with pytest.raises(GoalRefused) as error:
        checked_goal(Arm().runner, 5 * NANO, start, names, times, fields)
    assert error.value.outcome.code == code and error.value.outcome.text


@pytest.mark.parametrize('constraints, words', [
    ({'elbow': {'goal': 0.1}}, "unknown joint 'elbow'"),
    ({'joint_1': {'speed': 0.1}}, "unknown constraint 'speed'"),
    ({'joint_1': 0.1}, 'constraints.joint_1 is 0.1'),
    ({'joint_1': {'goal': -0.1}}, 'constraints.joint_1.goal is -0.1'),
    ({'goal_time': -1.0}, 'constraints.goal_time is -1.0')])
def test_parameters_that_cannot_be_are_refused(constraints, words):
    """Names and numbers of constraints."""
    with pytest.raises(RobodynError, match=words):
        Tolerances.of(JOINTS, ControllerOptions(constraints=constraints))


def test_parameters_give_the_usual_tolerances():
    """By joint_trajectory_controller's names; a goal always ends, unless 0 is asked for."""
    usual = Tolerances.of(JOINTS, ControllerOptions())
    assert usual == ((PathTolerance(0.2),) * 2, (PathTolerance(0.0, 0.01),) * 2, 5.0)
    made = Tolerances.of(JOINTS, ControllerOptions(constraints={
        'goal_time': 0.0, 'joint_2': {'trajectory': 0.0, 'goal': 0.1}}))
    assert made.path == (PathTolerance(0.2), ANY) and made.time == 0.0
    assert made.goal == (PathTolerance(0.0, 0.01), PathTolerance(0.1, 0.01))


@pytest.mark.parametrize('factor', [0.5, 0.25])
def test_a_speed_factor_slows_the_trajectory_and_changes_nothing_else(factor):
    """The same path, 1 / factor times as long; velocity is the rate of the positions."""
    plain, slow = Arm(), Arm()
    plain.run(2.0)
    slow.runner.scale(factor)
    assert slow.run(0.9 / factor) is None
    assert slow.run(0.4 / factor).code == SUCCESSFUL
    rows = np.array(slow.wanted)
    for first in (0, 2):  # velocities are the rates of positions, accelerations of velocities
        rate = np.gradient(rows[:, first], PERIOD / NANO)[2:-2]
        apart = np.sort(np.abs(rate - rows[2:-2, first + 2]))
        assert apart[-4] < 0.02 * np.abs(rate).max()  # it steps once, where the slowing ends
    assert np.abs(slow.q - plain.q).max() < 1e-12
    assert np.abs(rows[:, 2]).max() < 1.05 * factor * np.abs(np.array(plain.wanted)[:, 2]).max()


def test_a_speed_factor_of_zero_waits_and_one_is_the_plain_motion_to_the_bit():
    """The arm stands, no tolerance is violated, and it goes on from there."""
    arm = Arm(tolerances(PathTolerance(0.01), PathTolerance(0.01, 0.01), 0.2))
    arm.run(0.4)
    arm.runner.scale(0.0)
    arm.run(0.5)
    here = arm.q.copy()
    assert arm.run(5.0) is None and (arm.q == here).all() and (arm.v == 0.0).all()
    arm.runner.scale(1.0)
    assert arm.run(1.0).code == SUCCESSFUL
    plain, same = Arm(), Arm()
    same.runner.scale(1.0)
    plain.run(2.0)
    same.run(2.0)
    assert np.array_equal(plain.wanted, same.wanted)


@pytest.mark.parametrize('factor', [-0.1, 1.5, float('nan')])
def test_other_speed_factors_are_refused(factor):
    """Faster than it was checked for, backwards, nowhere."""
    with pytest.raises(MessageRefused, match='expected 0 .. 1'):
        Arm().runner.scale(factor)
