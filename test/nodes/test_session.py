# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The loop of a node's process hears a signal whenever it comes."""

import os
import signal

import pytest

process = pytest.importorskip('robodyn_ros.nodes.common.process')


def test_a_signal_while_the_loop_looks_at_ros_is_not_lost(monkeypatch):
    """It came between two looks at `ended`, and was undone by the second (regression)."""
    session = process.Session([])
    monkeypatch.setattr(session, '_spinning', True)
    monkeypatch.setattr(session, '_executor', type('Idle', (), {
        'spin_once': lambda self, timeout_sec: None})())
    before = signal.signal(signal.SIGINT, session._on_signal)

    def look():
        os.kill(os.getpid(), signal.SIGINT)
        return True

    monkeypatch.setattr(process.rclpy, 'ok', look)
    try:
        assert not session.spin_once()
    finally:
        signal.signal(signal.SIGINT, before)
