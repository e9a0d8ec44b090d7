# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Listens to a driver, and moves one joint a little if asked to: the ROS part of check-driver.

While a joint is tested every other active joint gets the torque that carries its weight. Commands
of anybody else, heard or known from the graph, end it: two who command would fight over the arm.
"""
from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
import time
from typing import Any, Callable

import numpy as np
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.process import Session
from robodyn_ros.nodes.common.qos import STREAM
from robodyn_ros.nodes.driver_check.driver_report import Heard, Observation
from robodyn_ros.robots.joint_order import JointOrder
from robodyn_ros.robots.robot import Robot
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

TYPES = {'joint_state': ('sensor_msgs/msg/JointState', JointState),
         'float64_multi_array': ('std_msgs/msg/Float64MultiArray', Float64MultiArray)}
ANY = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Hears reliable and best-effort publishers."""
LARGEST_MOTION = 0.05
"""Motion at which a test torque ends [rad] or [m]."""
SETTLE = 0.5
"""Time for which the arm is brought to rest after the torque [s]."""
DAMPING = 10.0
"""Rate at which it comes to rest [1/s]."""
DISCOVERY = 3.0
"""Time in which whoever commands is found in the graph; nothing is pushed before [s]."""
PAUSE = 0.5
"""Time without commands before and while staleness is looked at [s]."""
LISTEN, IDLE, PUSH, REST, AFTER = 'listen', 'idle', 'push', 'rest', 'after'


@dataclass(frozen=True)
class Plan:
    """What to look at and for how long."""

    states_topic: str = 'joint_states'
    commands_topic: str = 'joint_commands'
    command_format: str = 'joint_state'
    seconds: float = 3.0
    """How long to listen [s]."""
    patience: float = 10.0
    """How long to wait for the first state [s]."""
    joint: str = ''
    effort: float = 0.0
    warning: float = 5.0
    """Time between the warning and the torque [s]."""
    push: float = 0.5
    """Longest time the test torque acts [s]."""
    sim_time: bool = False


class DriverCheck(Node):
    """Hears states and, while it pushes or rests, answers each with a command."""

    def __init__(self, robot: Robot, plan: Plan):
        """Join the graph; nothing is sent yet."""
        super().__init__('driver_check', parameter_overrides=[
            Parameter('use_sim_time', value=plan.sim_time)])
        self.robot, self.plan, self.seen = robot, plan, Observation(
            has_control_msgs=find_spec('control_msgs') is not None)
        self.mimics = {mimic.name for mimic in robot.mimics}  # a driver may send them or not
        self.order = JointOrder(robot.joints, strangers=bool(self.mimics))
        self.phase, self.start = LISTEN, np.zeros(0)
        self.kind = TYPES[plan.command_format][1]
        self.sent: set[tuple[float, ...]] = set()
        self.commands: Any = None
        self.create_subscription(JointState, plan.states_topic, self._on_state, ANY)
        # the graph may tell late of a publisher, or never: what it says counts as well
        self.create_subscription(self.kind, plan.commands_topic, self._on_command, ANY)

    def _on_state(self, message: JointState) -> None:
        fields = [list(field) for field in (message.name, message.position, message.velocity,
                                            message.effort)]
        if self.mimics:
            fields = [[x for name, x in zip(message.name, field) if name not in self.mimics]
                      if len(field) == len(message.name) else field for field in fields]
        heard = Heard(time.monotonic_ns(), self.get_clock().now().nanoseconds,
                      messages.time_of(message.header.stamp), *fields)
        if self.phase in (PUSH, REST):
            self._answer(message)
        elif self.phase == LISTEN:
            self.seen.states.append(heard)
        elif self.phase == AFTER:
            self.seen.states_after += 1

    def _on_command(self, message: Any) -> None:
        # a message does not tell its sender; ours come back, to the last bit
        values = message.effort if self.kind is JointState else message.data
        if tuple(values) not in self.sent:
            self.seen.strange += 1

    def commanded(self) -> bool:
        """Ask the graph again, and tell if anybody else commands."""
        found = self.count_publishers(self.plan.commands_topic) - (self.commands is not None)
        self.seen.rivals = max(self.seen.rivals, found)
        return self.seen.commanded

    def look(self) -> None:
        """Note who publishes states and who reads commands."""
        publishers = self.get_publishers_info_by_topic(self.plan.states_topic)
        self.seen.offered = [p.qos_profile.reliability.name.lower() for p in publishers]
        readers = self.get_subscriptions_info_by_topic(self.plan.commands_topic)
        self.seen.listeners = [r.topic_type for r in readers if r.node_name != self.get_name()]
        self.commanded()

    def open_commands(self) -> None:
        """Make the publisher of commands, ahead of the push, so that the driver finds it."""
        self.commands = self.create_publisher(self.kind, self.plan.commands_topic, STREAM)

    @property
    def read(self) -> bool:
        """Tell if somebody reads our commands beside ourselves."""
        return self.commands.get_subscription_count() > 1

    @property
    def far(self) -> bool:
        """Tell if the joint moved as far as it may."""
        return abs(self.seen.moved) >= LARGEST_MOTION

    def _answer(self, message: JointState) -> None:
        try:
            q = self.order.arrange(message.name, message.position, 'position of joint_states')
        except MessageRefused:
            return
        if not self.start.size:
            self.start = q
        k = self.robot.joint_index(self.plan.joint)
        self.seen.moved = float(q[k] - self.start[k])
        tau = self.robot.bias(q, np.zeros(self.robot.n)).gravity.copy()
        if self.phase == PUSH:
            tau[k] += self.plan.effort
        elif len(message.velocity) == self.robot.n and self.seen.moved * self.plan.effort > 0.0:
            v = self.order.arrange(message.name, message.velocity, 'velocity of joint_states')
            tau -= DAMPING * self.robot.mass_matrix(q) @ v
        elif self.seen.moved * self.plan.effort < 0.0:
            tau[:] = 0.0  # the sign is wrong: no torque of ours can help
        limit = self.robot.limits.effort
        tau = np.clip(tau, -limit, limit)
        self.sent.add(tuple(tau.tolist()))
        if self.plan.command_format == 'joint_state':
            command = messages.joint_state(0, list(self.robot.joints), effort=tau)
            command.header.stamp = message.header.stamp
        else:
            command = Float64MultiArray(data=messages.doubles(tau))
        self.commands.publish(command)


