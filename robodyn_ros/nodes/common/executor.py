# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Which of rclpy's executors runs the nodes.

`events` is rclpy.experimental.EventsExecutor: it is told of a message instead of asking every
entity each time, which takes a fraction of the time of rclpy's usual one. Known faults, and why
they do no harm here:

- spin() with a timer does not let timers tick: only spin_once() is called;
- a task that raises, or a callback of a future, ends the process without a word: none is made;
- a callback during which the context is shut down leaves a fatal log message: signals do not shut
  it down, they end the loop between two callbacks (process.py).

`single` is rclpy.executors.SingleThreadedExecutor, for an rclpy without the other, and for who
asks for it by the environment variable ROBODYN_EXECUTOR.
"""
from __future__ import annotations

import os
from typing import Callable, NamedTuple

from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from robodyn_ros.errors import UnknownNameError

VARIABLE = 'ROBODYN_EXECUTOR'


class ExecutorKind(NamedTuple):
    """An executor of rclpy and what it needs to notice a signal."""

    make: Callable[[], Executor]
    signals: SignalHandlerOptions
    """Which signals rclpy handles."""
    patience: float | None
    """Longest wait of one spin_once [s]; None: for ever, if rclpy's handler wakes it."""


SINGLE = ExecutorKind(SingleThreadedExecutor, SignalHandlerOptions.ALL, None)
try:
    from rclpy.experimental import EventsExecutor
    EVENTS = ExecutorKind(EventsExecutor, SignalHandlerOptions.NO, 0.1)
except ImportError:  # before rclpy 7.1.4
    EVENTS = SINGLE
KINDS = {'events': EVENTS, 'single': SINGLE}


def chosen_executor() -> ExecutorKind:
    """Return the executor that the environment asks for; the faster one if it says nothing."""
    name = os.environ.get(VARIABLE) or 'events'
    if name not in KINDS:
        raise UnknownNameError('executor', name, KINDS, f'the environment variable {VARIABLE}')
    return KINDS[name]
