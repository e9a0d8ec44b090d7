# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Fit the parameters: weighted, robust, physically consistent least squares.

    tau = Y(q, v, a; velocity) theta + noise of each joint

Which friction a joint needs (friction_search.py), how much the prior counts and whether the
motion is fitted, too (motion.py), is decided by what predicts blocks of the recording that were
not fitted (cross_validation.py).
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable

import numpy as np

from robodyn_ros.identification.base_parameters import Base
from robodyn_ros.identification.consistency import Consistent, is_consistent, Prior
from robodyn_ros.identification.cross_validation import (errors_of_blocks, evidence, largest,
                                                         left_out, left_out_error, log_error,
                                                         MORE_EARNED, of_all)
from robodyn_ros.identification.equations import Equations
from robodyn_ros.identification.friction_search import friction_searched
from robodyn_ros.identification.solving import solved, weighted

WEIGHTS = (1.0, 3.0, 10.0)
"""Of the prior, to choose from."""
MIXES = (0.0, 0.5, 1.0)
"""How much of a joint's weight its torque has, and not its residual, to choose from."""
FIRST_WEIGHT = 1.0
"""Of the prior, while the model itself is searched for."""
LAG = 3
"""Samples over which residuals may hang together, in standard deviations."""
LEAST = 1e-4
"""Weight of the prior where the recording is exact."""
EXACT = 0.1
"""Factor by which least squares must have smaller residuals for its bias to be the prior's."""
TURNS = 2
"""Of Gauss-Newton's method, in the second stage."""
Progress = Callable[[float], None]
MotionEquations = Callable[[Equations, np.ndarray], Equations]


@dataclass(frozen=True)
class Fit:
    """Parameters and how sure they are."""

    theta: np.ndarray
    velocity: np.ndarray
    lag: float
    """Of dry friction behind the velocity [s]."""
    used: np.ndarray
    """Which parameters were looked for (size,)."""
    sigma: np.ndarray
    """Spread of each joint's residual (n,) [N m] or [N]."""
    deviation: np.ndarray
    """Standard deviations of theta, prior included (size,)."""
    shown: np.ndarray
    """Part of what is known of each parameter that the data told, 0 .. 1 (size,)."""
    base: Base
    base_theta: np.ndarray
    """Base parameters by weighted least squares, without prior (b,)."""
    base_deviation: np.ndarray
    """Their standard deviations (b,)."""
    condition: float
    """Of the weighted regressor of the base parameters, columns scaled."""
    weight: float
    """Of the prior."""
    motion_gain: float | None = None
    """What the second stage adds to the log likelihood of torques that were not fitted; it was
    taken if that is above MORE_EARNED. None: there was none."""


def fitted(equations: Equations, structure: Base, prior: Prior, used: np.ndarray,
           search: bool = True, exact: bool = False, motion: MotionEquations | None = None,
           progress: Progress = lambda part: None) -> Fit:
    """
    Fit a recording.

    :param structure: base parameters of the robot, whatever the motion
    :param used: parameters that are looked for (size,); Stribeck peaks are added where the
        recording asks for them
    :param search: for the shape of friction
    :param exact: the recording has no noise, so that the prior is for what it does not show
    :param motion: makes equations of the motion (motion.py), for the second stage
    """
    weight = LEAST
    if search:
        equations, used = friction_searched(equations, prior, FIRST_WEIGHT, used, progress)
    fixed = None
    if not exact:
        weight, fixed = _weights_searched(equations, prior, used)
    found, sigma, share = solved(equations, prior, weight, used, sigma=fixed)
    gain = None
    if motion is not None:
        better, gain = _second_stage(equations, motion, prior, weight, used, found, sigma)
        found = better or found
    progress(1.0)
    return replace(_judged(equations, structure, prior, weight, used, found, sigma, share),
                   motion_gain=gain)


def _second_stage(equations: Equations, motion: MotionEquations, prior: Prior, weight: float,
                  used: np.ndarray, found: Consistent,
                  sigma: np.ndarray) -> tuple[Consistent | None, float]:
    """
    Fit the motion; return what was found, if it predicts torques better, and by how much.

    The gain is that of the log likelihood of torques that were not fitted; a fit of the motion
    is taken where it earns as much as what makes the model larger.
    """
    before = left_out_error(equations, prior, weight, used, sigma)
    for _ in range(TURNS):
        lines = motion(equations, found.theta)
        found, spread, _ = solved(lines, prior, weight, used, start=found.theta)
    gain = before - left_out_error(equations, prior, weight, used, spread, lines)
    return (found if gain > MORE_EARNED else None), gain


def _weights_searched(equations: Equations, prior: Prior,
                      used: np.ndarray) -> tuple[float, np.ndarray]:
    """
    Choose the weight of the prior and the spreads that weight the joints.

    The spreads lie between those of the residuals, which are right where the model is, and equal
    parts of the torques, which suffer less where it is not. Of weights that are as good, give or
    take a standard error, the largest is taken: it is what holds for other motions, too.
    """
    _, residual, _ = solved(equations, prior, FIRST_WEIGHT, used)
    torque = np.array([max(float(np.std(column)), 1e-12) for column in equations.tau.T])
    live = equations.counted.any(axis=0)
    torque = torque * np.median((residual / torque)[live])
    best, place, left = np.inf, (0, 0), {}
    spreads = [np.where(live, residual ** (1.0 - mix) * torque ** mix, 1.0) for mix in MIXES]
    for m, sigma in enumerate(spreads):
        for w, weight in enumerate(WEIGHTS):
            left[m, w] = left_out(equations, prior, weight, used, sigma)
            error = log_error(equations, left[m, w])
            if error < best:
                best, place = error, (m, w)
    m, w = place
    most = largest(left[place], equations.counted)
    errors = [of_all(errors_of_blocks(equations, left[m, k], most)) for k in range(len(WEIGHTS))]
    for k in range(len(WEIGHTS) - 1, w, -1):
        gain, error = evidence(errors[w], errors[k])
        if gain > -error:
            return WEIGHTS[k], spreads[m]
    return WEIGHTS[w], spreads[m]


