# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Runs of paper 001: a two-link arm on its line, by the standard and the modified scheme.

Both are integrated with fixed steps and with MATLAB's step control, and set against theory.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.plant import Plant
from robodyn_ros.studies.ode45 import integrate_plant
from robodyn_ros.studies.runs import constraint_errors, OnPath
from robodyn_ros.types import State

DURATION = 20.0
STANDARD, MODIFIED = 'none', 'velocity_correction'
SCHEMES = {STANDARD: 'standard', MODIFIED: 'modified'}


class Run(NamedTuple):
    """One scheme's motion; k samples."""

    t: np.ndarray
    """(k,) [s]"""
    q: np.ndarray
    """(k, 2) [rad]"""
    qdot: np.ndarray
    """Reported velocity (k, 2) [rad/s]."""
    v: np.ndarray
    """Velocity state (k, 2) [rad/s]."""
    phi: np.ndarray
    """(k, 2) [m]"""
    force: np.ndarray
    """Constraint torque (k, 2) [N m]."""
    theory: tuple[np.ndarray, np.ndarray]
    """Angles and rates on the line (k, 2) each."""

    @property
    def angle_error(self) -> np.ndarray:
        """Angles less theory (k, 2) [rad]."""
        return self.q - self.theory[0]

    @property
    def velocity_error(self) -> np.ndarray:
        """Velocity reported less theory (k, 2) [rad/s]."""
        return self.qdot - self.theory[1]


class OnLine(OnPath):
    """The arm and its line, with the motion that theory says."""

    def __init__(self) -> None:
        """Read robot and path of the package's scenario."""
        super().__init__('two_link_line')
        self.start = assemble_start(self.plant(stabilisation(STANDARD)), State(
            0.0, np.array(self.settings.inverse_kinematics.start), np.zeros(2))).state

    def theory(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles and rates on the line (k, 2); both links are 0.5 m long."""
        length, rate = 0.5, 0.4 * np.pi
        y = 0.5 * length * (1.0 - np.cos(rate * t))
        q2 = -np.arccos((y * y - length ** 2) / (2.0 * length ** 2))
        q1 = np.arctan2(y, length) - 0.5 * q2  # equal links: the elbow halves the angle
        q = np.stack([q1, q2], axis=1)
        wanted = np.stack([np.zeros_like(t), 0.5 * length * rate * np.sin(rate * t)], axis=1)
        slopes = self.robot.frame('tool0', q).jacobian[:, [0, 2], :]
        return q, np.linalg.solve(slopes, wanted[..., None])[..., 0]

    def fixed(self, scheme: str, integrator: str, step: float) -> Run:
        """Integrate with a fixed step."""
        plant = self.plant(stabilisation(scheme), integrator, step)
        motion = plant.rollout(self.start, DURATION)
        qdot = self._reported(plant, motion.t, motion.q, motion.v)
        return Run(motion.t, motion.q, qdot, motion.v, motion.phi, motion.constraint_force,
                   self.theory(motion.t))

    def adaptive(self, scheme: str, solver: str, rtol: float, atol: float) -> Run:
        """Integrate with MATLAB's step control."""
        plant = self.plant(stabilisation(scheme))
        t, q, v = integrate_plant(solver, plant, self.start, DURATION, rtol=rtol, atol=atol)
        seen = [plant.observe(State(*sample)) for sample in zip(t, q, v)]
        return Run(t, q, self._reported(plant, t, q, v), v, np.array([x.phi[0] for x in seen]),
                   np.array([x.constraint_force[0] for x in seen]), self.theory(t))

    def _reported(self, plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rate of the positions (k, 2): the corrected velocity in the modified scheme."""
        if plant.model.stabilisation.kind == STANDARD:
            return v
        return np.array([plant.derivative(State(*sample))[0] for sample in zip(t, q, v)])

    def rate_error(self, one: Run) -> np.ndarray:
        """First derivative of the constraint with the reported velocity (k, 2) [m/s]."""
        return constraint_errors(self.plant(stabilisation(STANDARD)), one.t, one.q, one.qdot)[1]
