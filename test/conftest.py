# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Every test session has a DDS domain of its own and stays on this host.

Two sessions at once on one machine then do not hear each other (test/ground/test_isolation.py).
A ROS_DOMAIN_ID that is already set is respected. Tests that talk over DDS carry the mark `dds`.
"""

import contextlib
from importlib.util import find_spec
import os
from pathlib import Path
import sys

import pytest

_session = contextlib.ExitStack()


def pytest_configure():
    """Reserve a domain for as long as the session lasts, before anything imports rclpy."""
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # A venv with the ROS wheels is an ament prefix, but nothing says so by itself.
    if (Path(sys.prefix) / 'share' / 'ament_index').is_dir():
        os.environ.setdefault('AMENT_PREFIX_PATH', sys.prefix)
    if 'ROS_DOMAIN_ID' not in os.environ and find_spec('domain_coordinator'):
        from domain_coordinator import domain_id
        os.environ['ROS_DOMAIN_ID'] = str(_session.enter_context(domain_id()))
        _session.callback(os.environ.pop, 'ROS_DOMAIN_ID')


def pytest_unconfigure():
    """Give the domain back."""
    _session.close()


def pytest_report_header():
    """Name the domain, to find the session with the ros2 tools."""
    return f'ROS_DOMAIN_ID: {os.environ.get("ROS_DOMAIN_ID", "none, DDS tests are skipped")}'


def pytest_collection_modifyitems(items):
    """Skip what needs DDS where there is no ROS 2, or no domain to be alone in."""
    reason = None
    if not find_spec('rclpy'):
        reason = 'needs ROS 2 (rclpy): source one, or install the extra ros'
    elif 'ROS_DOMAIN_ID' not in os.environ:
        reason = 'needs domain_coordinator, or a ROS_DOMAIN_ID, to be alone on the network'
    if reason:
        for item in items:
            if item.get_closest_marker('dds'):
                item.add_marker(pytest.mark.skip(reason=reason))
