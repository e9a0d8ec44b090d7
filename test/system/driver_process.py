# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The stand-in driver and nodes on the wall clock, as processes that end with their test."""
from __future__ import annotations

import contextlib
import signal
import subprocess
import sys

from house import ROOT
from system.graph import PATIENCE


@contextlib.contextmanager
def driver(*arguments):
    """Run the stand-in driver; it must still be alive at the end and leave cleanly on SIGINT."""
    with _process('-m', 'system.stand_in_driver', *arguments, cwd=ROOT / 'test'):
        yield


@contextlib.contextmanager
def wall_clock_nodes(scenario, **extra):
    """Run nodes of the package without simulated time; extra: ROS arguments by node."""
    with contextlib.ExitStack() as stack:
        for name, arguments in extra.items():
            stack.enter_context(_process('-m', f'robodyn_ros.nodes.{name}.node', '--ros-args',
                                         '-p', f'scenario:={scenario}', *arguments))
        yield


@contextlib.contextmanager
def _process(*arguments, cwd=None):
    process = subprocess.Popen([sys.executable, *arguments], cwd=cwd, text=True,
                               stderr=subprocess.PIPE)
    try:
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            _, text = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert process.returncode == 0, f'{arguments}: {process.returncode}, {text[-2000:]}'
