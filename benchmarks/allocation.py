# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
No allocation per step: ten times the steps take ten times the time and not a byte more.

Python's allocations are traced (tracemalloc), the process's memory is read before and after; a
leak of one double per step would show as 8 MB in a million steps.
"""
from __future__ import annotations

import time
import tracemalloc

from benchmarks.memory import memory_now
from benchmarks.plants import NEAR_HELIX, servo_plant
from benchmarks.progress import ProgressBars
from benchmarks.row import Row
from benchmarks.sizes import Sizes
from robodyn_ros import assemble_start


def measure(sizes: Sizes, bars: ProgressBars) -> list[Row]:
    """Run a tenth of the steps, then all of them, in one call each."""
    plant = servo_plant()
    start = assemble_start(plant, NEAR_HELIX).state
    short, long = max(1, sizes.long_steps // 10), sizes.long_steps
    plant.advance(start, steps=short)
    bars.begin('no allocation per step', 2)
    seconds, peaks, grown = [], [], []
    for steps in (short, long):
        before, begin = 1e3 * memory_now(), time.thread_time()
        plant.advance(start, steps=steps)
        seconds.append(time.thread_time() - begin)
        grown.append(1e3 * memory_now() - before)
        tracemalloc.start()
        plant.advance(start, steps=steps)
        peaks.append(tracemalloc.get_traced_memory()[1] / 1e3)
        tracemalloc.stop()
        bars.tick()
    return [Row('scara_450.servo.allocation', 1e6 * seconds[1] / long, details={
        'steps': [short, long], 'seconds': seconds, 'traced_peak_kB': peaks,
        'memory_growth_kB': grown})]
