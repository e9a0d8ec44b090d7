# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Worker processes on this machine: each computes chunks of runs and hands their rows back.

A worker is a process of its own, started by its module's name, so that a script that sweeps needs
no guard around its main part. One that dies is replaced, and its chunk is given to the next; a
chunk whose workers die again and again is left to the rows that say so.
"""
from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
import os
import signal
import subprocess
import sys
from typing import Any, Iterable, Iterator

import numpy as np

from robodyn_ros.sweeping.bundle import Bundle, Unpacked

DEATHS = 3
"""Workers that may die of a chunk."""
Chunk = tuple[int, int, int]
"""Its number, its first run and the one behind its last."""


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

    def rows(self, bundle: Bundle, chunks: Iterable[Chunk]) -> Iterator[
            tuple[Chunk, dict[str, list[Any]] | str]]:
        """Yield the rows of every chunk as they become ready, or why there are none."""
        again: deque[Chunk] = deque()
        left = iter(chunks)
        deaths: dict[Chunk, int] = {}
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
                    yield chunk, found
                except (EOFError, OSError):
                    self._workers.remove(worker)
                    _end(worker)
                    deaths[chunk] = deaths.get(chunk, 0) + 1
                    if deaths[chunk] < DEATHS:
                        again.append(chunk)
                    else:
                        yield chunk, f'{DEATHS} workers died of the runs {chunk[1]} to {chunk[2]}'

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
    process = subprocess.Popen([sys.executable, '-m', __name__, str(theirs.fileno())],
                               pass_fds=[theirs.fileno()], env=environment,
                               stdin=subprocess.DEVNULL)
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


if __name__ == '__main__':
    # a terminal sends it to the whole group; whoever started a worker ends it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(Connection(int(sys.argv[1])))
