# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A closed loop's speed beside the same loop written with Pinocchio called from Python.

    python -m benchmarks loop               scara_helix: computed torque at 1 kHz, RK4 1 ms, 20 s
    python -m benchmarks loop --json        a JSON list of rows on stdout, nothing else

Both run the same reference, gains and integrator; the row is left out unless their motions agree.
"""
from __future__ import annotations

import argparse
import json
from typing import Any, Callable

from benchmarks.engine import positive
from benchmarks.peers import find, missing, PINOCCHIO
from benchmarks.row import compared, Row
from benchmarks.timing import interleave
from benchmarks.with_pinocchio import Pinocchio
import numpy as np
from rich.console import Console
from robodyn_ros import load_scenario, RobodynError, Simulation

SCENARIO = 'scara_helix'
MOTION_TOLERANCE = 1e-9
"""Largest difference of the two motions [rad] or [m]."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--json', action='store_true', help='print a JSON list of rows')
    parser.add_argument('--duration', type=float, default=20.0, help='simulated seconds')
    parser.add_argument('--repeats', type=positive, default=15, help='turns of each contender')


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    messages = Console(stderr=True)
    with messages.status(f'measuring {SCENARIO}'):
        row = measure(arguments.duration, arguments.repeats)
    if arguments.json:
        print(json.dumps([row.as_json()], indent=2))
        return 0
    factor = arguments.duration * 1e6 / row.ours_us
    print(f'{SCENARIO}, {arguments.duration:g} s closed loop: ours {row.ours_us / 1e3:.1f} ms, '
          f'{factor:.0f} times real time')
    if row.peer_us is None:
        print(missing(PINOCCHIO))
    else:
        print(f'the same loop with Pinocchio from Python: {row.peer_us / 1e3:.0f} ms, '
              f'{row.ratio:.0f} times ours')
    return 0


def measure(duration: float, repeats: int) -> Row:
    """Time one whole run of each, in turns."""
    simulation = Simulation(load_scenario(SCENARIO), duration)
    result = simulation.run()
    tasks: dict[str, Callable[[], Any]] = {'ours': simulation.run}
    if find(PINOCCHIO) is not None:
        loop = python_loop(simulation)
        apart = float(np.abs(loop() - result.q).max())
        if not apart < MOTION_TOLERANCE:
            raise RobodynError(f'the two loops end {apart:.3g} apart; they are not the same, so '
                               'no time is compared')
        tasks[PINOCCHIO] = loop
    timings = interleave(tasks, dict.fromkeys(tasks, 1), repeats)
    name = f'{SCENARIO}.closed_loop'
    if PINOCCHIO in timings:
        return compared(name, PINOCCHIO, timings, 'run', simulated_s=duration)
    return Row(name, timings['ours'].median, unit='run', details={'simulated_s': duration})


def python_loop(simulation: Simulation) -> Callable[[], np.ndarray]:
    """Return computed torque and RK4 as one writes them with Pinocchio, same reference."""
    peer = Pinocchio(simulation.robot)
    pin, model, data = peer.engine, peer.model, peer.data
    reference, step = simulation.reference, simulation.plant.step_size
    assert reference is not None
    omega = simulation.scenario.controller.natural_frequency[0]
    kp, kd = omega ** 2, 2.0 * omega
    start = simulation.assembly.state

    def loop() -> np.ndarray:
        q, v = start.q.copy(), start.v.copy()
        path = np.empty_like(reference.q)
        for k in range(len(path) - 1):
            path[k] = q
            wanted = reference.a[k] + kd * (reference.v[k] - v) + kp * (reference.q[k] - q)
            tau = pin.rnea(model, data, q, v, wanted).copy()
            a1 = pin.aba(model, data, q, v, tau).copy()
            v2 = v + 0.5 * step * a1
            a2 = pin.aba(model, data, q + 0.5 * step * v, v2, tau).copy()
            v3 = v + 0.5 * step * a2
            a3 = pin.aba(model, data, q + 0.5 * step * v2, v3, tau).copy()
            v4 = v + step * a3
            a4 = pin.aba(model, data, q + step * v3, v4, tau)
            q = q + step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
            v = v + step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        path[-1] = q
        return path

    return loop
