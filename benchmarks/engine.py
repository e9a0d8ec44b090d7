# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The engine's speed beside MuJoCo and Pinocchio, all measured in one run: robodyn bench engine.

    robodyn bench engine             tables; some minutes, most of them compiling the longest chain
    robodyn bench engine --quick     about a minute
    robodyn bench engine --json      a JSON list of rows on stdout, nothing else
"""
from __future__ import annotations

import argparse
import json

from benchmarks import allocation, cases, chains, startup, throughput
from benchmarks.progress import Watch
from benchmarks.row import Row
from benchmarks.sizes import FULL, QUICK
from benchmarks.tables import print_tables

PARTS = {'cases': cases.measure, 'growth': chains.measure, 'allocation': allocation.measure,
         'rollouts': throughput.measure, 'startup': startup.measure}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--json', action='store_true', help='print a JSON list of rows')
    parser.add_argument('--quick', action='store_true',
                        help='finish in about a minute: fewer repeats, short chains, one start-up')
    parser.add_argument('--only', nargs='+', choices=list(PARTS), metavar='PART',
                        help=f'measure only some of: {", ".join(PARTS)}')
    parser.add_argument('--repeats', type=positive, help=argparse.SUPPRESS)
    parser.add_argument('--steps', type=positive, help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    effort = (QUICK if arguments.quick else FULL).reduced(arguments.repeats, arguments.steps)
    rows: dict[str, list[Row]] = {}
    with Watch() as watch:
        for name, measure in PARTS.items():
            if not arguments.only or name in arguments.only:
                rows[name] = measure(effort, watch)
    if arguments.json:
        print(json.dumps([row.as_json() for part in rows.values() for row in part], indent=2))
    else:
        print_tables(rows)
    return 0


def positive(text: str) -> int:
    """Read a count for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f'{number} is not positive')
    return number