def push(node: DriverCheck, spin: Callable[..., None]) -> None:
    """Push, bring the arm to rest, then see if states go on without commands."""
    seen, plan = node.seen, node.plan
    seen.joint, seen.effort = plan.joint, plan.effort
    node.phase = PUSH
    spin(plan.push, until=lambda: node.far or seen.commanded)
    moved = seen.moved
    node.phase = REST
    spin(SETTLE, until=lambda: seen.commanded)
    node.phase, seen.moved = IDLE, moved
    spin(PAUSE)  # a driver's time-out passes; states under way do not count
    node.phase = AFTER
    spin(PAUSE)
    if node.commanded():
        seen.joint = ''  # whoever moved it, the test tells nothing


def observe(robot: Robot, plan: Plan, before_push: Callable[[], None]) -> Observation:
    """
    Listen to a driver, then push if the plan says so.

    :param before_push: called when everything else is known, to warn those who stand by
    """
    with Session([]) as session:
        node = DriverCheck(robot, plan)
        session.add(node)

        def spin(seconds: float, until: Callable[[], bool] = lambda: False) -> None:
            end = time.monotonic() + seconds
            while time.monotonic() < end and not until():
                if not session.spin_once(0.05):
                    raise KeyboardInterrupt

        joined = time.monotonic()
        spin(plan.patience, until=lambda: bool(node.seen.states))
        spin(plan.seconds)
        if plan.joint:
            spin(joined + DISCOVERY - time.monotonic(), until=node.commanded)
        node.look()
        if plan.joint and not node.commanded() and node.seen.states \
                and sorted(node.seen.states[0].name) == sorted(robot.joints):
            node.open_commands()
            node.phase = IDLE
            robot.bias(np.zeros(robot.n), np.zeros(robot.n))  # compiled before anything moves
            robot.mass_matrix(np.zeros(robot.n))
            before_push()
            spin(plan.warning, until=node.commanded)
            spin(plan.patience, until=lambda: node.read or node.commanded())
            if not node.commanded():
                push(node, spin)
        return node.seen
