# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The command `robodyn`: look at robots, simulate, run, reproduce.

Every verb is a module of this folder, imported when the verb is used: its docstring is the verb's
--help, add_arguments(parser) declares what it takes, run(arguments) does it and returns the exit
code. A user's mistake ends with one sentence on stderr and exit code 2.
"""
from __future__ import annotations

import argparse
import importlib
import io
import logging
import sys
from typing import Any, Sequence

import robodyn_ros
from robodyn_ros import imports
from robodyn_ros.errors import printable, RobodynError
from robodyn_ros.interruption import INTERRUPTION

VERBS = {
    'list': 'robots and scenarios of this package',
    'check': 'what is in a robot file, what is missing or odd, and what helps',
    'inertials': 'estimate the masses and inertias that a robot file lacks',
    'source': 'print the straight-line code a robot is compiled to',
    'simulate': 'run a scenario in compiled code, without ROS',
    'run': 'run a scenario as ROS 2 nodes in this process',
    'view': 'show a robot in the browser: a running one, a scenario or a file',
    'new': 'write a scenario for a robot file, found by search',
    'report': 'make figures, numbers and a page from a run',
    'sweep': 'run a scenario many times, over parameters, starts and noise',
    'tune': 'find the parameters that make a metric best under limits',
    'identify': 'make a model that fits a recording of the real robot',
    'excite': 'find a motion that shows the parameters of a robot',
    'check-driver': 'check the driver of a robot before the controller meets it',
    'export': 'write dynamics and control law as C that needs nothing else',
    'parameters': 'every parameter of every node',
    'reproduce': 'run the studies of the five papers and compare every number',
}
"""Each verb and its line in `robodyn --help`; its module has its name, with _ for -."""
EPILOGUE = """examples:
  robodyn list
  robodyn check arm.urdf.xacro --xacro prefix:=left_
  robodyn simulate scara_helix_constrained
  robodyn run scara_helix --fast
  robodyn simulate scara_via_points --set dynamics.payload.mass=8 --json
  robodyn view arm.urdf
  robodyn new arm.urdf --motion helix --output arm.yaml
  robodyn sweep payload.yaml --plan
  robodyn excite arm.urdf --output arm_excite.yaml
  robodyn identify run.mcap --robot arm.urdf
  robodyn source scara_450
  robodyn export scara_helix --output scara_c
  robodyn reproduce 000"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # letters that a terminal has not are escaped
            stream.reconfigure(errors='backslashreplace')
    try:
        with INTERRUPTION.held(), imports.that_stay():
            chosen = _parser().parse_args(arguments)  # imports the verb's module
        with INTERRUPTION.heard():
            logging.basicConfig(level=logging.WARNING if chosen.quiet else logging.INFO,
                                format='robodyn: %(message)s', stream=sys.stderr)
            for handler in logging.getLogger().handlers:
                handler.addFilter(_one_line)
            if chosen.no_user_code:
                from robodyn_ros.scenario.user_code import forbid_user_code
                forbid_user_code()
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
        place = f' {printable(error.filename)!r}' if error.filename else ''
        print(f'robodyn: cannot read or write{place} ({error.strerror or error}); choose another '
              'place or make room', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print('robodyn: interrupted', file=sys.stderr)
        return 130


def _one_line(record: logging.LogRecord) -> bool:
    """Let a message, which may quote names from files, be one line of letters."""
    record.msg, record.args = printable(record.getMessage()), ()
    return True


def _parser() -> argparse.ArgumentParser:
    parser = _Verb(
        prog='robodyn', description='Constrained robot dynamics for ROS 2.', epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--version', action=_Version, nargs=0, default=argparse.SUPPRESS,
                        help='print the version of this package, and end')
    parser.set_defaults(quiet=False, no_user_code=False)
    verbs = parser.add_subparsers(dest='verb', metavar='VERB', required=True)
    for name, text in VERBS.items():
        verb = verbs.add_parser(name, help=text,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
        verb.module = f'robodyn_ros.commands.{name.replace("-", "_")}'
    return parser


class _Version(argparse.Action):
    """Prints the version, which takes longer to look up than all else here: only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print and end."""
        print(robodyn_ros.__version__)
        parser.exit()


class _Verb(argparse.ArgumentParser):
    """The parser of a verb, which asks the verb's module only when the verb is used."""

    module = ''

    def __init__(self, **settings: Any):
        """Give every parser what may stand before the verb and after it."""
        super().__init__(**settings)
        # no default here: that of a verb would undo what stood before it
        self.add_argument('--quiet', action='store_true', default=argparse.SUPPRESS,
                          help='no messages, only results and errors')
        self.add_argument('--no-user-code', action='store_true', default=argparse.SUPPRESS,
                          help='refuse scenarios that name modules of users, which are code')

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Import the module; its rewritten(words), if any, goes first over what was typed."""
        if self.module:
            module, self.module = importlib.import_module(self.module), ''
            self.description = module.__doc__
            module.add_arguments(self)
            self.set_defaults(run=module.run)
            if hasattr(module, 'rewritten'):
                args = module.rewritten(args)
        return super().parse_known_args(args, namespace)


if __name__ == '__main__':
    sys.exit(main())
