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
import multiprocessing
from multiprocessing import resource_tracker
import signal
import sys
import threading
import time
from typing import Any, Iterable, Iterator

from robodyn_ros.errors import MissingPackageError, RobodynError
from robodyn_ros.interruption import INTERRUPTION
from robodyn_ros.sweeping.bundle import Bundle, differences, fingerprint, Unpacked
from robodyn_ros.sweeping.workers import Chunk, computed, DIED, Found, Pieces

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
UNGUARDED = ('a script that sweeps with a local cluster needs '
             f'if __name__ == {"__main__"!r}: around its main part; without a cluster, none')
_kept = Unpacked()
_one_at_a_time = threading.Lock()


def compute(bundle: Bundle, chunk: Chunk) -> Found:
    """Compute a chunk on a worker, which keeps what it has unpacked and compiled."""
    with _one_at_a_time:
        return computed(_kept.runner(bundle), bundle, chunk)


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
    with ExitStack() as closing:
        closing.enter_context(_silent())
        place: Any = address
        if address == LOCAL:
            # a process of Dask's imports the script that started it, which asks again
            if multiprocessing.parent_process() and '__mp_main__' not in sys.modules:
                raise RobodynError(UNGUARDED)
            try:
                resource_tracker.ensure_running()  # whose start unblocks SIGINT
                # torn apart it would write tracebacks, and so would workers that hear Ctrl-C
                with INTERRUPTION.held((signal.SIGINT,)):
                    place = closing.enter_context(LocalCluster(
                        n_workers=workers, threads_per_worker=1, processes=True,
                        dashboard_address=None))
            except RuntimeError as error:
                raise RobodynError(f'--cluster {LOCAL}: its workers do not start ({error}); '
                                   f'{UNGUARDED}') from None
        try:
            client = closing.enter_context(Client(place, timeout=PATIENCE))
        except (OSError, TimeoutError, ValueError) as error:
            raise RobodynError(f'--cluster {address}: no scheduler answers there ({error}); start '
                               'one with dask scheduler, or give its address, such as '
                               'tcp://host:8786') from None
        yield Cluster(client, address)


def answer_of(future: Any) -> Found:
    """
    Return the rows of a chunk that is done, or why there are none.

    A worker may be lost when its rows are finished and not fetched yet; then the scheduler waits
    for that worker, without end, to make them once more.
    """
    from distributed import CancelledError
    try:
        if future.status == 'finished':
            return future.result(timeout=PATIENCE)
        if future.status == 'error':
            return f'the worker failed: {future.exception(timeout=PATIENCE)!r:.300}'
    except TimeoutError:
        raise
    except (CancelledError, OSError):  # the scheduler goes just now
        pass
    return DIED  # the scheduler forgot it


@contextmanager
def _silent() -> Iterator[None]:
    """Keep Dask from telling losses, with tracebacks; they are told here, in a sentence each."""
    names = [name for name in logging.root.manager.loggerDict
             if name.partition('.')[0] in ('distributed', 'tornado', 'bokeh')]
    loggers = [logging.getLogger(name) for name in (*names, 'distributed', 'asyncio')]
    levels = [logger.level for logger in loggers]
    for logger in loggers:  # each by itself, as Dask gives them levels of their own
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels):
            logger.setLevel(level)


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
        from distributed import CancelledError, wait
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
            except (CancelledError, OSError):  # the scheduler went; a look tells if it is back
                self._look()
                done = {future for future in given if future.status == 'cancelled'}
            for future in done:
                chunk = given[future][1]
                try:
                    answer = answer_of(future)
                except TimeoutError:  # its worker is gone with it, or will be asked again
                    continue
                del given[future]
                future.release()
                if isinstance(answer, str):
                    yield from failed(chunk, answer)
                else:
                    yield from pieces.done(chunk, answer)

    def _submit(self, bundle: Bundle, chunk: Chunk, worker: str) -> Any:
        return self.client.submit(compute, bundle, chunk, workers=[worker],
                                  allow_other_workers=False, pure=False)

    def _look(self) -> set[str]:
        """See who is there and who fits; returns those that fitted and are gone."""
        from distributed import CancelledError
        try:
            if self.client.status != 'running':
                raise OSError('it is not connected')
            here = set(self.client.scheduler_info(n_workers=-1)['workers'])
            new, gone = here - self._known, self.good - here
            found = self.client.run(fingerprint, workers=sorted(new), on_error='return'
                                    ) if new else {}
        except (OSError, CancelledError):
            raise RobodynError(f'--cluster {self.address}: the scheduler is gone; what is '
                               'finished is kept: start it again, and sweep again') from None
        self.good -= gone
        self._known = here
        for worker, told in sorted(found.items()):
            if told == self.own:
                self.good.add(worker)
            elif isinstance(told, OSError):  # it went while it was asked; if it did not, again
                self._known.discard(worker)
            else:
                self._misfits.add(worker)
                LOG.warning('worker %s is left out, as its bits might differ: %s', worker,
                            differences(told, self.own) if isinstance(told, dict)
                            else repr(told)[:200])
        if here and here <= self._misfits:
            raise RobodynError(f'--cluster {self.address}: none of its {len(here)} workers runs '
                               'what this machine runs; install the same versions there')
        return gone
