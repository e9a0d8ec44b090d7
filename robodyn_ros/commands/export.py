# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Write a robot or a scenario as C that needs nothing else, for a driver's loop: the same bits.

    robodyn export irb120 --output irb120_c                       dynamics and kinematics
    robodyn export irb120 --what inverse_dynamics --output id_c   one function alone
    robodyn export scara_helix --output scara_c                   its control law, too
    robodyn export arm.urdf --what kinematics --frame tool0 --frame camera --output arm_c
    make -C scara_c check                                         compare, to the last bit

The folder gets one header, one C file (C99, also C++17), examples, a check program with numbers
that this package computed, and a Makefile: see docs/export.md.
"""
from __future__ import annotations

import argparse
import os
from pathlib import Path
import sys

from robodyn_ros.commands.options import add_xacro, chosen_scenario, xacro_arguments
from robodyn_ros.errors import ArgumentError, printable, UnknownNameError
from robodyn_ros.export.dynamics import FUNCTIONS
from robodyn_ros.export.folder import check_folder, write
from robodyn_ros.export.library import Library
from robodyn_ros.export.selection import (KINEMATICS, library_of_robot, library_of_scenario,
                                          PARTS)
from robodyn_ros.robots.robot import load_robot, robot_names
from robodyn_ros.scenario.loading import scenario_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('scenario', metavar='SCENARIO|ROBOT',
                        help='name of a scenario or path of its YAML file, or name of a robot or '
                             'path of its URDF or xacro file')
    parser.add_argument('--what', metavar='PART,PART',
                        help=f'some of {", ".join(PARTS)} (default: all there is); or of '
                             f'{", ".join(FUNCTIONS)}, where not all of dynamics is needed')
    parser.add_argument('--frame', action='append', default=[], dest='frames', metavar='NAME',
                        help='frame whose kinematics is exported (repeatable; default: the tool)')
    parser.add_argument('--output', required=True, metavar='FOLDER',
                        help='folder to write to, made if it is not there')
    parser.add_argument('--force', action='store_true', help='write over files that are there')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE', dest='changes',
                        help='change a value of the scenario (repeatable)')
    add_xacro(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the files and tell what they are; returns the exit code."""
    folder = check_folder(arguments.output)
    library = _library(arguments, _parts(arguments.what))
    renamed = library.renamed()
    files = library.files()
    write(folder, files, arguments.force)
    for name, made in renamed.items():
        print(f'robodyn: {printable(name)} is called {made} in C', file=sys.stderr)
    size = len(files[f'{library.name}.c'])
    print(f'{folder}: {library.name}.h, {library.name}.c ({size // 1000} kB), example.c, '
          f'check_{library.name}.c; compare it with this package: make -C {folder} check')
    return 0


def _parts(given: str | None) -> tuple[str, ...]:
    """Return the words of --what; none: all there is."""
    words = tuple(word.strip() for word in (given or '').split(',') if word.strip())
    if given is not None and not words:
        raise ArgumentError('--what is empty; give some of '
                            f'{", ".join((*PARTS, *FUNCTIONS))}, or leave it out')
    return words


def _library(arguments: argparse.Namespace, what: tuple[str, ...]) -> Library:
    given = arguments.scenario
    robot = given in robot_names() or not (
        given in scenario_names() or Path(given).suffix in ('.yaml', '.yml'))
    if arguments.frames and what and KINEMATICS not in what:
        raise ArgumentError(f'--frame names {arguments.frames[0]!r}, but --what leaves out '
                            f'{KINEMATICS}, which is what frames have; add it to --what')
    if not robot:
        arguments.duration = None
        return library_of_scenario(chosen_scenario(arguments), what, arguments.frames)
    if not Path(given).suffix and os.sep not in given and given not in robot_names():
        raise UnknownNameError('scenario or robot', given, [*scenario_names(), *robot_names()],
                               'this package, or give the path of a file')
    if arguments.changes:
        raise ArgumentError(f'--set changes a scenario, but {given!r} is a robot; give a scenario')
    return library_of_robot(load_robot(given, xacro_arguments(arguments)), what, arguments.frames)
