# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Print what is in a robot's file, what is missing or odd in it, and what helps.

    robodyn check arm.urdf
    robodyn check arm.urdf.xacro --xacro prefix:=left_ --json

Joints with their limits and friction, mimic joints, loops, masses, the tool frame and its reach;
then every remark with its remedy; and whether the robot can be simulated. The exit code is 0 if it
can, 1 if it can only be moved and viewed, 2 if it cannot be read.
"""
from __future__ import annotations

import argparse
from typing import Any, Iterator

from robodyn_ros.commands.options import (add_json, add_robot, print_json, print_table,
                                          xacro_arguments)
from robodyn_ros.robots.inspection import inspected
from robodyn_ros.robots.robot import read_robot

MOST_NAMES = 30
"""Names of frames that are listed for people."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    add_robot(parser)
    parser.add_argument('--strict', action='store_true',
                        help='refuse what is odd, as strict: true in a scenario does')
    parser.add_argument('--snap-angles', action='store_true',
                        help='make rounded right angles exact, as snap_angles: true in a scenario '
                             'does, and tell each')
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the facts; returns the exit code."""
    robot = read_robot(arguments.robot, xacro_arguments(arguments), arguments.strict,
                       arguments.snap_angles)
    facts = inspected(robot)
    if arguments.json:
        print_json(facts)
    else:
        print_table(f'{facts["robot"]}: {len(facts["joints"])} joints', (
            'joint', 'position', 'speed', 'effort', 'friction', ''),
            _rows(facts), _notes(facts))
    return 0 if facts['can_be_simulated'] else 1


def _rows(facts: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for joint in facts['joints']:
        unit, force = joint['unit'], 'N m' if joint['unit'] == 'rad' else 'N'
        ends = ['-' if joint[key] is None else f'{joint[key]:.4g}' for key in ('lower', 'upper')]
        speed, effort = ('unknown' if joint[key] is None else f'{joint[key]:.4g} {of}'
                         for key, of in (('velocity', f'{unit}/s'), ('effort', force)))
        friction = [f'{joint["damping"]:.3g} v' if joint['damping'] else '',
                    f'{joint["friction"]:.3g}' if joint['friction'] else '']
        yield (joint['name'], f'{" .. ".join(ends)} {unit}' if ends != ['-', '-'] else 'any',
               speed, effort, ' + '.join(filter(None, friction)),
               'passive' if joint['passive'] else '')


def _notes(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the lines below the table."""
    yield (f'base {facts["base"]}; tool frame {facts["tool_frame"]} ({facts["tool_reason"]}), '
           'where a payload hangs: trajectory.frame and payload.frame choose others')
    frames = facts['frames']
    more = f' and {len(frames) - MOST_NAMES} more' if len(frames) > MOST_NAMES else ''
    yield f'{len(frames)} frames: {", ".join(frames[:MOST_NAMES])}{more}'
    yield (f'mass {facts["mass"]:.4g} kg in {len(facts["masses"])} links; the tool reaches about '
           f'{facts["reach"]:.3g} m from the base')
    for mimic in facts['mimics']:
        yield (f'mimic {mimic["name"]} = {mimic["multiplier"]:g} '
               f'{mimic["follows"] or "(a fixed joint)"} + {mimic["offset"]:g}')
    for loop in facts['loops']:
        yield (f'loop {loop["name"]}: {" and ".join(loop["frames"])} meet in '
               f'{" ".join(loop["axes"])}')
    for remark in facts['remarks']:
        yield f'- {remark["found"]}; {remark["done"]} ({remark["remedy"]})'
    yield ('it can be simulated' if facts['can_be_simulated']
           else f'it cannot be simulated: {facts["why_not"]}')
