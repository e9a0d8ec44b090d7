# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Fit the parameters: weighted, robust, physically consistent least squares.

    tau = Y(q, v, a; velocity) theta + noise of each joint

Both sides are filtered and thinned (filtering.decimated), so that what remains counts as
independent. Each joint is weighted by its residual's spread, found with the parameters in turns;
samples far off count less (Huber). The parameters are those of consistency.consistent; how much
the prior counts, and which friction a joint needs, is decided by what predicts pieces of the
recording that were not fitted (cross-validation over contiguous pieces).
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Sequence

import numpy as np

from robodyn_ros.identification.base_parameters import Base
from robodyn_ros.identification.consistency import Consistent, consistent, is_consistent, Prior
from robodyn_ros.identification.filtering import decimated, States
from robodyn_ros.identification.parameters import ParameterSet
from robodyn_ros.identification.regressor import friction_shapes, on_joints, Regressor

ROUNDS = 6
"""Turns of weights and parameters."""
HUBER = 2.5
"""Residual, in standard deviations, from which on a sample counts less."""
FOLDS = 5
"""Pieces of the recording that are left out in turn."""
WEIGHTS = (0.1, 1.0, 3.0, 10.0, 30.0)
"""Of the prior, to choose from."""
MIXES = (0.0, 0.5, 1.0)
"""How much of a joint's weight its torque has, and not its residual, to choose from."""
LAGS = (0.01, 0.02, 0.03, 0.05)
"""Of friction behind the velocity, to choose from (frictional memory: Armstrong-Helouvry, Dupont
and Canudas de Wit, A survey of models, analysis tools and compensation methods for the control of
machines with friction, 1994) [s]."""
LAG_EARNED = 0.05
"""By what part a lag must lower the errors of what was not fitted: a URDF cannot say it."""
VELOCITIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Breakaway velocities to choose from [rad/s] or [m/s]."""
EARNED, MORE_EARNED = 3.0, 10.0
"""By how much another width of friction, and what the model did not have before (a Stribeck peak,
a coupled motor), must raise the log likelihood of what was not fitted."""
FIRST_WEIGHT = 0.1
"""Of the prior, while the model itself is searched for."""
OUTLIER = 5.0
"""Residual, in standard deviations, at which the error of a sample stops to grow."""
REST, PAUSE = 0.01, 0.3
"""Part of its largest velocity below which a joint counts as at rest, where that lasts so long
[s]."""
LAG = 3
"""Samples over which residuals may hang together, in standard deviations."""
FLOOR = 1e-3
"""Smallest spread of a residual, relative to its torque: keeps the prior above rounding."""
LEAST = 1e-4
"""Weight of the prior where the recording is exact."""
EXACT = 0.1
"""Factor by which least squares must have smaller residuals for its bias to be the prior's."""
TURNS = 2
"""Of Gauss-Newton's method, in the second stage."""
Progress = Callable[[float], None]
MotionEquations = Callable[['Equations', np.ndarray], 'Equations']


@dataclass(frozen=True)
class Equations:
    """A recording as linear equations: samples of all joints."""

    chosen: ParameterSet
    states: tuple[States, ...]
    t: np.ndarray
    """(k,) [s]"""
    Y: np.ndarray
    """(k, n, size)"""
    tau: np.ndarray
    """(k, n)"""
    counted: np.ndarray
    """Which torques count (k, n)."""
    velocity: np.ndarray
    """Breakaway velocities (axes,)."""
    lag: float = 0.0
    """By how much dry friction follows the velocity, v - lag a in its place [s]."""
    known: np.ndarray | None = None
    """Torques that are known before, such as those of an arm without its payload (k, n)."""

    def with_friction(self, velocity: np.ndarray, lag: float = 0.0) -> 'Equations':
        """Return the same with friction of other shapes."""
        Y, found = self.Y.copy(), [friction_columns(self.chosen, states, velocity, lag)
                                   for states in self.states]
        for pieces in zip(*found):
            Y[:, :, self.chosen.of_axes(pieces[0][0])] = np.concatenate([
                decimated(states.felt(columns), states, edge_of(states))
                for (_, columns), states in zip(pieces, self.states)])
        return replace(self, Y=Y, velocity=velocity, lag=lag)

    def predicted(self, theta: np.ndarray) -> np.ndarray:
        """Return the torques (k, n) of parameters."""
        return self.Y @ theta if self.known is None else self.Y @ theta + self.known

    @property
    def unknown(self) -> np.ndarray:
        """Return the torques that parameters must explain (k, n)."""
        return self.tau if self.known is None else self.tau - self.known

    def piece(self, kept: np.ndarray) -> 'Equations':
        """Return some of the samples, given as truths (k,)."""
        return replace(self, t=self.t[kept], Y=self.Y[kept], tau=self.tau[kept],
                       counted=self.counted[kept],
                       known=None if self.known is None else self.known[kept])


