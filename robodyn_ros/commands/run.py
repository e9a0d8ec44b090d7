# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run a scenario as ROS 2 nodes in this process, over the topics that `ros2 launch` would use.

By default the motion is paced by the wall clock, so other nodes can join; --fast runs in lockstep,
as fast as it goes. At the end what was achieved stands beside what `robodyn simulate` gives.
"""
from __future__ import annotations

import argparse
import dataclasses
from typing import Any, Iterator, Sequence

from rich.console import Console

from robodyn_ros.commands.options import (add_scenario, check_port, chosen_scenario, needs_ros,
                                          plain, print_json, print_table, quiet_stdout)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.nodes.common.options import DynamicsOptions, ViewerOptions
from robodyn_ros.scenario.result import Result, summary
from robodyn_ros.scenario.settings import bounds_of
from robodyn_ros.scenario.simulation import Simulation

RATES = bounds_of(next(field for field in dataclasses.fields(DynamicsOptions)
                       if field.name == 'realtime_factor'))
"""What --rate may be: what the plant's parameter may be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_scenario(parser)
    parser.add_argument('--fast', action='store_true',
                        help='lockstep: repeatable to the last bit, as fast as possible')
    parser.add_argument('--rate', type=float, metavar='X',
                        help='simulated seconds per wall second without --fast '
                             f'({RATES.text}, default 1)')
    parser.add_argument('--record', metavar='FILE.mcap',
                        help='write all messages to a file (see robodyn report)')
    parser.add_argument('--view', action='store_true',
                        help='show it in the browser, until Ctrl-C; --view 8081 names a port, too')
    parser.add_argument('--port', type=int, metavar='N',
                        help=f'port of the page of --view (default {ViewerOptions.port}; 0: any '
                             'free one)')


def rewritten(words: Sequence[str]) -> list[str]:
    """Turn `--view 8081` into `--view --port 8081`: a port belongs to it, a scenario does not."""
    result: list[str] = []
    for word in words:
        option, equals, value = word.partition('=')
        if option == '--view' and equals:
            result += ['--view', f'--port={value}']
        elif result[-1:] == ['--view'] and word.lstrip('-').isdecimal():
            result.append(f'--port={word}')
        else:
            result.append(word)
    return result


def run(arguments: argparse.Namespace) -> int:
    """Run and report; 0 if the run was healthy."""
    _check(arguments)
    port = None
    with needs_ros():
        from robodyn_ros.nodes.single_process import run_composed, Status
        if arguments.view:
            import robodyn_ros.nodes.viewer.node  # noqa: F401  before the work, not after
            port = ViewerOptions.port if arguments.port is None else arguments.port
    scenario = chosen_scenario(arguments)
    expected = Simulation(scenario).run()
    messages = Console(stderr=True)
    with quiet_stdout(), messages.status(plain(f'starting {scenario.name}')) as line:

        def show(status: Status) -> None:
            factor = status.simulated / status.wall if status.wall > 0.0 else 0.0
            rows = f', constraints off by {status.violation:.1e}' if expected.row_names else ''
            page = '; the page stays until Ctrl-C' if arguments.view else ''
            line.update(f'{status.simulated:6.2f} of {scenario.duration:g} s, {factor:.2f} times '
                        f'real time, tracking error {status.tracking:.2e}{rows}{page}')

        last = run_composed(scenario, expected, expected.desired.in_space,
                            'lockstep' if arguments.fast else 'free', arguments.rate or 1.0, show,
                            arguments.record, port)
    facts = achieved(expected, last, arguments.fast)
    if arguments.json:
        print_json(facts)
    else:
        print_table(f'{facts["scenario"]}: {facts["robot"]}, {facts["simulated_s"]:g} s of motion '
                    'as ROS 2 nodes', ('quantity', 'achieved', 'expected'), _rows(facts))
    return 0 if facts['healthy'] else 1


def _check(arguments: argparse.Namespace) -> None:
    if arguments.rate is not None and not RATES.allow(arguments.rate):
        raise ArgumentError(f'--rate is {arguments.rate}; expected {RATES.text} simulated seconds '
                            'per wall second, or --fast instead')
    if arguments.fast and arguments.rate is not None:
        raise ArgumentError('--rate paces the run, --fast does not; give one or the other')
    if arguments.record == '':
        raise ArgumentError("--record is ''; expected the name of a file to write, such as "
                            'run.mcap')
    if arguments.port is not None:
        check_port(arguments.port)
        if not arguments.view:
            raise ArgumentError(f'--port is {arguments.port}, but there is no page; give --view '
                                'too')


def achieved(expected: Result, last: Any, exact: bool = False) -> dict[str, Any]:
    """
    Return the numbers of a run beside those of simulate().

    :param exact: a run that does not repeat simulate() to the last bit is not healthy
    """
    ideal = summary(expected, 1.0)
    reason = last.reason
    if exact and last.difference > 0.0 and not reason:
        reason = f'differs from simulate by {last.difference:.3g}'
    return {
        'scenario': ideal['scenario'], 'robot': ideal['robot'], 'simulated_s': last.simulated,
        'wall_s': last.wall, 'realtime_factor': last.simulated / max(last.wall, 1e-9),
        'tracking_error': last.tracking, 'expected_tracking_error': ideal['tracking_error'],
        'tracking_unit': ideal['tracking_unit'], 'tolerance': ideal['tolerance'],
        'violation': last.violation if expected.row_names else None,
        'expected_violation': ideal['violation'],
        'difference_from_simulate': last.difference, 'reason': reason,
        'healthy': not reason and last.tracking <= ideal['tolerance'],
    }


def _rows(facts: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield quantity, what was achieved and what was expected."""
    if facts['expected_tracking_error'] is not None:
        yield ('tracking error, largest',
               f'{facts["tracking_error"]:.3g} {facts["tracking_unit"]}',
               f'{facts["expected_tracking_error"]:.3g}, at most {facts["tolerance"]:g}')
    if facts['violation'] is not None:
        yield ('constraint violation, largest', f'{facts["violation"]:.3g}',
               f'{facts["expected_violation"]:.3g}')
    yield ('difference from simulate', f'{facts["difference_from_simulate"]:.3g}', '0 with --fast')
    yield 'speed', f'{facts["realtime_factor"]:.2f} times real time', ''
    yield 'healthy', 'yes' if facts['healthy'] else f'NO {facts["reason"]}', 'yes'
