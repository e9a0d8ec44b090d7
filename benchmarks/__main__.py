# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Measure speed and accuracy beside other engines: python -m benchmarks, from a checkout.

A user's mistake ends with one sentence on stderr and exit code 2.
"""
from __future__ import annotations

import argparse
from importlib import import_module
import logging
import sys
from typing import Sequence

from robodyn_ros import RobodynError

EPILOGUE = """examples:
  python -m benchmarks engine --quick
  python -m benchmarks engine --json
  python -m benchmarks ros --turns 8 --seconds 10
  python -m benchmarks all --only accuracy"""
KINDS = {
    'all': ('benchmarks.everything',
            'everything below and more, beside five engines; writes docs/benchmarks.md'),
    'engine': ('benchmarks.engine',
               'steps, terms, growth and rollouts beside MuJoCo and Pinocchio'),
    'loop': ('benchmarks.closed_loop',
             'a closed loop beside the same one written with Pinocchio from Python'),
    'ik': ('benchmarks.inverse_kinematics',
           "the field's test of inverse kinematics beside TRAC-IK, KDL, Pink and mink"),
    'export': ('benchmarks.export', "exported C beside our compiled code and CasADi's C"),
    'derivatives': ('benchmarks.derivatives',
                    'derivatives beside Pinocchio and CasADi, and gradients of rollouts'),
    'sweep': ('benchmarks.sweeps',
              'ten thousand closed loops beside bare rollouts and MuJoCo from Python'),
    'tune': ('benchmarks.tuning', 'searches along gradients beside evolution, at equal budget'),
    'ros': ('benchmarks.ros', 'the nodes beside a bare ping-pong between two rclpy processes')}
"""What can be measured: the module with add_arguments(parser) and run(arguments), and the help."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        chosen = _parser().parse_args(words)
        logging.basicConfig(level=logging.WARNING if chosen.quiet else logging.INFO,
                            format='benchmarks: %(message)s', stream=sys.stderr)
        return int(chosen.run(chosen))
    except RobodynError as error:
        return _complain(str(error))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        sys.stderr.close()
        return 0
    except OSError as error:  # a full disk, an unwritable place
        place = f' {error.filename!r}' if error.filename else ''
        return _complain(f'cannot write{place} ({error.strerror or error}); choose another place '
                         'or make room')
    except KeyboardInterrupt:
        print('benchmarks: interrupted', file=sys.stderr)
        return 130


def _complain(sentence: str) -> int:
    print(f'benchmarks: {sentence}', file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    """Return the parser; --quiet may stand before the kind and after it."""
    parser = argparse.ArgumentParser(
        prog='python -m benchmarks', description='Measure speed beside other engines.',
        epilog=EPILOGUE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(quiet=False)
    kinds = parser.add_subparsers(dest='kind', metavar='WHAT', required=True)
    parsers = [parser]
    for name, (module, text) in KINDS.items():
        part = import_module(module)
        own = kinds.add_parser(name, help=text, description=part.__doc__,
                               formatter_class=argparse.RawDescriptionHelpFormatter)
        part.add_arguments(own)
        own.set_defaults(run=part.run)
        parsers.append(own)
    for own in parsers:
        # no default here: that of a kind would undo what stood before it
        own.add_argument('--quiet', action='store_true', default=argparse.SUPPRESS,
                         help='no messages, only results and errors')
    return parser


if __name__ == '__main__':
    sys.exit(main())
