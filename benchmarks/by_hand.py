# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
RK4 steps of scara_450 beside the same robot's equations written by hand in C.

benchmarks/scara_450.c is compiled with the machine's C compiler, if there is one, and called
through ctypes; its motions must be ours to 1e-12 before it is timed. It is compiled twice: with
fused multiply-adds where the compiler likes them, and with -ffast-math, which also reorders; both
give up the same bits on another processor. The arm on the helix is there twice: by the equation we
solve too, and by the shortcut that four rows on four joints allow.
"""
from __future__ import annotations

import ctypes
from pathlib import Path
import shutil
import subprocess
import tempfile
from typing import Any, Callable

from benchmarks.plants import NEAR_HELIX, servo_plant, STEP
from benchmarks.progress import ProgressBars
from benchmarks.sizes import Sizes
from benchmarks.timing import summarise, take_turns, Task
import numpy as np
from robodyn_ros import assemble_start, load_robot, Plant, RobodynError, State

SOURCE = Path(__file__).resolve().with_name('scara_450.c')
MOTION_TOLERANCE = 1e-12
"""Largest difference of the motions [rad, m, rad/s or m/s]."""
FLAGS = {'C': ['-O3', '-march=native'],
         'C, -ffast-math': ['-O3', '-march=native', '-ffast-math']}
FREE_START = State(0.0, np.array([0.3, -0.5, 0.2, 0.1]), np.array([0.5, -1.0, 0.3, 0.2]))
"""Start of the free arm."""
CHECKED_STEPS = 200
"""Steps after which the motions are compared."""


def compiled(folder: str, name: str) -> Any:
    """Return the library, or a sentence why there is none."""
    compiler = shutil.which('cc') or shutil.which('gcc') or shutil.which('clang')
    if compiler is None:
        return 'no C compiler'
    target = Path(folder) / f'{list(FLAGS).index(name)}.so'
    part = target.with_suffix('.o')
    # linked apart and without the flags: -ffast-math would link code that makes the processor
    # flush subnormal numbers in whoever loads the library, in our own engine too
    done = subprocess.run([compiler, *FLAGS[name], '-fPIC', '-c', '-o', str(part), str(SOURCE)],
                          capture_output=True, text=True)
    if not done.returncode:
        done = subprocess.run([compiler, '-shared', '-o', str(target), str(part), '-lm'],
                              capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.splitlines()
        errors = [line for line in lines if 'error' in line] or lines or ['no message']
        return f'{Path(compiler).name} failed: {errors[0]}'
    return ctypes.CDLL(str(target))


def steps_of(function: Any, start: State, count: int) -> Callable[[], np.ndarray]:
    """Return a task that takes steps and gives the last state (2 n,)."""
    first, x = np.concatenate([start.q, start.v]), np.empty(8)
    pointer = x.ctypes.data_as(ctypes.c_void_p)

    def work() -> np.ndarray:
        x[:] = first
        function(ctypes.c_long(count), ctypes.c_double(STEP), pointer)
        return x.copy()
    return work


def measure(sizes: Sizes, bars: ProgressBars) -> list[dict[str, Any]]:
    """One entry per plant: the free arm, and the arm held on the helix, in two ways."""
    bars.begin('beside C written by hand', 3 * sizes.repeats)
    held = servo_plant()
    on_helix = assemble_start(held, NEAR_HELIX).state
    plants = {'free': (Plant(load_robot('scara_450'), step=STEP), FREE_START),
              'constrained': (held, on_helix), 'shortcut': (held, on_helix)}
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        libraries = {name: compiled(folder, name) for name in FLAGS}
        return [compare(kind, plant, start, libraries, sizes, bars)
                for kind, (plant, start) in plants.items()]


def compare(kind: str, plant: Plant, start: State, libraries: dict[str, Any], sizes: Sizes,
            bars: ProgressBars) -> dict[str, Any]:
    """Check the motions, then take turns."""
    count = sizes.servo_steps
    tasks: dict[str, Task] = {'ours': lambda: plant.advance(start, steps=count)}
    entry: dict[str, Any] = {'plant': kind, 'peers': {}}
    end = plant.advance(start, steps=CHECKED_STEPS)
    for name, library in libraries.items():
        if isinstance(library, str):
            entry['peers'][name] = {'cannot': library}
            continue
        function = getattr(library, f'{kind}_steps')
        apart = float(np.abs(steps_of(function, start, CHECKED_STEPS)()
                             - np.concatenate([end.q, end.v])).max())
        if not apart < MOTION_TOLERANCE:
            raise RobodynError(f'{SOURCE} and the plant {kind} differ by {apart:.3g} after '
                               f'{CHECKED_STEPS} steps; correct one of them')
        tasks[name] = steps_of(function, start, count)
        entry['peers'][name] = {'difference': apart}
    turns = take_turns(tasks, dict.fromkeys(tasks, count), sizes.repeats, bars.tick)
    for name, times in turns.items():
        if name != 'ours':
            ratio = summarise(turns['ours'] / times)
            entry['peers'][name].update(us=summarise(times).median, ours_over_theirs=ratio.median,
                                        quartiles=ratio.quartiles)
    return {**entry, 'ours_us': summarise(turns['ours']).median}
