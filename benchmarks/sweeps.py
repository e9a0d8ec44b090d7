# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Ten thousand closed loops: a sweep beside bare rollouts, two workers, and MuJoCo from Python.

    python -m benchmarks sweep              scara_helix, 2 s each, other payloads
    python -m benchmarks sweep --json

The sweep runs to its table on disk; the bare rollouts are plant.rollouts with the same payloads,
recorded as simulate records them. MuJoCo takes the same law and reference step by step from
Python, for a few of the runs; its motion must be ours to 1e-6 before it is timed.
"""
from __future__ import annotations

import argparse
from functools import partial
import json
from pathlib import Path
import tempfile
import time
from typing import Any, Callable

from benchmarks.engine import positive
from benchmarks.peers import find, missing, MUJOCO
from benchmarks.progress import ProgressBars
from benchmarks.sizes import Sizes
from benchmarks.with_mujoco import Mujoco
import numpy as np
from robodyn_ros import RobodynError, Simulation
from robodyn_ros.sweeping.study import make_study
from robodyn_ros.sweeping.sweep import sweep

SCENARIO, DURATION = 'scara_helix', 2.0
MOTION_TOLERANCE = 1e-6
"""Largest difference of the two motions [rad] or [m]."""
HEAVIEST = 5.0
"""[kg]"""
FEW = 5
"""Runs that MuJoCo takes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--json', action='store_true', help='print the numbers as JSON')
    parser.add_argument('--runs', type=positive, default=10_000, help='closed loops')
    parser.add_argument('--turns', type=positive, default=3, help='turns of each contender')


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    found = measure(arguments.runs, arguments.turns)
    if arguments.json:
        print(json.dumps(found, indent=1))
        return 0
    print(f'{arguments.runs} closed loops of {SCENARIO}, {DURATION:g} s each, to a table on disk')
    for name, text in (
            ('sweep, 1 worker', 'sweep_1_ms'), ('sweep, 2 workers', 'sweep_2_ms'),
            ('plant.rollouts, 1 worker', 'rollouts_1_ms'),
            ('plant.rollouts, 2 workers', 'rollouts_2_ms'),
            ('MuJoCo, the law from Python', 'mujoco_ms')):
        print(f'  {name:32}{found[text]:10.4f} ms a run' if found[text] is not None
              else f'  {missing(MUJOCO)}')
    print(f'  overhead beside the rollouts    {found["overhead"]:10.2f} of their time\n'
          f'  efficiency of two workers       {found["efficiency"]:10.2f}\n'
          f'  10^6 runs would take            {found["million_s"]:10.0f} s')
    return 0


def measure_part(sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """Measure for the page."""
    bars.begin('sweeps', 1)
    return measure(sizes.sweep_runs, 3)


def lines_of(found: dict[str, Any]) -> list[str]:
    """Return the table of the page."""
    rows = [('sweep to a table on disk, 1 worker', found['sweep_1_ms']),
            ('sweep to a table on disk, 2 workers', found['sweep_2_ms']),
            ('`plant.rollouts`, recorded, 1 worker', found['rollouts_1_ms']),
            ('`plant.rollouts`, recorded, 2 workers', found['rollouts_2_ms'])]
    if found['mujoco_ms'] is not None:
        rows.append(('MuJoCo, the same law from Python, 1 core', found['mujoco_ms']))
    return ['| | ms a run |', '|---|---|', *(f'| {name} | {value:.3g} |' for name, value in rows),
            '', f'The sweep takes {1.0 + found["overhead"]:.2g} of the time of the recorded '
            f'rollouts; two workers have an efficiency of {100.0 * found["efficiency"]:.0f} %, '
            f'their start counted. 10^6 runs would take {found["million_s"] / 60.0:.1f} minutes.']


def measure(runs: int, turns: int) -> dict[str, Any]:
    """Time all in turns; the best turn of each counts, as others use the machine too."""
    study = {'scenario': SCENARIO, 'duration': DURATION, 'axes': {
        'dynamics.payload.mass': {'range': [HEAVIEST / runs, HEAVIEST], 'count': runs}}}
    masses = np.linspace(HEAVIEST / runs, HEAVIEST, runs)
    simulation = Simulation(make_study(study).scenario)
    best: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any], count: int) -> None:
        begin = time.perf_counter()
        work()
        taken = 1e3 * (time.perf_counter() - begin) / count
        best[name] = min(best.get(name, taken), taken)

    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        def swept(workers: int) -> None:
            path = Path(folder) / f'{time.monotonic_ns()}.parquet'
            sweep(study, path, workers=workers)

        def rolled(workers: int) -> None:
            for first in range(0, runs, 500):  # what is recorded of all does not fit into memory
                some = masses[first:first + 500]
                simulation.plant.rollouts(
                    [simulation.assembly.state] * len(some),
                    steps=simulation.periods * simulation.period, every=simulation.period,
                    reference=simulation.law_rows, workers=workers,
                    parameters=[{**simulation.parameters, 'payload.mass': x} for x in some])

        for _ in range(turns):
            for workers in (1, 2):
                timed(f'sweep_{workers}_ms', partial(swept, workers), runs)
                timed(f'rollouts_{workers}_ms', partial(rolled, workers), runs)
    mujoco = _mujoco(simulation, masses[::max(1, runs // FEW)][:FEW]) if find(MUJOCO) else None
    return {**best, 'mujoco_ms': mujoco, 'runs': runs,
            'overhead': best['sweep_1_ms'] / best['rollouts_1_ms'] - 1.0,
            'efficiency': best['sweep_1_ms'] / (2.0 * best['sweep_2_ms']),
            'million_s': 1e3 * min(best['sweep_1_ms'], best['sweep_2_ms'])}


def _mujoco(simulation: Simulation, masses: np.ndarray) -> float:
    """Return the time of a run in MuJoCo [ms], after its motion was found to be ours."""
    reference, start = simulation.reference, simulation.assembly.state
    assert reference is not None
    omega = simulation.scenario.controller.natural_frequency[0]
    kp, kd = omega ** 2, 2.0 * omega
    taken = []
    # the law's model has no payload: a second model, which computes its torques
    model = Mujoco(simulation.robot, simulation.plant.step_size)
    for mass in masses:
        peer = Mujoco(simulation.robot, simulation.plant.step_size, float(mass))
        engine, data = peer.engine, peer.data
        peer.start(start)
        path = np.empty_like(reference.q)
        begin = time.perf_counter()
        for k in range(len(path) - 1):
            path[k] = q = data.qpos
            wanted = reference.a[k] + kd * (reference.v[k] - data.qvel) + kp * (reference.q[k] - q)
            model.data.qpos[:], model.data.qvel[:], model.data.qacc[:] = q, data.qvel, wanted
            engine.mj_inverse(model.model, model.data)
            data.qfrc_applied[:] = model.data.qfrc_inverse
            engine.mj_step(peer.model, data)
        path[-1] = data.qpos
        taken.append(time.perf_counter() - begin)
        ours = simulation.run({'payload.mass': float(mass)})
        apart = float(np.abs(path - ours.q).max())
        if not apart < MOTION_TOLERANCE:
            raise RobodynError(f'the motions with {mass:g} kg end {apart:.3g} apart; they are not '
                               'the same, so no time is compared')
    return 1e3 * float(np.median(taken))
