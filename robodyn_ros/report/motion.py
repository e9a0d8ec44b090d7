# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a report is about: a motion and what was wanted, wherever they come from."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Callable

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.mechanics.tree import PRISMATIC
from robodyn_ros.recording.errors import RecordingError
from robodyn_ros.robots.robot import Robot


@dataclass(frozen=True)
class Motion:
    """A recorded motion of k samples and n joints; NaN where something was not recorded."""

    source: str
    """File it was read from."""
    scenario: str
    """Empty if not known."""
    robot: Robot
    frame: str
    """Name of the frame that follows the trajectory."""
    t: np.ndarray
    """Since the motion began (k,) [s]."""
    q: np.ndarray
    """(k, n) [rad] or [m]"""
    v: np.ndarray
    """(k, n) [rad/s] or [m/s]"""
    tau: np.ndarray
    """Torque commanded (k, n) [N m] or [N]."""
    wanted: np.ndarray | None
    """Positions wanted (k, n) [rad] or [m]."""
    path: np.ndarray | None
    """Where the frame should be (k, 3) [m]."""
    rows: tuple[str, ...]
    """Names of the constraint rows."""
    watched: np.ndarray
    """Times at which the constraints were recorded (j,) [s]."""
    violation: np.ndarray
    """Largest error of the rows at those times (j,) [m] or [rad]."""
    complete: bool = True
    """False if the end of the file is missing."""

    @cached_property
    def tool(self) -> np.ndarray:
        """Position of the frame (k, 3) [m]."""
        return self.robot.positions(self.frame, self.q)

    @property
    def units(self) -> list[str]:
        """Return the unit of each joint's position: rad or m."""
        return ['m' if body.kind == PRISMATIC else 'rad' for body in self.robot.tree.bodies]

    @property
    def error(self) -> np.ndarray | None:
        """Wanted minus actual positions (k, n) [rad] or [m]."""
        return None if self.wanted is None else self.wanted - self.q

    @property
    def distance(self) -> np.ndarray | None:
        """Distance of the frame from where it should be (k,) [m]."""
        return None if self.path is None else np.linalg.norm(self.tool - self.path, axis=1)


def frame_of(robot: Robot, name: str) -> str:
    """Return the frame of a name; tool0, or the last one, where there is no such frame."""
    return next(frame for frame in (name, 'tool0', robot.frames[-1]) if frame in robot.frames)


def refuse_other(source: str, given: Robot, recorded: Callable[[], Robot]) -> None:
    """
    Refuse a robot that is not the one of the file: its joints would be somebody else's.

    :param given: as of --robot
    :param recorded: reads the robot of the file; one that cannot be read counts as none
    """
    try:
        own = recorded()
    except RobodynError:
        return
    if (own.name, own.joints) != (given.name, given.joints):
        raise RecordingError(
            f'{source}: is of the robot {own.name} ({", ".join(own.joints)}), but --robot is '
            f'{given.name} ({", ".join(given.joints)}); leave --robot out')
