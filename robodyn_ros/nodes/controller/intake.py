# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The controller's side of the process that takes its trajectories (nodes/intake); no ROS.

A thread starts the process, hears it, starts it again should it end, and gives memory back: all
that may take long. The loop between states only looks whether something is ready.
"""
from __future__ import annotations

import contextlib
import json
from queue import SimpleQueue
import signal
import socket
import subprocess
import sys
from threading import Event, Thread
import time
from typing import Any, Callable, NamedTuple

from robodyn_ros.interruption import SIGNALS
from robodyn_ros.nodes.intake.channel import Channel, Closed, Lent, read
from robodyn_ros.nodes.intake.judge import Judge
from robodyn_ros.trajectories.joint_plan import Points

PROGRAM = ('import json, sys\n'
           'sys.path[:] = json.loads(sys.argv[2])\n'
           'from robodyn_ros.nodes.intake.node import main\n'
           'main()')
"""Finds modules where this process does, wherever the packages of this one came from."""
PATIENCE = 3.0
"""Time for the process to leave the graph [s]."""
AGAIN = 1.0
"""Time between an end of the process and its next start [s]."""
LONGEST_WAY = 10_000_000_000
"""Of a message from its sender to here [ns]."""
LOOK = 0.5
"""Time between looks at memory that nobody needs any more [s]."""


class Moment(NamedTuple):
    """Of one event by two clocks."""

    monotonic: int = 0
    """Of this machine [ns]."""
    wall: int = 0
    """Of whatever machine [ns]."""

    @classmethod
    def now(cls) -> 'Moment':
        """Return the present one."""
        return cls(time.monotonic_ns(), time.time_ns())


class Arrived(NamedTuple):
    """A trajectory that is ready, or why it is refused."""

    start: int
    """Its stamp [ns]."""
    points: Points | None
    reason: str
    came: int
    """When it came in, by the monotonic clock [ns]."""
    sent: int
    """When it was sent, by the sender's wall clock [ns]."""

    def older_than(self, moment: Moment) -> bool:
        """
        Return whether it came before a moment, or was sent before.

        A long one is on its way for a second. A sender whose clock is far behind is not believed.
        """
        return self.came < moment.monotonic \
            or moment.wall - LONGEST_WAY < self.sent < moment.wall


class Intake:
    """
    Gives checked trajectories in the order they came.

    :param setting: name, namespace, topic and domain of the process's node
    :param complete: adds to points what the law reads beside them; called in a thread
    """

    def __init__(self, setting: dict[str, Any], complete: Callable[[Points], Points]):
        """Start the process; nothing is taken before it knows by what to judge()."""
        self._setting, self._complete = setting, complete
        self._judge: dict[str, Any] | None = None
        self._channel: Channel | None = None
        self._ready: SimpleQueue[Arrived] = SimpleQueue()
        self._notices: SimpleQueue[str] = SimpleQueue()
        self._closing, self._reader = Event(), ''
        self._lent: list[Lent] = []
        self._newest: Points | None = None
        self._thread = Thread(target=self._run, name='intake', daemon=True)
        self._thread.start()

    @property
    def reader(self) -> str:
        """Return the name of the node that hears trajectories; empty while there is none."""
        return self._reader

    def judge(self, judge: Judge) -> None:
        """Check trajectories by this from now on."""
        words = judge.words()
        if words == self._judge:
            return
        self._judge = words
        channel = self._channel
        if channel is not None:
            channel.tell_soon('judge', **words)

    def take(self) -> list[Arrived]:
        """Return what has become ready."""
        found = []
        while not self._ready.empty():
            found.append(self._ready.get())
        channel = self._channel
        if channel is not None:
            for _ in found:
                channel.tell_soon('taken')
            channel.flush()
        return found

    @property
    def waiting(self) -> bool:
        """Return whether something is ready; costs nothing."""
        return not self._ready.empty()

    def notices(self) -> list[str]:
        """Return sentences for the log."""
        found = []
        while not self._notices.empty():
            found.append(self._notices.get())
        return found

    def close(self) -> None:
        """End the process."""
        self._closing.set()
        channel = self._channel
        if channel is not None:
            with contextlib.suppress(OSError):
                channel.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(2.0 * PATIENCE)

    # --- in the thread ----------------------------------------------------------------------

    def _run(self) -> None:
        # the process inherits it: a signal of a terminal, at whatever moment, is not for it
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        while not self._closing.is_set():
            ours, theirs = socket.socketpair()
            with theirs:
                process = subprocess.Popen(
                    [sys.executable, '-I', '-c', PROGRAM, str(theirs.fileno()),
                     json.dumps(sys.path)], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
            channel = Channel(ours)
            try:
                self._hear(channel)
            except Closed:
                pass
            finally:
                self._channel, self._reader = None, ''
                channel.close()
                code = _ended(process)
            if not self._closing.is_set():
                self._notices.put(f'the process that takes trajectories has ended ({code}); it is '
                                  'started again')
                self._closing.wait(AGAIN)

    def _hear(self, channel: Channel) -> None:
        channel.tell('setting', **self._setting)
        self._channel = channel
        if self._judge is not None:
            channel.tell_soon('judge', **self._judge)
        if self._closing.is_set():
            return
        while True:
            for words in channel.hear(LOOK):
                self._on_words(channel, words)
            self._give_back()

    def _on_words(self, channel: Channel, words: dict[str, Any]) -> None:
        kind = words['kind']
        if kind == 'ready':
            self._reader = words['reader']
            return
        moments = words['came'], words['sent']
        if kind == 'refused':
            self._ready.put(Arrived(words['start'], None, words['reason'], *moments))
            return
        if kind == 'points':
            points, lent = read(channel.descriptor(), words['joints'], words['rows'])
            if lent is not None:
                self._lent.append(lent)
            self._newest = self._complete(points)
        self._ready.put(Arrived(words['start'], self._newest, '', *moments))

    def _give_back(self) -> None:
        """Close memory that nobody reads: millions of points take a while to be freed."""
        self._lent = [lent for lent in self._lent if not lent.closed()]


def _ended(process: subprocess.Popen) -> int:
    """Wait for a process whose channel is closed; returns its exit code."""
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
