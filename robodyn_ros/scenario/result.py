# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a run of a scenario leaves: every array, and what was wanted beside it."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robodyn_ros.plant.assembly import Assembly
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.types import Rollout, Trajectory


@dataclass(frozen=True)
class Result:
    """Everything a run recorded: k control instants, n joints, m constraint rows."""

    scenario: Scenario
    robot: Robot
    motion: Rollout
    """t, q, v, tau, a, constraint_force, multipliers, phi, phi_rate (see types.Rollout)."""
    reference: Trajectory | None
    """What was wanted, at the same instants."""
    row_names: tuple[str, ...]
    assembly: Assembly
    """How far the start had to move onto the constraints."""
    desired: DesiredMotion
    """The path or joint motion that was wanted."""

    @property
    def frame(self) -> str:
        """Name of the frame that follows the trajectory."""
        return self.robot.tool_frame(self.scenario.trajectory.frame)

    @cached_property
    def tool(self) -> np.ndarray:
        """Position of that frame (k, 3) [m]."""
        return self.robot.positions(self.frame, self.q)

    @cached_property
    def tool_reference(self) -> np.ndarray:
        """Where it should have been (k, 3) [m]; NaN without a trajectory."""
        if self.reference is None:
            return np.full((len(self.t), 3), np.nan)
        return self.desired.positions(self.robot, self.frame, self.reference)

    @property
    def t(self) -> np.ndarray:
        """Time of every instant, k of them [s]."""
        return self.motion.t

    @property
    def q(self) -> np.ndarray:
        """Positions (k, n) [rad] or [m]."""
        return self.motion.q

    @property
    def v(self) -> np.ndarray:
        """Velocities (k, n) [rad/s] or [m/s]."""
        return self.motion.v

    @property
    def tau(self) -> np.ndarray:
        """Torque that acted (k, n) [N m] or [N]."""
        return self.motion.tau

    @property
    def constraint_force(self) -> np.ndarray:
        """Constraint forces Qc (k, n) [N m] or [N]."""
        return self.motion.constraint_force

    @property
    def violation(self) -> np.ndarray:
        """Largest constraint error at each instant (k,) [m] or [rad]."""
        return self.motion.violation

    @property
    def error(self) -> np.ndarray:
        """Tracking error reference - state (k, n) [rad] or [m]; NaN without a reference."""
        if self.reference is None:
            return np.full_like(self.q, np.nan)
        return self.reference.q - self.q

    @property
    def tool_error(self) -> np.ndarray:
        """Distance of the frame from where it should be (k,) [m]."""
        return np.linalg.norm(self.tool - self.tool_reference, axis=1)
