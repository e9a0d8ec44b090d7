# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a report is about: a motion and what was desired, whichever file they come from."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robodyn_ros.robots.robot import Robot


@dataclass(frozen=True)
class Motion:
    """
    A recorded motion of k samples and n joints, under the names of scenario.result.Result.

    NaN where something was not recorded: a recording has what was sent, not all of a Rollout.
    """

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
    reference_q: np.ndarray
    """Desired positions (k, n) [rad] or [m]."""
    tool_reference: np.ndarray
    """Where the frame should be (k, 3) [m]."""
    row_names: tuple[str, ...]
    """Names of the constraint rows."""
    watched: np.ndarray
    """Times at which the constraints were recorded (j,) [s]."""
    violation: np.ndarray
    """Largest error of the rows at those times (j,) [m] or [rad]."""
    complete: bool = True
    """False if the end of the file is missing."""

    @property
    def followed(self) -> bool:
        """Tell whether a trajectory was to be followed."""
        return bool(np.isfinite(self.reference_q).any())

    @cached_property
    def tool(self) -> np.ndarray:
        """Position of the frame (k, 3) [m]."""
        return self.robot.positions(self.frame, self.q)

    @property
    def error(self) -> np.ndarray:
        """Tracking error desired - actual (k, n) [rad] or [m]."""
        return self.reference_q - self.q

    @property
    def tool_error(self) -> np.ndarray:
        """Distance of the frame from where it should be (k,) [m]."""
        return np.linalg.norm(self.tool - self.tool_reference, axis=1)
