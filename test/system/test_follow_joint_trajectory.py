# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The action that MoveIt sends motions with: a client with the real control_msgs, real nodes."""
from __future__ import annotations

import time

import numpy as np
import pytest
from rclpy.action import ActionClient
from robodyn_ros import load_robot
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.qos import LATCHED
from robodyn_ros.robots.joint_order import JointOrder
from robodyn_ros.trajectories.joint_plan import Points
from robots.public import public_urdf, public_urdfs
from system.graph import LOST, nodes
from trajectory_msgs.msg import JointTrajectory

pytest.importorskip('control_msgs', reason='control_msgs is not installed: it has no wheel, only '
                    'ROS 2 itself has it (ros-$ROS_DISTRO-control-msgs)')

from action_msgs.msg import GoalStatus  # noqa: E402, I100, I202
from control_msgs.action import FollowJointTrajectory  # noqa: E402
from control_msgs.msg import (  # noqa: E402
    JointTolerance, JointTrajectoryControllerState, SpeedScalingFactor)
from control_msgs.srv import QueryTrajectoryState  # noqa: E402

pytestmark = pytest.mark.dds
Code = FollowJointTrajectory.Result
GOALS = 100
LONG = 20.0
"""Of simulated time: in lockstep it may run ahead of who listens [s]."""
SCENARIO = """\
/**:
  ros__parameters: {{scenario: goals, robot: {robot}, duration: 1.0}}
dynamics:
  ros__parameters: {{step: 0.002}}
controller:
  ros__parameters: {{kind: computed_torque, period: 0.004, natural_frequency: [20.0]}}
trajectory:
  ros__parameters: {{kind: none}}
"""


class Client:
    """Sends goals to a robot that a listener hears, and waits for what becomes of them."""

    def __init__(self, listener, robot):
        """Wait for the action."""
        self.listener, self.robot = listener, robot
        self.order = JointOrder(robot.joints)
        self.feedback = []
        self.client = ActionClient(listener.node, FollowJointTrajectory,
                                   'controller/follow_joint_trajectory')
        listener.wait(self.client.server_is_ready)
        listener.wait(lambda: listener.states)

    @property
    def q(self):
        """Return where the arm is."""
        state = self.listener.states[-1]
        return self.order.arrange(state.name, state.position, 'position')

    def trajectory(self, end, seconds):
        """Return the way to positions, from rest to rest."""
        still = np.zeros((1, self.robot.n))
        points = Points(np.array([round(seconds * 1e9)]), np.array([end]), still, still)
        return messages.joint_trajectory(0, self.robot.joints, points)

    def goal(self, end, seconds=0.3, **fields):
        """Return a goal; fields: of the message, tolerances as position for all joints."""
        made = FollowJointTrajectory.Goal(trajectory=self.trajectory(end, seconds))
        for name, value in fields.items():
            if isinstance(value, float):
                value = [JointTolerance(name=joint, position=value) for joint in self.robot.joints]
            setattr(made, name, value)
        return made

    def near(self, random, largest=0.15):
        """Return positions near those of the arm, within its limits."""
        limits = self.robot.limits
        lower, upper = (np.clip(side, -3.0, 3.0) for side in (limits.lower, limits.upper))
        return np.clip(self.q + random.uniform(-largest, largest, self.robot.n), lower + 0.02,
                       upper - 0.02)

    def send(self, goal):
        """Send a goal; returns its handle."""
        futures, asked = [], 0.0

        def answered():
            nonlocal asked
            if time.monotonic() > asked + LOST:  # an answer can get lost
                futures.append(self.client.send_goal_async(
                    goal, lambda message: self.feedback.append(message.feedback)))
                asked = time.monotonic()
            return any(future.done() for future in futures)

        self.listener.wait(answered)
        handle = next(future.result() for future in futures if future.done())
        assert handle.accepted
        return handle

    def result(self, handle):
        """Return the status and the result of a goal; an answer that got lost is asked again."""
        futures, asked = [], 0.0

        def answered():
            nonlocal asked
            if time.monotonic() > asked + LOST:
                futures.append(handle.get_result_async())
                asked = time.monotonic()
            return any(future.done() for future in futures)

        self.listener.wait(answered)
        done = next(future.result() for future in futures if future.done())
        return done.status, done.result

    def done(self, goal):
        """Send a goal; returns its status and result."""
        return self.result(self.send(goal))

    def cancel(self, handle):
        """Ask for the end of a goal."""
        future = handle.cancel_goal_async()
        self.listener.wait(future.done)
        return future.result()

    def wait(self, seconds):
        """Let simulated time pass."""
        until = self.listener.now + seconds * 1e9
        self.listener.wait(lambda: self.listener.now >= until)


@pytest.fixture(params=['irb120', pytest.param('xarm7', marks=pytest.mark.skipif(
    not public_urdfs(), reason='example-robot-data is not installed'))])
def arm(request, listener, tmp_path):
    """Run plant and controller of a robot with six or seven joints, in lockstep."""
    robot = request.param if request.param == 'irb120' else str(public_urdf(request.param))
    path = tmp_path / 'goals.yaml'
    path.write_text(SCENARIO.format(robot=robot))
    with nodes(path, 'dynamics', 'controller', dynamics={'mode': 'lockstep'}) as processes:
        made = Client(listener, load_robot(robot))
        made.processes = processes
        yield made


