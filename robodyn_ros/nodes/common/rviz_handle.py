# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A handle at the tool for RViz: dragged and let go, it is a goal of the trajectory node.

An interactive marker, offered where the package interactive_markers can be imported (rosdep:
interactive_markers); RViz shows it by its display InteractiveMarkers, namespace trajectory/goal.
"""
from __future__ import annotations

import math
import time
from typing import Any, Callable

from geometry_msgs.msg import Pose, PoseStamped
from rclpy.node import Node
from visualization_msgs.msg import (InteractiveMarker, InteractiveMarkerControl,
                                    InteractiveMarkerFeedback)

NAME = 'tool'
LET_GO = 2.0
"""Wall time after which a handle that is not dragged any more goes back to the tool [s]."""
WHOLE = 6
"""Joints on the way to the tool from which on it can be expected to turn in any direction."""


def rviz_handle(node: Node, base: str, size: float, joints: int,
                go: Callable[[PoseStamped], None]) -> RvizHandle | None:
    """Return a handle, or None where interactive_markers is not installed."""
    try:
        from interactive_markers import InteractiveMarkerServer
    except ImportError:
        return None
    return RvizHandle(InteractiveMarkerServer(node, f'{node.get_name()}/goal'), base, size, joints,
                      go)


class RvizHandle:
    """
    The handle, which stays with the tool until somebody drags it.

    :param server: an InteractiveMarkerServer
    :param size: of the robot [m]; :param joints: how many lead to the tool
    :param go: called with the pose where it was let go
    """

    def __init__(self, server: Any, base: str, size: float, joints: int,
                 go: Callable[[PoseStamped], None]):
        """Offer it."""
        self._server, self._go, self._touched = server, go, -LET_GO
        marker = InteractiveMarker(name=NAME, description='drag the tool', scale=0.25 * size)
        marker.header.frame_id = base
        marker.pose.orientation.w = 1.0
        kinds = [('move', InteractiveMarkerControl.MOVE_AXIS)]
        if joints >= WHOLE:
            kinds.append(('turn', InteractiveMarkerControl.ROTATE_AXIS))
        half = math.sqrt(0.5)
        for word, mode in kinds:
            for axis in 'xyz':
                control = InteractiveMarkerControl(name=f'{word}_{axis}', interaction_mode=mode)
                control.orientation.w = half
                # RViz takes a control's own x axis; these turns lead it to x, z and y
                setattr(control.orientation, {'x': 'x', 'y': 'z', 'z': 'y'}[axis], half)
                marker.controls.append(control)
        server.insert(marker, feedback_callback=self._on_feedback)
        server.applyChanges()

    def _on_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        self._touched = time.monotonic()
        if feedback.event_type == InteractiveMarkerFeedback.MOUSE_UP:
            goal = PoseStamped(header=feedback.header, pose=feedback.pose)
            self._go(goal)

    def follow(self, pose: Pose) -> None:
        """Go with the tool, unless somebody drags."""
        if time.monotonic() - self._touched > LET_GO:
            self._server.setPose(NAME, pose)
            self._server.applyChanges()
