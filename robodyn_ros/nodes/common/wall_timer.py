# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Timers of wall time, which goes on while simulated time stands still."""
from typing import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer


def wall_timer(node: Node, period: float, callback: Callable[[], None]) -> Timer:
    """
    Call a function every so many seconds of wall time.

    Each timer has its own clock: EventsExecutor complains on stdout about one that many share.
    """
    return node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))
