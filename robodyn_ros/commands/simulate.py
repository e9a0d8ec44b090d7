# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run a scenario in compiled code, without ROS, and print what was achieved.

A scenario is one of the package's (robodyn list) or the path of a YAML file; --set changes single
values of it. With --output all arrays are written to one NPZ file; an earlier one is replaced when
the run is complete. Joints that pass the limits of the robot's file are named: a simulation has no
stops, but `robodyn run` holds the arm there.
"""
from __future__ import annotations

import argparse
import sys
import time
from typing import Any, Iterator

from rich.console import Console

from robodyn_ros.commands.options import (add_scenario, chosen_scenario, plain, print_json,
                                          print_table)
from robodyn_ros.errors import RobodynError
from robodyn_ros.scenario.result import ResultFile, summary
from robodyn_ros.scenario.simulation import Simulation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_scenario(parser)
    parser.add_argument('--output', metavar='FILE.npz', help='write all recorded arrays, as NPZ')


def run(arguments: argparse.Namespace) -> int:
    """Simulate and report; 0 if the tracking error stayed within the scenario's tolerance."""
    output = None if arguments.output is None else ResultFile(arguments.output)
    scenario = chosen_scenario(arguments)
    console = Console(stderr=True)
    with console.status(plain(f'simulating {arguments.scenario}')):
        simulation = Simulation(scenario)
        simulation.plant.program().functions()  # compile or load before the clock starts
        start = time.perf_counter()
        try:
            result = simulation.run()
        except RobodynError as error:
            if output is not None and error.partial is not None:
                name = output.keep_broken_off(simulation.result(error.partial))
                print(f'robodyn: the run broke off; its {len(error.partial.t)} samples until '
                      f't = {error.partial.t[-1]:.6g} s are in {name}', file=sys.stderr)
            raise
        seconds = time.perf_counter() - start
    if output is not None:
        output.keep(result)
    facts = summary(result, seconds)
    if arguments.json:
        print_json(facts)
    else:
        notes = [f'arrays written to {arguments.output}'] if output is not None else []
        print_table(f'{facts["scenario"]}: {facts["robot"]}, {facts["simulated_s"]:g} s simulated',
                    ('quantity', 'value', 'expected'), _rows(facts),
                    [*_limit_lines(facts), *notes])
    return 0 if facts['healthy'] else 1


def _rows(facts: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield quantity, value and what was expected."""
    if facts['tracking_error'] is not None:
        yield ('tracking error, largest',
               f'{facts["tracking_error"]:.3g} {facts["tracking_unit"]}',
               f'at most {facts["tolerance"]:g}: {"yes" if facts["healthy"] else "NO"}')
    if facts['constraint_rows']:
        yield 'constraint violation, largest', f'{facts["violation"]:.3g}', ''
        for joint, low, high in zip(facts['joints'], facts['constraint_force_min'],
                                    facts['constraint_force_max']):
            yield f'constraint force on {joint}', f'{low:.4g} .. {high:.4g}', ''
    else:
        for joint, high in zip(facts['joints'], facts['torque_max']):
            yield f'torque on {joint}, largest', f'{high:.4g}', ''
    if facts['start_moved'] > 0.0:
        yield 'start moved onto constraints by', f'{facts["start_moved"]:.3g}', ''
    yield ('wall time', f'{facts["wall_s"] * 1e3:.1f} ms',
           f'{facts["realtime_factor"]:.0f} times real time')


def _limit_lines(facts: dict[str, Any]) -> Iterator[str]:
    """Yield a warning for every joint that was at or beyond a limit, and what the nodes do."""
    for one in facts['effort_limited']:
        yield (f'WARNING: the motor of {one["joint"]} gave all it can, {one["limit"]:g}, for '
               f'{one["seconds"]:.3g} s; dynamics.limit_efforts=false simulates a stronger one')
    word = 'allowed' if facts['ignore_limits'] else 'WARNING'
    for one in facts['beyond_limits']:
        yield (f'{word}: {one["kind"]} of {one["joint"]} reached {one["farthest"]:.4g} '
               f'{one["unit"]}, {one["excess"]:.3g} beyond {one["lower"]:g} .. {one["upper"]:g}, '
               f'first at {one["first"]:.4g} s')
    stops = [one['first'] for one in facts['beyond_limits'] if one['kind'] == 'position']
    if stops and not facts['ignore_limits']:
        yield (f'robodyn run would hold the arm at {min(stops):.4g} s; trajectory.ignore_limits '
               'allows it to go on')
