# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Choose the shape of each axis's friction by evidence from blocks that were not fitted.

Every shape is tried for all axes at once, and the errors of the blocks are kept joint by joint.
An axis leaves the plainest shape for another where its own joint's error falls by more than SURE
standard errors (cross_validation.evidence): richer friction fits the speeds at hand better, and
those of the next recording worse. What was chosen for each joint is then tried together.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator

import numpy as np

from robodyn_ros.identification.consistency import Prior
from robodyn_ros.identification.cross_validation import (BLOCKS, errors_of_blocks, evidence,
                                                         largest, left_out)
from robodyn_ros.identification.equations import Equations
from robodyn_ros.identification.solving import solved

LAGS = (0.01, 0.02, 0.03, 0.05)
"""Of friction behind the velocity, to choose from (frictional memory: Armstrong-Helouvry, Dupont
and Canudas de Wit, A survey of models, analysis tools and compensation methods for the control of
machines with friction, 1994) [s]."""
LAG_EARNED = 0.05
"""By what part a lag must lower the errors of what was not fitted: a URDF cannot say it."""
VELOCITIES, WIDE = (0.03, 0.1, 0.3, 1.0), 0.5
"""Breakaway velocities to choose from, and from which on they are wide [rad/s] or [m/s]."""
MORE = ('', 'saturating', 'peak')
"""What friction can have besides."""
SURE, SURER = 2.0, 4.0
"""Standard errors that a gain must be above; that of a Stribeck peak, which few samples tell, or
of a change of sign so wide that little is left of dry friction."""
LEAST_GAIN = 0.005
"""Of the logarithm of a joint's error, worth a change."""
Progress = Callable[[float], None]


@dataclass(frozen=True)
class _Shape:
    """Friction of all axes, and the errors of the blocks (blocks, n) that it leaves."""

    equations: Equations
    used: np.ndarray
    errors: np.ndarray
    unusual: bool = False


class _Search:
    """What is the same for all shapes."""

    def __init__(self, equations: Equations, prior: Prior, weight: float, used: np.ndarray):
        """Find the spreads of the plainest shape."""
        self.prior, self.weight = prior, weight
        _, self.sigma, _ = solved(equations, prior, weight, used)
        first = left_out(equations, prior, weight, used, self.sigma, BLOCKS)
        self.most = largest(first, equations.counted)

    def shape(self, equations: Equations, used: np.ndarray, unusual: bool = False) -> _Shape:
        """Return what a shape leaves."""
        residual = left_out(equations, self.prior, self.weight, used, self.sigma, BLOCKS)
        return _Shape(equations, used, errors_of_blocks(equations, residual, self.most), unusual)


def friction_searched(equations: Equations, prior: Prior, weight: float, used: np.ndarray,
                      progress: Progress) -> tuple[Equations, np.ndarray]:
    """
    Return equations with the chosen lag and breakaway velocities, and the parameters they have.

    :param used: parameters of the plainest friction (size,)
    :param progress: told the part that is done, 0 .. 1
    """
    search = _Search(equations, prior, weight, used)
    plainest = _lag_chosen(search, search.shape(equations, used))
    tried = []
    shapes = list(_shapes(plainest.equations, used))
    for k, shape in enumerate(shapes):
        tried.append(search.shape(*shape))
        progress((1.0 + k) / (1.0 + len(shapes)))
    chosen = {}
    for joint in np.flatnonzero(equations.counted.any(axis=0)):
        best = _best(plainest, tried, joint)
        if best is not plainest:
            chosen[joint] = best
    together = search.shape(*_assembled(plainest, chosen))
    kept = {joint: shape for joint, shape in chosen.items()
            if _gain(plainest, together, joint, 1.0) > 0.0}
    return _assembled(plainest, kept)


def _lag_chosen(search: _Search, plainest: _Shape) -> _Shape:
    """Return the shape with the lag that all joints together ask for, if they do."""
    best, most = plainest, LAG_EARNED
    for lag in LAGS:
        late = search.shape(plainest.equations.with_friction(plainest.equations.velocity, lag),
                            plainest.used)
        # of each block the mean over the joints
        gain, error = evidence(*(np.exp(_mean(np.log(one.errors))) for one in (plainest, late)))
        if gain > max(most, SURE * error):
            best, most = late, gain
    return best


def _mean(values: np.ndarray) -> np.ndarray:
    """Return the mean of each row (blocks,) over what it has, NaN if that is nothing."""
    known = np.isfinite(values)
    count = known.sum(axis=1)
    return np.where(count > 0, np.where(known, values, 0.0).sum(axis=1) / np.maximum(count, 1),
                    np.nan)


def _shapes(equations: Equations,
            used: np.ndarray) -> Iterator[tuple[Equations, np.ndarray, bool]]:
    """Yield shapes that all axes have alike, and whether they are unusual."""
    chosen, own = equations.chosen, equations.velocity
    for velocity in (own, *(np.full(len(own), speed) for speed in VELOCITIES)):
        changed = equations.with_friction(velocity, equations.lag)
        for more in MORE:
            parameters = used.copy()
            if more:
                parameters[chosen.of_axes(more)] |= used[chosen.of_axes('coulomb')]
            yield changed, parameters, more == 'peak' or (
                velocity is not own and velocity[0] > WIDE)


def _gain(before: _Shape, after: _Shape, joint: int, sure: float) -> float:
    """Return by how much the logarithm of a joint's error falls at least."""
    gain, error = evidence(before.errors[:, joint], after.errors[:, joint])
    return gain - sure * error


def _best(plainest: _Shape, tried: list[_Shape], joint: int) -> _Shape:
    """Return the shape that is surely better than those before it, step by step."""
    best = plainest
    while True:
        gains = [_gain(best, one, joint, SURER if one.unusual else SURE) for one in tried]
        if max(gains) <= LEAST_GAIN:
            return best
        best = tried[int(np.argmax(gains))]


def _assembled(plainest: _Shape, chosen: dict[int, _Shape]) -> tuple[Equations, np.ndarray]:
    """Return the equations in which the axes of each joint have its own shape."""
    equations, parameters = plainest.equations, plainest.equations.chosen
    velocity, used = equations.velocity.copy(), plainest.used.copy()
    for axis, turns in enumerate(parameters.turns):
        # a coupled motor is the last joint's that it turns with
        shape = chosen.get(int(np.flatnonzero(turns)[-1]))
        if shape is not None:
            velocity[axis] = shape.equations.velocity[axis]
            for name in MORE[1:]:
                place = parameters.of_axes(name).start + axis
                used[place] = shape.used[place]
    return equations.with_friction(velocity, equations.lag), used
