# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Node processes on a DDS domain of their own, and what they cost, read from /proc."""
from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
from types import TracebackType
from typing import Any, Iterator, Sequence

from benchmarks import children
from robodyn_ros import RobodynError

TICKS_PER_SECOND = os.sysconf('SC_CLK_TCK')
PAGE_BYTES = os.sysconf('SC_PAGE_SIZE')
DOMAIN = 215 + os.getpid() % 8 * 2
"""This and the next are outside the range of tests; a robot on another one hears nothing."""
STOP_TIMEOUT = 5.0
"""Longest wait for a process to end [s]."""


def on_domain(domain: int) -> dict[str, str]:
    """Return the environment of the measured processes."""
    own = {'ROS_DOMAIN_ID': str(domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    if (Path(sys.prefix) / 'share' / 'ament_index').is_dir():
        own['AMENT_PREFIX_PATH'] = os.environ.get('AMENT_PREFIX_PATH', sys.prefix)
    return children.environment(**own)


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let SIGINT and SIGTERM wait: a process between fork and its Popen would be lost."""
    came: list[int] = []
    before = {number: signal.signal(number, lambda *_: came.append(1))
              for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt


class Graph:
    """Processes by name, alive inside the with block."""

    def __init__(self, domain: int, **commands: Sequence[str]):
        """
        Keep what to start.

        :param domain: DDS domain of these processes
        :param commands: module and its arguments, by name
        """
        self.domain, self.commands = domain, commands
        self.processes: dict[str, subprocess.Popen] = {}
        self.watches: list[subprocess.Popen] = []

    def __enter__(self) -> 'Graph':
        """Start all, or none if a signal comes."""
        try:
            with uninterrupted():
                for name, (module, *arguments) in self.commands.items():
                    self.processes[name] = children.start_module(
                        module, *arguments, env=on_domain(self.domain),
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except KeyboardInterrupt:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """End all, whatever happened."""
        self.pause(False)
        for watch in self.watches:
            watch.kill()
            watch.wait()
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        for process in self.processes.values():
            try:
                process.wait(timeout=STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def watch(self, what: str, seconds: float) -> dict[str, Any]:
        """Time the graph with the stopwatch node."""
        with self.watching(what, seconds) as process:
            text, _ = process.communicate(timeout=seconds + 120.0)
        dead = [name for name, p in self.processes.items() if p.poll() is not None]
        if process.returncode or dead:
            raise RobodynError(f'the measured graph did not run ({", ".join(dead) or "silent"}); '
                               'is ROS 2 importable, and scara_helix runnable?')
        return json.loads(text)

    def watching(self, what: str, seconds: float) -> subprocess.Popen:
        """Start the stopwatch node."""
        with uninterrupted():
            self.watches.append(children.start_module(
                'benchmarks.ros_stopwatch', what, '--seconds', str(seconds),
                env=on_domain(self.domain), stdout=subprocess.PIPE))
        return self.watches[-1]

    def pause(self, on: bool) -> None:
        """Stop all processes where they are, or let them go on."""
        for process in self.processes.values():
            process.send_signal(signal.SIGSTOP if on else signal.SIGCONT)

    def cost(self) -> dict[str, tuple[float, float]]:
        """Return CPU time so far [s] and resident memory [MB] of each process."""
        return {name: cost_of(process.pid) for name, process in self.processes.items()}


def cost_of(pid: int) -> tuple[float, float]:
    """Return CPU time so far [s] and resident memory [MB] of a process."""
    fields = Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    resident = int(Path(f'/proc/{pid}/statm').read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND, resident * PAGE_BYTES / 1e6
