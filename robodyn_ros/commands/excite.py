# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Find a motion that shows the parameters of a robot, and write a scenario that sends it.

    robodyn excite arm.urdf                                  writes arm_excite.yaml
    robodyn excite arm.urdf --workspace -0.5,0.5,-0.5,0.5,0.1,1.2 --output lab.yaml
    robodyn run arm_excite.yaml --record run.mcap            or on hardware: docs/hardware.md
    robodyn identify run.mcap --robot arm.urdf

The motion is a Fourier series of every joint, periodic, from rest to rest, within the limits of
position, velocity and effort of the robot's file and, if given, with the tool inside of a box. The
search makes the condition number of the identification small; below 100 is good. The table and
other things around the arm are not known to it: look at the motion first (robodyn view).
"""
from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from robodyn_ros.checks import number
from robodyn_ros.commands.options import add_json, add_robot, print_json, xacro_arguments
from robodyn_ros.errors import ArgumentError
from robodyn_ros.identification.excitation import excitation_scenario
from robodyn_ros.robots.robot import robot_names
from robodyn_ros.scenario.writing import scenario_text
from robodyn_ros.share import share_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_robot(parser)
    parser.add_argument('--workspace', metavar='X0,X1,Y0,Y1,Z0,Z1',
                        help='box in the base frame that the tool stays in [m]')
    parser.add_argument('--periods', type=int, default=2, metavar='N',
                        help='how often the motion of 10 s is repeated (default: %(default)s)')
    parser.add_argument('--output', metavar='FILE.yaml',
                        help='file to write (default: name of the robot file, then _excite.yaml)')
    parser.add_argument('--force', action='store_true', help='write over a file that is there')
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search and write; returns the exit code."""
    named = arguments.robot in robot_names()
    path = share_folder('urdf') / f'{arguments.robot}.urdf' if named else Path(arguments.robot)
    output = Path(arguments.output or f'{path.name.split(".")[0]}_excite.yaml')
    if output.suffix not in ('.yaml', '.yml'):
        raise ArgumentError(f'--output is {str(output)!r}; expected a name that ends with .yaml')
    if output.exists() and not arguments.force:
        raise ArgumentError(f'{output} is there already; give another --output, or --force to '
                            'write over it')
    number('--periods', arguments.periods, 'a whole number from 1 to 100', above=0.0)
    workspace = _box(arguments.workspace)
    with Progress(TextColumn('{task.description}'), BarColumn(), TimeElapsedColumn(),
                  console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task('searching', total=1.0)
        scenario, found = excitation_scenario(
            path, xacro_arguments(arguments), workspace, arguments.periods,
            lambda part, best: bars.update(task, completed=part,
                                           description=f'condition number {best:.3g}'))
    robot = arguments.robot if named else os.path.relpath(path.absolute(),
                                                          output.absolute().parent)
    output.write_text(scenario_text(scenario, robot, (
        f'a motion that shows the parameters of {path.name}, written by robodyn excite\n'
        f'condition number {found.condition:.3g}; record it and give it to robodyn identify')),
        encoding='utf-8')
    facts = {'scenario': str(output), 'condition': found.condition,
             'effort_part': None if np.isnan(found.effort) else found.effort,
             'base_parameters': found.parameters, 'duration_s': scenario.duration}
    if arguments.json:
        print_json(facts)
    else:
        taken = '' if np.isnan(found.effort) else f', {100.0 * found.effort:.0f} % of the efforts'
        print(f'condition number {found.condition:.3g} of {found.parameters} parameters{taken}; '
              f'{scenario.duration:g} s in {output}: robodyn run {output} --record run.mcap')
    return 0


def _box(text: str | None) -> np.ndarray | None:
    if text is None:
        return None
    try:
        values = [float(word) for word in text.split(',')]
    except ValueError:
        values = []
    box = np.array(values).reshape(3, 2).T if len(values) == 6 else np.zeros((2, 3))
    if not (np.isfinite(box).all() and (box[0] < box[1]).all()):
        raise ArgumentError(f'--workspace is {text!r}; expected X0,X1,Y0,Y1,Z0,Z1 in metres, each '
                            'first number below its second')
    return box
