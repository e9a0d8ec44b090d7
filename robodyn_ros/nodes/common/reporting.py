# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How a node says what is wrong: once in the log, and for a while in /diagnostics."""
from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.reasons import Reasons


class Reporter:
    """
    The voice of one node.

    :param task: what the node does, for the name of its status, such as 'plant'
    """

    def __init__(self, node: Node, task: str):
        """Advertise /diagnostics."""
        self._node, self._task = node, task
        self.reasons = Reasons()
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 1)

    def tell(self, reason: str) -> None:
        """Log a reason, if it is new; nothing is no reason."""
        if reason and self.reasons.add(reason):
            self._node.get_logger().warning(reason)

    def publish(self, time: int, level: str, text: str, values: dict[str, object]) -> None:
        """
        Publish the node's status.

        :param time: its stamp [ns]
        :param level: OK, WARN or ERROR
        """
        self._publisher.publish(messages.diagnostics(
            time, self._node.get_name(), self._task, level, text, values))
