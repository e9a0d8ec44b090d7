# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The programs that setup.py installs, each a function.

A program imports what it needs only when signals can wait for it: Ctrl-C during the second that
this takes is no traceback. `python -m` of the same modules does likewise (interruption.py).
"""
from __future__ import annotations

from importlib import import_module
import os


def robodyn() -> int:
    """Run the command `robodyn`."""
    return _run('robodyn_ros.commands.main')


def dynamics_node() -> int:
    """Run the node dynamics."""
    return _run('robodyn_ros.nodes.dynamics.node', 0)


def controller_node() -> int:
    """Run the node controller."""
    return _run('robodyn_ros.nodes.controller.node', 0)


def trajectory_node() -> int:
    """Run the node trajectory."""
    return _run('robodyn_ros.nodes.trajectory.node', 0)


def recorder_node() -> int:
    """Run the node recorder."""
    return _run('robodyn_ros.nodes.recorder.node', 0)


def viewer_node() -> int:
    """Run the node viewer."""
    return _run('robodyn_ros.nodes.viewer.node', 0)


def _run(module: str, interrupted: int = 130) -> int:
    import signal  # at once: what else is imported, here and by interruption, takes much longer
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    # matrices are small here: threads for one would wait for one another, for minutes where
    # cores are busy, and last bits would depend on the number of cores
    os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
    from robodyn_ros import interruption
    interruption.begin(interrupted)
    from robodyn_ros import imports
    with imports.that_stay():
        found = import_module(module)
    return int(found.main())
