# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
No allocation per step: ten times the steps take ten times the time and not a byte more.

Python's allocations are traced (tracemalloc), the process's memory is read before and after; a leak
of one double per step would show as 8 MB in a million steps.
"""
from __future__ import annotations

from pathlib import Path
import time
import tracemalloc

from robodyn_ros.bench.cases import servo_plant
from robodyn_ros.bench.effort import Effort
from robodyn_ros.bench.fresh import peak_memory
from robodyn_ros.bench.row import Row
from robodyn_ros.bench.watch import Watch

PAGE_KB = 4.096
"""Unit of /proc/self/statm on Linux [kB]."""


def memory_now() -> float:
    """Resident memory of this process [kB]; where /proc is missing, its peak."""
    try:
        return int(Path('/proc/self/statm').read_text().split()[1]) * PAGE_KB
    except OSError:
        return peak_memory() * 1e3


def measure(effort: Effort, watch: Watch) -> list[Row]:
    """Run a tenth of the steps, then all of them, in one call each."""
    plant, start = servo_plant()
    short, long = max(1, effort.long_steps // 10), effort.long_steps
    plant.advance(start, steps=short)
    watch.begin('no allocation per step', 2)
    seconds, peaks, grown = [], [], []
    for steps in (short, long):
        before, begin = memory_now(), time.perf_counter()
        plant.advance(start, steps=steps)
        seconds.append(time.perf_counter() - begin)
        grown.append(memory_now() - before)
        tracemalloc.start()
        plant.advance(start, steps=steps)
        peaks.append(tracemalloc.get_traced_memory()[1] / 1e3)
        tracemalloc.stop()
        watch.tick()
    return [Row('scara_450.servo.allocation', 1e6 * seconds[1] / long, details={
        'steps': [short, long], 'seconds': seconds, 'traced_peak_kB': peaks,
        'memory_growth_kB': grown})]
