# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What every engine is asked to do, so that all are asked the same.

A contender holds one robot in one engine. Each of its methods returns a task to be timed, and the
task returns its result, which is compared with ours before any time counts. What an engine has no
function for raises CannotError with the reason, which then stands in the table.
"""
from __future__ import annotations

from importlib import metadata
from typing import Callable, ClassVar

import numpy as np
from robodyn_ros import RobodynError, State

Work = Callable[[], np.ndarray]


class CannotError(RobodynError):
    """An engine has no function for this; the sentence says which."""


class Contender:
    """One robot in one engine; its joints are in the order of ours."""

    name: ClassVar[str] = ''
    package: ClassVar[str] = ''
    """On the package index."""
    module: ClassVar[str] = ''
    usage: ClassVar[str] = ''
    """How it is used here, for the page."""
    integrator: str = 'RK4'
    fewer_rollouts: ClassVar[int] = 1
    """Divides how many of the rollouts it takes, where all would take minutes."""
    tolerance: float = 1e-9
    """Largest difference of accelerations from ours, relative to the largest of ours [-]."""
    run_tolerance: float = 1e-9
    """
    Largest difference after a run, relative to how far ours went [-].

    Larger where constraints are soft or the integrator is of lower order, yet so small that an
    engine that does not move, or does not feel a force, is refused.
    """

    @classmethod
    def version(cls) -> str:
        """Version of the installed package."""
        return metadata.version(cls.package)

    def mass_matrix(self, q: np.ndarray) -> Work:
        """Mass matrices (k, n, n) at positions (k, n)."""
        raise CannotError('no mass matrix')

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Work:
        """Torques (k, n) of motions (k, n) each."""
        raise CannotError('no inverse dynamics')

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Accelerations (k, n) without torque of states (k, n), as fast as the engine can."""
        raise CannotError('no forward dynamics')

    def forward_singly(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Return the same, by one call from Python per state."""
        return self.forward(q, v)

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Accelerations (k, n) with the loops of the robot closed."""
        raise CannotError('no constrained forward dynamics')

    def steps(self, start: State, count: int) -> Work:
        """Last state (2 n,) of a run, nothing recorded."""
        raise CannotError('no integrator')

    def steps_singly(self, start: State, count: int) -> Work:
        """Last state (2 n,) of a run, one call from Python per step, each state copied."""
        return self.steps(start, count)

    def record(self, start: State, count: int) -> Work:
        """Positions after every step (count, n)."""
        raise CannotError('no integrator')

    def rollouts(self, starts: list[State], count: int) -> Work:
        """Last states (k, 2 n) of many runs on one core."""
        tasks = [self.steps(start, count) for start in starts]
        return lambda: np.array([task() for task in tasks])

    def recorded_rollouts(self, starts: list[State], count: int) -> Work:
        """Positions after every step (k, count, n) of many runs on one core."""
        tasks = [self.record(start, count) for start in starts]
        return lambda: np.array([task() for task in tasks])


def side_by_side(starts: list[State]) -> State:
    """Return the starts of many runs as one state, q and v (n, k)."""
    return State(0.0, np.array([s.q for s in starts]).T, np.array([s.v for s in starts]).T)


def runge_kutta(rate: Callable[[np.ndarray, np.ndarray], np.ndarray], start: State, step: float,
                count: int, path: list[np.ndarray] | None = None) -> np.ndarray:
    """
    Take RK4 steps in Python, for engines that evaluate but do not integrate so.

    :param rate: acceleration of q and v, both (n,) or, for many runs at once, (n, k)
    :param path: takes the position after every step
    """
    q, v = start.q, start.v
    for _ in range(count):
        a1 = rate(q, v)
        v2 = v + 0.5 * step * a1
        a2 = rate(q + 0.5 * step * v, v2)
        v3 = v + 0.5 * step * a2
        a3 = rate(q + 0.5 * step * v2, v3)
        v4 = v + step * a3
        a4 = rate(q + step * v3, v4)
        q = q + step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
        v = v + step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        if path is not None:
            path.append(q)
    return np.concatenate([q, v])


def recorded(rate: Callable[[np.ndarray, np.ndarray], np.ndarray], step: float, start: State,
             count: int) -> Work:
    """Return a task of RK4 steps in Python that gives every position."""
    def work() -> np.ndarray:
        path: list[np.ndarray] = []
        runge_kutta(rate, start, step, count, path)
        return np.array(path)
    return work
