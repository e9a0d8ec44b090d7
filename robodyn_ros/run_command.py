# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run a scenario as ROS 2 nodes in this process, over the topics that `ros2 launch` would use.

By default the motion is paced by the wall clock, so other nodes can join; --fast runs in lockstep,
as fast as it goes. At the end what was achieved stands beside what `robodyn simulate` gives.
"""
from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rich.console import Console
from rich.table import Table

from robodyn_ros.errors import RobodynError, StateError
from robodyn_ros.scenario import load_scenario
from robodyn_ros.simulate_command import follows_space, summary
from robodyn_ros.simulation import Result, Simulation
from robodyn_ros.view_command import check_port, importable_viewer, PORT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('scenario', help='name of a scenario or path of a YAML file')
    parser.add_argument('--duration', type=float, metavar='S', help='seconds of motion')
    parser.add_argument('--fast', action='store_true',
                        help='lockstep: repeatable to the last bit, as fast as possible')
    parser.add_argument('--rate', type=float, metavar='X',
                        help='simulated seconds per wall second without --fast (default 1)')
    parser.add_argument('--record', metavar='FILE.mcap',
                        help='write all messages to a file (see robodyn report)')
    parser.add_argument('--view', type=int, nargs='?', const=PORT, metavar='PORT',
                        help=f'show it in the browser (port {PORT}), until Ctrl-C')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE', dest='changes',
                        help='change a value, such as dynamics.payload.mass=5 (repeatable)')
    parser.add_argument('--json', action='store_true', help='machine-readable, on stdout')


def run(arguments: argparse.Namespace) -> int:
    """Run and report; 0 if the run was healthy."""
    for name in ('duration', 'rate'):
        value = getattr(arguments, name)
        if value is not None and not 0.0 < value < float('inf'):
            raise StateError(f'--{name} is {value}; expected a positive number')
    if arguments.fast and arguments.rate is not None:
        raise StateError('--rate paces the run, --fast does not; give one or the other')
    try:
        from robodyn_ros.nodes.compose import run_composed, Status
    except ImportError as error:
        raise RobodynError(f'ROS 2 cannot be imported ({error}); source a ROS 2, or install its '
                           'wheels: pip install "robodyn_ros[ros]"') from None
    if arguments.view is not None:
        check_port(arguments.view, '--view')
        importable_viewer()
    scenario = load_scenario(arguments.scenario, arguments.changes)
    if arguments.duration is not None:
        scenario = load_scenario(arguments.scenario,
                                 [*arguments.changes, f'duration={arguments.duration}'])
    expected = Simulation(scenario).run()
    messages = Console(stderr=True)
    with messages.status(f'starting {scenario.name}') as line:

        def show(status: Status) -> None:
            factor = status.simulated / status.wall if status.wall > 0.0 else 0.0
            rows = f', constraints off by {status.violation:.1e}' if expected.row_names else ''
            page = '; the page stays until Ctrl-C' if arguments.view is not None else ''
            line.update(f'{status.simulated:6.2f} of {scenario.duration:g} s, {factor:.2f} times '
                        f'real time, tracking error {status.tracking:.2e}{rows}{page}')

        last = run_composed(scenario, expected, follows_space(expected),
                            'lockstep' if arguments.fast else 'free', arguments.rate or 1.0, show,
                            arguments.record, arguments.view)
    facts = achieved(expected, last)
    if arguments.json:
        print(json.dumps(facts, indent=1))
    else:
        _print(facts)
    return 0 if facts['healthy'] else 1


def achieved(expected: Result, last: Any) -> dict[str, Any]:
    """Return the numbers of a run beside those of simulate()."""
    ideal = summary(expected, 1.0)
    return {
        'scenario': ideal['scenario'], 'robot': ideal['robot'], 'simulated_s': last.simulated,
        'wall_s': last.wall, 'realtime_factor': last.simulated / max(last.wall, 1e-9),
        'tracking_error': last.tracking, 'expected_tracking_error': ideal['tracking_error'],
        'tracking_unit': ideal['tracking_unit'], 'tolerance': ideal['tolerance'],
        'violation': last.violation if expected.row_names else None,
        'expected_violation': ideal['violation'],
        'difference_from_simulate': last.difference, 'reason': last.reason,
        'healthy': not last.reason and last.tracking <= ideal['tolerance'],
    }


def _print(facts: dict[str, Any]) -> None:
    table = Table(title=f'{facts["scenario"]}: {facts["robot"]}, {facts["simulated_s"]:g} s of '
                        'motion as ROS 2 nodes')
    for heading in ('quantity', 'achieved', 'expected'):
        table.add_column(heading)
    if facts['expected_tracking_error'] is not None:
        table.add_row('tracking error, largest',
                      f'{facts["tracking_error"]:.3g} {facts["tracking_unit"]}',
                      f'{facts["expected_tracking_error"]:.3g}, at most {facts["tolerance"]:g}')
    if facts['violation'] is not None:
        table.add_row('constraint violation, largest', f'{facts["violation"]:.3g}',
                      f'{facts["expected_violation"]:.3g}')
    table.add_row('difference from simulate', f'{facts["difference_from_simulate"]:.3g}',
                  '0 with --fast')
    table.add_row('speed', f'{facts["realtime_factor"]:.2f} times real time', '')
    table.add_row('healthy', 'yes' if facts['healthy'] else f'NO {facts["reason"]}', 'yes')
    Console(file=sys.stdout).print(table)
