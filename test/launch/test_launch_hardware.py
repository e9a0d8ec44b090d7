# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""hardware.launch.py moves a driver that knows nothing of the plant, over the driver's topics."""

import unittest

import pytest
from system import assertions, launched
from system.graph import Listener

COMMANDS = '/effort_controller/commands'


@pytest.mark.launch_test
@pytest.mark.dds
def generate_test_description():
    """Launch a driver and, in a namespace, what drives it."""
    return launched.description(
        launched.stand_in_driver('--array-commands'),
        launched.launch_file('hardware', scenario='scara_helix', namespace='arm', autostart='True',
                             state_topic='/joint_states', command_topic=COMMANDS,
                             command_format='float64_multi_array'))


class TestDriver(unittest.TestCase):
    """While the nodes run."""

    def setUp(self):
        """Join the graph before the nodes are up."""
        self.listener = Listener()
        self.addCleanup(self.listener.close)

    def test_the_driver_follows_the_helix(self):
        """Nodes come up, states flow, efforts come as an array, and the arm follows."""
        assertions.expect_nodes(self.listener, '/driver', '/arm/controller', '/arm/trajectory')
        assertions.expect_states(self.listener, 'scara_450')
        assertions.expect_array_commands(self.listener, COMMANDS)
        assertions.expect_driver_on_helix(self.listener, '/arm')


@launched.testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """When all is over."""

    def test_every_process_ended_with_0(self, proc_info):
        """A signal is the usual end of a node."""
        launched.asserts.assertExitCodes(proc_info)
