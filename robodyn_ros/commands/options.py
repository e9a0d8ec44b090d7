# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What several verbs share: their options, names of ROS and ROS itself, tables and JSON."""
from __future__ import annotations

import argparse
from contextlib import contextmanager
import json
import os
import re
import sys
from typing import Any, Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from robodyn_ros.errors import ArgumentError, printable, RobodynError
from robodyn_ros.interruption import INTERRUPTION
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.scenario.loading import load_scenario, with_duration
from robodyn_ros.scenario.schema import Scenario

ROS_NAME = re.compile(r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*', re.ASCII)
LONGEST_NAME = 200
"""Letters of a name; DDS has room for somewhat more, and a namespace may come before it."""


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare --json."""
    parser.add_argument('--json', action='store_true', help='machine-readable, on stdout')


def add_scenario(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that choose a scenario and change it, and --json."""
    parser.add_argument('scenario', help='name of a scenario, path of a YAML file, or path of a '
                                         'robot (URDF, xacro), which then moves gently')
    parser.add_argument('--duration', type=float, metavar='S', help='seconds of motion')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE', dest='changes',
                        help='change a value, such as dynamics.payload.mass=5 (repeatable)')
    add_xacro(parser)
    add_json(parser)


def chosen_scenario(arguments: argparse.Namespace) -> Scenario:
    """Return the scenario of the arguments that add_scenario declared."""
    # as changes, since a robot file is expanded with them before it gets its motion
    given = [f'robot_arguments.{name}={json.dumps(value)}'
             for name, value in xacro_arguments(arguments).items()]
    scenario = load_scenario(arguments.scenario, [*arguments.changes, *given])
    return with_duration(scenario, arguments.duration)


def add_xacro(parser: argparse.ArgumentParser) -> None:
    """Declare --xacro."""
    parser.add_argument('--xacro', action='append', default=[], metavar='NAME:=VALUE',
                        help='argument of a xacro file, such as prefix:=left_ (repeatable)')


def xacro_arguments(arguments: argparse.Namespace) -> dict[str, str]:
    """Return what --xacro gave, by name."""
    found = {}
    for text in arguments.xacro:
        name, separator, value = text.partition(':=')
        if not separator or not name:
            raise ArgumentError(f'--xacro is {text!r}; expected NAME:=VALUE, such as '
                                'prefix:=left_')
        found[name] = value
    return found


def add_robot(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that choose a robot."""
    parser.add_argument('robot', help='name of a robot (robodyn list), or path of a URDF or xacro '
                                      'file')
    add_xacro(parser)


def chosen_robot(arguments: argparse.Namespace) -> Robot:
    """Return the robot of the arguments that add_robot declared."""
    return load_robot(arguments.robot, xacro_arguments(arguments))


def check_name(option: str, name: str, example: str) -> None:
    """
    Refuse what ROS cannot use as a name of a topic or namespace; what rcl would say is no help.

    :param option: where it was given, such as '--states-topic'
    :param example: of a good one
    """
    if not ROS_NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise ArgumentError(f'{option} is {name!r}; expected a ROS name such as {example}: words '
                            'of letters, digits and _, none begun by a digit, with / between '
                            f'them, at most {LONGEST_NAME} letters')


def check_port(port: int) -> None:
    """Refuse a --port that is no port."""
    if not 0 <= port <= 65535:
        raise ArgumentError(f'--port is {port}; expected 0 (any free one) to 65535')


@contextmanager
def needs_ros() -> Iterator[None]:
    """Turn a failed import of ROS 2, or of what the browser view needs, into one sentence."""
    try:
        with INTERRUPTION.held():
            yield
    except ImportError as error:
        if error.name in ('viser', 'trimesh'):
            raise RobodynError(f'the browser view needs {error.name}; install it: pip install '
                               '"robodyn_ros[view]"') from None
        raise RobodynError(f'ROS 2 cannot be imported ({error}); source a ROS 2, or install its '
                           'wheels: pip install "robodyn_ros[ros]"') from None


@contextmanager
def quiet_stdout() -> Iterator[None]:
    """Send what others write to stdout within the block to stderr: DDS writes its errors there."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # closed: nobody reads it
        yield
        return
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def print_json(facts: Any) -> None:
    """Print plain values as JSON, for programs."""
    print(json.dumps(facts, indent=1))


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str | Text]],
                notes: Iterable[str] = ()) -> None:
    """
    Print a table for people.

    :param rows: a Text has its own style; names in texts may look like rich's markup, and are none
    :param notes: lines to print below it as they are
    """
    table = Table(*headings, title=plain(title))
    for row in rows:
        table.add_row(*map(plain, row))
    console = Console(file=sys.stdout)
    console.print(table)
    for note in notes:
        console.print(plain(note), soft_wrap=True)


def plain(text: str | Text) -> Text:
    """Return a text as rich shows it letter by letter, on one line."""
    return text if isinstance(text, Text) else Text(printable(text))
