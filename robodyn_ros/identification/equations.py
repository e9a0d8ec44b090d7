# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A recording as linear equations, tau = Y(q, v, a; velocity) theta + noise of each joint.

Both sides are filtered and thinned (filtering.decimated), so that what remains counts as
independent.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Sequence

import numpy as np

from robodyn_ros.identification.filtering import decimated, States
from robodyn_ros.identification.parameters import ParameterSet
from robodyn_ros.identification.regressor import friction_shapes, on_joints, Regressor

REST, PAUSE = 0.01, 0.3
"""Part of its largest velocity below which a joint counts as at rest, where that lasts so long
[s]."""


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
