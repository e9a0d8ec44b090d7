# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The same chunks on a Dask cluster: workers on many machines, or real processes on this one.

Only workers that run what the client runs are used: the same text of this package, the same numpy
and compiler, a processor of the same kind; others are named, and left out. A worker that is lost
loses its chunk to another. A scheduler that is lost ends the sweep with a sentence, and all that
was finished is kept.
"""
from __future__ import annotations

from contextlib import contextmanager, ExitStack
import logging
import threading
import time
from typing import Any, Iterable, Iterator

import numpy as np

from robodyn_ros.errors import MissingPackageError, RobodynError
from robodyn_ros.sweeping.bundle import Bundle, differences, fingerprint, Unpacked
from robodyn_ros.sweeping.workers import Chunk, DIED, Pieces

LOG = logging.getLogger('robodyn_ros')
LOCAL = 'local'
PATIENCE = 10.0
"""Time within which a scheduler must answer [s]."""
WAITING = 60.0
"""Time without a worker after which nobody is expected any more [s]."""
LOOK = 1.0
"""Time between looks at who is there [s]."""
AHEAD = 3
"""Chunks given to each worker before the first is back."""
_kept = Unpacked()
_one_at_a_time = threading.Lock()


def compute(bundle: Bundle, chunk: Chunk) -> dict[str, list[Any]]:
    """Compute a chunk on a worker, which keeps what it has unpacked and compiled."""
    with _one_at_a_time:
        return _kept.runner(bundle).rows(np.arange(chunk[1], chunk[2]))


@contextmanager
def connected(address: str, workers: int) -> Iterator[Cluster]:
    """
    Connect to a scheduler, for as long as a with block.

    :param address: of a scheduler, or 'local' for one on this machine
    :param workers: of a local one
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingPackageError('--cluster needs dask.distributed; install it: pip install '
                                  '"robodyn_ros[cluster]"') from None
    for name in ('distributed', 'tornado', 'bokeh'):  # losses are told below, in one sentence each
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as closing:
        place: Any = address
        if address == LOCAL:
            place = closing.enter_context(LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None))
        try:
            client = closing.enter_context(Client(place, timeout=PATIENCE))
        except (OSError, TimeoutError, ValueError) as error:
            raise RobodynError(f'--cluster {address}: no scheduler answers there ({error}); start '
                               'one with dask scheduler, or give its address, such as '
                               'tcp://host:8786') from None
        yield Cluster(client, address)


class Cluster:
    """A cluster, and which of its workers fit."""

    def __init__(self, client: Any, address: str):
        """Look at nobody yet."""
        self.client, self.address = client, address
        self.own = fingerprint()
        self.good: set[str] = set()
        self._known: set[str] = set()
        self._misfits: set[str] = set()

    def rows(self, bundle: Bundle, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Any]]:
        """Yield the rows of every chunk as they become ready, or why there are none."""
        from distributed import wait
        left, seen, pieces = iter(chunks), time.monotonic(), Pieces()
        given: dict[Any, tuple[str, Chunk]] = {}
        """What each worker has."""
        again: list[Chunk] = []
        """What other workers were lost with."""

        def failed(chunk: Chunk, reason: str) -> Iterator[tuple[Chunk, Any]]:
            more = pieces.died(chunk)
            again.extend(more)
            if not more:
                yield from pieces.done(chunk, reason)

        while True:
            gone = self._look()
            for future in [future for future, (worker, _) in given.items() if worker in gone]:
                future.release()
                yield from failed(given.pop(future)[1], DIED)
            if self.good:
                seen = time.monotonic()
            elif time.monotonic() - seen > WAITING:
                raise RobodynError(f'--cluster {self.address}: no worker is there for '
                                   f'{WAITING:g} s; what is finished is kept: start workers, and '
                                   'sweep again')
            load: dict[str, list[Chunk]] = {worker: [] for worker in sorted(self.good)}
            for worker, chunk in given.values():
                load[worker].append(chunk)
            for worker, has in load.items():
                while len(has) < AHEAD and not any(map(pieces.suspected, has)):
                    # what workers were lost with is given alone, to know it by
                    some = again.pop() if again and not has else next(left, None)
                    if some is None:
                        break
                    has.append(some)
                    given[self._submit(bundle, some, worker)] = worker, some
            if not given:
                if self.good and not again:
                    return
                time.sleep(0.1)
                continue
            try:
                done = wait(list(given), timeout=LOOK, return_when='FIRST_COMPLETED').done
            except TimeoutError:
                continue
            for future in done:
                status, chunk = future.status, given.pop(future)[1]
                if status == 'finished':
                    yield from pieces.done(chunk, future.result())
                elif status == 'error':
                    yield from failed(chunk, f'the worker failed: {future.exception()!r:.300}')
                else:  # the scheduler forgot it
                    yield from failed(chunk, DIED)
                future.release()

    def _submit(self, bundle: Bundle, chunk: Chunk, worker: str) -> Any:
        return self.client.submit(compute, bundle, chunk, workers=[worker],
                                  allow_other_workers=False, pure=False)

    def _look(self) -> set[str]:
        """See who is there and who fits; returns those that fitted and are gone."""
        if self.client.status != 'running':
            raise RobodynError(f'--cluster {self.address}: the scheduler is gone; what is '
                               'finished is kept: start it again, and sweep again')
        here = set(self.client.scheduler_info(n_workers=-1)['workers'])
        new, gone = here - self._known, self.good - here
        self.good -= gone
        self._known = here
        if new:
            found = self.client.run(fingerprint, workers=sorted(new), on_error='return')
            for worker, told in sorted(found.items()):
                if told == self.own:
                    self.good.add(worker)
                    continue
                if isinstance(told, OSError):  # it went while it was asked; if it did not, again
                    self._known.discard(worker)
                    continue
                self._misfits.add(worker)
                LOG.warning('worker %s is left out, as its bits might differ: %s', worker,
                            differences(told, self.own) if isinstance(told, dict)
                            else repr(told)[:200])
        if here and here <= self._misfits:
            raise RobodynError(f'--cluster {self.address}: none of its {len(here)} workers runs '
                               'what this machine runs; install the same versions there')
        return gone
