# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The engine's speed beside MuJoCo and Pinocchio, all measured in one run.

    python -m benchmarks engine           tables; some minutes, most of them compiling the longest
                                          chain
    python -m benchmarks engine --quick   about a minute
    python -m benchmarks engine --json    a JSON list of rows on stdout, nothing else
"""
from __future__ import annotations

import argparse
import json
from typing import Mapping, Sequence

from benchmarks import allocation, cases, chains, startup, throughput
from benchmarks.markdown import number
from benchmarks.progress import ProgressBars
from benchmarks.row import Row
from benchmarks.sizes import FULL, QUICK
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

PARTS = {'cases': cases.measure, 'growth': chains.measure, 'allocation': allocation.measure,
         'rollouts': throughput.measure, 'startup': startup.measure}
WIDTH = 112
"""Columns of a table that goes to a file or a pipe."""


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
    sizes = (QUICK if arguments.quick else FULL).reduced(arguments.repeats, arguments.steps)
    rows: dict[str, list[Row]] = {}
    with ProgressBars() as bars:
        for name, measure in PARTS.items():
            if not arguments.only or name in arguments.only:
                rows[name] = measure(sizes, bars)
    if arguments.json:
        print(json.dumps([row.as_json() for part in rows.values() for row in part], indent=2))
    else:
        print_tables(rows)
    return 0


def positive(text: str) -> int:
    """Read a count for argparse."""
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f'{count} is not positive')
    return count


def print_tables(parts: Mapping[str, Sequence[Row]]) -> None:
    """Print one table per part that was measured, on stdout."""
    makers = {'cases': _cases, 'growth': _growth, 'allocation': _allocation,
              'rollouts': _rollouts, 'startup': _startup}
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    for name, rows in parts.items():
        if rows:
            console.print(makers[name](rows))


def _table(title: str, columns: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    table = Table(title=title, title_justify='left', title_style='bold', box=SIMPLE_HEAD)
    table.add_column(columns[0], no_wrap=True)
    for column in columns[1:]:
        widest = max(map(len, column.split()))
        table.add_column(column, justify='right', min_width=widest)
    for line in lines:
        table.add_row(*line)
    return table


def _cases(rows: Sequence[Row]) -> Table:
    return _table('Time per step or evaluation in us, median ± half their middle range',
                  ['case', 'ours', 'peer', 'over ours', 'violation', "peer's"],
                  [[row.name, _time(row.ours_us, row.details['ours_quartiles_us']),
                    f'{row.peer} ' + _time(row.peer_us, row.details['peer_quartiles_us']),
                    number(row.ratio), _small(row.details.get('violation')),
                    _small(row.details.get('peer_violation'))] for row in rows])


def _growth(rows: Sequence[Row]) -> Table:
    table = _table('Growth: free serial chains, RK4',
                   ['joints', 'ops', 'trace s', 'compile s', 'peak MB', 'kept kB',
                    'step us', 'mujoco step', 'ratio', '1 of 4', 'aba'],
                   [[str(row.details['joints']), str(row.details['operations']),
                     *(number(row.details[key]) for key in (
                         'trace_s', 'compile_cpu_s', 'memory_MB', 'cache_kB')),
                     number(row.ours_us), number(row.peer_us), number(row.ratio),
                     number(row.details['ours_evaluation_us']),
                     number(row.details['pinocchio_aba_us'])] for row in rows])
    table.caption_justify = 'left'
    table.caption = ('trace, compile, peak memory: a fresh process with an empty cache, seconds '
                     'of processor time; 1 of the 4 evaluations of a step beside aba of Pinocchio')
    return table


def _allocation(rows: Sequence[Row]) -> Table:
    lines = [[f'{steps} steps', number(1e6 * seconds / steps), number(peak), number(grown)]
             for row in rows
             for steps, seconds, peak, grown in zip(*(row.details[key] for key in (
                 'steps', 'seconds', 'traced_peak_kB', 'memory_growth_kB')))]
    return _table('No allocation per step: scara_450 with servo rows, one call',
                  ['run', 'us per step', 'traced peak kB', 'process growth kB'], lines)


def _rollouts(rows: Sequence[Row]) -> Table:
    first = rows[0].details
    return _table(f'{first["rollouts"]} rollouts of {first["steps"]} steps, each with its own '
                  'start and payload: million steps per second',
                  ['case', 'cores', 'ours', 'mujoco', 'ratio'],
                  [[row.name, str(row.details['cores']),
                    number(row.details['ours_steps_per_s'] / 1e6),
                    number(row.details['peer_steps_per_s'] / 1e6) if row.peer else '-',
                    number(row.ratio)] for row in rows])


def _startup(rows: Sequence[Row]) -> Table:
    first = rows[0].details
    return _table('Start-up of a whole process in seconds',
                  ['plant', f'first (below {first["first_target_s"]:g})', 'of it compiling',
                   f'from the cache (below {first["cached_target_s"]:g})'],
                  [[row.name, *(number(row.details[key]) for key in (
                      'first_s', 'compile_s', 'cached_s'))] for row in rows])


def _time(microseconds: float | None, quartiles: Sequence[float]) -> str:
    spread = 50.0 * (quartiles[1] - quartiles[0]) / (microseconds or 1.0)
    return f'{number(microseconds)} ±{spread:.0f} %'


def _small(value: float | None) -> str:
    return '-' if value is None else f'{value:.1e}'
