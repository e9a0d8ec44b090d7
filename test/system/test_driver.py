# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Controller and trajectory nodes, unchanged, move a driver that knows nothing of the plant."""

import pytest
from std_msgs.msg import Float64MultiArray
from system.assertions import expect_driver_on_helix
from system.driver_process import driver, wall_clock_nodes

pytestmark = pytest.mark.dds
REMAPPED = ['-p', 'command_format:=float64_multi_array', '-r',
            'joint_commands:=/effort_controller/commands']


@pytest.mark.parametrize('arguments, controller', [([], []), (['--array-commands'], REMAPPED)],
                         ids=['joint_state', 'float64_multi_array'])
def test_the_driver_follows_the_helix_on_the_wall_clock(listener, arguments, controller):
    """A second of the motion is within the tolerance of the closed form."""
    arrays = []
    listener.node.create_subscription(Float64MultiArray, 'effort_controller/commands',
                                      arrays.append, 10)
    with driver(*arguments), wall_clock_nodes('scara_helix', controller=controller,
                                              trajectory=[]):
        expect_driver_on_helix(listener)
    assert bool(arrays) == bool(controller) and bool(listener.commands) != bool(controller)
