# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Worker processes on this machine: each computes chunks of runs and hands their rows back.

A worker is a process of its own, started by its module's name, so that a script that sweeps needs
no guard around its main part. One that dies is replaced, and its chunk is given to the next, in
halves at last, so that one deadly run is a row that says so and its neighbours are as without it.
"""
from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Iterable, Iterator

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.sweeping.bundle import Bundle, Unpacked

DEATHS = 3
"""Workers that may die of a run; of more runs, before they are halved, one less."""
DIED = f'{DEATHS} workers died of this run'
MOST_DEATHS = 100
"""Workers that may die in a row without any rows between; then it is not the runs."""
LOOK = 0.5
"""Time between looks at who started a worker [s]."""
CODE = 'import sys; sys.path[:] = {}; from robodyn_ros.sweeping.workers import work; work({})'
"""What a worker runs: nothing from the current folder, which Python would look into first."""
Chunk = tuple[int, int, int]
"""Its number, its first run and the one behind its last."""
Found = Any
"""Rows of a chunk by column, the reason why there are none, or pieces of it with theirs."""


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
        if isinstance(found, dict):
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
    process: subprocess.Popen
    link: Connection
    chunk: Chunk | None = None
    bundle: Bundle | None = None
    """The last one it was sent."""


class Team:
    """Some worker processes, for as long as a with block."""

    def __init__(self, size: int):
        """Start nobody yet."""
        self.size = size
        self._workers: list[_Worker] = []

    def __enter__(self) -> Team:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End every worker."""
        for worker in self._workers:
            _end(worker)

    def rows(self, bundle: Bundle, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Found]]:
        """Yield the rows of every chunk as they become ready, or why there are none."""
        again: deque[Chunk] = deque()
        left, pieces = iter(chunks), Pieces()
        while True:
            for place in range(self.size):
                if place < len(self._workers) and self._workers[place].chunk:
                    continue
                chunk = again.popleft() if again else next(left, None)
                if chunk is None:
                    break
                if place >= len(self._workers):
                    self._workers.append(_started())
                self._give(self._workers[place], bundle, chunk)
            busy = [worker for worker in self._workers if worker.chunk]
            if not busy:
                return
            wait([worker.link for worker in busy])
            for worker in [worker for worker in busy if worker.link.poll()]:
                chunk = worker.chunk
                assert chunk is not None
                try:
                    found = worker.link.recv()
                    worker.chunk = None
                except (EOFError, OSError):
                    self._workers.remove(worker)
                    _end(worker)
                    more = pieces.died(chunk)
                    again.extend(more)
                    if more:
                        continue
                    found = DIED
                yield from pieces.done(chunk, found)

    def _give(self, worker: _Worker, bundle: Bundle, chunk: Chunk) -> None:
        worker.chunk = chunk
        if worker.bundle is not bundle:
            worker.bundle = bundle
            _send(worker, bundle)
        _send(worker, chunk)


def _started() -> _Worker:
    ours, theirs = Pipe()
    # one thread each: the workers share the cores
    environment = {**os.environ, 'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1',
                   'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, '-c', CODE.format(list(filter(None, sys.path)), theirs.fileno())],
        pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL)
    theirs.close()
    return _Worker(process, ours)


def _send(worker: _Worker, what: Any) -> None:
    try:
        worker.link.send(what)
    except (BrokenPipeError, ConnectionError):
        pass  # it is dead, which is noticed where its answer is read


def _end(worker: _Worker) -> None:
    worker.link.close()
    worker.process.kill()
    worker.process.wait()


def serve(link: Connection) -> None:
    """Compute chunks of the bundle that came last until the other side is gone."""
    kept, bundle = Unpacked(), None
    while True:
        try:
            found = link.recv()
        except EOFError:
            return
        if isinstance(found, Bundle):
            bundle = found
            continue
        assert bundle is not None
        link.send(kept.runner(bundle).rows(np.arange(found[1], found[2])))


def work(descriptor: int) -> None:
    """Serve who started this process, and end when that is gone, in the midst of a run, too."""
    # a terminal sends it to the whole group; whoever started a worker ends it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        serve(Connection(descriptor))
    except (BrokenPipeError, ConnectionError):
        pass  # it is gone; its journal has all that it had received


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)
