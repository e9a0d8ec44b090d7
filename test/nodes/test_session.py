# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The loop of a node's process hears a signal whenever it comes."""

import os
import signal

import pytest
from robodyn_ros.interruption import INTERRUPTION

process = pytest.importorskip('robodyn_ros.nodes.common.process')


def test_a_signal_while_the_loop_looks_at_ros_is_not_lost(monkeypatch):
    """It came between two looks at `ended`, and was undone by the second (regression)."""
    session = process.Session([])
    monkeypatch.setattr(session, '_executor', type('Idle', (), {
        'spin_once': lambda self, timeout_sec: None})())

    def look():
        os.kill(os.getpid(), signal.SIGINT)
        return True

    monkeypatch.setattr(process.rclpy, 'ok', look)
    with INTERRUPTION.heard(), INTERRUPTION.only_noted():
        assert not session.spin_once()