def test_a_hundred_goals_of_all_kinds_end_as_they_should(arm):
    """Reached, cancelled, preempted by a goal or a topic, violated, refused: none hangs."""
    random = np.random.default_rng(17)
    topic = arm.listener.publisher(JointTrajectory, 'controller/joint_trajectory')
    kinds = random.choice(['reach', 'cancel', 'goal', 'topic', 'path', 'miss', 'joints',
                           'tolerance', 'limits'], GOALS,
                          p=[0.48, 0.1, 0.1, 0.06, 0.06, 0.05, 0.05, 0.05, 0.05])
    assert set(kinds) >= {'reach', 'cancel', 'goal', 'topic', 'path', 'miss', 'joints'}
    names = list(arm.robot.joints)
    for kind in kinds:
        end, seconds = arm.near(random), random.uniform(0.15, 0.4)
        goal = arm.goal(end, seconds, goal_tolerance=0.02)
        if kind == 'reach':
            status, result = arm.done(goal)
            assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0), result
            arm.listener.wait(lambda: np.abs(arm.q - end).max() < 0.03)
        elif kind == 'cancel':
            handle = arm.send(arm.goal(end, LONG))
            arm.wait(random.uniform(0.0, 1.0))
            before = len(arm.listener.states)
            arm.cancel(handle)
            status, result = arm.result(handle)
            assert status == GoalStatus.STATUS_CANCELED, result
            arm.wait(0.4)
            speeds = np.array([state.velocity for state in arm.listener.states[before:]])
            assert np.abs(np.diff(speeds, axis=0)).max() < 0.15 and np.abs(speeds[-1]).max() < 0.02
        elif kind in ('goal', 'topic'):
            first = arm.send(arm.goal(end, LONG))
            arm.wait(random.uniform(0.0, 0.3))
            other = arm.near(random, 0.05)
            if kind == 'goal':
                assert arm.done(arm.goal(other, 0.3))[0] == GoalStatus.STATUS_SUCCEEDED
            else:
                topic.publish(arm.trajectory(other, 0.3))
            status, result = arm.result(first)
            assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Code.INVALID_GOAL)
            assert 'preempted by' in result.error_string
            arm.wait(0.5)  # a slow way from a fast start would swing far
        elif kind == 'path':
            status, result = arm.done(arm.goal(end, seconds, path_tolerance=1e-9))
            assert result.error_code == Code.PATH_TOLERANCE_VIOLATED, result
            assert any(repr(name) in result.error_string for name in names)
            assert 'more than 1e-09 (path_tolerance of the goal)' in result.error_string
            arm.wait(0.5)
        elif kind == 'miss':
            goal = arm.goal(end, seconds, goal_tolerance=1e-12)
            goal.goal_time_tolerance.nanosec = 100_000_000
            status, result = arm.done(goal)
            assert result.error_code == Code.GOAL_TOLERANCE_VIOLATED, result
            assert 'more than 1e-12' in result.error_string
        else:
            if kind == 'joints':
                goal.trajectory.joint_names = [*names[:-1], 'elbow']
            elif kind == 'tolerance':
                goal = arm.goal(end, seconds, path_tolerance=-7.0)
            else:
                goal = arm.goal(end + 99.0, seconds)
            status, result = arm.done(goal)
            code = Code.INVALID_JOINTS if kind == 'joints' else Code.INVALID_GOAL
            assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, code)
            assert {'joints': 'elbow', 'tolerance': 'position is -7',
                    'limits': 'beyond its limits'}[kind] in result.error_string
    assert arm.feedback and list(arm.feedback[-1].joint_names) == names


def test_state_query_and_speed(arm):
    """~/controller_state, ~/query_state, ~/speed_scaling_input; what is refused preempts none."""
    listener, heard = arm.listener, []
    listener.node.create_subscription(JointTrajectoryControllerState,
                                      'controller/controller_state', heard.append, 10)
    speed = listener.node.create_publisher(SpeedScalingFactor, 'controller/speed_scaling_input',
                                           LATCHED)
    end = arm.near(np.random.default_rng(1))
    handle = arm.send(arm.goal(end, LONG))
    refused = arm.goal(end, 1.0)
    refused.trajectory.points[0].positions = [0.0]
    assert arm.done(refused)[1].error_code == Code.INVALID_GOAL
    listener.wait(lambda: heard)
    asked = listener.now + 200_000_000
    answer = listener.call(QueryTrajectoryState, 'controller/query_state',
                           time=messages.time_message(asked))
    if answer.success:  # else the arm was there before the question was
        assert list(answer.name) == list(arm.robot.joints) and len(answer.position) == arm.robot.n
    speed.publish(SpeedScalingFactor(factor=0.5))
    listener.wait(lambda: heard[-1].speed_scaling_factor == 0.5)
    speed.publish(SpeedScalingFactor(factor=1.0))
    assert arm.result(handle)[0] == GoalStatus.STATUS_SUCCEEDED
    listener.wait(lambda: len(heard) > 10)
    state = heard[-1]
    assert np.allclose(np.subtract(state.reference.positions, state.feedback.positions),
                       state.error.positions)
    assert len(state.output.effort) == arm.robot.n
    late = listener.call(QueryTrajectoryState, 'controller/query_state',
                         time=messages.time_message(10 ** 15))
    assert not late.success and 'outside' in late.message
    speed.publish(SpeedScalingFactor(factor=-1.0))
    listener.wait_for_report('speed_scaling_input: a speed factor of -1 is not taken')


def test_a_goal_ends_when_the_plant_dies(arm):
    """No states, no motion: it is aborted, not left hanging."""
    handle = arm.send(arm.goal(arm.near(np.random.default_rng(2)), 1000.0))
    arm.wait(0.1)
    arm.processes[0].kill()
    status, result = arm.result(handle)
    assert status == GoalStatus.STATUS_ABORTED and 'no joint_states for' in result.error_string
