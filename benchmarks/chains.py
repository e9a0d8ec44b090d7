# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How everything grows with the robot: serial chains, each compiled from nothing in a fresh process.

Operations, time to trace and to compile, memory, and the time per RK4 step, beside MuJoCo's RK4
step and Pinocchio's aba (one evaluation, called from Python; an RK4 step has four).
"""
from __future__ import annotations

from pathlib import Path
import tempfile
from typing import Any

from benchmarks.fresh_process import programs_in, run_fresh
from benchmarks.memory import peak_of_process
from benchmarks.peers import find, MUJOCO, PINOCCHIO, require_same
from benchmarks.plants import chain, chain_start, STEP
from benchmarks.progress import ProgressBars
from benchmarks.row import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import summarise, take_turns, Task
from benchmarks.with_mujoco import Mujoco
from benchmarks.with_pinocchio import Pinocchio
import numpy as np
from robodyn_ros import Plant

ABA_CALLS = 200
"""Calls of aba per turn."""


def folder_size(folder: str) -> float:
    """Size of all files of a folder [kB]."""
    return sum(path.stat().st_size for path in Path(folder).rglob('*') if path.is_file()) / 1e3


def chain_row(joints: int, sizes: Sizes) -> Row:
    """Compile the chain in a fresh process, then time it here from that process's cache."""
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        details = run_fresh('chain', str(joints), folder)
        details['cache_kB'] = folder_size(folder)
        with programs_in(folder):
            return time_chain(joints, sizes, details)


def time_chain(joints: int, sizes: Sizes, details: dict[str, Any]) -> Row:
    """Time a step of the free chain, ours and the peers'."""
    robot, start = chain(joints), chain_start(joints)
    plant = Plant(robot, step=STEP)
    ours = plant.derivative(start)[1]
    steps = max(1, sizes.chain_steps // joints)
    tasks: dict[str, Task] = {'ours': lambda: plant.advance(start, steps=steps)}
    units = {'ours': steps}
    if find(MUJOCO) is not None:
        mujoco = Mujoco(robot, STEP)
        require_same(robot.name, ours, mujoco.acceleration(start))
        tasks[MUJOCO], units[MUJOCO] = (lambda: mujoco.run(start, steps)), steps
    if find(PINOCCHIO) is not None:
        pinocchio = Pinocchio(robot)
        require_same(robot.name, ours, pinocchio.acceleration(start))
        aba, tau = pinocchio.engine.aba, np.zeros(joints)

        def evaluate() -> None:
            for _ in range(ABA_CALLS):
                aba(pinocchio.model, pinocchio.data, start.q, start.v, tau)

        tasks[PINOCCHIO], units[PINOCCHIO] = evaluate, ABA_CALLS
    turns = take_turns(tasks, units, sizes.repeats)
    middle = {name: summarise(times).median for name, times in turns.items()}
    if MUJOCO in turns:
        details['ratio_quartiles'] = summarise(turns[MUJOCO] / turns['ours']).quartiles
        details['mujoco_MB'] = peak_of_process('chain', joints, MUJOCO)
    return Row(f'chain_{joints}.free.rk4', middle['ours'],
               MUJOCO if MUJOCO in middle else None, middle.get(MUJOCO), 'step',
               {'joints': joints, **details, 'pinocchio_aba_us': middle.get(PINOCCHIO),
                'ours_evaluation_us': middle['ours'] / 4.0,
                'ours_MB': peak_of_process('chain', joints, 'ours'),
                'ours_quartiles_us': summarise(turns['ours']).quartiles})


def measure(sizes: Sizes, bars: ProgressBars) -> list[Row]:
    """One row per chain, shortest first."""
    bars.begin('growth: chains, compiled from nothing', len(sizes.chains))
    rows = []
    for joints in sizes.chains:
        rows.append(chain_row(joints, sizes))
        bars.tick()
    return rows
