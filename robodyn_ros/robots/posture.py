# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Good middle poses of a robot, found by search: away from limits and singularities, easy to hold.

Everything here runs on plain numbers; nothing is compiled. The search is the same each time.
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.mechanics import equations, kinematics
from robodyn_ros.mechanics.kinematics import Pose
from robodyn_ros.mechanics.tree import ancestors
from robodyn_ros.robots.robot import Robot

TRIES = 160
"""Poses that are looked at."""
SWING, SLIDE = 1.4, 0.5
"""How far from its centre a joint is looked for [rad], [m]."""
INNER = 0.7
"""Part of a joint's range that is used, in its middle [-]."""
HARD = 0.6
"""Part of a motor's effort that a pose may take just to be held, where another takes less [-]."""


class Posture:
    """Where a robot may stand, judged by the frame that is its tool."""

    def __init__(self, robot: Robot, frame: str):
        """Find the joints that move the frame, and the room each joint has."""
        self.robot, self.frame = robot, robot.find_frame(frame)
        tree, limits = robot.tree, robot.limits
        chain = ancestors(tree, self.frame.body)
        moving = {tree.drives[k].joint for k in chain} if tree.drives else set(chain)
        self.chain = sorted(moving - {-1})
        """Places in q of the joints that move the frame."""
        swing = np.array([SWING if unit == 'rad' else SLIDE for unit in robot.units])
        ranged = np.isfinite(limits.lower) & np.isfinite(limits.upper)
        middle = np.where(ranged, (np.nan_to_num(limits.lower, neginf=0.0)
                                   + np.nan_to_num(limits.upper, posinf=0.0)) / 2.0, 0.0)
        half = np.where(ranged, np.nan_to_num(limits.upper - limits.lower, posinf=0.0) / 2.0,
                        swing) * INNER
        # zero is what people drew the arm in: better than the middle, where it is well inside
        zero = np.where(ranged, np.abs(middle) < half, True)
        zero &= (limits.lower <= 0.0) & (limits.upper >= 0.0)
        self.centre = np.where(zero, 0.0, middle)
        self.lower = np.maximum(self.centre - swing, middle - half)
        self.upper = np.minimum(self.centre + swing, middle + half)
        for bound in (self.lower, self.upper):
            bound[:] = np.clip(bound, limits.lower, limits.upper)

    def pose(self, q: np.ndarray) -> Pose:
        """Pose of the frame."""
        return kinematics.frame_pose(self.robot.tree, self.frame, q.tolist())

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Jacobian of the frame (6, n)."""
        return np.array(kinematics.frame_jacobian(self.robot.tree, self.frame, q.tolist()),
                        dtype=float).reshape(6, self.robot.n)

    def efforts(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Efforts tau = M a + h of one state (n,)."""
        robot = self.robot
        return np.array(equations.inverse_dynamics(robot.tree, robot.parameters, q.tolist(),
                                                   v.tolist(), a.tolist()), dtype=float)

    def holding(self, q: np.ndarray) -> np.ndarray:
        """Part of its effort that each motor gives to hold q (n,) [-]."""
        still = np.zeros(self.robot.n)
        return np.abs(self.efforts(q, still, still)) / np.maximum(self.robot.limits.effort, 1e-9)

    def best(self, count: int) -> list[np.ndarray]:
        """Return good poses, the best first."""
        poses = [self.centre]
        # other arms of the robot stay where they are, unless that is hard to hold
        moved = self.chain if self.holding(self.centre).max(initial=0.0) < HARD / 2.0 \
            else list(range(self.robot.n))
        random = np.random.default_rng(0)
        for _ in range(TRIES):
            q = self.centre.copy()
            q[moved] = random.uniform(self.lower[moved], self.upper[moved])
            poses.append(q)
        jacobians = [self.jacobian(q) for q in poses]
        reach = max(*(float(np.linalg.norm(np.array(self.pose(q).position, float)))
                      for q in poses), 1e-3)
        spread = np.array([np.linalg.svd(J[:, self.chain] / np.array([[reach]] * 3 + [[1.0]] * 3),
                                         compute_uv=False) for J in jacobians])
        rank = int((spread.max(axis=0) > 1e-6).sum())
        nimble = spread[:, :rank].prod(axis=1) ** (1.0 / max(rank, 1))
        scores = nimble / max(float(nimble.max()), 1e-12)
        for k, q in enumerate(poses):
            scores[k] *= self._ease(q, reach)
        order = np.argsort(-scores, kind='stable')
        return [poses[k] for k in order[:count]]

    def _ease(self, q: np.ndarray, reach: float) -> float:
        """Judge a pose by what it takes to hold it, by the ground, and by how natural it is."""
        held = float(self.holding(q).max(initial=0.0))
        score = 1.0 - held if held < HARD else 0.01 / (1.0 + held)
        up = -np.array(self.robot.parameters.gravity)
        if up.any():
            up /= np.linalg.norm(up)
            places = [np.array(pose.position, float) @ up for pose in
                      kinematics.body_poses(self.robot.tree, q.tolist())]
            lowest = min([*places, float(np.array(self.pose(q).position, float) @ up)])
            score *= float(np.exp(4.0 * min(0.0, lowest / reach + 0.02)))
        swing = np.array([SWING if unit == 'rad' else SLIDE for unit in self.robot.units])
        away = ((q - self.centre) / swing)[self.chain]
        return score * float(np.exp(-0.5 * (away @ away) / max(len(away), 1)))
