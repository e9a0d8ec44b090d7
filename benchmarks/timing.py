# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Times that a noisy machine cannot turn: contenders take turns, and the middle of many counts.

Ours and the peer run alternately, so that a slow second of the machine meets both; the median is
reported with its quartiles, which tell how much to trust it. What runs in one thread is timed by
that thread's own clock, which stands still while other processes have the core.
"""
from __future__ import annotations

import gc
import math
import time
from typing import Callable, Mapping, NamedTuple

import numpy as np

Task = Callable[[], object]
Tick = Callable[[], None]
Clock = Callable[[], float]
SHORTEST_TURN = 5e-3
"""Shortest turn, so that one contender's caches do not decide the other's time [s]."""


class Timing(NamedTuple):
    """Durations of one task, per unit of its work [us]."""

    median: float
    lower: float
    """First quartile."""
    upper: float
    """Third quartile."""
    repeats: int

    @property
    def quartiles(self) -> list[float]:
        """First and third quartile [us]."""
        return [self.lower, self.upper]


def quiet() -> None:
    """Do nothing: a tick nobody watches."""


def interleave(tasks: Mapping[str, Task], units: Mapping[str, int], repeats: int,
               tick: Tick = quiet, clock: Clock = time.thread_time) -> dict[str, Timing]:
    """Time tasks in turns, see take_turns, and summarise each."""
    return {name: summarise(values)
            for name, values in take_turns(tasks, units, repeats, tick, clock).items()}


def take_turns(tasks: Mapping[str, Task], units: Mapping[str, int], repeats: int,
               tick: Tick = quiet, clock: Clock = time.thread_time) -> dict[str, np.ndarray]:
    """
    Time tasks in turns; returns the time of each per unit, turn by turn [us].

    :param tasks: by name; each is run before, so that caches and compilers are warm, and as often
        per turn as a turn of at least SHORTEST_TURN needs
    :param units: how many units (steps, evaluations) one run of a task is
    :param tick: called after each round, for a progress bar
    :param clock: [s]; time.perf_counter for work on several threads
    """
    runs = {name: _runs_per_turn(task) for name, task in tasks.items()}
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repeats):
            for name, task in tasks.items():
                start = clock()
                for _ in range(runs[name]):
                    task()
                seconds[name].append((clock() - start) / runs[name])
            tick()
    finally:
        if collecting:
            gc.enable()
    return {name: np.array(values) * (1e6 / units[name]) for name, values in seconds.items()}


def _runs_per_turn(task: Task) -> int:
    for _ in range(2):  # the first run may compile or load
        start = time.perf_counter()
        task()
        seconds = time.perf_counter() - start
        if seconds > 10.0 * SHORTEST_TURN:
            return 1
    return max(1, math.ceil(SHORTEST_TURN / seconds))


def summarise(microseconds: np.ndarray) -> Timing:
    """Median and quartiles of repeated measurements [us]."""
    lower, middle, upper = np.percentile(microseconds, [25.0, 50.0, 75.0])
    return Timing(float(middle), float(lower), float(upper), len(microseconds))
