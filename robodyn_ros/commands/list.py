# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""List the robots and scenarios of this package."""
from __future__ import annotations

import argparse

from robodyn_ros.commands.options import add_json, print_json
from robodyn_ros.robots.robot import load_robot, robot_names
from robodyn_ros.scenario.loading import load_scenario, scenario_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the list; returns the exit code."""
    robots = [load_robot(name) for name in robot_names()]
    scenarios = [load_scenario(name) for name in scenario_names()]
    if arguments.json:
        print_json({
            'robots': {robot.name: {'joints': list(robot.joints), 'loops': len(robot.loops),
                                    'passive': list(robot.passive)} for robot in robots},
            'scenarios': {scenario.name: {
                'robot': scenario.robot, 'controller': scenario.controller.kind,
                'trajectory': scenario.trajectory.kind} for scenario in scenarios}})
        return 0
    print('robots')
    for robot in robots:
        loops = f', {len(robot.loops)} loops' if robot.loops else ''
        print(f'  {robot.name:24} {robot.n} joints{loops}')
    print('scenarios')
    for scenario in scenarios:
        print(f'  {scenario.name:24} {scenario.robot}, {scenario.trajectory.kind}, '
              f'controller {scenario.controller.kind}, {scenario.duration:g} s')
    return 0
