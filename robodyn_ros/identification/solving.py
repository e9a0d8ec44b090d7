# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Weighted, robust, physically consistent least squares for equations whose friction is given.

Each joint is weighted by its residual's spread, found with the parameters in turns; samples far
off count less (Huber). The parameters are those of consistency.consistent.
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.identification.consistency import Consistent, consistent, Prior
from robodyn_ros.identification.equations import Equations

ROUNDS = 6
"""Turns of weights and parameters."""
HUBER = 2.5
"""Residual, in standard deviations, from which on a sample counts less."""
FLOOR = 1e-3
"""Smallest spread of a residual, relative to its torque: keeps the prior above rounding."""


def weighted(equations: Equations, sigma: np.ndarray,
             share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A (rows, size) and b (rows,) of the counted torques, each over its spread."""
    rows = equations.counted
    factor = np.sqrt(share) / sigma
    return equations.Y[rows] * factor[rows][:, None], (equations.unknown * factor)[rows]


def noise_levels(equations: Equations, used: np.ndarray) -> np.ndarray:
    """
    Return the spread of each joint's torque about the best that its own equations allow (n,).

    Each joint is fitted alone: a joint that fits badly cannot then make itself count less and fit
    worse, as it may where weights and parameters are found in turns.
    """
    found = np.empty(equations.tau.shape[1])
    for k in range(len(found)):
        rows = equations.counted[:, k]
        tau = equations.unknown[rows, k]
        if not rows.any():
            found[k] = 1.0
            continue
        A = equations.Y[rows, k][:, used]
        sizes = np.linalg.norm(A, axis=0)
        sizes[sizes == 0.0] = 1.0
        theta, _, rank, _ = np.linalg.lstsq(A / sizes, tau, rcond=1e-6)
        residual = tau - (A / sizes) @ theta
        freedom = max(1, len(tau) - int(rank))
        found[k] = max(float(np.sqrt(residual @ residual / freedom)), _least(tau))
    return found


def _least(tau: np.ndarray) -> float:
    return FLOOR * max(float(np.sqrt(np.mean(tau ** 2))), 1e-300)


def _spread(residual: np.ndarray, equations: Equations, noise: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each joint's residual, robust; at least the noise."""
    found = noise.copy()
    for k, rows in enumerate(equations.counted.T):
        if rows.any():
            values = np.abs(residual[rows, k])
            rms, mad = float(np.sqrt(np.mean(values ** 2))), 1.4826 * float(np.median(values))
            # the median is safe of outliers, but small where a joint rests most of the time
            found[k] = max(noise[k], min(rms, 2.0 * mad) if mad > 0.0 else rms)
    return found


def solved(equations: Equations, prior: Prior, weight: float, used: np.ndarray,
           rounds: int = ROUNDS, start: np.ndarray | None = None,
           sigma: np.ndarray | None = None) -> tuple[Consistent, np.ndarray, np.ndarray]:
    """
    Return consistent parameters, the weights' spreads (n,) and the share of each sample (k, n).

    In turns with the parameters, the spread of each joint's residual is found, unless spreads are
    given, and samples that are far off, which count less.
    """
    noise = noise_levels(equations, used)
    weights, share = noise if sigma is None else sigma, np.ones_like(equations.tau)
    for _ in range(rounds):
        A, b = weighted(equations, weights, share)
        found = consistent(equations.chosen, A.T @ A, A.T @ b, prior, weight, used, start)
        start = found.theta
        residual = equations.tau - equations.predicted(found.theta)
        spread = _spread(residual, equations, noise)
        weights = spread if sigma is None else sigma
        share = np.minimum(1.0, HUBER / np.maximum(np.abs(residual) / spread, 1e-300))
    return found, weights, share
