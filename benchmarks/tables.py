# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Measured rows as tables for people."""
from __future__ import annotations

from typing import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.markdown import number
from benchmarks.row import Row
WIDTH = 112
"""Columns of a table that goes to a file or a pipe."""


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
