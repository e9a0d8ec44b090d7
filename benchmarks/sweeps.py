# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Ten thousand closed loops: a sweep beside its compiled loop, two workers, and MuJoCo from Python.

    python -m benchmarks sweep              scara_helix, 2 s each, other payloads
    python -m benchmarks sweep --json

The sweep runs to its table on disk; its overhead is that beside the bare compiled loop, which
measures the same runs, with all parameters made beforehand, and keeps nothing. plant.rollouts has
the same payloads, and records as simulate does. Two workers are timed from their start to their
end, with more and with shorter runs, too. MuJoCo takes the same law and reference step by step
from Python, for a few of the runs; its motion must be ours to 1e-6 before it is timed.
"""
from __future__ import annotations

import argparse
from functools import partial
import json
from pathlib import Path
import tempfile
import time
from typing import Any, Callable

from benchmarks.children import output_of
from benchmarks.engine import positive
from benchmarks.peers import find, missing, MUJOCO
from benchmarks.progress import ProgressBars
from benchmarks.sizes import Sizes
from benchmarks.with_mujoco import Mujoco
import numpy as np
from robodyn_ros import RobodynError, Simulation
from robodyn_ros.plant.inputs import one_input
from robodyn_ros.plant.measurement import measure as measured, Runs
from robodyn_ros.sweeping.study import make_study
from robodyn_ros.sweeping.sweep import sweep

SCENARIO, DURATION = 'scara_helix', 2.0
MOTION_TOLERANCE = 1e-6
"""Largest difference of the two motions [rad] or [m]."""
HEAVIEST = 5.0
"""[kg]"""
FEW = 5
"""Runs that MuJoCo takes."""
FURTHER = ((4, 2.0), (10, 0.1))
"""Further sweeps by two workers: so many times the runs, of so many seconds each."""


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
            ('the bare compiled loop, 1 core', 'compiled_1_ms'),
            ('sweep, 1 worker', 'sweep_1_ms'), ('sweep, 2 workers', 'sweep_2_ms'),
            ('plant.rollouts, 1 worker', 'rollouts_1_ms'),
            ('plant.rollouts, 2 workers', 'rollouts_2_ms'),
            ('MuJoCo, the law from Python', 'mujoco_ms')):
        print(f'  {name:32}{found[text]:10.4f} ms a run' if found[text] is not None
              else f'  {missing(MUJOCO)}')
    print(f'  overhead beside the compiled loop {found["overhead"]:8.2f} of its time\n'
          f'  efficiency of two workers       {found["efficiency"]:10.2f}')
    for one in found['further']:
        print(f'  {_named(one):32}{one["efficiency"]:10.2f}, overhead {one["overhead"]:.2f}')
    print(f'  efficiency of plant.rollouts    {found["rollouts_efficiency"]:10.2f}\n'
          f'  10^6 runs would take            {found["million_s"]:10.0f} s')
    return 0


def _named(one: dict[str, Any]) -> str:
    return f'of {one["runs"]} runs of {one["duration"]:g} s'


def measure_part(sizes: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """Measure for the page, in a process without the threads of bars, as the command has it."""
    bars.begin('sweeps', 1)
    return json.loads(output_of('benchmarks', 'sweep', '--json', '--runs', str(sizes.sweep_runs)))


def lines_of(found: dict[str, Any]) -> list[str]:
    """Return the table of the page."""
    rows = (('the bare compiled loop, measured and not kept, 1 core', 'compiled_1_ms'),
            ('sweep to a table on disk, 1 worker', 'sweep_1_ms'),
            ('sweep to a table on disk, 2 workers', 'sweep_2_ms'),
            ('`plant.rollouts`, recorded, 1 worker', 'rollouts_1_ms'),
            ('`plant.rollouts`, recorded, 2 workers', 'rollouts_2_ms'),
            ('MuJoCo, the same law from Python, 1 core', 'mujoco_ms'))
    lines = ['| | ms a run |', '|---|---|', *(
        f'| {name} | {found[key]:.3g} |' for name, key in rows if found.get(key) is not None), '']
    if 'further' in found:  # results of earlier checkouts have none
        first = {**found, 'duration': DURATION}
        lines += ['| Sweep | overhead of one worker beside the compiled loop | efficiency of two '
                  'workers, their start and the table counted |', '|---|---|---|',
                  *(f'| {_named(one)[3:]} | {100.0 * one["overhead"]:.0f} % | '
                    f'{100.0 * one["efficiency"]:.0f} % |' for one in (first, *found['further'])),
                  '']
    return [*lines, f'Two workers of `plant.rollouts` have an efficiency of '
            f'{50.0 * found["rollouts_1_ms"] / found["rollouts_2_ms"]:.0f} %, those of the sweep '
            f'{100.0 * found["efficiency"]:.0f} %. 10^6 runs of {DURATION:g} s would take '
            f'{found["million_s"] / 60.0:.1f} minutes.']


class _Best:
    """The least time of each contender, as others use the machine too."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}

    def timed(self, name: str, work: Callable[[], Any], count: int) -> None:
        """Time some runs, and keep the time of one [ms]."""
        begin = time.perf_counter()
        work()
        taken = 1e3 * (time.perf_counter() - begin) / count
        self.found[name] = min(self.found.get(name, taken), taken)

    def efficiency(self, name: str) -> float:
        return self.found[f'{name}_1_ms'] / (2.0 * self.found[f'{name}_2_ms'])

    def facts(self) -> dict[str, float]:
        return {**self.found, 'efficiency': self.efficiency('sweep'),
                'overhead': self.found['sweep_1_ms'] / self.found['compiled_1_ms'] - 1.0}


