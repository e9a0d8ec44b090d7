# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How a process ends on SIGINT (Ctrl-C) and SIGTERM, whenever they come and however often.

The first signal raises KeyboardInterrupt in the main thread; those after it change nothing. Four
places need care:

- An import must not be torn apart, as modules in C may throw the exception away or remember it
  half: it is raised as soon as that is through, unless that takes too long. What else must be
  whole holds signals back, see held(). Before anybody hears them at all there is nothing to clean
  up: the process ends between two imports, for those may take longer than who sent the signal
  waits (launch: 15 s, then SIGKILL).
- A process that is started has no handlers yet: see blocked().
- C code that calls Python (ctypes, a finaliser, a weak reference) cannot pass an exception on: it
  hands it to sys.unraisablehook, which would write a traceback and go on. It is raised again.
- The end of Python, where handlers no longer work: signals are ignored from there on.

Nothing of this package and no third party is imported here, so that a program can begin() before
it imports anything that takes long. What is left is the start of Python itself.
"""
from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any, Callable, Iterable, Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM)
AGAIN = 0.02
"""After this time an exception that got lost, or that has to wait, is raised again [s]."""
LONGEST_IMPORT = 5.0
"""Time for which a signal waits for imports: a user's module may never end [s]."""
IMPORTING = '<frozen importlib._bootstrap>'
"""File of Python's frames below which a module is imported."""


def begin(code: int = 130) -> None:
    """
    Begin a program of this package: let signals wait until it can end on one.

    :param code: exit code if one comes before that
    """
    # the mask outlives execve, by which the ROS wheels start Python anew with their libraries
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    for number in SIGNALS:
        signal.signal(number, _do_nothing)
    atexit.register(ignore)
    BETWEEN_IMPORTS.code = code
    sys.meta_path.insert(0, BETWEEN_IMPORTS)


def begin_module() -> None:
    """Begin a program if Python is about to run a module of the calling package: `python -m`."""
    if sys.argv[:1] == ['-m']:  # as long as Python looks for the module
        begin()


@contextlib.contextmanager
def blocked(signals: Iterable[signal.Signals] = SIGNALS) -> Iterator[None]:
    """Block signals within the block: in this thread, and for ever in what it starts there."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_to_parent() -> None:
    """Let who started this process end it; Ctrl-C, which the whole group gets, is not for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def ignore() -> None:
    """Ignore signals from now on: the process ends anyhow."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    # Python ends by SIGINT, whatever the exit code, if a KeyboardInterrupt has passed an exec() of
    # text, as dataclasses have; the next such exec() makes it forget
    exec('')


class BetweenImports:
    """Ends the process on a signal that waits; Python asks it where each module is."""

    code = 130

    def find_spec(self, *_: object) -> None:
        """Look for signals, not for the module: others find that."""
        if signal.sigpending().intersection(SIGNALS) \
                and threading.current_thread() is threading.main_thread():
            os._exit(self.code)

    def leave(self) -> None:
        """Look no more: from now on signals are heard."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)


BETWEEN_IMPORTS = BetweenImports()


def _do_nothing(*_: object) -> None:
    """Stand for SIG_IGN, which would throw away a signal that waits."""


class Interruption:
    """The interruption of this process; there is one, as there is one set of signal handlers."""

    def __init__(self) -> None:
        """Do nothing yet."""
        self.came = False
        """A signal has come: the process is to end."""
        self._heard = 0
        self._holds = 0
        self._due = False
        self._since = 0.0
        self._report: Callable[[Any], Any] = sys.unraisablehook

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        """Answer signals within the block; blocks may be nested. For the main thread."""
        self._heard += 1
        if self._heard > 1:
            try:
                yield
            finally:
                self._heard -= 1
            return
        self.came = self._due = False
        BETWEEN_IMPORTS.leave()
        before = {number: signal.signal(number, self.on_signal) for number in SIGNALS}
        self._report, sys.unraisablehook = sys.unraisablehook, self._on_lost
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            yield
        finally:
            self._due = False
            for number, handler in before.items():
                signal.signal(number, handler)
            sys.unraisablehook = self._report
            self._heard = 0

    @contextlib.contextmanager
    def held(self, signals: Iterable[signal.Signals] = SIGNALS) -> Iterator[None]:
        """
        Hold signals back within the block, as an import needs it; they count at its end.

        :param signals: those that do not reach the processes that are started in it, either
        """
        if threading.current_thread() is not threading.main_thread():
            yield  # signals do not interrupt it
            return
        # in vain where another thread takes the signal; then the handler waits
        with blocked(signals):
            self._holds += 1
            try:
                yield
            finally:
                self._holds -= 1
        self._strike()

    @contextlib.contextmanager
    def only_noted(self) -> Iterator[None]:
        """Raise nothing within the block, which looks at `came` instead."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            self._due = False

    def on_signal(self, _: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if not self.came:
            self.came, self._due, self._since = True, True, time.monotonic()
            if _imports(frame):
                self._strike_soon()
        if not _imports(frame) or time.monotonic() - self._since > LONGEST_IMPORT:
            self._strike()

    def _strike(self) -> None:
        if self._due and not self._holds:
            self._due = False
            raise KeyboardInterrupt

    def _on_lost(self, report: Any) -> None:
        """Take an exception that nobody could take."""
        if not (self.came and isinstance(report.exc_value, KeyboardInterrupt)):
            self._report(report)
            return
        self._strike_soon()
        self._due = True  # last: a second signal would be raised here, and lost as well

    def _strike_soon(self) -> None:
        threading.Thread(target=self._remind, daemon=True).start()

    def _remind(self) -> None:
        main = threading.main_thread().ident
        assert main is not None
        while True:
            time.sleep(AGAIN)
            if not (self._due and self._heard):
                return
            signal.pthread_kill(main, signal.SIGINT)


def _imports(frame: FrameType | None) -> bool:
    """Return whether a module is being imported where a frame is."""
    while frame is not None and frame.f_code.co_filename != IMPORTING:
        frame = frame.f_back
    return frame is not None


INTERRUPTION = Interruption()