def friction_columns(chosen: ParameterSet, states: States, velocity: np.ndarray,
                     lag: float) -> list[tuple[str, np.ndarray]]:
    """Return the columns (k, n, axes) of dry friction and of Stribeck peaks, by name."""
    shapes = friction_shapes((states.v - lag * states.a) @ chosen.turns.T, velocity)
    return [(name, on_joints(chosen, shapes[..., k])) for k, name in enumerate(
        ('coulomb', 'peak'))]


def edge_of(states: States) -> int:
    """Return how many samples the filter needs at both ends."""
    return 0 if states.cutoff is None else int(np.ceil(states.rate / states.cutoff))


def samples_of(states: States) -> slice:
    """Return which samples of states the rows of the equations belong to."""
    edge = edge_of(states)
    return slice(edge, max(edge, len(states.t) - edge), _every(states))


def thinned(states: States, most: int) -> States:
    """Return at most so many samples of exact states, evenly."""
    every = -(-len(states.t) // most)
    return replace(states, **{key: getattr(states, key)[::every] for key in (
        't', 'q', 'v', 'a', 'tau')})


def equations_of(regressor: Regressor, pieces: Sequence[States], limits: np.ndarray,
                 velocity: np.ndarray) -> Equations:
    """
    Return the equations of pieces of recordings.

    Torques at 98 % of a motor's limit are what the motor could give, not what the motion took:
    they do not count. Nor do those of a joint at rest, which friction holds with any torque, and
    joints without a motor (NaN).

    :param limits: of efforts (n,), infinite where not known
    """
    found: list[tuple[np.ndarray, ...]] = []
    for states in pieces:
        edge = edge_of(states)
        Y = states.felt(regressor(states.q, states.v, states.a, velocity))
        known = np.isfinite(states.tau)
        free = free_of(states, limits)
        if states.projection is not None:  # rows are those of independent motors
            motors = states.projection.any(axis=(0, 1))
            free = motors & (free | ~known).all(axis=1, keepdims=True)
        columns = decimated(Y.reshape(len(Y), -1), states, edge)
        found.append((
            states.t[samples_of(states)],
            columns.reshape(len(columns), *Y.shape[1:]),
            decimated(states.felt(np.where(known, states.tau, 0.0)), states, edge),
            _all_near(free, states, edge)))
    t, Y, tau, counted = (np.concatenate([one[k] for one in found]) for k in range(4))
    return Equations(regressor.chosen, tuple(pieces), t, Y, tau, counted, velocity)


def free_of(states: States, limits: np.ndarray) -> np.ndarray:
    """Tell which torques (k, n) are known, below the motor's limit, and of a joint that moves."""
    limits = np.where(limits > 0.0, limits, np.inf)  # passive joints have none
    known, still = np.isfinite(states.tau), resting(states)
    if states.projection is not None:
        still = still & np.all(still, axis=1, keepdims=True)
    return known & (np.abs(np.where(known, states.tau, 0.0)) < 0.98 * limits) & ~still


def resting(states: States) -> np.ndarray:
    """Tell at which samples each joint is at rest, and not only turning around (k, n)."""
    speed = np.abs(states.v)
    slow: np.ndarray = speed <= REST * np.maximum(speed.max(axis=0, initial=0.0), 1e-9)
    if states.cutoff is None:
        return slow.all(axis=1, keepdims=True) & slow
    long = PAUSE * states.rate
    found = np.zeros_like(slow)
    for k, column in enumerate(slow.T):
        changes = np.flatnonzero(np.diff(np.concatenate([[0], column, [0]])))
        for start, stop in zip(changes[::2], changes[1::2]):
            found[start:stop, k] = stop - start > long
    return found


def _every(states: States) -> int:
    return 1 if states.cutoff is None else max(1, int(states.rate / (2.5 * states.cutoff)))


def _all_near(free: np.ndarray, states: States, edge: int) -> np.ndarray:
    """Tell at which thinned samples everything the filter mixes is free."""
    if states.cutoff is None or free.all():
        return free[samples_of(states)]
    reach = max(1, edge // 2)
    spoiled = np.zeros_like(free)
    for row, joint in zip(*np.nonzero(~free)):
        spoiled[max(0, row - reach):row + reach + 1, joint] = True
    return ~spoiled[samples_of(states)]


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


def folds_of(equations: Equations) -> list[np.ndarray]:
    """Return which samples each fold leaves out (k,)."""
    place = np.arange(len(equations.t)) * FOLDS // len(equations.t)
    return [place == k for k in range(FOLDS)]


def left_out_error(equations: Equations, prior: Prior, weight: float, used: np.ndarray,
                   sigma: np.ndarray, fitted_by: Equations | None = None) -> float:
    """
    Return the sum of n log(error) of pieces that were not fitted, over the joints.

    :param fitted_by: equations of the same rows to fit by; the torques judge in any case
    """
    error, start = np.zeros_like(equations.tau), None
    for out in folds_of(equations):
        A, b = weighted((fitted_by or equations).piece(~out), sigma,
                        np.ones_like(equations.tau)[~out])
        found = consistent(equations.chosen, A.T @ A, A.T @ b, prior, weight, used, start)
        start = found.theta
        error[out] = equations.piece(out).predicted(found.theta)
    return _likelihood(replace(equations, Y=error[..., None], known=None), np.ones(1))


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
        equations, used = _friction_searched(equations, prior, FIRST_WEIGHT, used, progress)
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
    parts of the torques, which suffer less where it is not.
    """
    _, residual, _ = solved(equations, prior, FIRST_WEIGHT, used)
    torque = np.array([max(float(np.std(column)), 1e-12) for column in equations.tau.T])
    live = equations.counted.any(axis=0)
    torque = torque * np.median((residual / torque)[live])
    best, chosen = np.inf, (WEIGHTS[0], residual)
    for mix in MIXES:
        sigma = np.where(live, residual ** (1.0 - mix) * torque ** mix, 1.0)
        for weight in WEIGHTS:
            error = left_out_error(equations, prior, weight, used, sigma)
            if error < best:
                best, chosen = error, (weight, sigma)
    return chosen


def _friction_searched(equations: Equations, prior: Prior, weight: float, used: np.ndarray,
                       progress: Progress) -> tuple[Equations, np.ndarray]:
    """
    Choose breakaway velocities, lag, friction that saturates and Stribeck peaks.

    The first three for all axes alike, then breakaway velocities and peaks axis by axis.

    What is lowered is the sum of n log(error) over the joints of pieces that were not fitted; what
    makes the model larger must earn it.
    """
    chosen = equations.chosen
    peaks = chosen.of_axes('peak').start
    _, sigma, _ = solved(equations, prior, weight, used)
    own, best = equations.velocity, np.inf
    for velocity in (own, *(np.full(len(own), speed) for speed in VELOCITIES)):
        tried = equations.with_friction(velocity)
        error = left_out_error(tried, prior, weight, used, sigma)
        if error < best - EARNED:
            best, equations = error, tried
    earned = LAG_EARNED * int(equations.counted.sum())
    for lag in LAGS:
        tried = equations.with_friction(equations.velocity, lag)
        error = left_out_error(tried, prior, weight, used, sigma)
        if error < best - earned:
            best, equations, earned = error, tried, 0.0
    more = used.copy()
    more[chosen.of_axes('saturating')] = used[chosen.of_axes('coulomb')]
    error = left_out_error(equations, prior, weight, more, sigma)
    if error < best - MORE_EARNED:
        best, used = error, more
    axes = np.flatnonzero(chosen.turns[:, equations.counted.any(axis=0)].any(axis=1)).tolist()
    for k, axis in enumerate(axes):
        progress((1.0 + k) / (1.0 + len(axes)))
        now = equations.velocity[axis]
        near = sorted({own[axis], *VELOCITIES}, key=lambda speed: abs(np.log(speed / now)))[:3]
        for peak in (False, True):
            for speed in near:
                tried_used, velocity = used.copy(), equations.velocity.copy()
                tried_used[peaks + axis], velocity[axis] = peak, speed
                if (velocity == equations.velocity).all() and (tried_used == used).all():
                    continue
                tried = equations.with_friction(velocity, equations.lag)
                error = left_out_error(tried, prior, weight, tried_used, sigma)
                larger = peak and not used[peaks + axis]
                if error < best - (MORE_EARNED if larger else EARNED):
                    best, equations, used = error, tried, tried_used
    return equations, used


def _likelihood(equations: Equations, theta: np.ndarray) -> float:
    """Return the sum of n log(root mean square error) over the joints, outliers cut."""
    residual = equations.tau - equations.predicted(theta)
    total = 0.0
    for column, rows in zip(residual.T, equations.counted.T):
        if rows.any():
            squares = column[rows] ** 2
            squares = np.minimum(squares, OUTLIER ** 2 * np.median(squares) / 0.455)
            total += 0.5 * len(squares) * float(np.log(max(float(squares.mean()), 1e-300)))
    return total


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
