# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""This package, used as its guide recommends: many states in one call, a run in one call."""
from __future__ import annotations

from benchmarks.contender import Contender, Work
from benchmarks.peers import bare_urdf
import numpy as np
from robodyn_ros import Plant, Robot, robot_from_text, State


class Ours(Contender):
    """One robot in this package."""

    name, package, module = 'ours', 'robodyn_ros', 'robodyn_ros'
    usage = ('many states in one call, a run in one call, Plant.rollouts for many runs, which '
             'share vector registers; Robot.in_place and Plant.in_place for single calls')

    def __init__(self, robot: Robot, step: float):
        """Build the plant; loops of the robot's file are closed."""
        self.robot = robot_from_text(bare_urdf(robot), robot.path)  # the peers' equations
        self.plant = Plant(self.robot, step=step)

    def mass_matrix(self, q: np.ndarray) -> Work:
        """All positions in one call."""
        return lambda: self.robot.mass_matrix(q)

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Work:
        """All motions in one call."""
        return lambda: self.robot.inverse_dynamics(q, v, a)

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """All states in one call."""
        zero = np.zeros_like(q)
        return lambda: self.robot.forward_dynamics(q, v, zero)

    def forward_singly(self, q: np.ndarray, v: np.ndarray) -> Work:
        """One call per state, in place."""
        pairs, zero, out = list(zip(q, v)), np.zeros(q.shape[1]), np.empty_like(q)
        evaluate = self.robot.in_place('forward_dynamics')

        def work() -> np.ndarray:
            for k, pair in enumerate(pairs):
                out[k] = evaluate(*pair, zero)
            return out
        return work

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """All states in one call."""
        return lambda: self.plant.derivative(State(0.0, q, v))[1]

    def steps(self, start: State, count: int) -> Work:
        """All steps in one call."""
        def work() -> np.ndarray:
            end = self.plant.advance(start, steps=count)
            return np.concatenate([end.q, end.v])
        return work

    def steps_singly(self, start: State, count: int) -> Work:
        """One call per step, in place."""
        motion = self.plant.in_place(start)

        def work() -> np.ndarray:
            motion.reset(start)
            step = motion.step
            for _ in range(count):
                step()
                state = motion.x.copy()
            return state
        return work

    def record(self, start: State, count: int) -> Work:
        """One rollout that records every step, with forces and constraint errors."""
        return lambda: self.plant.rollout(start, steps=count).q[1:]

    def rollouts(self, starts: list[State], count: int) -> Work:
        """All runs in one call, on one core, nothing recorded but the ends."""
        def work() -> np.ndarray:
            runs = self.plant.rollouts(starts, steps=count, every=count, workers=1)
            return np.array([np.concatenate([run.q[-1], run.v[-1]]) for run in runs])
        return work

    def recorded_rollouts(self, starts: list[State], count: int) -> Work:
        """All runs in one call, on one core, with forces and constraint errors of every step."""
        def work() -> np.ndarray:
            runs = self.plant.rollouts(starts, steps=count, workers=1)
            return np.array([run.q[1:] for run in runs])
        return work
