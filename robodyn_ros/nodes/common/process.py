# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Start and end of a node's process: one sentence for a mistake, exit code 0 on a signal."""
from __future__ import annotations

import gc
import logging
import signal
import sys
from typing import Callable

import rclpy
from rclpy.exceptions import ParameterException
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.common.executor import DirectExecutor


def run_node(make: Callable[[], Node], arguments: list[str] | None = None,
             kind: type[SingleThreadedExecutor] = DirectExecutor) -> int:
    """Create a node, spin it until a signal, and clean up; returns the exit code."""
    logging.basicConfig(level=logging.INFO, format='robodyn: %(message)s', stream=sys.stderr)
    spinning = False

    def interrupted(*_: object) -> None:
        # rclpy ends the spin by itself; an exception in the middle of a message is a crash
        if not spinning:
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)
    node = None
    try:
        rclpy.init(args=arguments)
    except RuntimeError as error:  # arguments or a parameter file that rcl cannot read
        return _complain(error)
    try:
        node = make()
        spinning = True
        gc.collect()
        gc.freeze()  # what is here stays: no need to walk through it again between messages
        executor = kind()
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (RobodynError, ParameterException) as error:
        return 0 if _ended() else _complain(error)
    except RuntimeError:  # a handle or a context that a signal has taken away
        if not _ended():
            raise
    finally:
        spinning = True
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _ended() -> bool:
    """Return whether a signal has ended the context."""
    return not rclpy.ok()


def _complain(error: Exception) -> int:
    """Print the first sentence of an error; rcl's have the place in its source after it."""
    text = str(error).split(', at ')[0].splitlines()[0]
    print(f'robodyn: {text}', file=sys.stderr)
    return 2
