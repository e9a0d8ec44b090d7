# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Print the straight-line code that is compiled for a robot.

By default that of its mass matrix and bias; --function chooses another of its functions.
"""
from __future__ import annotations

import argparse

from robodyn_ros.commands.options import add_robot, chosen_robot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_robot(parser)
    parser.add_argument('--function', default='mass_and_bias',
                        help='mass_and_bias, bias_parts, inverse_dynamics, forward_dynamics, '
                             'energy, "frame NAME" or "position NAME" (default: %(default)s)')


def run(arguments: argparse.Namespace) -> int:
    """Print the code; returns the exit code."""
    robot = chosen_robot(arguments)
    name = arguments.function
    if ' ' in name:
        robot.find_frame(name.partition(' ')[2])
    print(robot.compiled.program(name).source)
    return 0
