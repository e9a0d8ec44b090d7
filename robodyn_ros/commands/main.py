# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The command `robodyn`: look at robots, simulate, reproduce, measure.

Every verb is one function; a user's mistake ends with one sentence on stderr and exit code 2.
"""
from __future__ import annotations

import argparse
import importlib
import json
import logging
import sys
from typing import Any, Sequence

import robodyn_ros
from robodyn_ros.errors import RobodynError

EPILOGUE = """examples:
  robodyn list
  robodyn simulate scara_helix_constrained
  robodyn run scara_helix --fast
  robodyn simulate scara_via_points --set dynamics.payload.mass=8 --json
  robodyn source scara_450
  robodyn reproduce 000
  robodyn bench engine --json"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        chosen = _parser().parse_args(arguments)  # imports the verb's part
        logging.basicConfig(level=logging.WARNING if chosen.quiet else logging.INFO,
                            format='robodyn: %(message)s', stream=sys.stderr)
        return int(chosen.run(chosen))
    except RobodynError as error:
        print(f'robodyn: {error}', file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stderr.close()
        return 0
    except MemoryError:
        print('robodyn: the run does not fit into memory; shorten its duration, or record every '
              'so many steps', file=sys.stderr)
        return 2
    except OSError as error:  # a full disk, an unwritable place
        place = f' {error.filename!r}' if error.filename else ''
        print(f'robodyn: cannot write{place} ({error.strerror or error}); choose another place or '
              'make room', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('robodyn: interrupted', file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Verb(
        prog='robodyn', description='Constrained robot dynamics for ROS 2.', epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--version', action='version', version=str(robodyn_ros.__version__))
    parser.set_defaults(quiet=False)
    verbs = parser.add_subparsers(dest='verb', metavar='VERB', required=True)

    listing = verbs.add_parser('list', help='robots and scenarios of this package')
    listing.add_argument('--json', action='store_true', help='machine-readable, on stdout')
    listing.set_defaults(run=_list)

    source = verbs.add_parser(
        'source', help='print the straight-line code a robot is compiled to',
        description='Print the code that is compiled for the mass matrix and bias of a robot, or '
                    'for another of its functions.')
    source.add_argument('robot', help='name of a robot (robodyn list) or path of a URDF')
    source.add_argument('--function', default='mass_and_bias',
                        help='mass_and_bias, bias_parts, inverse_dynamics, forward_dynamics, '
                             'energy, "frame NAME" or "position NAME" (default: %(default)s)')
    source.set_defaults(run=_source)

    _verb(verbs, 'simulate', 'robodyn_ros.commands.simulate',
          'run a scenario in compiled code, without ROS')
    _verb(verbs, 'run', 'robodyn_ros.commands.run',
          'run a scenario as ROS 2 nodes in this process')
    _verb(verbs, 'view', 'robodyn_ros.commands.view',
          'show a running robot in the browser')
    _verb(verbs, 'report', 'robodyn_ros.commands.report',
          'make figures, numbers and a page from a run')
    _verb(verbs, 'check-driver', 'robodyn_ros.commands.check_driver',
          'check the driver of a robot before the controller meets it')
    _verb(verbs, 'parameters', 'robodyn_ros.commands.parameters',
          'every parameter of every node')
    _verb(verbs, 'reproduce', 'robodyn_ros.commands.reproduce',
          'run the studies of the five papers and compare every number')
    bench = verbs.add_parser('bench', help='measure speed beside other engines')
    kinds = bench.add_subparsers(dest='kind', metavar='WHAT', required=True)
    _verb(kinds, 'all', 'benchmarks.page',
          'everything below and more, beside five engines; writes docs/benchmarks.md')
    _verb(kinds, 'engine', 'benchmarks.engine',
          'steps, terms, growth and rollouts beside MuJoCo and Pinocchio')
    _verb(kinds, 'loop', 'benchmarks.closed_loop',
          'a closed loop beside the same one written with Pinocchio from Python')
    _verb(kinds, 'ros', 'benchmarks.ros',
          'the nodes beside a bare ping-pong between two rclpy processes')
    return parser


class _Verb(argparse.ArgumentParser):
    """The parser of a verb, which asks the verb's module only when the verb is used."""

    module = ''

    def __init__(self, **settings: Any):
        """Give every parser --quiet, so that it may stand before the verb and after it."""
        super().__init__(**settings)
        # no default here: that of a verb would undo what stood before it
        self.add_argument('--quiet', action='store_true', default=argparse.SUPPRESS,
                          help='no messages, only results and errors')

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """
        Import the module, which provides add_arguments(parser) and run(arguments).

        It may also have rewritten(words), for words that argparse would take amiss.
        """
        if self.module:
            part, self.module = importlib.import_module(self.module), ''
            self.description = part.__doc__
            part.add_arguments(self)
            self.set_defaults(run=part.run)
            if hasattr(part, 'rewritten'):
                args = part.rewritten(args)
        return super().parse_known_args(args, namespace)


def _verb(verbs: Any, name: str, module: str, text: str) -> None:
    """Add a verb that lives in a module."""
    parser = verbs.add_parser(name, help=text,
                              formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.module = module


def _list(arguments: argparse.Namespace) -> int:
    robots: dict[str, dict] = {}
    for name in robodyn_ros.robot_names():
        robot = robodyn_ros.load_robot(name)
        robots[name] = {'joints': list(robot.joints), 'loops': len(robot.loops),
                        'passive': list(robot.passive)}
    scenarios = {name: robodyn_ros.load_scenario(name) for name in robodyn_ros.scenario_names()}
    if arguments.json:
        print(json.dumps({'robots': robots, 'scenarios': {
            name: {'robot': s.robot, 'controller': s.controller.kind,
                   'trajectory': s.trajectory.kind} for name, s in scenarios.items()}}, indent=1))
        return 0
    print('robots')
    for name, facts in robots.items():
        loops = f', {facts["loops"]} loops' if facts['loops'] else ''
        print(f'  {name:24} {len(facts["joints"])} joints{loops}')
    print('scenarios')
    for name, scenario in scenarios.items():
        print(f'  {name:24} {scenario.robot}, {scenario.trajectory.kind}, '
              f'controller {scenario.controller.kind}, {scenario.duration:g} s')
    return 0


def _source(arguments: argparse.Namespace) -> int:
    robot = robodyn_ros.load_robot(arguments.robot)
    name = arguments.function
    if ' ' in name:
        robot.find_frame(name.partition(' ')[2])
    print(robot.compiled.program(name).source)
    return 0


if __name__ == '__main__':
    sys.exit(main())
