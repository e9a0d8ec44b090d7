# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Services of other nodes, called one after the other without waiting in a callback."""
from __future__ import annotations

from collections import deque
import time
from typing import Any, Callable, NamedTuple

from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python

from robodyn_ros.nodes.common.reporting import WALL

PATIENCE = 3.0
"""Time for an answer [s]."""
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


class Remote:
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
        self._busy = False
        self._later: deque[tuple[float, Call]] = deque()  # since when
        self._asked: tuple[Call, Any, float] | None = None  # with its future, and when
        node.create_timer(PATIENCE / 2.0, self._look, clock=WALL)

    def call(self, kind: Any, name: str, **fields: Any) -> None:
        """Ask a service such as dynamics/reset."""
        self._put(Call(kind, name, fields, lambda response: self._judge(name, response)))

    def set_parameter(self, node: str, name: str, value: Any) -> None:
        """Change a parameter of another node."""
        def judge(response: Any) -> None:
            for result in response.results:
                if not result.successful:
                    self.tell(f'{node} refused {name}: {result.reason}')

        message = Parameter(name, value=value).to_parameter_msg()
        self._put(Call(SetParameters, f'{node}/set_parameters', {'parameters': [message]}, judge,
                       TRIES))

    def get_parameters(self, node: str, names: list[str],
                       take: Callable[[dict[str, Any]], None]) -> None:
        """Ask for parameters of another node; take() gets those that are set."""
        def sort(response: Any) -> None:
            values = (parameter_value_to_python(value) for value in response.values)
            take({name: value for name, value in zip(names, values) if value is not None})

        self._put(Call(GetParameters, f'{node}/get_parameters', {'names': names}, sort, TRIES))

    def _judge(self, name: str, response: Any) -> None:
        if not response.success:
            self.tell(f'{name}: {response.message}')

    def _put(self, call: Call) -> None:
        self._waiting.append(call)
        if not self._busy:
            self._next()

    def _next(self) -> None:
        self._busy = bool(self._waiting)
        if not self._busy:
            return
        call = self._waiting.popleft()
        again = call.name in self._clients
        if not again:
            self._clients[call.name] = self.node.create_client(call.kind, call.name)
        client = self._clients[call.name]
        wait = call.tries == 1 or not again  # no second wait for what is asked in the background
        if not (client.wait_for_service(timeout_sec=1.0) if wait else client.service_is_ready()):
            if call.tries > 1:  # meanwhile others are served
                self._later.append((time.monotonic(), call._replace(tries=call.tries - 1)))
            else:
                self.tell(f'nobody offers the service {call.name}; is that node running?')
            self._next()
            return

        def answered(future: Any) -> None:
            if self._asked is None or self._asked[1] is not future:
                return  # too late: given up, or asked again
            self._asked = None
            if future.result() is not None:
                call.done(future.result())
            self._next()

        future = client.call_async(call.kind.Request(**call.fields))
        self._asked = call, future, time.monotonic()
        future.add_done_callback(answered)

    def _look(self) -> None:
        """Ask again, or give up, where an answer is overdue or a service was not there."""
        now = time.monotonic()
        while self._later and now - self._later[0][0] >= PATIENCE:
            self._put(self._later.popleft()[1])
        if self._asked is None or now - self._asked[2] < PATIENCE:
            return
        (call, future, _), self._asked = self._asked, None
        self._clients[call.name].remove_pending_request(future)
        if call.tries > 1:
            self._waiting.appendleft(call._replace(tries=call.tries - 1))
        else:
            self.tell(f'no answer from the service {call.name}; try again')
        self._next()
