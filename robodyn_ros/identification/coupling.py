# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Find motors that turn with two joints: what the model cannot say, and the report then must.

In many wrists the last motor drives through the joint before it and turns with u = v_i + s v_k.
Its friction and inertia act on both joints, which leaves residuals that follow u.
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.identification.filtering import decimated
from robodyn_ros.identification.fit import edge_of, Equations
from robodyn_ros.identification.regressor import friction_shapes

EXPLAINED = 0.25
"""Part of the residuals' power that a coupled motor must explain to be told."""
LARGE = 0.05
"""Residual, relative to its torque, below which nobody asks."""


def coupled_motors(equations: Equations, theta: np.ndarray,
                   joints: tuple[str, ...]) -> list[str]:
    """Return a sentence for each pair of neighbouring joints whose residuals share a motor."""
    residual = np.where(equations.counted, equations.tau - equations.predicted(theta), 0.0)
    tau = np.where(equations.counted, equations.tau, 0.0)
    size = np.linalg.norm(residual, axis=0) / np.maximum(np.linalg.norm(tau, axis=0), 1e-300)
    found = []
    for k in range(1, len(joints)):
        if min(size[k - 1], size[k]) < LARGE:
            continue
        best = max(_explained(equations, residual[:, [k - 1, k]], k, sign)
                   for sign in (1.0, -1.0))
        if best > EXPLAINED:
            found.append(f'the motors of {joints[k - 1]} and {joints[k]} seem to be coupled: one '
                         f'that turns with both would explain {100.0 * best:.0f} % of what is '
                         'left there; the model has no such motor')
    return found


def _explained(equations: Equations, residual: np.ndarray, k: int, sign: float) -> float:
    """Return the part of two joints' residuals (k, 2) that a motor turning with both explains."""
    parts = []
    for states in equations.states:
        u = states.v[:, k - 1] + sign * states.v[:, k]
        rate = states.a[:, k - 1] + sign * states.a[:, k]
        dry = friction_shapes(u[:, None], np.array([0.3]))[:, 0, 0]
        parts.append(decimated(np.stack([rate, u, dry], axis=1), states, edge_of(states)))
    columns = np.concatenate(parts)
    both = np.concatenate([columns, sign * columns])
    target = np.concatenate([residual[:, 0], residual[:, 1]])
    left = target - both @ np.linalg.lstsq(both, target, rcond=None)[0]
    return 1.0 - float(left @ left) / max(float(target @ target), 1e-300)
