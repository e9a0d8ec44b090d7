# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Runs of paper 004: a SCARA robot through via points, its inverse kinematics and its two laws.

Control at 1 kHz, held between; plant RK4 at 0.2 ms.
"""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple

import numpy as np

from robodyn_ros.controllers.computed_torque import computed_torque, lyapunov_weights, robust
from robodyn_ros.plant.inverse_kinematics import joint_motion
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.trajectories.sampling import sample
from robodyn_ros.types import Rollout, State, Trajectory

DURATION, LOAD = 4.0, 5.0
RHO, EPSILON = 70.0, 0.06
KP, KD = 900.0, 60.0
P = (18000.0, 100.0)
WEIGHTS = lyapunov_weights(KP, KD, P)
"""Q12, Q22 of the robust law's z = Q12 e + Q22 ed: 10 and 1."""
EQUAL_KP, EQUAL_KD = KP + RHO / EPSILON * WEIGHTS[0], KD + RHO / EPSILON * WEIGHTS[1]
"""Gains that the robust law has inside its boundary layer: 12567 and 1227."""
OFFSET = np.array([0.05, -0.05, -0.05, 0.1])
JOINTS = ('th1', 'th2', 'd3', 'th4')
UNITS = ('rad', 'rad', 'm', 'rad')
Inversion = tuple[Trajectory, np.ndarray]
"""Joint motion of the path and its errors x, y, z, yaw (k, 4) [m] and [rad]."""


class Tracking(NamedTuple):
    """A controlled run: k control instants."""

    motion: Rollout
    error: np.ndarray
    """Set-points less positions (k, 4) [rad] or [m]."""
    rate: np.ndarray
    """The same of velocities (k, 4) [rad/s] or [m/s]."""
    tip: np.ndarray
    """Distance of the tip from the path (k,) [m]."""


class Arm:
    """The robot, its path and its set-points; every gain and load is a run-time parameter."""

    def __init__(self) -> None:
        """Read robot and path of the package's scenario."""
        self.desired = DesiredMotion(load_scenario('scara_via_points').trajectory)
        self.robot = load_robot('scara_1000')
        self.path = self.desired.motion
        self.start = np.array(self.desired.settings.inverse_kinematics.start)
        self.laws: dict[str, Plant] = {}

    def inverted(self, integrator: str, kp: float = KP, kd: float = KD,
                 offset: np.ndarray | None = None) -> Inversion:
        """Invert the path, from its start or from one that is off by an offset."""
        start = self.start if offset is None else self.start + offset
        motion = joint_motion(self.robot, self.desired.task, start, DURATION, kp=kp,
                              kd=kd, integrator=integrator, assemble=offset is None)
        return motion, np.column_stack([self.off_path(motion.t, motion.q),
                                        motion.q[:, [0, 1, 3]].sum(axis=1)])

    def off_path(self, t: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Position of the tip less the path (k, 3) [m]."""
        return self.robot.frame('tool0', q).position - sample(self.path, t).q

    def prepare(self) -> None:
        """Make set-points (explicit Euler, as the paper's exercise) and the two laws' plants."""
        self.set_points, _ = self.inverted('euler')
        gains: dict[str, Any] = {'kp': KP, 'kd': KD, 'model': self.robot.parameters,
                                 'saturate': False}
        laws = {'plain': computed_torque(self.robot, **gains),
                'robust': robust(self.robot, rho=RHO, epsilon=EPSILON, p=P, **gains)}
        self.laws = {name: Plant(self.robot, control=law, step=2e-4, control_period=5)
                     for name, law in laws.items()}

    def track(self, law: str, believed: float, changes: Mapping[str, float] = {}, *,
              load: float = LOAD, duration: float = DURATION,
              offset: np.ndarray | None = None) -> Tracking:
        """Run a law whose model believes in a load; changes are gains by name."""
        parameters = {'payload.mass': load, 'controller.model.payload.mass': believed}
        for name, value in changes.items():
            each = [''] if name in ('rho', 'epsilon') else [f'.{j}' for j in self.robot.joints]
            parameters.update({f'controller.{name}{joint}': float(value) for joint in each})
        wanted = self.set_points
        q = wanted.q[0] if offset is None else wanted.q[0] + offset
        motion = self.laws[law].rollout(State(0.0, q, wanted.v[0]), duration, every=5,
                                        reference=wanted.rows(), parameters=parameters)
        k = len(motion.t)
        return Tracking(motion, wanted.q[:k] - motion.q, wanted.v[:k] - motion.v,
                        np.linalg.norm(self.off_path(motion.t, motion.q), axis=1))
