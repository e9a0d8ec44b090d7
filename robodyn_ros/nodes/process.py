# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Start and end of a node's process: one sentence for a mistake, exit code 0 on a signal."""
from __future__ import annotations

import logging
import sys
from typing import Callable

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from robodyn_ros.errors import RobodynError


def run_node(make: Callable[[], Node], arguments: list[str] | None = None) -> int:
    """Create a node, spin it until a signal, and clean up; returns the exit code."""
    logging.basicConfig(level=logging.INFO, format='robodyn: %(message)s', stream=sys.stderr)
    rclpy.init(args=arguments)
    node = None
    try:
        node = make()
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (RobodynError, ParameterException) as error:
        print(f'robodyn: {error}', file=sys.stderr)
        return 2
    finally:
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
