# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What every node of the package has: parameters it was given, and a voice in the log."""
from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.parameter import Parameter
from robodyn_ros.nodes.common import messages
from robodyn_ros.nodes.common.reasons import Reasons

OF_OTHERS = ('use_sim_time', 'start_type_description_service', 'qos_overrides.',
             'diagnostic_updater.')
"""Beginnings of parameters that rclpy and others declare."""


class BaseNode(Node):
    """A node whose log level can be set, and that knows which parameters it was given."""

    def __init__(self, name: str, **node: Any):
        """
        Join the graph.

        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__(name, enable_logger_service=True, **node)
        self.reasons = Reasons()
        # asked of rcl: rclpy declares what was given by itself only if no list of it is empty
        with self.handle:
            given = dict(self.handle.get_parameters(Parameter))
        given.update({parameter.name: parameter for parameter in node.get(
            'parameter_overrides') or ()})
        self.given = {name: parameter.value for name, parameter in given.items()
                      if not name.startswith(OF_OTHERS)}
        """Parameters from files, the command line and launch, by name; None: an empty list."""

    def tell(self, reason: str) -> None:
        """Log why something was refused, unless that was said lately; an empty text is nothing."""
        if reason and self.reasons.add(reason):
            self.get_logger().warning(reason)

    def report(self, time: int, task: str, robot: str, level: str, text: str,
               values: dict[str, object]) -> DiagnosticArray:
        """
        Return one status for /diagnostics, whose names tell this node and robot from others.

        :param time: of the status [ns]
        :param task: what the node does, such as 'plant'
        :param level: OK, WARN or ERROR
        """
        return messages.diagnostics(time, *self.status_names(task, robot), level, text, values)

    def status_names(self, task: str, robot: str) -> tuple[str, str]:
        """Return name and hardware_id of a status of this node: what it does, for which robot."""
        space = self.get_namespace()
        return status_name(space, self.get_name(), task), under(space, robot)


def under(namespace: str, name: str) -> str:
    """Return a name with its namespace, such as 'left/scara_450'; without a leading slash."""
    return f'{namespace}/{name}'.strip('/')


def status_name(namespace: str, node: str, task: str) -> str:
    """Return the name of a diagnostic status, such as 'left/dynamics: plant'."""
    return f'{under(namespace, node)}: {task}'
