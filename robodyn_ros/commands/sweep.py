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
import logging
from pathlib import Path
import sys
import time

from rich.console import Console
from rich.progress import (BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task,
                           TextColumn, TimeElapsedColumn, TimeRemainingColumn)
from rich.text import Text

from robodyn_ros.commands.options import add_json, print_json, print_table
from robodyn_ros.sweeping.metrics import METRICS, TRUTHS, WHOLE
from robodyn_ros.sweeping.plan import duration_text, plan_of, refuse_too_many, size_text
from robodyn_ros.sweeping.replay import replay_command
from robodyn_ros.sweeping.study import read_study, Study
from robodyn_ros.sweeping.sweep import chunks_of, sweep, table_path
from robodyn_ros.sweeping.table import names_of, spread_of

LARGE = 1_000_000
"""Runs from which on what they take is told before they start."""
LOG = logging.getLogger('robodyn_ros')


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
    refuse_too_many(study)
    if arguments.plan:
        return _plan(study, arguments)
    path = table_path(study, arguments.output)
    if study.count >= LARGE and not path.exists():
        LOG.info('%d runs will take %s', study.count, plan_of(study))
    begin = time.monotonic()
    bars = progress_bar()
    task = bars.add_task(f'runs of {study.scenario.name}', total=study.count)

    def show(finished: int, failed: int) -> None:
        # from the first call on: its thread stands in the way of copies, which the workers are
        bars.start()
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
    finally:
        bars.stop()
    seconds = time.monotonic() - begin
    if arguments.json:
        print_json({'table': str(found.path), 'runs': found.runs, 'failed': found.failed,
                    'rows': found.rows, 'wall_s': seconds})
    else:
        print_table(f'{found.runs} runs in {found.path}', ('metric', 'smallest', 'median',
                                                           'largest'),
                    _summary(found.path), [
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


def _summary(path: Path) -> list[tuple[str, str, str, str]]:
    """Return the smallest, middle and largest value of every metric that is no whole number."""
    found = {name: spread_of(path, name) for name in names_of(path)
             if name in METRICS and name not in (*WHOLE, *TRUTHS)}
    return [(name, *(f'{value:.4g}' for value in values))  # type: ignore[misc]
            for name, values in found.items() if values]


def _plan(study: Study, arguments: argparse.Namespace) -> int:
    """Tell what a sweep would take, from a few of its runs."""
    plan = plan_of(study)
    axes = {one.name: 'drawn' if one.drawn else len(one.values) for one in study.axes}
    if arguments.json:
        print_json({'runs': study.count, 'axes': axes, 'draws': study.draws,
                    'repetitions': study.settings.repetitions,
                    'seconds_a_run': plan.seconds_a_run, 'seconds_on_one_core': plan.seconds,
                    'bytes': plan.size, 'chunks': sum(1 for _ in chunks_of(study))})
    else:
        print_table(f'{study.count} runs of {study.scenario.name}', ('what', 'value'), [
            *((name, f'{study.draws} draws' if count == 'drawn' else f'{count} values')
              for name, count in axes.items()),
            ('a run', f'{1e3 * plan.seconds_a_run:.3g} ms'),
            ('all, on one core', duration_text(plan.seconds)),
            ('table, about', size_text(plan.size))])
    return 0
