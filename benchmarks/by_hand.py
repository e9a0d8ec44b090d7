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

import numpy as np

from benchmarks.plants import NEAR_HELIX, servo_plant, STEP
from benchmarks.progress import Watch
from benchmarks.sizes import Effort
from benchmarks.timing import summarise, take_turns, Task
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.types import State

SOURCE = Path(__file__).resolve().parents[2] / 'benchmarks' / 'scara_450.c'
SAME = 1e-12
FLAGS = {'C': ['-O3', '-march=native'],
         'C, -ffast-math': ['-O3', '-march=native', '-ffast-math']}
BENT = State(0.0, np.array([0.3, -0.5, 0.2, 0.1]), np.array([0.5, -1.0, 0.3, 0.2]))
"""Start of the free arm."""
CHECKED = 200
"""Steps after which the motions are compared."""


def compiled(folder: str, name: str) -> Any:
    """Return the library, or a sentence why there is none."""
    compiler = shutil.which('cc') or shutil.which('gcc') or shutil.which('clang')
    if compiler is None:
        return 'no C compiler'
    if not SOURCE.is_file():
        return f'{SOURCE} is not there: it is part of the source tree only'
    target = Path(folder) / f'{list(FLAGS).index(name)}.so'
    done = subprocess.run([compiler, *FLAGS[name], '-shared', '-fPIC', '-o', str(target),
                           str(SOURCE), '-lm'], capture_output=True, text=True)
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


def measure(effort: Effort, watch: Watch) -> list[dict[str, Any]]:
    """One entry per plant: the free arm, and the arm held on the helix, in two ways."""
    watch.begin('beside C written by hand', 3 * effort.repeats)
    held = servo_plant()
    on_helix = assemble_start(held, NEAR_HELIX).state
    plants = {'free': (Plant(load_robot('scara_450'), step=STEP), BENT),
              'constrained': (held, on_helix), 'shortcut': (held, on_helix)}
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        libraries = {name: compiled(folder, name) for name in FLAGS}
        return [compare(kind, plant, start, libraries, effort, watch)
                for kind, (plant, start) in plants.items()]


def compare(kind: str, plant: Plant, start: State, libraries: dict[str, Any], effort: Effort,
            watch: Watch) -> dict[str, Any]:
    """Check the motions, then take turns."""
    count = effort.servo_steps
    tasks: dict[str, Task] = {'ours': lambda: plant.advance(start, steps=count)}
    entry: dict[str, Any] = {'plant': kind, 'peers': {}}
    end = plant.advance(start, steps=CHECKED)
    for name, library in libraries.items():
        if isinstance(library, str):
            entry['peers'][name] = {'cannot': library}
            continue
        function = getattr(library, f'{kind}_steps')
        apart = float(np.abs(steps_of(function, start, CHECKED)()
                             - np.concatenate([end.q, end.v])).max())
        if not apart < SAME:
            raise RobodynError(f'{SOURCE} and the plant {kind} differ by {apart:.3g} after '
                               f'{CHECKED} steps; correct one of them')
        tasks[name] = steps_of(function, start, count)
        entry['peers'][name] = {'difference': apart}
    turns = take_turns(tasks, dict.fromkeys(tasks, count), effort.repeats, watch.tick)
    for name, times in turns.items():
        if name != 'ours':
            ratio = summarise(turns['ours'] / times)
            entry['peers'][name].update(us=summarise(times).median, ours_over_theirs=ratio.median,
                                        quartiles=ratio.quartiles)
    return {**entry, 'ours_us': summarise(turns['ours']).median}
