# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How much is measured: in full, in a minute, or next to nothing for a test."""
from __future__ import annotations

from typing import NamedTuple


class Sizes(NamedTuple):
    """Sizes of all measurements."""

    repeats: int = 41
    """Rounds of a comparison, of which the median counts."""
    servo_steps: int = 20000
    """20 s of the helix."""
    closure_steps: int = 1500
    """1.5 s of the closed chain."""
    states: int = 2000
    """States at which mass matrix and bias are evaluated per round."""
    compare_repeats: int = 15
    """Rounds of a comparison of all engines."""
    compare_steps: int = 1000
    """Steps of a single run when all engines are compared: 1 s."""
    compare_rollouts: int = 1000
    compare_rollout_steps: int = 100
    """Steps of each of many runs then."""
    many_repeats: int = 7
    """Rounds of a comparison of many runs."""
    accuracy_duration: float = 20.0
    """Simulated time of the comparison of accuracy [s]."""
    accuracy_repeats: int = 5
    """Rounds of timing there."""
    row_counts: tuple[int, ...] = (0, 1, 2, 4)
    """Constraint rows on a chain of five joints."""
    rollout_counts: tuple[int, ...] = (1, 10, 100, 1000)
    durations: tuple[float, ...] = (1.0, 10.0, 100.0, 1000.0)
    """Simulated times [s]."""
    limits_repeats: int = 3
    """Rounds of timing what grows."""
    scenarios: int = 6
    """How many of the package's scenarios are run as closed loops."""
    loop_seconds: float = 2.0
    """Of motion, or of watching, in a closed loop with ROS [s]."""
    loop_samples: int = 3
    """Runs of a closed loop in one process."""
    loop_turns: int = 5
    """Turns of 1 s of a closed loop and of the ping-pong, each."""
    chains: tuple[int, ...] = (2, 4, 8, 16, 32)
    """Joints of the chains that show the growth."""
    chain_steps: int = 20000
    """Steps per round of the chain of one joint; longer chains take fewer."""
    long_steps: int = 1000000
    """Steps of the run that must not allocate."""
    rollouts: int = 1000
    rollout_steps: int = 1000
    rollout_repeats: int = 3
    robots: tuple[str, ...] = ('scara_450', 'two_link', 'parallel_2dof', 'irb120', 'scara_1000')
    """Robots whose start-up is timed."""
    ik_poses: int = 10000
    """Random configurations of each arm whose poses are solved for."""
    lone_calls: int = 10_000_000
    """Calls of an exported function, each timed by itself."""
    sweep_runs: int = 10_000
    """Closed loops of a sweep."""
    startups: int = 7
    """Starts from the cache, of which the median counts."""

    def reduced(self, repeats: int | None, steps: int | None) -> 'Sizes':
        """Return smaller sizes where they are asked for."""
        small = self
        if repeats is not None:
            small = small._replace(repeats=repeats, compare_repeats=repeats,
                                   accuracy_repeats=min(repeats, self.accuracy_repeats),
                                   limits_repeats=min(repeats, self.limits_repeats),
                                   many_repeats=min(repeats, self.many_repeats),
                                   rollout_repeats=min(repeats, self.rollout_repeats))
        if steps is not None:
            small = small._replace(servo_steps=steps, closure_steps=steps, states=steps,
                                   compare_steps=steps, compare_rollout_steps=steps,
                                   chain_steps=steps, long_steps=10 * steps,
                                   lone_calls=min(self.lone_calls, 100 * steps),
                                   sweep_runs=min(self.sweep_runs, steps),
                                   rollout_steps=steps, rollouts=min(self.rollouts, steps),
                                   compare_rollouts=min(self.compare_rollouts, steps))
        return small


FULL = Sizes()
QUICK = Sizes(repeats=21, compare_repeats=5, many_repeats=3, accuracy_duration=2.0,
              accuracy_repeats=3, row_counts=(0, 2), rollout_counts=(1, 10),
              durations=(1.0, 10.0), scenarios=2, loop_seconds=1.0, loop_samples=1, loop_turns=2,
              chains=(2, 4), rollouts=50, robots=('scara_450',), lone_calls=100_000,
              sweep_runs=500, startups=1)
