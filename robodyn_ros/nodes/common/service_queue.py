# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Services of other nodes, called one after the other without waiting in a callback.

A timer looks for the answers: a future's own callback would run as a task of the executor, and an
EventsExecutor crashes where a task raises.
"""
from __future__ import annotations

from collections import deque
import time
from typing import Any, Callable, NamedTuple

from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python

from robodyn_ros.nodes.common.wall_timer import wall_timer

LOOK = 0.02
"""Time between looks at what has become of a request [s]."""
PATIENCE = 3.0
"""Time for an answer [s]."""
APPEARANCE = 1.0
"""Time for a service to appear [s]."""
TRIES = 5
"""How often parameters are asked for or set."""


class Call(NamedTuple):
    """A request to a service."""

    kind: Any
    name: str
    fields: dict[str, Any]
    done: Callable[[Any], None]
    """Called with the response."""
    tries: int = 1
    """How often it is sent, if no answer comes; more than once only what may happen twice."""


class ServiceQueue:
    """
    Sends requests in order: the next one when the last is answered.

    A service that nobody offers is passed over, with a sentence, but only once it had time to
    appear. An answer can get lost: a server may know our request before it knows where to send the
    response. Then it is asked again.
    """

    def __init__(self, node: Node, tell: Callable[[str], None]):
        """
        Know no service yet.

        :param tell: takes sentences about what did not work
        """
        self.node, self.tell = node, tell
        self._clients: dict[str, Any] = {}
        self._waiting: deque[Call] = deque()
        self._later: deque[tuple[float, Call]] = deque()  # since when
        self._current: Call | None = None
        self._since = 0.0  # when the current one was taken up, then when it was sent
        self._future: Any = None  # of its answer, once it is sent
        wall_timer(node, LOOK, self._advance)

    def call(self, kind: Any, name: str, **fields: Any) -> None:
        """Ask a service such as dynamics/reset."""
        self._waiting.append(Call(kind, name, fields,
                                  lambda response: self._judge(name, response)))

    def set_parameter(self, node: str, name: str, value: Any) -> None:
        """Change a parameter of another node."""
        def judge(response: Any) -> None:
            for result in response.results:
                if not result.successful:
                    self.tell(f'{node} refused {name}: {result.reason}')

        message = Parameter(name, value=value).to_parameter_msg()
        self._waiting.append(Call(SetParameters, f'{node}/set_parameters',
                                  {'parameters': [message]}, judge, TRIES))

    def get_parameters(self, node: str, names: list[str],
                       take: Callable[[dict[str, Any]], None]) -> None:
        """Ask for parameters of another node; take() gets those that are set."""
        def sort(response: Any) -> None:
            values = (parameter_value_to_python(value) for value in response.values)
            take({name: value for name, value in zip(names, values) if value is not None})

        self._waiting.append(Call(GetParameters, f'{node}/get_parameters', {'names': names}, sort,
                                  TRIES))

    def _judge(self, name: str, response: Any) -> None:
        if not response.success:
            self.tell(f'{name}: {response.message}')

    def _advance(self) -> None:
        """Take up the next call, send it, or see what has become of it."""
        now = time.monotonic()
        while self._later and now - self._later[0][0] >= PATIENCE:
            self._waiting.append(self._later.popleft()[1])
        if self._current is None:
            if not self._waiting:
                return
            self._current, self._since, self._future = self._waiting.popleft(), now, None
        call = self._current
        if call.name not in self._clients:
            self._clients[call.name] = self.node.create_client(call.kind, call.name)
        client = self._clients[call.name]
        if self._future is None:
            if client.service_is_ready():
                self._since = now
                self._future = client.call_async(call.kind.Request(**call.fields))
            # what is asked in the background holds up the others only once
            elif now - self._since >= (APPEARANCE if call.tries in (1, TRIES) else 0.0):
                self._current = None
                if call.tries > 1:
                    self._later.append((now, call._replace(tries=call.tries - 1)))
                else:
                    self.tell(f'nobody offers the service {call.name}; is that node running?')
        elif self._future.done():
            self._current = None
            call.done(self._future.result())
        elif now - self._since >= PATIENCE:
            self._current = None
            client.remove_pending_request(self._future)
            if call.tries > 1:
                self._waiting.appendleft(call._replace(tries=call.tries - 1))
            else:
                self.tell(f'no answer from the service {call.name}; try again')
