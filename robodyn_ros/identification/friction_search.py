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
from robodyn_ros.identification.cross_validation import (errors_of_blocks, evidence, largest,
                                                         left_out, of_all)
from robodyn_ros.identification.equations import Equations
from robodyn_ros.identification.parameters import ParameterSet
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
    """Friction of all axes, and the errors of the blocks that it leaves."""

    velocity: np.ndarray
    """Breakaway velocities (axes,)."""
    lag: float
    used: np.ndarray
    """Parameters to look for (size,)."""
    unusual: bool
    errors: np.ndarray
    """(blocks, n)"""


class _Search:
    """What is the same for all shapes."""

    def __init__(self, equations: Equations, prior: Prior, weight: float, used: np.ndarray):
        """Find the spreads of the plainest shape, which weight the joints."""
        self.equations, self.prior, self.weight = equations, prior, weight
        _, self.sigma, _ = solved(equations, prior, weight, used)
        residual = left_out(equations, prior, weight, used, self.sigma)
        self.most = largest(residual, equations.counted)
        self.plainest = _Shape(equations.velocity, 0.0, used, False,
                               errors_of_blocks(equations, residual, self.most))

    def shape(self, velocity: np.ndarray, lag: float, used: np.ndarray,
              unusual: bool = False) -> _Shape:
        """Return what a shape leaves."""
        equations = self.equations.with_friction(velocity, lag)
        residual = left_out(equations, self.prior, self.weight, used, self.sigma)
        return _Shape(velocity, lag, used, unusual,
                      errors_of_blocks(equations, residual, self.most))


def friction_searched(equations: Equations, prior: Prior, weight: float, used: np.ndarray,
                      progress: Progress) -> tuple[Equations, np.ndarray]:
    """
    Return equations with the chosen lag and breakaway velocities, and the parameters they have.

    :param used: parameters of the plainest friction (size,)
    :param progress: told the part that is done, 0 .. 1
    """
    chosen = equations.chosen
    search = _Search(equations, prior, weight, used)
    plainest = _lag_chosen(search)
    candidates = list(_candidates(chosen, equations.velocity, used))
    tried = []
    for k, (velocity, parameters, unusual) in enumerate(candidates):
        tried.append(search.shape(velocity, plainest.lag, parameters, unusual))
        progress((1.0 + k) / (1.0 + len(candidates)))
    best = {joint: _best(plainest, tried, joint)
            for joint in np.flatnonzero(equations.counted.any(axis=0)).tolist()}
    together = search.shape(*_assembled(chosen, plainest, best))
    velocity, lag, parameters = _assembled(chosen, plainest, {
        joint: shape for joint, shape in best.items()
        if _gain(plainest, together, joint, 1.0) > 0.0})
    return equations.with_friction(velocity, lag), parameters


def _lag_chosen(search: _Search) -> _Shape:
    """Return the plainest shape with the lag that all joints together ask for, if they do."""
    best, most = search.plainest, LAG_EARNED
    for lag in LAGS:
        late = search.shape(search.plainest.velocity, lag, search.plainest.used)
        gain, error = evidence(of_all(search.plainest.errors), of_all(late.errors))
        if gain > max(most, SURE * error):
            best, most = late, gain
    return best


def _candidates(chosen: ParameterSet, own: np.ndarray,
                used: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
    """Yield breakaway velocities and parameters of all axes alike, and if they are unusual."""
    for speed in (None, *VELOCITIES):
        velocity = own if speed is None else np.full(len(own), speed)
        if speed is not None and (velocity == own).all():
            continue
        for more in MORE:
            parameters = used.copy()
            if more:
                parameters[chosen.of_axes(more)] |= used[chosen.of_axes('coulomb')]
            yield velocity, parameters, more == 'peak' or (speed or 0.0) > WIDE


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


def _assembled(chosen: ParameterSet, plainest: _Shape,
               best: dict[int, _Shape]) -> tuple[np.ndarray, float, np.ndarray]:
    """Return velocities, lag and parameters in which the axes of each joint have its shape."""
    velocity, used = plainest.velocity.copy(), plainest.used.copy()
    for axis, turns in enumerate(chosen.turns):
        # a coupled motor is the last joint's that it turns with
        shape = best.get(int(np.flatnonzero(turns)[-1]), plainest)
        velocity[axis] = shape.velocity[axis]
        for name in MORE[1:]:
            place = chosen.of_axes(name).start + axis
            used[place] = shape.used[place]
    return velocity, plainest.lag, used