class _Sweeps:
    """Sweeps over payloads, and the same runs by the bare compiled loop."""

    def __init__(self, runs: int, duration: float, folder: str):
        self.study = {'scenario': SCENARIO, 'duration': duration, 'axes': {
            'dynamics.payload.mass': {'range': [HEAVIEST / runs, HEAVIEST], 'count': runs}}}
        self.runs, self._folder = runs, folder
        self.masses = np.linspace(HEAVIEST / runs, HEAVIEST, runs)
        self.simulation = one = Simulation(make_study(self.study).scenario)
        assert one.reference is not None and one.law_rows is not None
        self._frame = one.robot.tool_frame(one.scenario.trajectory.frame)
        vectors = np.tile(one.plant.model.vector(one.parameters), (runs, 1))
        vectors[:, one.plant.parameters.names.index('payload.mass')] = self.masses
        starts = np.tile(one_input(one.robot, one.assembly.state, None), (runs, 1))
        targets = np.concatenate([one.reference.q, one.desired.positions(
            one.robot, self._frame, one.reference)], axis=1)
        self._asked = Runs(starts, vectors, one.periods * one.period, one.period, one.law_rows,
                           targets, one.scenario.tolerance)

    def swept(self, workers: int) -> None:
        path = Path(self._folder) / f'{time.monotonic_ns()}.parquet'
        sweep(self.study, path, workers=workers)
        path.unlink()

    def compiled(self) -> None:
        measured(self.simulation.plant.model, self._asked, self._frame)

    def rolled(self, workers: int) -> None:
        one = self.simulation
        for first in range(0, self.runs, 500):  # what is recorded of all does not fit into memory
            some = self.masses[first:first + 500]
            one.plant.rollouts(
                [one.assembly.state] * len(some), steps=one.periods * one.period,
                every=one.period, reference=one.law_rows, workers=workers,
                parameters=[{**one.parameters, 'payload.mass': x} for x in some])

    def turn(self, best: _Best) -> None:
        best.timed('compiled_1_ms', self.compiled, self.runs)
        for workers in (1, 2):
            best.timed(f'sweep_{workers}_ms', partial(self.swept, workers), self.runs)


def measure(runs: int, turns: int) -> dict[str, Any]:
    """Time all in turns; the best turn of each counts."""
    best, further = _Best(), []
    with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
        ours = _Sweeps(runs, DURATION, folder)
        for _ in range(turns):
            ours.turn(best)
            for workers in (1, 2):
                best.timed(f'rollouts_{workers}_ms', partial(ours.rolled, workers), runs)
        for times, duration in FURTHER:
            others, their = _Sweeps(times * runs, duration, folder), _Best()
            for _ in range(turns):
                others.turn(their)
            further.append({'runs': others.runs, 'duration': duration, **their.facts()})
    mujoco = _mujoco(ours.simulation, ours.masses[::max(1, runs // FEW)][:FEW]
                     ) if find(MUJOCO) else None
    return {**best.facts(), 'mujoco_ms': mujoco, 'runs': runs, 'further': further,
            'rollouts_efficiency': best.efficiency('rollouts'),
            'million_s': 1e3 * min(best.found['sweep_1_ms'], best.found['sweep_2_ms'])}


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
