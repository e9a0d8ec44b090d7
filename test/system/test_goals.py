# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Put the tool there: poses and paths over ROS, from where the arm is, or why not."""
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from robodyn_ros import load_robot, load_scenario
from robodyn_ros.nodes.common.messages import pose_message
from robodyn_ros.robots.geometry import quaternion
from robodyn_ros.robots.joint_order import JointOrder
from std_msgs.msg import String
from std_srvs.srv import Trigger
from system.graph import heard_graph

pytestmark = pytest.mark.dds
SLOWLY = {'realtime_factor': 0.4}
"""Else a busy machine loses the arm, which is then held as it should be."""


class Arm:
    """A robot that a listener hears: where its tool is, and what became of goals."""

    def __init__(self, listener, scenario):
        """Hear the answers to goals."""
        self.listener, self.answers = listener, []
        settings = load_scenario(scenario)
        self.robot = load_robot(settings.robot)
        self.frame = self.robot.tool_frame(settings.trajectory.frame)
        self.order = JointOrder(self.robot.joints)
        listener.node.create_subscription(
            String, 'trajectory/goal_status', lambda m: self.answers.append(m.data),
            QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL))

    def state(self):
        """Return the newest positions and velocities."""
        message = self.listener.states[-1]
        return (self.order.arrange(message.name, message.position, 'position'),
                self.order.arrange(message.name, message.velocity, 'velocity'))

    def place(self):
        """Return where the tool is (3,)."""
        return self.robot.frame(self.frame, self.state()[0]).position

    def pose(self, shift):
        """Return the tool's pose, shifted [m]."""
        here = self.robot.frame(self.frame, self.state()[0])
        return [*(here.position + shift).tolist(), *quaternion(here.rotation)]

    def send(self, kind, topic, message):
        """Publish, and wait for the answer; returns it."""
        count = len(self.answers)
        self.listener.publisher(kind, topic).publish(message)
        self.listener.wait(lambda: len(self.answers) > count)
        return self.answers[-1]

    def wait_for_rest_at(self, place, within=1e-4):
        """Spin until the tool rests at a place."""
        self.listener.wait(lambda: np.abs(self.place() - place).max() < within
                           and np.abs(self.state()[1]).max() < 10.0 * within)


@pytest.mark.parametrize('scenario, shift', [
    ('scara_helix', (-0.05, 0.03, 0.04)), ('parallel_line', (0.03, 0.02, 0.0))])
def test_the_tool_goes_where_it_is_sent(listener, scenario, shift):
    """A pose on a straight line, in the middle of the motion; then a path; the way back."""
    with heard_graph(listener, scenario, dynamics=SLOWLY):
        arm = Arm(listener, scenario)
        listener.wait(lambda: len(listener.commands) > 200)
        goal = arm.pose(np.array(shift))
        assert arm.send(PoseStamped, 'trajectory/goal_pose',
                        pose_message(arm.robot.base, goal)).startswith('accepted')
        before = len(listener.states)
        arm.wait_for_rest_at(goal[:3])
        steps = np.diff([state.position for state in listener.states[before:]], axis=0)
        assert np.abs(steps).max() < 0.05  # nothing jumps
        path = Path(poses=[pose_message(arm.robot.base, arm.pose(np.array(shift) * k))
                           for k in (-0.3, -0.6)])
        path.header.frame_id = arm.robot.base
        end = arm.place() + np.array(shift) * -0.6
        assert arm.send(Path, 'trajectory/follow_path', path).startswith('accepted')
        arm.wait_for_rest_at(end)
        assert listener.call(Trigger, 'trajectory/start').success
        listener.wait(lambda: np.abs(arm.place() - end).max() > 0.01)


def test_goals_one_upon_the_other_are_followed(listener):
    """As from a handle that is dragged: none waits for the arm, and still it comes along."""
    with heard_graph(listener, 'parallel_line', dynamics=SLOWLY):
        arm = Arm(listener, 'parallel_line')
        listener.wait(lambda: len(listener.commands) > 200)
        first = arm.pose(np.zeros(3))
        arm.send(PoseStamped, 'trajectory/goal_pose', pose_message(arm.robot.base, first))
        arm.wait_for_rest_at(first[:3])
        for k in range(200):
            goal = [first[0] + min(0.03, 0.002 * k), first[1] + 1e-4 * (k % 2), *first[2:]]
            answer = arm.send(PoseStamped, 'trajectory/goal_pose',
                              pose_message(arm.robot.base, goal))
            if not answer.startswith('accepted'):
                assert 'already' in answer
            if arm.place()[0] - first[0] > 0.015:
                break
        else:
            raise AssertionError('the arm has not left its place')


def test_what_cannot_be_reached_is_refused_with_the_reason(listener):
    """Out of reach, another frame, no numbers, no poses: the arm goes on as before."""
    with heard_graph(listener, 'irb120_sine', dynamics=SLOWLY):
        arm = Arm(listener, 'irb120_sine')
        listener.wait(lambda: len(listener.commands) > 200)
        base = arm.robot.base
        for message, words in (
                (pose_message(base, [3.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]), 'out of its reach'),
                (pose_message('map', [0.3, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]), "in frame 'map'"),
                (pose_message(base, [0.3, np.nan, 0.5, 0.0, 0.0, 0.0, 1.0]), 'expected x y z'),
                (pose_message(base, [0.3, 0.0, 0.5, 0.0, 1e300, 0.0, 1.0]), 'expected x y z'),
                (pose_message(base, [0.3, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0]), 'not zero')):
            answer = arm.send(PoseStamped, 'trajectory/goal_pose', message)
            assert answer.startswith('refused: ') and words in answer, answer
        assert 'has 0 poses' in arm.send(Path, 'trajectory/follow_path', Path())
        listener.wait_for_report('following')
