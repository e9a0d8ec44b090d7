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
from dataclasses import dataclass, replace
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
from robodyn_ros.sweeping.study import make_study, read_study, Study
from robodyn_ros.sweeping.table import (encoded, facts_of, joined, Journal, read_table,
                                        TableWriter)
from robodyn_ros.sweeping.workers import Chunk, computed, Found, Team

LANES = 16
SMALLEST, LARGEST = 16, 2048
"""Runs of a chunk."""
MOST_INSTANTS = 1 << 20
"""Control instants of all runs of a chunk: a fraction of a second, which a kill may cost."""
FEW = 1000
"""Values of an axis that the table holds once."""
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
    journal = Journal(path.with_name(path.name + '.unfinished'), f'{bundle.digest} {made_by}',
                      runner.schema)
    complete = False
    try:
        finished = failed = 0

        def count(number: int) -> None:
            nonlocal finished, failed
            batch = journal.batch(number)
            finished += batch.num_rows
            failed += batch.num_rows - batch.column('finished').true_count

        for number in journal.places:
            count(number)
        left = (chunk for chunk in chunks_of(ready) if chunk[0] not in journal.places)
        most = -(-ready.count // chunk_size(ready)) - len(journal.places)
        repeated = [one.name for one in ready.axes if not one.drawn and len(one.values) <= FEW]
        with TableWriter(path, journal, repeated) as table, \
                computing(runner, workers, cluster, most) as computer:
            progress(finished, failed)
            for chunk, found in computer.rows(replace(bundle, encoded=True), left):
                journal.add(chunk[0], rows_of(runner, chunk, found))
                count(chunk[0])
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


def chunk_size(study: Study) -> int:
    """Return the runs of a chunk, which depend on the study only, not on who computes it."""
    instants = study.scenario.duration / study.scenario.controller.period
    most = min(LARGEST, MOST_INSTANTS / max(instants, 1.0), study.count / PARTS)
    return max(SMALLEST, int(most) // LANES * LANES)


def chunks_of(study: Study) -> Iterator[Chunk]:
    """Yield the chunks of a study."""
    size = chunk_size(study)
    for number, first in enumerate(range(0, study.count, size)):
        yield number, first, min(first + size, study.count)


def rows_of(runner: Runner, chunk: Chunk, found: Found) -> Any:
    """Return the rows, encoded, of a chunk some of which may have no more than a reason."""
    if isinstance(found, str):
        return encoded(runner.failed(np.arange(chunk[1], chunk[2]), found), runner.schema)
    if isinstance(found, list):
        return joined([rows_of(runner, *piece) for piece in found], runner.schema)
    return found


class Alone:
    """The one worker that is this process itself."""

    def __init__(self, runner: Runner):
        """Compute with a runner."""
        self._runner = runner

    def rows(self, bundle: Bundle, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Any]]:
        """Yield the rows of every chunk."""
        runner = self._runner.of(bundle.candidates)
        for chunk in chunks:
            yield chunk, computed(runner, bundle, chunk)


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
