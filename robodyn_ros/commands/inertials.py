# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Estimate the masses and inertias that a robot's file lacks, and write a new URDF.

    robodyn inertials arm.urdf --mass 25                     the mass of the whole robot [kg]
    robodyn inertials arm.urdf.xacro --density 2700          of its links [kg/m^3]; steel has 7850

Each link without an inertial gets that of its shapes: boxes, cylinders and spheres as they are, a
mesh by its volume if it is closed, else by that of its convex hull; visual shapes first, collision
shapes where those tell nothing. All have one density. What the file states stays, unless
--impossible asks for replacing inertias that no body can have.
"""
from __future__ import annotations

import argparse
import os
from pathlib import Path
import sys

from robodyn_ros.checks import number
from robodyn_ros.commands.options import (add_json, add_robot, print_json, print_table,
                                          xacro_arguments)
from robodyn_ros.errors import ArgumentError, printable
from robodyn_ros.robots.estimates import estimated, filled_text
from robodyn_ros.robots.mass_check import mass_report
from robodyn_ros.robots.robot import read_robot, robot_from_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_robot(parser)
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument('--mass', type=float, metavar='KG', help='mass of the whole robot')
    chosen.add_argument('--density', type=float, metavar='KG/M3',
                        help='density of its links, such as 2700 for aluminium')
    parser.add_argument('--impossible', action='store_true',
                        help='replace inertias that no body can have, too')
    parser.add_argument('--output', type=Path, metavar='FILE.urdf',
                        help='file to write (default: name of the robot file, then '
                             '_inertials.urdf, here)')
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Estimate, print and write; returns the exit code."""
    for name in ('mass', 'density'):
        if getattr(arguments, name) is not None:
            number(f'--{name}', getattr(arguments, name), 'a positive number', above=0.0)
    robot = read_robot(arguments.robot, xacro_arguments(arguments))
    output = arguments.output or Path(
        f'{Path(robot.path).name.removesuffix(".xacro").removesuffix(".urdf")}_inertials.urdf')
    if output.exists() and Path(robot.path).exists() and output.samefile(robot.path):
        raise ArgumentError(f'--output is {str(output)!r}, the robot file itself; write to '
                            'another file')
    found = estimated(robot, arguments.mass, arguments.density, arguments.impossible)
    text = filled_text(robot, found)
    made = robot_from_text(text, str(output))  # what is written can be read
    partial = output.with_name(f'.{output.name}.{os.getpid()}')
    partial.write_text(text, encoding='utf-8')
    partial.replace(output)
    report = mass_report(made) if made.n else None
    filled = [item for item in found.links if item.inertial is not None]
    notes = [(f'{len(filled)} of {len(found.links)} links were filled in, with '
              f'{found.density:.4g} kg/m^3' if filled else 'no link was filled in')
             + f'; written to {output}']
    if report is not None and not report.sound:
        notes.append(f'it still cannot be simulated: {report.reason(made)}; write an <inertial> '
                     'or a shape for the links that these joints move')
    if arguments.json:
        print_json({'robot': robot.name, 'output': str(output), 'density': found.density,
                    'links': [{'link': item.link, 'mass': item.mass, 'source': item.source,
                               'estimated': item.inertial is not None} for item in found.links],
                    'warnings': list(found.warnings),
                    'can_be_simulated': bool(report and report.sound)})
    else:
        print_table(f'{robot.name}: inertials', ('link', 'mass [kg]', 'from'),
                    [(item.link, f'{item.mass:.4g}', item.source) for item in found.links], notes)
    for warning in found.warnings:
        print(f'robodyn: {printable(warning)}', file=sys.stderr)
    return 0 if report is None or report.sound else 1
