# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
An executor for control loops: rclpy's own, with a short way for subscriptions and timers.

rclpy's SingleThreadedExecutor lists every entity of every node anew, makes a coroutine for each
message and wakes itself twice for it: at 1 kHz that costs several times what the control law does.
This one keeps the list, takes messages and timers that are ready and calls them at once. While
they flow, all the rest (services, clients, events of the middleware) is looked at every LOOK
seconds and then goes through rclpy as ever; when nothing flows, everything is waited for together.
"""
from __future__ import annotations

from functools import partial
import inspect
from math import inf
import time
from typing import Any, Sequence

from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.subscription import Subscription
from rclpy.timer import Timer
from rclpy.waitable import NumberOfEntities, Waitable

LOOK = 5e-3
"""Longest time a service waits while messages flow [s]."""


class DirectExecutor(SingleThreadedExecutor):
    """Runs callbacks in the thread that spins; plain functions of messages and timers directly."""

    _sigint_gc: Any = None  # rclpy's __del__ looks at it, also after a signal while it is made

    def __init__(self, **executor: Any):
        """Know no entity yet."""
        super().__init__(**executor)
        self._entities: _Entities | None = None

    def _spin_once_impl(self, timeout_sec: Any = None, wait_condition: Any = None) -> None:
        """Wait for one round of ready entities, and serve it."""
        if wait_condition is not None:  # a future is waited for
            super()._spin_once_impl(timeout_sec, wait_condition)
            return
        if self._entities is None:
            self._entities = _Entities(self)
        forever = timeout_sec is None or timeout_sec < 0.0
        timeout = 0.0 if self._tasks else inf if forever else timeout_sec
        try:
            others = self._entities.serve(timeout)
        except InvalidHandle:  # destroyed meanwhile
            others = True
        if not self._context.ok():
            raise ExternalShutdownException()
        if others or self._tasks:
            self._entities = None  # an entity may have come or gone
            super()._spin_once_impl(0.0)


class _WaitSet:
    """A wait set of rcl that is filled anew for each wait, as rcl demands."""

    def __init__(self, executor: DirectExecutor, entities: Sequence[tuple[str, Any]],
                 waitables: Sequence[Waitable] = ()):
        """
        Make room for entities.

        :param entities: kind, such as 'subscription', and handle of each
        """
        count = sum((w.get_num_entities() for w in waitables), NumberOfEntities())
        sizes = [sum(kind == known for kind, _ in entities) + getattr(count, f'num_{known}s')
                 for known in ('subscription', 'guard_condition', 'timer', 'client', 'service',
                               'event')]
        context: Any = executor.context.handle
        with context:
            self._set = _rclpy.WaitSet(*sizes, context)
        self._fill = [partial(getattr(self._set, f'add_{kind}'), handle)
                      for kind, handle in entities]
        self._fill += [partial(waitable.add_to_wait_set, self._set) for waitable in waitables]

    def wait(self, timeout: float) -> Any:
        """
        Wait for any of the entities; returns rcl's wait set.

        :param timeout: longest wait [s]
        """
        self._set.clear_entities()
        for add in self._fill:
            add()
        self._set.wait(-1 if timeout == inf else int(timeout * 1e9))
        return self._set


class _Entities:
    """What an executor waits for: streams, and everything."""

    def __init__(self, executor: DirectExecutor):
        """List all entities of all nodes."""
        nodes = executor.get_nodes()
        self.subscriptions = [s for node in nodes for s in node.subscriptions]
        self.timers = [t for node in nodes for t in node.timers]
        self.guards = [g for node in nodes for g in node.guards]
        self.waitables = [w for node in nodes for w in node.waitables]
        plain: list[Any] = [*self.subscriptions, *self.timers]
        self.direct = {entity.handle.pointer: entity for entity in plain
                       if not inspect.iscoroutinefunction(entity.callback)}
        streams = [*[('subscription', s.handle) for s in self.subscriptions],
                   *[('timer', t.handle) for t in self.timers],
                   *[('guard_condition', g.handle) for g in self.guards],
                   ('guard_condition', executor._guard.handle),
                   ('guard_condition', executor._sigint_gc.handle)]
        rest = [*[('service', s.handle) for node in nodes for s in node.services],
                *[('client', c.handle) for node in nodes for c in node.clients]]
        self.streams = _WaitSet(executor, streams)
        self.everything = _WaitSet(executor, [*streams, *rest], self.waitables)
        self.looked = 0.0

    def serve(self, timeout: float) -> bool:
        """
        Wait, then call what can be called directly; returns whether something else is ready.

        :param timeout: longest wait [s]
        """
        left = self.looked + LOOK - time.monotonic()
        if left > 0.0:
            ready, others = self.streams.wait(min(timeout, left)), False
        else:
            ready = self.everything.wait(timeout)
            self.looked = time.monotonic()
            others = any([ready.get_ready_entities(kind) for kind in ('service', 'client')]
                         + [w.is_ready(ready) for w in self.waitables])
        guards = ready.get_ready_entities('guard_condition')
        for guard in self.guards:
            guard._executor_triggered |= guard.handle.pointer in guards
        others |= bool(guards)
        for kind in ('timer', 'subscription'):
            for pointer in ready.get_ready_entities(kind):
                entity = self.direct.get(pointer)
                if entity is None:
                    others = True
                elif kind == 'timer':
                    _call_timer(entity)
                else:
                    _take(entity)
        return others


def _call_timer(timer: Timer) -> None:
    if timer.handle.is_timer_ready():  # and not cancelled meanwhile
        timer.handle.call_timer()
        timer.callback()


def _take(subscription: Subscription) -> None:
    taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
    if taken is None:
        return
    if subscription._callback_type is Subscription.CallbackType.MessageOnly:
        subscription.callback(taken[0])
    else:
        subscription.callback(*taken)
