# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Start-up of a plant in a fresh process: with the first compile, then from the cache."""
from __future__ import annotations

import tempfile

from benchmarks.progress import Watch
from benchmarks.row import Row
from benchmarks.sizes import Effort
from benchmarks.subprocess_timing import run_fresh

FIRST_TARGET, CACHED_TARGET = 10.0, 2.0
"""What the package promises: seconds of a whole process, first and from the cache."""


def measure(effort: Effort, watch: Watch) -> list[Row]:
    """One row per robot; its time is that of a whole process that starts from the cache."""
    watch.begin('start-up in fresh processes', len(effort.robots) * (1 + effort.startups))
    rows = []
    for name in effort.robots:
        with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
            first = run_fresh('robot', name, folder)
            watch.tick()
            cached = []
            for _ in range(effort.startups):
                cached.append(run_fresh('robot', name, folder)['process_s'])
                watch.tick()
        middle = sorted(cached)[effort.startups // 2]
        rows.append(Row(f'startup.{name}', 1e6 * middle, unit='process', details={
            'first_s': first['process_s'], 'compile_s': first['compile_s'],
            'compile_cpu_s': first['compile_cpu_s'], 'cached_s': middle,
            'first_target_s': FIRST_TARGET, 'cached_target_s': CACHED_TARGET}))
    return rows
