# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Find motors that turn with two joints (mechanics.tree.Coupling).

In many wrists the last motor drives through the joint before it and turns with
u = v_joint + ratio v_other. Its friction and inertia act on both joints, which leaves residuals
that follow u. What is found here is a candidate; cross-validation decides (identify.py).
"""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from robodyn_ros.identification.equations import edge_of, Equations
from robodyn_ros.identification.filtering import decimated
from robodyn_ros.identification.regressor import friction_shapes
from robodyn_ros.identification.solving import noise_levels, weighted
from robodyn_ros.mechanics.tree import Coupling, Friction
from robodyn_ros.robots.robot import Robot

EXPLAINED = 0.25
"""Part of the residuals' power that a coupled motor must explain to be a candidate."""
LARGE = 0.05
"""Residual, relative to its torque, below which nobody asks."""
RATIOS = (1.0, 0.25, 0.35, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0)
"""To choose from, of either sign; the first is by far the usual one."""
BETTER = 0.05
"""By how much more than the usual one another ratio must explain."""
WIDTH = 0.3
"""Breakaway velocity of its friction while looking [rad/s] or [m/s]."""


def coupled_motors(equations: Equations, used: np.ndarray, robot: Robot) -> list[Coupling]:
    """
    Return a candidate for each pair of neighbouring joints whose torques ask for one.

    Its columns are added to weighted least squares of everything else: what they explain of the
    residuals, with an inertia and a friction that are not negative, tells the ratio.
    """
    sigma = noise_levels(equations, used)
    A, b = weighted(equations, sigma, np.ones_like(equations.tau))
    A = A[:, used]
    sizes = np.linalg.norm(A, axis=0)
    values, s, _ = np.linalg.svd(A / np.where(sizes > 0.0, sizes, 1.0), full_matrices=False)
    basis = values[:, s > 1e-7 * s[0]]
    residual = np.zeros_like(equations.tau)
    residual[equations.counted] = b - basis @ (basis.T @ b)
    torque = np.zeros_like(residual)
    torque[equations.counted] = b
    size = np.linalg.norm(residual, axis=0) / np.maximum(np.linalg.norm(torque, axis=0), 1e-300)
    tree = robot.tree
    known = {(one.joint, one.other) for one in tree.couplings}
    found = []
    for k, body in enumerate(robot.joint_bodies):
        before = tree.bodies[body].parent
        if before not in robot.joint_bodies or (body, before) in known:
            continue
        other = robot.joint_bodies.index(before)
        if min(size[other], size[k]) < LARGE:
            continue
        pair = float(np.sum(residual[:, [k, other]] ** 2))
        told = {ratio: _explained(equations, sigma, basis, residual, (k, other, ratio)) / pair
                for one in RATIOS for ratio in (one, -one)}
        usual = max((1.0, -1.0), key=told.__getitem__)
        best = max(told, key=told.__getitem__)
        if told[best] < told[usual] + BETTER:
            best = usual
        if told[best] > EXPLAINED:
            found.append(Coupling(body, before, best, 0.0, Friction()))
    return found


def _explained(equations: Equations, sigma: np.ndarray, basis: np.ndarray,
               residual: np.ndarray, motor: tuple[int, int, float]) -> float:
    """Return by how much a motor (joint, other, ratio) lowers the sum of squares."""
    from scipy.optimize import nnls
    joint, other, ratio = motor
    parts = []
    for states in equations.states:
        u, rate = (x[:, joint] + ratio * x[:, other] for x in (states.v, states.a))
        dry = friction_shapes(u[:, None], np.array([WIDTH]))[:, 0, 0]
        parts.append(decimated(np.stack([rate, u, dry], axis=1), states, edge_of(states)))
    columns = np.zeros((*residual.shape, 3))
    columns[:, joint] = np.concatenate(parts)
    columns[:, other] = ratio * columns[:, joint]
    A, _ = weighted(replace(equations, Y=columns), sigma, np.ones_like(residual))
    rows = A - basis @ (basis.T @ A)
    target = residual[equations.counted]
    sizes = np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
    left = nnls(rows / sizes, target)[1]
    return float(target @ target) - left ** 2
