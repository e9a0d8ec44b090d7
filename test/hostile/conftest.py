# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Without ROS 2 these files cannot even be imported: they are left out, and the header says so."""

from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec('rclpy') else ['test_nodes_*.py']


def pytest_report_header():
    """Tell that the node graph is not tested."""
    return None if find_spec('rclpy') else \
        'test/hostile/test_nodes_* are left out: ROS 2 (rclpy) is missing'


@pytest.fixture
def listener():
    """Join the graph for one test."""
    from system.graph import Listener
    made = Listener()
    yield made
    made.close()
