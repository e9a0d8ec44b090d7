# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Services of other nodes, called one after the other without waiting in a callback."""
from __future__ import annotations

from collections import deque
from typing import Any, Callable, NamedTuple

from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter, parameter_value_to_python


class Call(NamedTuple):
    """A request to a service."""

    kind: Any
    name: str
    fields: dict[str, Any]
    done: Callable[[Any], None]
    """Called with the response."""


class Remote:
    """
    Sends requests in order: the next one when the last is answered.

    A service that nobody offers is passed over, with a sentence.
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
        self._put(Call(SetParameters, f'{node}/set_parameters', {'parameters': [message]}, judge))

    def get_parameters(self, node: str, names: list[str],
                       take: Callable[[dict[str, Any]], None]) -> None:
        """Ask for parameters of another node; take() gets those that are set."""
        def sort(response: Any) -> None:
            values = (parameter_value_to_python(value) for value in response.values)
            take({name: value for name, value in zip(names, values) if value is not None})

        self._put(Call(GetParameters, f'{node}/get_parameters', {'names': names}, sort))

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
        if call.name not in self._clients:
            self._clients[call.name] = self.node.create_client(call.kind, call.name)
        client = self._clients[call.name]
        if not client.wait_for_service(timeout_sec=1.0):
            self.tell(f'nobody offers the service {call.name}; is that node running?')
            self._next()
            return

        def answered(future: Any) -> None:
            if future.result() is not None:
                call.done(future.result())
            self._next()

        client.call_async(call.kind.Request(**call.fields)).add_done_callback(answered)
