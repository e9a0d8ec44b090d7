# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Start and end of a process of nodes: one sentence for a mistake, exit code 0 on a signal."""
from __future__ import annotations

import contextlib
import gc
import logging
import sys
from types import TracebackType
from typing import Callable

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from robodyn_ros.errors import RobodynError
from robodyn_ros.interruption import ignore, INTERRUPTION
from robodyn_ros.nodes.common.executor import chosen_executor, ExecutorKind

LOG = logging.getLogger('robodyn_ros')
OWN_CALLBACKS = {'rclpy.parameter_service': 'a request about parameters',
                 'rclpy.time_source': 'a message on /clock',
                 'rclpy.logging_service': 'a request about log levels',
                 'rclpy.type_description_service': 'a request about types'}
"""Modules of rclpy that hear the graph by themselves, and what they may fall over."""
MOST_TOLD = 100
"""Sentences about such things."""


class Session:
    """
    rclpy in this process, for as long as the with block: nodes, their executor, and signals.

    A signal while nodes are made raises KeyboardInterrupt at once; while they spin it ends the
    callback in hand first, for an exception in the middle of a message would be a crash.
    """

    def __init__(self, arguments: list[str] | None = None, kind: ExecutorKind | None = None):
        """
        Do nothing yet.

        :param arguments: of the command line, for ROS; None: this process's own
        :param kind: of executor; None: the one the environment asks for
        """
        self.arguments, self.kind = arguments, kind or chosen_executor()
        self.nodes: list[Node] = []
        self._shut_down = False
        self._told: set[str] = set()
        self._executor: Executor | None = None
        self._around = contextlib.ExitStack()

    def __enter__(self) -> 'Session':
        """Start ROS."""
        with contextlib.ExitStack() as around:
            around.enter_context(INTERRUPTION.heard())
            around.callback(rclpy.try_shutdown)
            try:
                with INTERRUPTION.held():
                    rclpy.init(args=self.arguments, signal_handler_options=self.kind.signals)
            except RuntimeError as error:  # arguments or a parameter file that rcl cannot read
                # rcl adds the place in its source
                raise RobodynError(str(error).split(', at ')[0].splitlines()[0]) from None
            self._around = around.pop_all()
        return self

    @property
    def ended(self) -> bool:
        """Return whether a signal has come, or somebody has shut ROS down."""
        return INTERRUPTION.came or self._shut_down

    def add(self, node: Node) -> None:
        """Keep a node; it is served from the first spin on."""
        self.nodes.append(node)

    def spin_once(self, longest: float | None = None) -> bool:
        """
        Serve what is ready, or wait for it; returns whether to go on.

        :param longest: wait [s]
        """
        if self._executor is None:
            gc.collect()
            gc.freeze()  # what is here stays: no need to walk through it again between messages
            self._around.enter_context(INTERRUPTION.only_noted())
            self._executor = self.kind.make()
            for node in self.nodes:
                self._executor.add_node(node)
        try:
            self._executor.spin_once(
                timeout_sec=self.kind.patience if longest is None else longest)
        except ExternalShutdownException:
            self._shut_down = True
        except RuntimeError:  # a handle or a context that a signal has taken away
            if rclpy.ok():
                raise
        except (ValueError, TypeError, AttributeError) as error:
            what = _malformed(error)
            if what is None:
                raise
            self._complain(f'{what} is malformed ({error}) and is ignored')
        if not rclpy.ok():
            self._shut_down = True
        return not self.ended

    def _complain(self, text: str) -> None:
        """Log a sentence once: who sends such things may send many."""
        if text not in self._told and len(self._told) < MOST_TOLD:
            self._told.add(text)
            LOG.error(text)

    def serve_only(self, node: Node) -> None:
        """Serve one node from now on: it still gets what was sent, the others stand still."""
        if self.ended:  # rclpy's own handler may have ended ROS, without which no executor is made
            return
        if self._executor is not None:
            self._executor.shutdown()
        # it asks for messages, and so finds those that the other one was told of
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Destroy the nodes and end ROS; what a signal broke while nodes were made is no error."""
        with INTERRUPTION.only_noted():
            if self._executor is not None:
                self._executor.shutdown()
            for node in self.nodes:
                node.destroy_node()
            lost = isinstance(error, RuntimeError) and not rclpy.ok()
            with contextlib.suppress(RuntimeError):  # rclpy's own handler may be at it just now
                self._around.close()
        if lost:
            raise KeyboardInterrupt from None


def _malformed(error: BaseException) -> str | None:
    """
    Return what a callback of rclpy's own fell over, such as a time before zero.

    None for all other errors, and where code of ours is to blame.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    frame = trace.tb_frame if trace is not None else None
    while frame is not None:  # from the place of the error outwards: none of it is ours
        name = str(frame.f_globals.get('__name__'))
        if name in OWN_CALLBACKS:
            return OWN_CALLBACKS[name]
        if name.startswith('robodyn_ros'):
            return None
        frame = frame.f_back
    return None


def run_node(make: Callable[[], Node], arguments: list[str] | None = None,
             kind: ExecutorKind | None = None) -> int:
    """Create a node, spin it until a signal, and clean up; returns the exit code."""
    logging.basicConfig(level=logging.INFO, format='robodyn: %(message)s', stream=sys.stderr)
    session = None
    try:
        session = Session(arguments, kind)
        with session:
            session.add(make())
            while session.spin_once():
                pass
    except KeyboardInterrupt:
        pass
    except (RobodynError, ParameterException) as error:
        if session is None or not session.ended:
            print(f'robodyn: {error}', file=sys.stderr)
            return 2
    finally:
        ignore()  # a terminal and launch both send one
    return 0
