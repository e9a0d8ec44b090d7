# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A bare ping-pong of JointState messages between two processes: what rclpy itself costs.

    python -m benchmarks.ros_ping pong               answers joint_states with joint_commands
    python -m benchmarks.ros_ping ping               sends the next state when one is answered
    python -m benchmarks.ros_ping ping --rate 1000   sends states by a timer

Messages, topics and quality are those of a four-joint arm; the answer carries the state's stamp.
Ping publishes /clock every 20 states, as the plant does: one millisecond of it is one state.
"""
from __future__ import annotations

import argparse
from array import array
import gc
import sys

from builtin_interfaces.msg import Time
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

STREAM = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
CLOCK = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
"""As robodyn_ros/nodes/common/qos.py, but this file is to need nothing besides rclpy."""
NAMES = ['joint_1', 'joint_2', 'joint_3', 'joint_4']
VALUES = array('d', [0.1, 0.2, 0.3, 0.4])
RESEND_AFTER = 0.1
"""Time after which an unanswered state is sent again [s]."""


class Pong(Node):
    """Answers."""

    def __init__(self) -> None:
        """Wait for states."""
        super().__init__('pong')
        self.commands = self.create_publisher(JointState, 'joint_commands', STREAM)
        self.create_subscription(JointState, 'joint_states', self._on_state, STREAM)

    def _on_state(self, message: JointState) -> None:
        answer = JointState(name=NAMES, effort=VALUES)
        answer.header.stamp = message.header.stamp
        self.commands.publish(answer)


class Ping(Node):
    """Asks."""

    def __init__(self, rate: float | None) -> None:
        """
        Begin to send.

        :param rate: states per second; None sends one when the last is answered
        """
        super().__init__('ping')
        self.count, self.seen = 1000, 0
        self.states = self.create_publisher(JointState, 'joint_states', STREAM)
        self.clock_topic = self.create_publisher(Clock, '/clock', CLOCK)
        self.create_subscription(JointState, 'joint_commands', self._on_command, STREAM)
        self.free = rate is not None
        self.create_timer(1.0 / rate if rate else RESEND_AFTER, self._on_time)

    def _send(self) -> None:
        state = JointState(name=NAMES, position=VALUES, velocity=VALUES, effort=VALUES)
        stamp = Time(sec=self.count // 1000, nanosec=self.count % 1000 * 1_000_000)
        state.header.stamp = stamp
        self.states.publish(state)
        if self.count % 20 == 0:
            self.clock_topic.publish(Clock(clock=stamp))

    def _on_command(self, message: JointState) -> None:
        stamp = message.header.stamp
        if not self.free and stamp.sec * 1000 + stamp.nanosec // 1_000_000 == self.count:
            self.count += 1
            self._send()

    def _on_time(self) -> None:
        if self.free:
            self.count += 1
            self._send()
        elif self.count == self.seen:
            self._send()
        self.seen = self.count


def main() -> int:
    """Run one side until a signal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('side', choices=('ping', 'pong'))
    parser.add_argument('--rate', type=float)
    chosen = parser.parse_args()
    rclpy.init(args=[])
    node = Pong() if chosen.side == 'pong' else Ping(chosen.rate)
    gc.collect()
    gc.freeze()  # as our nodes do before they spin
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
