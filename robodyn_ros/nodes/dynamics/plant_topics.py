# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Topics of the plant that people watch: published at a watching rate, and only if somebody looks.

~/tool_pose, ~/constraint_effort (effort = constraint force of each joint), ~/constraints (name =
row, position = error, velocity = its rate, effort = multiplier) and ~/markers (path of the tool,
and an arrow along the axis of each joint for its constraint force).
"""
from __future__ import annotations

from collections import deque

from geometry_msgs.msg import Point, PoseStamped
import numpy as np
from rclpy.node import Node
from robodyn_ros.mechanics.kinematics import body_poses
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.qos import STREAM
from robodyn_ros.nodes.dynamics.plant_runner import PlantRunner
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

EVERY = 5
"""Markers come once in so many watch periods: a path is long, and no eye is that fast."""
TRACE = ColorRGBA(r=0.95, g=0.45, b=0.1, a=1.0)
FORCE = ColorRGBA(r=0.8, g=0.1, b=0.4, a=0.9)
LONGEST = 0.25
"""Length of an arrow for a force as large as the largest so far [m]."""


class PlantTopics:
    """Publishers of the plant's watched topics."""

    def __init__(self, node: Node, runner: PlantRunner, frame: str, trace_length: int):
        """
        Advertise the topics.

        :param frame: whose path is traced; the robot's tool, if it has no such frame
        """
        self.runner, self.robot = runner, runner.plant.robot
        self.frame = self.robot.tool_frame(frame)
        self.names, self.rows = list(self.robot.joints), list(runner.plant.row_names)
        self.tool = node.create_publisher(PoseStamped, '~/tool_pose', STREAM)
        self.efforts = node.create_publisher(JointState, '~/constraint_effort', STREAM)
        self.constraints = node.create_publisher(JointState, '~/constraints', STREAM)
        self.markers = node.create_publisher(MarkerArray, '~/markers', STREAM)
        self.trace: deque[Point] = deque(maxlen=trace_length)
        self.largest, self.count = 1e-9, 0

    def publish(self, now: int) -> None:
        """Publish what somebody watches, at a time [ns]."""
        self.count += 1
        drawn = self.markers.get_subscription_count() > 0
        if drawn or self.tool.get_subscription_count():
            state = self.robot.frame(self.frame, self.runner.q)
            self.tool.publish(messages.pose(now, self.robot.base, state.rotation, state.position))
            x, y, z = map(float, state.position)
            self.trace.append(Point(x=x, y=y, z=z))
        force = None
        if self.rows and (drawn or self.efforts.get_subscription_count()
                          or self.constraints.get_subscription_count()):
            seen = self.runner.observe()
            force = seen.constraint_force[0]
            self.efforts.publish(messages.joint_state(now, self.names, effort=force))
            self.constraints.publish(messages.joint_state(
                now, self.rows, seen.phi[0], seen.phi_rate[0], seen.multipliers[0]))
        if drawn and self.count % EVERY == 0:
            self.markers.publish(MarkerArray(markers=[*self._path(now),
                                                      *self._arrows(now, force)]))

    def forget(self) -> None:
        """Begin the traced path anew."""
        self.trace.clear()

    def _path(self, now: int) -> list[Marker]:
        if len(self.trace) < 2:
            return []
        path = messages.marker(now, self.robot.base, 'traced_path', 0, Marker.LINE_STRIP, TRACE,
                               0.004)
        path.points = list(self.trace)
        return [path]

    def _arrows(self, now: int, force: np.ndarray | None) -> list[Marker]:
        if force is None:
            return []
        self.largest = max(self.largest, float(np.abs(force).max()))
        arrows = []
        for k, pose in enumerate(body_poses(self.robot.tree, self.runner.q.tolist())):
            arrow = messages.marker(now, self.robot.base, 'constraint_force', k, Marker.ARROW,
                                    FORCE, 0.008)
            arrow.scale.y = 0.016  # of the head
            length = LONGEST * float(force[k]) / self.largest
            tip = [at + length * row[2] for at, row in zip(pose.position, pose.rotation)]
            arrow.points = [_point(pose.position), _point(tip)]
            arrows.append(arrow)
        return arrows


def _point(values: object) -> Point:
    x, y, z = map(float, values)  # type: ignore[call-overload]
    return Point(x=x, y=y, z=z)
