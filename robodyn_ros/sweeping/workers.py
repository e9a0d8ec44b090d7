# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Worker processes on this machine: each computes chunks of runs and hands their rows back.

A worker is a copy of this process where one can be made, see copies.py: it has all that its work
needs and begins at once. Else it is a fresh Python, started by its module's name, so that a script
that sweeps needs no guard around its main part. One that dies is replaced, and its chunk is given
to the next, in halves at last, so that one deadly run is a row that says so and its neighbours are
as without it.
"""
from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field, replace
import logging
import math
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.process import BaseProcess
import os
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Iterable, Iterator

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.interruption import blocked, leave_to_parent
from robodyn_ros.sweeping.bundle import Bundle, Unpacked
from robodyn_ros.sweeping.copies import copied, possible
from robodyn_ros.sweeping.runs import Runner

DEATHS = 3
"""Workers that may die of a run; of more runs, before they are halved, one less."""
DIED = f'{DEATHS} workers died of this run'
MOST_DEATHS = 100
"""Workers that may die in a row without any rows between; then it is not the runs."""
LOOK = 0.5
"""Time between looks at who started a worker [s]."""
SHORT, AHEAD = 0.05, 2
"""A worker that takes less time for a chunk [s] is given so many of them, not to wait for more."""
CODE = 'import sys; sys.path[:] = {}; from robodyn_ros.sweeping.workers import work; work({})'
"""What a worker runs: nothing from the current folder, which Python would look into first."""
Chunk = tuple[int, int, int]
"""Its number, its first run and the one behind its last."""
Found = Any
"""Rows of a chunk, the reason why there are none, or pieces of it with theirs."""


class Pieces:
    """What is left of chunks whose workers die."""

    def __init__(self) -> None:
        """Nobody has died yet."""
        self._deaths: Counter[Chunk] = Counter()
        self._in_a_row = 0
        self._halved: dict[int, tuple[Chunk, list[tuple[Chunk, Found]]]] = {}

    def died(self, chunk: Chunk) -> list[Chunk]:
        """Return what is to be done again; nothing where a run is deadly."""
        self._deaths[chunk] += 1
        if self.suspected(chunk) > 1:
            self._in_a_row += 1
        number, first, last = chunk
        if self._in_a_row >= MOST_DEATHS:
            raise RobodynError(f'{self._in_a_row} workers died one after another, the last of the '
                               f'runs {first} to {last - 1}; what is finished is kept: find out '
                               'what ends them (memory, a metric), and sweep again')
        if last - first == 1:
            return [chunk] if self._deaths[chunk] < DEATHS else []
        if self._deaths[chunk] < DEATHS - 1:
            return [chunk]
        self._halved.setdefault(number, (chunk, []))
        middle = (first + last) // 2
        halves = [(number, first, middle), (number, middle, last)]
        self._deaths.update(halves)
        return halves

    def suspected(self, chunk: Chunk) -> int:
        """Return how many workers died when they had this chunk, or what it is a half of."""
        return self._deaths[chunk]

    def done(self, chunk: Chunk, found: Found) -> Iterator[tuple[Chunk, Found]]:
        """Yield the whole chunk when its last piece is there."""
        if not isinstance(found, str):
            self._in_a_row = 0
        if chunk[0] not in self._halved:
            yield chunk, found
            return
        whole, pieces = self._halved[chunk[0]]
        pieces.append((chunk, found))
        if sum(last - first for (_, first, last), _ in pieces) == whole[2] - whole[1]:
            del self._halved[chunk[0]]
            yield whole, sorted(pieces, key=lambda piece: piece[0])


@dataclass
class _Worker:
    process: subprocess.Popen | BaseProcess
    link: Connection
    copy: bool
    """It has the study already."""
    chunks: deque[Chunk] = field(default_factory=deque)
    """What it has to do, in this order."""
    since: float = 0.0
    """When it began with the first of them, or was given it."""
    taken: float = math.inf
    """Time for the last one [s]."""
    bundle: Bundle | None = None
    """The last one it was sent."""

    def give(self, bundle: Bundle, chunk: Chunk) -> None:
        if not self.chunks:
            self.since = time.monotonic()
        self.chunks.append(chunk)
        if self.bundle is not bundle:
            self.bundle = bundle
            self._send(replace(bundle, files={}, brought={}) if self.copy else bundle)
        self._send(chunk)

    def _send(self, what: Any) -> None:
        try:
            self.link.send(what)
        except (BrokenPipeError, ConnectionError):
            pass  # it is dead, which is noticed where its answer is read

    def answer(self) -> tuple[Chunk, Found]:
        """Return the rows that are ready; EOFError or OSError where it has died."""
        assert self.bundle is not None
        found = self.link.recv_bytes() if self.bundle.encoded else self.link.recv()
        now = time.monotonic()
        self.taken, self.since = now - self.since, now
        return self.chunks.popleft(), found

    def end(self) -> None:
        self.link.close()
        self.process.kill()
        if isinstance(self.process, BaseProcess):
            self.process.join()
        else:
            self.process.wait()


class Team:
    """Some worker processes, for as long as a with block."""

    def __init__(self, size: int, runner: Runner | None = None):
        """
        Start nobody yet.

        :param runner: of the study whose rows are asked for, for workers that are copies
        """
        self.size, self._runner = size, runner
        self._workers: list[_Worker] = []

    def __enter__(self) -> Team:
        """Start the workers that are copies; the others are started when there is work."""
        if self._runner is not None and possible():
            self._runner.compile()  # once, for all of them
            while len(self._workers) < self.size:
                worker = _copy(self._runner)
                if worker is None:
                    break
                self._workers.append(worker)
        return self

    def __exit__(self, *_: object) -> None:
        """End every worker."""
        for worker in self._workers:
            worker.end()

    def rows(self, bundle: Bundle, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Found]]:
        """Yield the rows of every chunk as they become ready, or why there are none."""
        again: deque[Chunk] = deque()
        left, pieces = iter(chunks), Pieces()
        while True:
            for place in range(self.size):
                self._occupy(place, bundle, again, left, pieces)
            busy = [worker for worker in self._workers if worker.chunks]
            if not busy:
                return
            wait([worker.link for worker in busy])
            for worker in [worker for worker in busy if worker.link.poll()]:
                try:
                    chunk, found = worker.answer()
                except (EOFError, OSError):
                    self._workers.remove(worker)
                    worker.end()
                    chunk, found = worker.chunks.popleft(), DIED
                    again.extend(worker.chunks)  # it had not begun with those
                    more = pieces.died(chunk)
                    again.extend(more)
                    if more:
                        continue
                yield from pieces.done(chunk, found)

    def _occupy(self, place: int, bundle: Bundle, again: deque[Chunk], left: Iterator[Chunk],
                pieces: Pieces) -> None:
        """Give a worker what it has to do next, and start it if there is none."""
        worker = self._workers[place] if place < len(self._workers) else None
        while worker is None or not worker.chunks or (
                len(worker.chunks) < AHEAD and worker.taken < SHORT
                and not any(map(pieces.suspected, worker.chunks))):
            # what workers died of is given alone, to know it by
            chunk = again.popleft() if again and not (worker and worker.chunks) \
                else next(left, None)
            if chunk is None:
                return
            if worker is None:
                worker = self._runner and _copy(self._runner) or _fresh()
                self._workers.append(worker)
            worker.give(bundle, chunk)


def _copy(runner: Runner) -> _Worker | None:
    ours, theirs = Pipe()
    process = copied(_work_as_copy, ours, theirs, os.getpid(), runner)
    theirs.close()
    if process is None:
        ours.close()
        return None
    return _Worker(process, ours, True)


def _fresh() -> _Worker:
    ours, theirs = Pipe()
    # one thread each: the workers share the cores
    environment = {**os.environ, 'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1',
                   'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    with blocked():  # until it has left them to this process
        process = subprocess.Popen(
            [sys.executable, '-c', CODE.format(list(filter(None, sys.path)), theirs.fileno())],
            pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL)
    theirs.close()
    return _Worker(process, ours, False)


def computed(runner: Runner, bundle: Bundle, chunk: Chunk) -> Found:
    """Compute the rows of a chunk, as they are asked for."""
    runs = np.arange(chunk[1], chunk[2])
    return runner.encoded(runs) if bundle.encoded else runner.columns(runs)


def serve(link: Connection, ready: Callable[[Bundle], Runner]) -> None:
    """
    Compute chunks of the bundle that came last until the other side is gone.

    :param ready: returns the runner of a bundle
    """
    runner: Runner | None = None
    try:
        while True:
            found = link.recv()
            if isinstance(found, Bundle):
                bundle, runner = found, ready(found)
                continue
            assert runner is not None
            (link.send_bytes if bundle.encoded else link.send)(computed(runner, bundle, found))
    except (EOFError, BrokenPipeError, ConnectionError):
        pass  # it is gone; its journal has all that it had received


def work(descriptor: int) -> None:
    """Serve who started this process, and end when that is gone, in the midst of a run, too."""
    leave_to_parent()
    _end_with(os.getppid())
    serve(Connection(descriptor), Unpacked().runner)


def _work_as_copy(theirs: Connection, link: Connection, parent: int, runner: Runner) -> None:
    """Do the same in a copy of the process that has the study."""
    theirs.close()
    _end_with(parent)
    logging.getLogger('robodyn_ros').setLevel(logging.ERROR)  # said once, by who sweeps
    serve(link, lambda bundle: runner.of(bundle.candidates))


def _end_with(parent: int) -> None:
    """End this process, whatever it does, soon after its parent."""
    def look() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(1)
    threading.Thread(target=look, daemon=True).start()
