# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Start-up of a plant in a fresh process: with the first compile, then from the cache."""
from __future__ import annotations

import tempfile

from benchmarks.children import keep_bytecode
from benchmarks.fresh_process import run_fresh
from benchmarks.progress import ProgressBars
from benchmarks.row import Row
from benchmarks.sizes import Sizes

FIRST_TARGET, CACHED_TARGET = 1.5, 0.25
"""What the package promises: seconds of a whole process, first and from the cache."""


def measure(sizes: Sizes, bars: ProgressBars) -> list[Row]:
    """One row per robot; its time is that of a whole process that starts from the cache."""
    keep_bytecode()
    bars.begin('start-up in fresh processes', len(sizes.robots) * (1 + sizes.startups))
    rows = []
    for name in sizes.robots:
        with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
            first = run_fresh('robot', name, folder)
            bars.tick()
            cached = []
            for _ in range(sizes.startups):
                cached.append(run_fresh('robot', name, folder)['process_s'])
                bars.tick()
        middle = sorted(cached)[sizes.startups // 2]
        rows.append(Row(f'startup.{name}', 1e6 * middle, unit='process', details={
            'first_s': first['process_s'], 'compile_s': first['compile_s'],
            'compile_cpu_s': first['compile_cpu_s'], 'cached_s': middle,
            'first_target_s': FIRST_TARGET, 'cached_target_s': CACHED_TARGET}))
    return rows
