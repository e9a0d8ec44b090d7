# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Sends a long trajectory to a running graph and looks for states that were not answered meanwhile.

    python -m benchmarks.ros_long_trajectory 1000000     prints one line of JSON

The points keep the arm where it is when they are made. Commands carry the stamp of the state they
answer, so a gap between two stamps is simulated time without an answer.
"""
from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any, Callable

from benchmarks.ros_stopwatch import DEEP, LONGEST_WAIT, stamp_of
import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

TIMES = 3
"""How often it is sent: the first one also pays for new memory."""
WATCH = 3.0
"""How long commands are watched after each [s]."""
FIRST_AT, SPACING = 5_000_000_000, 1_000_000
"""Time of the first point, and from one to the next [ns]."""


class Sender(Node):
    """Notes the stamps of all commands [ns]."""

    def __init__(self) -> None:
        """Listen, and announce the trajectory."""
        super().__init__('long_trajectory')
        self.state: JointState | None = None
        self.stamps: list[int] = []
        self.create_subscription(JointState, 'joint_states', self._on_state, 1)
        self.create_subscription(JointState, 'joint_commands', self._on_command, DEEP, raw=True)
        self.trajectory = self.create_publisher(
            JointTrajectory, 'controller/joint_trajectory', QoSProfile(depth=1))

    def _on_state(self, message: JointState) -> None:
        self.state = message

    def _on_command(self, data: Any) -> None:
        self.stamps.append(stamp_of(data))

    def spin(self, seconds: float, enough: Callable[[], Any] = lambda: False) -> None:
        """Listen for so long, or until it is enough."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not enough():
            rclpy.spin_once(self, timeout_sec=0.1)


def standing(state: JointState, count: int) -> bytes:
    """Return a trajectory of many points that rests where the arm is, serialised."""
    message = JointTrajectory(joint_names=state.name)
    still = [0.0] * len(state.name)
    for k in range(count):
        point = JointTrajectoryPoint(positions=state.position, velocities=still,
                                     accelerations=still)
        time_from_start = point.time_from_start
        time_from_start.sec, time_from_start.nanosec = divmod(
            FIRST_AT + k * SPACING, 1_000_000_000)
        message.points.append(point)
    return serialize_message(message)


def main() -> int:
    """Wait until the graph runs, send, watch, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('points', type=int)
    count = parser.parse_args().points
    rclpy.init(args=[])
    node = Sender()
    node.spin(LONGEST_WAIT, lambda: node.state and node.stamps
              and node.trajectory.get_subscription_count())
    running = bool(node.state and node.stamps)
    if node.state and running:
        data = standing(node.state, count)
        node.spin(WATCH)  # what came while it was made may have been lost
        node.stamps.clear()
        node.spin(WATCH)
        before = node.stamps[-1]
        for _ in range(TIMES):
            node.trajectory.publish(data)
            node.spin(WATCH)
        stamps = np.unique([before, *(stamp for stamp in node.stamps if stamp > before)])
        print(json.dumps({'points': count, 'bytes': len(data), 'sent': TIMES,
                          'longest_gap_ms': np.diff(stamps).max() * 1e-6}))
    node.destroy_node()
    rclpy.try_shutdown()
    return 0 if running else 1


if __name__ == '__main__':
    sys.exit(main())
