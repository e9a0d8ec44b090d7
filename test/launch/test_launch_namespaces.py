# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Two robots side by side, each in its namespace with a clock of its own."""

import unittest

import pytest
from system import assertions, launched
from system.graph import Listener


@pytest.mark.launch_test
@pytest.mark.dds
def generate_test_description():
    """Launch two scenarios at once."""
    return launched.description(
        launched.launch_file('simulation', scenario='scara_helix', namespace='left'),
        launched.launch_file('simulation', scenario='two_link_line', namespace='right'))


class TestSideBySide(unittest.TestCase):
    """While the nodes run."""

    def setUp(self):
        """Join the graph before the nodes are up."""
        self.listener = Listener()
        self.addCleanup(self.listener.close)

    def test_each_has_its_own_states_and_clock(self):
        """Nothing leaks out of a namespace."""
        assertions.expect_nodes(
            self.listener, '/left/dynamics', '/left/controller', '/left/trajectory',
            '/right/dynamics', '/right/trajectory')
        assertions.expect_side_by_side(self.listener, {'left': 'scara_450', 'right': 'two_link'})


@launched.testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """When all is over."""

    def test_every_process_ended_with_0(self, proc_info):
        """A signal is the usual end of a node."""
        launched.asserts.assertExitCodes(proc_info)
