# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The work that every engine is asked for: what, of which robot, how much, from which states."""
from __future__ import annotations

from typing import Callable, NamedTuple

from benchmarks.contender import Contender, Work
from benchmarks.plants import closed_plant, closed_start
from benchmarks.sizes import Sizes
import numpy as np
from robodyn_ros import Robot, State


class Workload(NamedTuple):
    """The work of one turn, with the states it starts from."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    steps: int
    starts: list[State]
    rollout_steps: int

    @property
    def first(self) -> State:
        """Where single runs start."""
        return self.starts[0]

    @property
    def first_states(self) -> np.ndarray:
        """Where many runs start (k, 2 n)."""
        return np.array([np.concatenate([s.q, s.v]) for s in self.starts])


class Case(NamedTuple):
    """Work for every engine that can do it."""

    robot: str
    title: str
    unit: str
    make: Callable[[Contender, Workload], Work]
    units: Callable[[Workload], int]
    before: Callable[[Workload], np.ndarray] | None = None
    """Of a run: what the result would be if nothing moved."""
    with_velocities: bool = False
    """The result's last axis is positions, then velocities."""
    many_runs: bool = False

    @property
    def is_run(self) -> bool:
        """Whether the result is an integrated motion."""
        return self.before is not None


def _states(workload: Workload) -> int:
    return len(workload.q)


def _steps(workload: Workload) -> int:
    return workload.steps


def _all_steps(workload: Workload) -> int:
    return len(workload.starts) * workload.rollout_steps


def _first_state(workload: Workload) -> np.ndarray:
    return workload.first_states[0]


def _run(robot: str, title: str, make: Callable[[Contender, Workload], Work]) -> Case:
    return Case(robot, title, 'step', make, _steps, _first_state, with_velocities=True)


CASES = [
    Case('irb120', 'mass matrix', 'state', lambda c, s: c.mass_matrix(s.q), _states),
    Case('irb120', 'inverse dynamics', 'state', lambda c, s: c.inverse(s.q, s.v, s.a), _states),
    Case('scara_450', 'forward dynamics', 'state', lambda c, s: c.forward(s.q, s.v), _states),
    Case('irb120', 'forward dynamics', 'state', lambda c, s: c.forward(s.q, s.v), _states),
    Case('irb120', 'forward dynamics, one call a state', 'state',
         lambda c, s: c.forward_singly(s.q, s.v), _states),
    Case('parallel_2dof', 'constrained forward dynamics', 'state',
         lambda c, s: c.constrained(s.q, s.v), _states),
    _run('scara_450', 'RK4 step', lambda c, s: c.steps(s.first, s.steps)),
    _run('irb120', 'RK4 step', lambda c, s: c.steps(s.first, s.steps)),
    _run('parallel_2dof', 'constrained RK4 step', lambda c, s: c.steps(s.first, s.steps)),
    _run('irb120', 'RK4 step, one call a step', lambda c, s: c.steps_singly(s.first, s.steps)),
    Case('irb120', '1 s recorded every 1 ms', 'step', lambda c, s: c.record(s.first, s.steps),
         _steps, lambda s: s.first.q),
    Case('scara_450', '1000 rollouts of 0.1 s, their ends', 'step',
         lambda c, s: c.rollouts(s.starts, s.rollout_steps), _all_steps,
         lambda s: s.first_states, with_velocities=True, many_runs=True),
    Case('scara_450', '1000 rollouts of 0.1 s, recorded', 'step',
         lambda c, s: c.recorded_rollouts(s.starts, s.rollout_steps), _all_steps,
         lambda s: np.array([start.q for start in s.starts])[:, None], many_runs=True),
]


def workload_of(robot: Robot, sizes: Sizes, fewer_rollouts: int = 1) -> Workload:
    """Return the work of a turn; every state keeps the loops of the robot."""
    if robot.loops:
        first = closed_start()
        motion = closed_plant().rollout(first, steps=sizes.states)
        q, v = motion.q[1:], motion.v[1:]
        starts = [first]
    else:
        random = np.random.default_rng(0)
        q, v = random.uniform(-1.0, 1.0, (2, max(sizes.states, sizes.compare_rollouts), robot.n))
        count = max(2, sizes.compare_rollouts // fewer_rollouts)
        starts = [State(0.0, *pair) for pair in zip(q[:count], v)]
        q, v = q[:sizes.states], v[:sizes.states]
    return Workload(q, v, v[::-1].copy(), sizes.compare_steps, starts, sizes.compare_rollout_steps)


def difference(case: Case, workload: Workload, ours: np.ndarray, theirs: np.ndarray) -> float:
    """
    Largest difference, relative to the largest of ours or, after a run, to how far ours went [-].

    Positions and velocities count apart, so that one cannot hide the other: whoever stands still
    differs by one, and whoever moves on without a force does too.
    """
    before = np.zeros_like(ours) if case.before is None else case.before(workload)
    parts = 2 if case.with_velocities else 1
    found = [np.abs(a - b).max() / np.abs(a - c).max() for a, b, c in zip(*(
        np.split(array, parts, axis=-1) for array in (ours, theirs, before)))]
    return float(np.max(found))  # not Python's max, which loses a NaN
