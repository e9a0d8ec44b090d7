# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Check a robot's driver before the controller node meets it.

Listens only: names, rate, stamps, fields, quality of service, whether commands are read, and
whether anybody else sends some; then nothing is pushed. With
--joint and --effort one joint is pushed with that torque, for half a second or 0.05 rad (m) at
most, while the others get the torque that carries their weight; the way it moves must be the way
the torque points. Exit code 0 if nothing failed, 1 otherwise. Stop the controller node first.
"""
from __future__ import annotations

import argparse
import math

from rich.console import Console
from rich.text import Text

from robodyn_ros.checks import number
from robodyn_ros.commands.options import (add_json, add_robot, check_name, chosen_robot,
                                          needs_ros, plain, print_json, print_table, quiet_stdout)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.nodes.driver_check.driver_report import healthy, judged
from robodyn_ros.robots.robot import Robot

COLOURS = {'pass': 'green', 'warn': 'yellow', 'FAIL': 'red'}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_robot(parser)
    parser.add_argument('--states-topic', default='joint_states', metavar='TOPIC')
    parser.add_argument('--commands-topic', default='joint_commands', metavar='TOPIC')
    parser.add_argument('--command-format', default='joint_state',
                        choices=('joint_state', 'float64_multi_array'),
                        help='what the driver reads (default: %(default)s)')
    parser.add_argument('--rate', type=float, default=100.0, metavar='HZ',
                        help='least states per second (default 100)')
    parser.add_argument('--seconds', type=float, default=3.0, metavar='S',
                        help='how long to listen (default 3)')
    parser.add_argument('--joint', default='', help='joint to push; moves the arm, with --effort')
    parser.add_argument('--effort', type=float, metavar='X',
                        help='small torque for it [N m], or force [N]')
    parser.add_argument('--yes', action='store_true', help='do not wait 5 s before the push')
    parser.add_argument('--sim-time', action='store_true',
                        help='the driver is a simulator with /clock')
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check and report; 0 if nothing failed."""
    robot = chosen_robot(arguments)
    _check(arguments, robot)
    with needs_ros():
        from robodyn_ros.nodes.driver_check.node import observe, Plan, TYPES
    messages = Console(stderr=True)

    def warn() -> None:
        messages.print(plain(f'robodyn: {arguments.joint} of {robot.name} will be pushed with '
                             f'{arguments.effort:+g} for at most 0.5 s; the other joints carry '
                             'their weight. Stay clear; Ctrl-C stops.'), soft_wrap=True)
        messages.print('robodyn: now' if arguments.yes else 'robodyn: in 5 s', highlight=False)

    plan = Plan(arguments.states_topic, arguments.commands_topic, arguments.command_format,
                arguments.seconds, joint=arguments.joint, effort=arguments.effort or 0.0,
                warning=0.0 if arguments.yes else 5.0, sim_time=arguments.sim_time)
    with quiet_stdout(), messages.status(f'listening to {arguments.states_topic}'):
        seen = observe(robot, plan, warn)
    findings = judged(seen, robot.joints, arguments.rate, TYPES[arguments.command_format][0])
    good = healthy(findings)
    if arguments.json:
        print_json({'robot': robot.name, 'healthy': good,
                    'checks': [finding._asdict() for finding in findings]})
    else:
        print_table(f'driver of {robot.name}', ('check', 'found', 'expected', 'verdict'),
                    [(*found[:3], Text(found.verdict, COLOURS.get(found.verdict, 'dim')))
                     for found in findings])
    return 0 if good else 1


def _check(arguments: argparse.Namespace, robot: Robot) -> None:
    for name in ('rate', 'seconds'):
        number(f'--{name}', getattr(arguments, name), 'a positive number', above=0.0)
    check_name('--states-topic', arguments.states_topic, 'joint_states')
    check_name('--commands-topic', arguments.commands_topic, 'arm/joint_commands')
    if bool(arguments.joint) != (arguments.effort is not None):
        raise ArgumentError('--joint and --effort go together; give both to move the arm, or none')
    if not arguments.joint:
        return
    k = robot.joint_index(arguments.joint)
    if arguments.joint in robot.passive:
        raise ArgumentError(f'--joint is {arguments.joint!r}, which is passive in {robot.name}: '
                            'it has no motor to push with; name a joint that has one')
    limit = 0.2 * float(robot.limits.effort[k])
    if arguments.effort == 0.0 or not math.isfinite(arguments.effort):
        raise ArgumentError(f'--effort is {arguments.effort:g}; expected a small torque other '
                            f'than 0 to push {arguments.joint} with')
    if abs(arguments.effort) > limit:
        raise ArgumentError(f'--effort is {arguments.effort:g}; a fifth of what {arguments.joint} '
                            f'can do, {limit:g}, is the most for a check')
    if robot.loops:
        raise ArgumentError(f'{robot.name} has closed loops, whose weight the check cannot carry; '
                            'leave --effort out')
