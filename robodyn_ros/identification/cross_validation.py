# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What predicts the torques of blocks in time that were not fitted: by this every choice is made.

A gain that a few samples make, or one block, may be gone in the next recording. So a choice for
one joint asks for evidence: over the blocks, the mean of log(error before / error after) must be
above some of its standard errors (Hastie, Tibshirani and Friedman, The elements of statistical
learning, 2009, 7.10, on cross-validation and its standard error).
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.identification.consistency import consistent, Prior
from robodyn_ros.identification.equations import Equations
from robodyn_ros.identification.solving import weighted

BLOCKS = 8
"""Of a recording that are left out in turn: fewer tell no standard error."""
OUTLIER = 5.0
"""Residual, in standard deviations, at which the error of a sample stops to grow."""

MORE_EARNED = 10.0
"""By how much what the model did not have before (a coupled motor, a fit of the motion) must raise
the log likelihood of what was not fitted."""


def blocks_of(equations: Equations) -> list[np.ndarray]:
    """Return which samples each block in time has (k,)."""
    place = np.arange(len(equations.t)) * BLOCKS // len(equations.t)
    return [place == k for k in range(BLOCKS)]


def left_out(equations: Equations, prior: Prior, weight: float, used: np.ndarray,
             sigma: np.ndarray, fitted_by: Equations | None = None) -> np.ndarray:
    """
    Return the residuals (k, n) of blocks, each by a fit of all others.

    :param fitted_by: equations of the same rows to fit by; the torques judge in any case
    """
    residual, start = np.zeros_like(equations.tau), None
    for out in blocks_of(equations):
        A, b = weighted((fitted_by or equations).piece(~out), sigma,
                        np.ones_like(equations.tau)[~out])
        found = consistent(equations.chosen, A.T @ A, A.T @ b, prior, weight, used, start)
        start = found.theta
        piece = equations.piece(out)
        residual[out] = piece.tau - piece.predicted(found.theta)
    return residual


def largest(residual: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the squares (n,) at which the error of a sample stops to grow."""
    return np.array([OUTLIER ** 2 * np.median(column[rows] ** 2) / 0.455 if rows.any() else 0.0
                     for column, rows in zip(residual.T, counted.T)])


def left_out_error(equations: Equations, prior: Prior, weight: float, used: np.ndarray,
                   sigma: np.ndarray, fitted_by: Equations | None = None) -> float:
    """Return the sum of n log(error) of blocks that were not fitted, over the joints."""
    return log_error(equations, left_out(equations, prior, weight, used, sigma, fitted_by))


def log_error(equations: Equations, residual: np.ndarray) -> float:
    """Return the sum of n log(error) over the joints, of residuals (k, n)."""
    most, total = largest(residual, equations.counted), 0.0
    for column, rows, bound in zip(residual.T, equations.counted.T, most):
        if rows.any():
            squares = np.minimum(column[rows] ** 2, bound)
            total += 0.5 * len(squares) * float(np.log(max(float(squares.mean()), 1e-300)))
    return total


def errors_of_blocks(equations: Equations, residual: np.ndarray,
                     most: np.ndarray) -> np.ndarray:
    """Return the root mean square of residuals (k, n) in each block (blocks, n), NaN if none."""
    found = np.full((BLOCKS, residual.shape[1]), np.nan)
    for block, rows in zip(found, blocks_of(equations)):
        counted = equations.counted[rows]
        for k in np.flatnonzero(counted.any(axis=0)):
            squares = np.minimum(residual[rows, k][counted[:, k]] ** 2, most[k])
            block[k] = np.sqrt(max(float(squares.mean()), 1e-300))
    return found


def evidence(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    """
    Return the mean gain log(before / after) of errors of blocks, and its standard error.

    Blocks without an error (NaN) do not count; a single one is no evidence.
    """
    gain = np.log(before / after)
    gain = gain[np.isfinite(gain)]
    if len(gain) < 2:
        return 0.0, np.inf
    return float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain)))


def of_all(errors: np.ndarray) -> np.ndarray:
    """Return the geometric mean over the joints of errors (blocks, n), NaN where there is none."""
    known = np.isfinite(errors)
    count = known.sum(axis=1)
    sums = np.where(known, np.log(np.where(known, errors, 1.0)), 0.0).sum(axis=1)
    return np.where(count > 0, np.exp(sums / np.maximum(count, 1)), np.nan)
