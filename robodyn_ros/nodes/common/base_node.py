# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What every node of the package has: parameters it was given, and a voice in the log."""
from __future__ import annotations

from typing import Any

from rclpy.node import Node
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
        super().__init__(name, enable_logger_service=True,
                         automatically_declare_parameters_from_overrides=True, **node)
        self.reasons = Reasons()
        self.given = [parameter for parameter in self.get_parameters_by_prefix('')
                      if not parameter.startswith(OF_OTHERS)]
        """Names of the parameters from files, the command line and launch."""
        for parameter in self.given:  # declared again with its type, bounds and description
            self.undeclare_parameter(parameter)

    def tell(self, reason: str) -> None:
        """Log why something was refused, unless that was said lately; an empty text is nothing."""
        if reason and self.reasons.add(reason):
            self.get_logger().warning(reason)