def _judged(equations: Equations, structure: Base, prior: Prior, weight: float, used: np.ndarray,
            found: Consistent, sigma: np.ndarray, share: np.ndarray) -> Fit:
    """Find how sure the parameters are, and what the motion showed."""
    A, b = weighted(equations, sigma, share)
    size = equations.chosen.size
    free = np.flatnonzero(used)
    curvature = found.curvature[np.ix_(free, free)]
    scale = 1.0 / np.sqrt(np.diag(curvature))
    covariance = np.linalg.pinv(curvature * np.outer(scale, scale), hermitian=True) \
        * np.outer(scale, scale)
    information = (A.T @ A)[np.ix_(free, free)]
    deviation, shown = np.zeros(size), np.zeros(size)
    deviation[free] = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    shown[free] = np.clip(np.diag(covariance @ information), 0.0, 1.0)
    base, base_theta, base_deviation, condition = base_fit(equations, structure, used, A, b)
    theta = _polished(equations, found.theta, base, base_theta)
    return Fit(theta, equations.velocity, equations.lag, used, sigma, deviation, shown, base,
               base_theta, base_deviation, condition, weight)


def _polished(equations: Equations, theta: np.ndarray, base: Base,
              base_theta: np.ndarray) -> np.ndarray:
    """
    Return parameters moved onto the base parameters of least squares, where those are as possible.

    The prior's pull is a bias, however small; where the recording is exact it need not be there.
    """
    moved = theta.copy()
    moved[base.columns] += base_theta - base.reduced(theta)
    chosen = equations.chosen
    # friction and rotors that are zero come out as zero, give or take rounding
    rounding = chosen.positive & (np.abs(moved) < 1e-9 * (1.0 + np.abs(theta)))
    moved[rounding] = np.maximum(moved[rounding], 0.0)
    rows = equations.counted
    before, after = (float(np.sum((equations.tau - equations.predicted(one))[rows] ** 2))
                     for one in (theta, moved))
    possible = (moved[chosen.positive] >= 0.0).all() and all(
        is_consistent(moved[chosen.of_body(k)]) for k in range(chosen.bodies))
    # where noise decides, the prior's pull is what predicts better
    return moved if possible and after < EXACT ** 2 * before else theta


def base_fit(equations: Equations, structure: Base, used: np.ndarray, A: np.ndarray,
             b: np.ndarray) -> tuple[Base, np.ndarray, np.ndarray, float]:
    """
    Return base parameters by least squares, their standard deviations and the condition number.

    The deviations hold though residuals of neighbouring samples, or of joints, hang together: the
    covariance is (A^T A)^-1 S (A^T A)^-1 with S the sum of the equations' scores over LAG samples
    (Newey and West, A simple, positive semi-definite, heteroskedasticity and autocorrelation
    consistent covariance matrix, 1987).
    """
    base = structure
    kept = used[base.columns]
    columns = base.columns[kept]
    base = Base(columns, base.others, base.combination[kept])
    X = A[:, columns]
    sizes = np.linalg.norm(X, axis=0)
    sizes[sizes == 0.0] = 1.0
    u, s, vt = np.linalg.svd(X / sizes, full_matrices=False)
    condition = float(s[0] / s[-1]) if s[-1] > 0.0 else np.inf
    inverse = np.where(s > 1e-10 * s[0], 1.0 / np.maximum(s, 1e-300), 0.0)
    theta = (vt.T * inverse) @ (u.T @ b) / sizes
    residual = b - X @ theta
    # scores of each sample, all joints together
    moment = np.repeat(np.arange(len(equations.t)), equations.tau.shape[1])[
        equations.counted.ravel()]
    scores = np.zeros((len(equations.t), len(columns)))
    np.add.at(scores, moment, (X / sizes) * residual[:, None])
    S = scores.T @ scores
    for lag in range(1, LAG + 1):
        part = (1.0 - lag / (LAG + 1.0)) * scores[lag:].T @ scores[:-lag]
        S += part + part.T
    freedom = len(equations.t) / max(1.0, len(equations.t) - len(columns)
                                     / equations.tau.shape[1])
    bread = (vt.T * inverse ** 2) @ vt
    variance = np.diag(bread @ S @ bread) * freedom / sizes ** 2
    return base, theta, np.sqrt(np.maximum(variance, 0.0)), condition


def plain_least_squares(equations: Equations, used: np.ndarray, rounds: int = 1) -> np.ndarray:
    """
    Return theta by plain least squares, each joint weighted by its torque's standard deviation.

    What the field's scripts do, to be compared with: no prior, no consistency, the smallest theta
    where the data leaves a choice.
    """
    sigma = np.array([max(float(np.std(column)), 1e-12) for column in equations.tau.T])
    theta = np.zeros(equations.chosen.size)
    A, b = weighted(equations, sigma, np.ones_like(equations.tau))
    free = np.flatnonzero(used)
    sizes = np.linalg.norm(A[:, free], axis=0)
    sizes[sizes == 0.0] = 1.0
    theta[free] = np.linalg.lstsq(A[:, free] / sizes, b, rcond=1e-7)[0] / sizes
    return theta
