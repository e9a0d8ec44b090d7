# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run a scenario in compiled code, without ROS, and print what was achieved.

A scenario is one of the package's (robodyn list) or the path of a YAML file; --set changes single
values of it. With --output all arrays are written to one NPZ file.
"""
from __future__ import annotations

import argparse
import json
import math
import sys
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from robodyn_ros import build
from robodyn_ros.errors import RobodynError, StateError
from robodyn_ros.scenario import load_scenario
from robodyn_ros.signals import Reference, Rollout
from robodyn_ros.simulation import Result, Simulation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('scenario', help='name of a scenario or path of a YAML file')
    parser.add_argument('--duration', type=float, metavar='S', help='seconds to simulate')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE', dest='changes',
                        help='change a value, such as dynamics.payload.mass=5 (repeatable)')
    parser.add_argument('--output', metavar='FILE.npz', help='write all recorded arrays')
    parser.add_argument('--json', action='store_true', help='machine-readable, on stdout')


def run(arguments: argparse.Namespace) -> int:
    """Simulate and report; 0 if the tracking error stayed within the scenario's tolerance."""
    if arguments.duration is not None and not 0.0 < arguments.duration < math.inf:
        raise StateError(f'--duration is {arguments.duration}; expected a positive number of '
                         'seconds')
    if arguments.output is not None:
        _check_place(arguments.output)
    console = Console(stderr=True)
    with console.status(f'simulating {arguments.scenario}'):
        simulation = Simulation(load_scenario(arguments.scenario, arguments.changes),
                                arguments.duration)
        simulation.plant.program().names  # compile or load before the clock starts
        start = time.perf_counter()
        try:
            result = simulation.run()
        except RobodynError as error:
            _keep(arguments.output, simulation, error.partial)
            raise
        seconds = time.perf_counter() - start
    _keep(arguments.output, simulation, result.motion)
    facts = summary(result, seconds)
    if arguments.json:
        print(json.dumps(facts, indent=1))
    else:
        _print(facts, arguments.output)
    return 0 if facts['healthy'] else 1


def follows_space(result: Result) -> bool:
    """Tell whether the scenario follows a path in space, judged by the tool, or joint motions."""
    return bool(build.task_of(result.scenario.trajectory))


def summary(result: Result, seconds: float) -> dict[str, Any]:
    """Return the numbers worth knowing of a run, as plain values."""
    scenario, motion = result.scenario, result.motion
    in_space = follows_space(result)
    tracking: float | None = None
    if in_space:
        tracking = float(result.tool_error.max())
    elif result.reference is not None:
        tracking = float(np.abs(result.error).max())
    rows = bool(result.row_names)
    return {
        'scenario': scenario.name, 'robot': result.robot.name,
        'simulated_s': float(motion.t[-1]), 'wall_s': seconds,
        'realtime_factor': float(motion.t[-1]) / seconds,
        'tracking_error': tracking, 'tracking_unit': 'm' if in_space else 'rad or m',
        'tolerance': scenario.tolerance,
        'healthy': tracking is None or tracking <= scenario.tolerance,
        'constraint_rows': list(result.row_names),
        'violation': float(motion.violation.max()) if rows else None,
        'constraint_force_min': motion.constraint_force.min(axis=0).tolist() if rows else None,
        'constraint_force_max': motion.constraint_force.max(axis=0).tolist() if rows else None,
        'torque_max': np.abs(motion.tau).max(axis=0).tolist(),
        'start_moved': float(np.abs(result.assembly.moved).max()),
        'joints': list(result.robot.joints),
    }


def _check_place(path: str) -> None:
    """Complain before the work, not after it, about a file that cannot be written."""
    try:
        with open(path, 'ab'):
            pass
    except OSError as error:
        raise StateError(f'--output {path!r} cannot be written ({error.strerror}); give a path in '
                         'a folder that exists') from None


def _keep(path: str | None, simulation: Simulation, motion: Rollout | None) -> None:
    """Write the arrays of a motion, and what a report needs to know beside them."""
    if not path or motion is None:
        return
    scenario = simulation.scenario
    reference = simulation.reference
    if reference is not None:  # a motion that failed is shorter than what was wanted
        reference = Reference(*(part[:len(motion.t)] for part in reference))
    result = Result(scenario, simulation.robot, motion, reference, simulation.plant.row_names,
                    simulation.assembly)
    arrays: dict[str, Any] = {
        **motion._asdict(), 'scenario': scenario.name, 'urdf': simulation.robot.urdf,
        'frame': result.frame, 'row_names': np.array(simulation.plant.row_names, dtype=str)}
    if reference is not None:
        arrays |= {'reference_q': reference.q, 'tool_reference': result.tool_reference}
    with open(path, 'wb') as file:  # by hand: savez would append .npz to other names
        np.savez(file, **arrays)


def _print(facts: dict[str, Any], output: str | None) -> None:
    console = Console(file=sys.stdout)
    table = Table(title=f'{facts["scenario"]}: {facts["robot"]}, {facts["simulated_s"]:g} s '
                        'simulated', show_header=True)
    for heading in ('quantity', 'value', 'expected'):
        table.add_column(heading)
    if facts['tracking_error'] is not None:
        table.add_row('tracking error, largest',
                      f'{facts["tracking_error"]:.3g} {facts["tracking_unit"]}',
                      f'at most {facts["tolerance"]:g}: {"yes" if facts["healthy"] else "NO"}')
    if facts['constraint_rows']:
        table.add_row('constraint violation, largest', f'{facts["violation"]:.3g}', '')
        for joint, low, high in zip(facts['joints'], facts['constraint_force_min'],
                                    facts['constraint_force_max']):
            table.add_row(f'constraint force on {joint}', f'{low:.4g} .. {high:.4g}', '')
    else:
        for joint, high in zip(facts['joints'], facts['torque_max']):
            table.add_row(f'torque on {joint}, largest', f'{high:.4g}', '')
    if facts['start_moved'] > 0.0:
        table.add_row('start moved onto constraints by', f'{facts["start_moved"]:.3g}', '')
    table.add_row('wall time', f'{facts["wall_s"] * 1e3:.1f} ms',
                  f'{facts["realtime_factor"]:.0f} times real time')
    console.print(table)
    if output:
        console.print(f'arrays written to {output}')
