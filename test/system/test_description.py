# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The plant publishes robot_description unless it is told that another node does."""

import pytest
from system.graph import nodes

pytestmark = pytest.mark.dds


@pytest.mark.parametrize('publish, count', [('true', 1), ('false', 0)])
def test_the_plant_describes_the_robot_where_nobody_else_does(listener, publish, count):
    """The publishers of the topic are counted when the plant is up."""
    with nodes('two_link_line', 'dynamics', dynamics={'publish_description': publish}):
        listener.wait(lambda: listener.reports)  # of a publisher that is made after it
        assert listener.node.count_publishers('robot_description') == count
