# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A wrench from outside that pushes the arm, J^T w, until another comes or it is too old; no ROS.

As ROS means it, a wrench acts at the origin of its frame and is told in that frame's own axes. It
is held, with the Jacobian at its beginning, over each control period.
"""
from __future__ import annotations

from threading import Thread
from typing import Sequence

import numpy as np

from robodyn_ros.errors import MessageRefused, RobodynError
from robodyn_ros.robots.robot import Robot

LARGEST = 1e6
"""Force or torque beyond which a wrench is a mistake [N], [N m]."""


class ExternalWrench:
    """
    The wrench that acts on a robot.

    :param tool: frame of a wrench that names none
    """

    def __init__(self, robot: Robot, tool: str):
        """Nothing pushes."""
        self.robot, self.tool = robot, tool
        self._ready: set[str] = set()  # frames whose Jacobian is compiled
        self._making: Thread | None = None
        self._frame, self._wrench, self._until = '', np.zeros(6), -1

    def take(self, frame: str, wrench: Sequence[float], until: int) -> None:
        """
        Let a wrench act; MessageRefused says why one does not, or not yet.

        :param wrench: force [N] and torque [N m] in the frame's axes (6,)
        :param until: control period at which it ends, if no other comes
        """
        frame = frame or self.tool
        try:
            self.robot.find_frame(frame)
        except RobodynError as error:
            raise MessageRefused(f'external_wrench: {error}') from None
        values = np.array(wrench, dtype=float)
        if not (np.abs(values) < LARGEST).all():
            raise MessageRefused(f'external_wrench is {values.tolist()}; expected finite numbers '
                                 f'below {LARGEST:g} N and N m')
        self._frame, self._wrench, self._until = frame, values, until
        if frame not in self._ready:
            self._prepare(frame)
            raise MessageRefused(f'external_wrench: the Jacobian of {frame!r} is being compiled, '
                                 'until then nothing pushes; send it again if it came to nothing')

    def _prepare(self, frame: str) -> None:
        """Compile the Jacobian aside: the plant must go on meanwhile."""
        if self._making is not None and self._making.is_alive():
            return

        def make() -> None:
            self.robot.frame(frame, np.zeros(self.robot.n))
            self._ready.add(frame)

        self._making = Thread(target=make, daemon=True)
        self._making.start()

    def stop(self) -> None:
        """Let nothing push any more."""
        self._until = -1

    def efforts(self, q: np.ndarray, period: int) -> np.ndarray | None:
        """Return what it does to the joints in a control period (n,) [N m] or [N]; or None."""
        if period >= self._until or self._frame not in self._ready:
            return None
        state = self.robot.frame(self._frame, q)
        turned = np.concatenate([state.rotation @ self._wrench[:3],
                                 state.rotation @ self._wrench[3:]])
        return state.jacobian.T @ turned
