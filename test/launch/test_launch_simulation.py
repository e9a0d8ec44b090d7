# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""simulation.launch.py runs every scenario within its tolerance and ends cleanly."""

import unittest

import pytest
from robodyn_ros import load_scenario, scenario_names
from system import assertions, launched
from system.graph import Listener


@pytest.mark.launch_test
@pytest.mark.dds
@launched.testing.parametrize('scenario', scenario_names())
def generate_test_description(scenario):
    """Launch one scenario after the other."""
    return launched.description(launched.launch_file(
        'simulation', scenario=scenario, mode=assertions.mode_of(scenario), start_paused='true'))


class TestScenario(unittest.TestCase):
    """While the nodes run."""

    def setUp(self):
        """Join the graph before the nodes are up."""
        self.listener = Listener()
        self.addCleanup(self.listener.close)

    def test_the_tool_follows_its_path(self, scenario):
        """Nodes come up, states flow, the tolerance is kept."""
        names = (f'/{name}' for name in assertions.nodes_of(scenario))
        assertions.expect_nodes(self.listener, *names)
        assertions.resume(self.listener, scenario)
        assertions.expect_states(self.listener, load_scenario(scenario).robot)
        assertions.expect_tracking(self.listener, scenario)


@launched.testing.post_shutdown_test()
class TestShutdown(unittest.TestCase):
    """When all is over."""

    def test_every_process_ended_with_0(self, proc_info):
        """A signal is the usual end of a node."""
        launched.asserts.assertExitCodes(proc_info)
