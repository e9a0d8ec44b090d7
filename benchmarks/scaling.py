# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How time and memory grow: with constraint rows, with rollouts, with simulated time.

Both engines' answers are compared, both take turns, and each is weighed in a process of its own.
The growth with the length of a chain, which is compiled anew for each length, is in chains.py.
"""
from __future__ import annotations

from importlib.util import find_spec
import time
from typing import Any, NamedTuple

from benchmarks.memory import peak_of_process
from benchmarks.peers import MUJOCO
from benchmarks.progress import ProgressBars
from benchmarks.scaling_work import KINDS, OURS, ROW_STEPS
from benchmarks.sizes import Sizes
from benchmarks.timing import summarise, take_turns
import numpy as np
from robodyn_ros import RobodynError


class Growth(NamedTuple):
    """One kind of growing work."""

    kind: str
    """Of scaling_work.KINDS."""
    units: int = 1
    """Time is given per so many [-]."""
    tolerance: float = 1e-9
    """Largest difference of the last states, relative to the largest of ours [-]."""
    compared_up_to: float = float('inf')
    """Largest size for which answers are compared: rounding grows with the steps."""
    threads: bool = False
    """The work is spread over the cores, so the wall clock counts."""


ROWS = Growth('rows', ROW_STEPS, tolerance=1e-2)  # soft constraints
GROWTHS = (ROWS, Growth('rollouts', threads=True), Growth('duration', compared_up_to=100.0),
           Growth('recorded', compared_up_to=100.0))


def measure(sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """One list per kind of growth."""
    steps = {'rows': sizes.row_counts, 'rollouts': sizes.rollout_counts,
             'duration': sizes.durations, 'recorded': sizes.durations}
    bars.begin('growth: rows, rollouts, simulated time', sum(map(len, steps.values())))
    return {growth.kind: [entry(growth, size, sizes, bars) for size in steps[growth.kind]]
            for growth in GROWTHS}


def entry(growth: Growth, size: float, sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """Compare, time and weigh one size in both engines."""
    engines = (OURS, MUJOCO) if find_spec(MUJOCO) else (OURS,)
    works = {name: KINDS[growth.kind](name, size) for name in engines}
    ends = {name: work() for name, work in works.items()}
    found: dict[str, Any] = {'size': size}
    if MUJOCO in ends and size <= growth.compared_up_to:
        apart = np.abs(ends[OURS] - ends[MUJOCO]).max() / np.abs(ends[OURS]).max()
        if not apart < growth.tolerance:
            raise RobodynError(f'{growth.kind} {size}: the answers of {MUJOCO} and ours differ by '
                               f'{apart:.2g}, so no time is compared')
        found['difference'] = float(apart)
    turns = take_turns(works, dict.fromkeys(works, growth.units), sizes.limits_repeats,
                       clock=time.perf_counter if growth.threads else time.thread_time)
    for name, times in turns.items():
        found[name] = {'us': summarise(times).median,
                       'peak_MB': peak_of_process(growth.kind, size, name)}
    if MUJOCO in turns:
        ratio = summarise(turns[MUJOCO] / turns[OURS])
        found.update(ratio=ratio.median, ratio_quartiles=ratio.quartiles)
    bars.tick()
    return found
