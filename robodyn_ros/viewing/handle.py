# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A handle at the robot's tool: dragged by a visitor it says where the tool shall go."""
from __future__ import annotations

from threading import Lock
import time
from typing import Any

import numpy as np
from robodyn_ros.mechanics.kinematics import Pose
from robodyn_ros.robots.geometry import quaternion

PAUSE = 0.25
"""Wall time between two goals while the handle is dragged [s]."""
LET_GO = 1.5
"""Wall time after which a handle that was let go goes back to the tool [s]."""
SIZE = 0.22
"""Of the handle, as part of the robot's size [-]."""
WHOLE = 6
"""Joints on the way to the tool from which on it can be expected to turn in any direction."""


class ToolHandle:
    """
    A handle that stays with the tool until somebody drags it.

    :param server: viser.ViserServer
    :param size: of the robot [m]
    """

    def __init__(self, server: Any, size: float):
        """Make it, not seen: nobody may be there who would lead the arm."""
        self._node = server.scene.add_transform_controls(
            '/handle', scale=SIZE * size, depth_test=False, visible=False)
        self._lock = Lock()  # visitors' events come in threads of the server
        self._asked: list[float] | None = None
        self._touched = self._sent = -LET_GO
        self._held = False
        self._node.on_update(self._on_drag)

    async def _on_drag(self, event: Any) -> None:
        """Note where it is; a coroutine, as viser hands events over to others in any order."""
        x, y, z, w = np.roll(np.asarray(self._node.wxyz, dtype=float), -1)
        with self._lock:
            self._touched, self._held = time.monotonic(), event.phase != 'end'
            if event.client is not None:  # a visitor who went away lets go, and asks for nothing
                self._asked = [*map(float, self._node.position), x, y, z, w]

    def lead(self, joints: int, axes: tuple[bool, bool, bool]) -> None:
        """
        Offer what the arm can do: arrows where it moves its tool, rings where it turns it.

        :param joints: that lead to the tool; :param axes: of the tool along which it can move
        """
        self._node.disable_rotations = joints < WHOLE
        self._node.active_axes = axes

    def show(self, visible: bool) -> None:
        """Offer the handle, or hide it."""
        if self._node.visible != visible:
            self._node.visible = visible

    def goal(self) -> list[float] | None:
        """Return where the tool shall go, x y z qx qy qz qw [m], if that is new; not too often."""
        now = time.monotonic()
        with self._lock:
            if self._asked is None or now - self._sent < PAUSE:
                return None
            asked, self._asked, self._sent = self._asked, None, now
        return asked

    def follow(self, pose: Pose) -> None:
        """Go with the tool, unless somebody drags."""
        if self._held or time.monotonic() - self._touched < LET_GO or not self._node.visible:
            return
        position = np.array(pose.position, dtype=float)
        turn = np.roll(quaternion(np.array(pose.rotation, dtype=float)), 1)
        if np.abs(position - self._node.position).max() > 1e-4 or \
                np.abs(turn - self._node.wxyz).max() > 1e-4:
            self._node.position, self._node.wxyz = position, turn
