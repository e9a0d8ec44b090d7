# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Write a scenario for a robot file: a motion found by search that keeps every limit.

    robodyn new arm.urdf                                   a sine of every joint, in arm.yaml
    robodyn new arm.urdf --motion helix --frame flange --output helix.yaml
    robodyn run arm.yaml --view                            then change it and run it

The tool is tool0, else the end of the longest chain. The start and the place of a path are found
by search; velocities stay below half of their limits and efforts below 80 %. The scenario is
simulated once before it is written, which compiles it, too. `robodyn run arm.urdf` does without a
file.
"""
from __future__ import annotations

import argparse
import os
from pathlib import Path
import sys
import time

from rich.console import Console

from robodyn_ros.commands.options import add_xacro, plain, xacro_arguments
from robodyn_ros.errors import ArgumentError
from robodyn_ros.robots.robot import robot_names
from robodyn_ros.scenario.drafting import drafted, MOTIONS
from robodyn_ros.scenario.result import summary
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.scenario.writing import scenario_text
from robodyn_ros.share import share_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('robot', help='path of a URDF or xacro file, or name of a robot')
    parser.add_argument('--motion', choices=MOTIONS, default=MOTIONS[0],
                        help='what the arm does (default: %(default)s)')
    parser.add_argument('--frame', default='', help='frame that follows it (default: the tool)')
    parser.add_argument('--output', metavar='FILE.yaml',
                        help='file to write (default: the name of the robot file, here; -: print)')
    parser.add_argument('--force', action='store_true', help='write over a file that is there')
    add_xacro(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search, simulate, write and tell; 0 if the scenario runs well."""
    named = arguments.robot in robot_names()
    path = share_folder('urdf') / f'{arguments.robot}.urdf' if named else Path(arguments.robot)
    output = None
    if arguments.output != '-':
        output = Path(arguments.output or f'{path.name.split(".")[0]}.yaml')
        if output.suffix not in ('.yaml', '.yml'):
            raise ArgumentError(f'--output is {str(output)!r}; expected a name that ends with '
                                '.yaml, or - to print')
        if output.exists() and not arguments.force:
            raise ArgumentError(f'{output} is there already; give another --output, or --force to '
                                'write over it')
    said = plain(f'searching a {arguments.motion} for {path.name}')
    with Console(stderr=True).status(said) as line:
        begin = time.perf_counter()
        scenario = drafted(path, arguments.motion, arguments.frame, xacro_arguments(arguments))
        line.update('simulating it')
        simulation = Simulation(scenario)
        simulation.plant.program().functions()
        compiled = time.perf_counter() - begin
        facts = summary(simulation.run(), 1.0)
    robot = arguments.robot if named else str(path.absolute())
    if output is not None and not named:
        robot = os.path.relpath(path.absolute(), output.absolute().parent)
    text = scenario_text(scenario, robot, (
        f'{arguments.motion} for {facts["robot"]}, written by robodyn new; all settings: robodyn '
        'parameters\n' + ('The effort limits of the file cannot hold the robot; they are ignored.'
                          if scenario.trajectory.ignore_limits and scenario.controller.kind
                          != 'none' else 'The motion keeps half of every velocity limit and a '
                          'fifth of every effort limit free.')))
    if output is None:
        print(text, end='')
    else:
        output.write_text(text, encoding='utf-8')
    error = facts['tracking_error']
    told = 'it swings freely' if error is None else f'tracking error {error:.2g}'
    then = '' if output is None else f'; run it: robodyn run {output} --view'
    print(f'robodyn: {told} in {scenario.duration:g} s of simulation; found and compiled in '
          f'{compiled:.1f} s, which is kept{then}', file=sys.stderr)
    return 0 if facts['healthy'] else 1
