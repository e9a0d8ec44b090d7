# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run a scenario many times: over values of its settings, random draws and noise.

    scenario: scara_via_points          # payload.yaml, a study
    duration: 2.0
    axes:
      dynamics.payload.mass: {range: [0, 5], count: 11}
      dynamics.friction_scale: {uniform: [0.5, 2.0]}
    draws: 100

    robodyn sweep payload.yaml
    robodyn report payload.parquet

One row a run goes into one Parquet file; a run that fails is a row with its reason. Rows are safe
as soon as they are finished: the same command goes on after a kill. The table has one hash, for
any number of workers, on this machine or on a Dask cluster. See docs/sweep.md.
"""
from __future__ import annotations

import argparse
from pathlib import Path
import sys
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import (BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task,
                           TextColumn, TimeElapsedColumn, TimeRemainingColumn)
from rich.text import Text

from robodyn_ros.commands.options import add_json, print_json, print_table
from robodyn_ros.sweeping.metrics import METRICS
from robodyn_ros.sweeping.replay import replay_command
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import MOST_RUNS, read_study, Study
from robodyn_ros.sweeping.sweep import chunks_of, sweep, table_path

ROW_BYTES = 150
"""Of a row in the table, about."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('study', type=Path, metavar='STUDY.yaml', help='what to run')
    parser.add_argument('--output', type=Path, metavar='FILE.parquet',
                        help='table to write (default: named after the study)')
    add_workers(parser)
    parser.add_argument('--plan', action='store_true',
                        help='run a few, tell how long all take and how large they are, and end')
    parser.add_argument('--replay', type=int, metavar='RUN',
                        help='print the command that makes one run again, to the bit')
    add_json(parser)


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Declare who computes."""
    parser.add_argument('--workers', type=int, metavar='N',
                        help='processes (default: one per core)')
    parser.add_argument('--cluster', default='', metavar='ADDRESS',
                        help='Dask scheduler, such as tcp://host:8786; local: one on this machine')


def run(arguments: argparse.Namespace) -> int:
    """Sweep; 0 if every run reached its end, 1 if some are rows with a reason."""
    study = read_study(arguments.study)
    if arguments.replay is not None:
        print(replay_command(study, arguments.replay))
        return 0
    if arguments.plan or study.count > MOST_RUNS:
        return _plan(study, arguments)
    table_path(study, arguments.output)
    begin = time.monotonic()
    with progress_bar() as bars:
        task = bars.add_task(f'{study.count} runs of {study.scenario.name}', total=study.count)

        def show(finished: int, failed: int) -> None:
            rest = f', {failed} failed' if failed else ''
            bars.update(task, completed=finished,
                        description=f'runs of {study.scenario.name}{rest}')

        try:
            found = sweep(study, arguments.output, workers=arguments.workers,
                          cluster=arguments.cluster, progress=show)
        except KeyboardInterrupt:
            print(f'robodyn: {int(bars.tasks[0].completed)} of {study.count} rows are kept; the '
                  'same command goes on from there', file=sys.stderr)
            raise
    seconds = time.monotonic() - begin
    if arguments.json:
        print_json({'table': str(found.path), 'runs': found.runs, 'failed': found.failed,
                    'rows': found.rows, 'wall_s': seconds})
    else:
        print_table(f'{found.runs} runs in {found.path}', ('metric', 'smallest', 'median',
                                                           'largest'),
                    _summary(found.table()), [
                        f'{found.failed} runs failed, for the reasons in the column reason'
                        if found.failed else 'every run reached its end',
                        f'rows {found.rows[:16]}, the same for any workers; {seconds:.1f} s',
                        f'robodyn report {found.path} makes a page of it'])
    return 1 if found.failed else 0


def progress_bar() -> Progress:
    """Return a bar with rate and time left."""
    return Progress(TextColumn('{task.description}', markup=False), BarColumn(),
                    MofNCompleteColumn(), _Rate(), TimeElapsedColumn(), TimeRemainingColumn(),
                    console=Console(stderr=True), transient=True)


class _Rate(ProgressColumn):
    """Finished a second."""

    def render(self, task: Task) -> Text:
        """Return it in words."""
        return Text(f'{task.speed:.3g}/s' if task.speed else '')


def _summary(table: Any) -> list[tuple[str, str, str, str]]:
    import pyarrow.compute as pc
    rows = []
    for name in table.column_names:
        if name in METRICS and str(table.schema.field(name).type) == 'double' \
                and table.column(name).null_count < table.num_rows:
            column = table.column(name)
            ends = pc.min_max(column).as_py()
            middle = pc.quantile(column, 0.5)[0].as_py()
            rows.append((name, f'{ends["min"]:.4g}', f'{middle:.4g}', f'{ends["max"]:.4g}'))
    return rows


def _plan(study: Study, arguments: argparse.Namespace) -> int:
    """Tell what a sweep would take, from a few of its runs."""
    some = min(study.count, 32)
    small = Runner(study) if study.count <= MOST_RUNS else None
    seconds = float('nan')
    if small is not None:
        small.rows(np.arange(some))  # compiles
        begin = time.perf_counter()
        small.rows(np.arange(some))
        seconds = (time.perf_counter() - begin) / some
    facts = {'runs': study.count, 'axes': {one.name: 'drawn' if one.drawn else len(one.values)
                                           for one in study.axes},
             'draws': study.draws, 'repetitions': study.settings.repetitions,
             'seconds_a_run': seconds, 'seconds_on_one_core': seconds * study.count,
             'bytes': ROW_BYTES * study.count}
    if small is not None:
        facts['chunks'] = sum(1 for _ in chunks_of(study.count))
    if arguments.json:
        print_json(facts)
    else:
        print_table(f'{study.count:.6g} runs of {study.scenario.name}', ('what', 'value'), [
            *((name, f'{count} values' if count != 'drawn' else f'{study.draws} draws')
              for name, count in facts['axes'].items()),  # type: ignore[attr-defined]
            ('a run', f'{1e3 * seconds:.3g} ms'),
            ('all, on one core', f'{seconds * study.count:.4g} s'),
            ('table, about', f'{ROW_BYTES * study.count / 1e6:.4g} MB')])
    if small is None:
        study.points  # noqa: B018  refuses with its sentence
    return 0
