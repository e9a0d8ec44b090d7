# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Sweep: every run of a study, on all cores or on a cluster, into one table.

    from robodyn_ros import sweep
    swept = sweep('payload.yaml')            # or a mapping with the same keys
    swept.table().to_pandas()

Rows are safe as soon as a chunk of them is finished; the same sweep, begun again after a kill,
goes on where it was. The table has one hash, for any number of workers, on one machine or many.
"""
from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
import os
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping

import numpy as np

from robodyn_ros.checks import whole_number
from robodyn_ros.errors import RecordingError
from robodyn_ros.sweeping.bundle import Bundle, differences, fingerprint, packed
from robodyn_ros.sweeping.cluster import connected
from robodyn_ros.sweeping.plan import refuse_too_many
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import make_study, read_study, SEED, Study
from robodyn_ros.sweeping.table import (batch_of, facts_of, Journal, read_table, schema_of,
                                        TableWriter)
from robodyn_ros.sweeping.workers import Chunk, Found, Team

LANES = 16
SMALLEST, LARGEST = 16, 512
"""Runs of a chunk."""
MOST_WORKERS = 1024
PARTS = 64
"""Chunks that a small study is cut into, at least."""
Progress = Callable[[int, int], None]
"""Called with the rows that are finished, and how many of them failed."""


@dataclass(frozen=True)
class Swept:
    """A finished sweep."""

    path: Path
    runs: int
    failed: int
    """Runs that did not reach their end, with their reasons in the table."""
    rows: str
    """Hash of all rows."""

    def table(self) -> Any:
        """Return all rows as a table of pyarrow."""
        return read_table(self.path)


def sweep(study: Study | str | Path | Mapping[str, Any], output: str | Path | None = None, *,
          workers: int | None = None, cluster: str = '',
          progress: Progress = lambda finished, failed: None) -> Swept:
    """
    Run a study and write its table; what an earlier call has finished is not run again.

    :param study: path of a study file, or what it holds
    :param output: FILE.parquet, by default named after the study
    :param workers: processes, by default one per core; 1: none but this one
    :param cluster: address of a Dask scheduler, or 'local' for one on this machine
    """
    ready = ready_study(study)
    path = table_path(ready, output)
    refuse_too_many(ready)
    runner = Runner(ready)
    bundle = packed(ready)
    made_by = fingerprint()
    if path.exists():
        facts = facts_of(path)
        if facts.get('study') != bundle.digest:
            raise RecordingError(f'{path}: is the table of another study; give another --output')
        if facts['made_by'] != made_by:
            raise RecordingError(
                f'{path}: was made by other versions ({differences(facts["made_by"], made_by)}), '
                'so this sweep might have other bits; give another --output, or remove it')
        return Swept(path, facts['runs'], facts['failed'], facts['rows'])
    schema = schema_of(_kinds(ready), runner.metrics)
    journal = Journal(path.with_name(path.name + '.unfinished'), f'{bundle.digest} {made_by}',
                      schema)
    complete = False
    try:
        finished = failed = 0
        for number in journal.places:
            batch = journal.batch(number)
            finished += batch.num_rows
            failed += batch.num_rows - batch.column('finished').true_count
        left = (chunk for chunk in chunks_of(ready.count) if chunk[0] not in journal.places)
        most = -(-ready.count // chunk_size(ready.count)) - len(journal.places)
        with TableWriter(path, journal) as table, \
                computing(runner, workers, cluster, most) as computer:
            progress(finished, failed)
            for chunk, found in computer.rows(bundle, left):
                rows = rows_of(runner, chunk, found)
                journal.add(chunk[0], batch_of(rows, schema))
                finished += len(rows['run'])
                failed += len(rows['run']) - int(np.count_nonzero(rows['finished']))
                progress(finished, failed)
                table.grow()
            facts = {'study': bundle.digest, 'settings': ready.settings.__dict__ | {
                'tune': None}, 'scenario': ready.scenario.name, 'runs': finished, 'failed': failed,
                'made_by': made_by, 'place': ready.place}
            found_hash = table.finish(facts)
        complete = True
    finally:
        journal.close(remove=complete)
    return Swept(path, finished, failed, found_hash)


def ready_study(study: Study | str | Path | Mapping[str, Any]) -> Study:
    """Return a study that was given in any of the ways sweep() takes."""
    if isinstance(study, Study):
        return study
    return make_study(study) if isinstance(study, Mapping) else read_study(study)


def table_path(study: Study, output: str | Path | None) -> Path:
    """Return where the table is written."""
    path = Path(output) if output is not None else Path(
        f'{Path(study.place).stem if Path(study.place).suffix else "sweep"}.parquet')
    if path.suffix != '.parquet':
        raise RecordingError(f'--output is {str(path)!r}; a table is written as Parquet: give a '
                             'name that ends in .parquet')
    return path


def chunk_size(count: int) -> int:
    """Return the runs of a chunk, which depend on the number of all runs only."""
    return min(max(count // PARTS // LANES * LANES, SMALLEST), LARGEST)


def chunks_of(count: int) -> Iterator[Chunk]:
    """Yield the chunks of a study."""
    size = chunk_size(count)
    for number, first in enumerate(range(0, count, size)):
        yield number, first, min(first + size, count)


def rows_of(runner: Runner, chunk: Chunk, found: Found) -> dict[str, Any]:
    """Return the rows of a chunk of which some, or all, may have no more than a reason."""
    if isinstance(found, dict):
        return found
    if isinstance(found, str):
        return runner.failed(np.arange(chunk[1], chunk[2]), found)
    parts = [rows_of(runner, *piece) for piece in found]
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}


def _kinds(study: Study) -> dict[str, tuple[Any, ...]]:
    """Return values that show the kind of every column of an axis."""
    found = {one.name: (0.5,) if one.drawn else one.values for one in study.axes}
    return {**found, SEED: (0,)} if study.settings.repetitions > 1 else found


class Alone:
    """The one worker that is this process itself."""

    def __init__(self, runner: Runner):
        """Compute with a runner."""
        self._runner = runner

    def rows(self, bundle: Bundle, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Any]]:
        """Yield the rows of every chunk."""
        runner = self._runner.of(bundle.candidates)
        for chunk in chunks:
            yield chunk, runner.columns(np.arange(chunk[1], chunk[2]))


@contextmanager
def computing(runner: Runner, workers: int | None, cluster: str,
              most: int = MOST_WORKERS) -> Iterator[Any]:
    """
    Give what computes rows: this process, some of its own, or a cluster.

    :param most: chunks that are to be computed at a time, at most
    """
    count = os.cpu_count() or 1 if workers is None else whole_number(
        'workers', workers, '1 or more processes', 1, MOST_WORKERS)
    if cluster:
        with connected(cluster, count) as found:
            yield found
    elif count == 1:
        yield Alone(runner)
    else:
        with Team(min(count, most), runner) as team:
            yield team
