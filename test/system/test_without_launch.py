# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What test/launch asks of the launch files, asked of the same nodes started without launch."""

import time

from nav_msgs.msg import Path
import pytest
from robodyn_ros import load_scenario
from system.assertions import (
    expect_array_commands, expect_driver_on_helix, expect_nodes, expect_side_by_side,
    expect_states, expect_tracking, LATCHED, mode_of, nodes_of)
from system.driver_process import driver, wall_clock_nodes
from system.graph import heard_graph, nodes, stamp
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.dds
ARM = ['-r', '__ns:=/arm', '-r', 'joint_states:=/joint_states']


@pytest.mark.parametrize('scenario', ['scara_helix', 'two_link_line'])    # driven, and alone
def test_the_tool_follows_its_path(listener, scenario):
    """Nodes come up, states flow, the tolerance is kept, and every process ends with 0."""
    plant = {'mode': mode_of(scenario)}
    # a driven motion in lockstep is over in a second: it begins when the listener is there
    with heard_graph(listener, scenario, dynamics=plant) if 'controller' in nodes_of(scenario) \
            else nodes(scenario, *nodes_of(scenario), dynamics=plant):
        expect_nodes(listener, *(f'/{name}' for name in nodes_of(scenario)))
        expect_states(listener, load_scenario(scenario).robot)
        expect_tracking(listener, scenario)


def test_a_driver_is_wired_by_its_topics(listener):
    """Nodes in a namespace drive an arm whose topics are outside of it, with bare efforts."""
    controller = [*ARM, '-r', 'joint_commands:=/effort_controller/commands',
                  '-p', 'command_format:=float64_multi_array']
    with driver('--array-commands'), wall_clock_nodes('scara_helix', controller=controller,
                                                      trajectory=ARM):
        expect_nodes(listener, '/driver', '/arm/controller', '/arm/trajectory')
        expect_states(listener, 'scara_450')
        expect_array_commands(listener, '/effort_controller/commands')
        expect_driver_on_helix(listener, '/arm')


def test_two_robots_side_by_side(listener):
    """Each namespace has its own states and its own clock, and none leaks out."""
    def arguments(namespace):
        return ['-r', f'__ns:=/{namespace}', '-r', '/clock:=clock', '-p', 'use_sim_time:=true']

    left, right = arguments('left'), arguments('right')
    with wall_clock_nodes('scara_helix', dynamics=left, controller=left, trajectory=left), \
            wall_clock_nodes('two_link_line', dynamics=right, trajectory=right):
        expect_side_by_side(listener, {'left': 'scara_450', 'right': 'two_link'})


def test_the_motion_waits_for_a_controller(listener):
    """A controller that comes late, as on a machine that compiles first, misses nothing."""
    sent, paths = [], []
    listener.node.create_subscription(JointTrajectory, 'controller/joint_trajectory',
                                      sent.append, LATCHED)
    listener.node.create_subscription(Path, 'trajectory/path', paths.append, LATCHED)
    with driver(), wall_clock_nodes('scara_helix', trajectory=[]):
        listener.wait(lambda: paths)  # the motion is computed
        later = time.time_ns() + 2 * 10 ** 9
        listener.wait(lambda: listener.states and stamp(listener.states[-1]) > later)
        assert not sent, 'the motion began without a controller'
        with wall_clock_nodes('scara_helix', controller=[]):
            expect_driver_on_helix(listener)
