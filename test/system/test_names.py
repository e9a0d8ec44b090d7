# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Two robots in one graph are told apart, and nobody advertises what it never says."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from robodyn_ros.nodes.common.options import ViewerOptions
from system.graph import nodes, start_with

pytestmark = pytest.mark.dds


def test_diagnostics_name_the_node_with_its_namespace_and_the_robot(listener):
    """As aggregators group them: '<node>: <task>', and the robot as hardware_id."""
    with nodes('scara_helix') as processes:
        for space, scenario in (('left', 'scara_helix'), ('right', 'scara_via_points')):
            for node in ('dynamics', 'controller'):
                processes.append(start_with(node, '-r', f'__ns:=/{space}', '-p',
                                            f'scenario:={scenario}'))
        found = {}

        def both():
            found.update({status.name: status.hardware_id for status in listener.reports})
            return len(found) > 3

        listener.wait(both)
    assert found == {'left/dynamics: plant': 'left/scara_450',
                     'left/controller: law': 'left/scara_450',
                     'right/dynamics: plant': 'right/scara_1000',
                     'right/controller: law': 'right/scara_1000'}


def test_a_viewer_shows_the_robot_of_its_namespace_only(listener):
    """Whatever the other one does."""
    viewer_node = pytest.importorskip('robodyn_ros.nodes.viewer.node')
    context = rclpy.Context()
    rclpy.init(context=context)
    node = viewer_node.ViewerNode(ViewerOptions(port=0), namespace='left', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    topic = listener.publisher(DiagnosticArray, '/diagnostics')

    def say(name, message, **values):
        status = DiagnosticStatus(name=name, message=message)
        status.values = [KeyValue(key=key, value=value) for key, value in values.items()]
        topic.publish(DiagnosticArray(status=[status]))

    def shown():
        say('right/dynamics: plant', 'broken', mode='fault', paused='False')
        say('dynamics: plant', 'broken', mode='fault', paused='False')
        say('left/dynamics: plant', 'moving', mode='moving', paused='False')
        say('left/controller: law', 'following')
        for _ in range(20):
            executor.spin_once(timeout_sec=0.01)
            assert 'broken' not in node.viewer.state
        return node.viewer.state == 'following'

    try:
        listener.wait(shown)
    finally:
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()


@pytest.mark.parametrize('scenario, rows', [('scara_helix', False), ('parallel_line', True)])
def test_only_a_plant_with_constraints_advertises_their_topics(listener, scenario, rows):
    """A listener of the other would wait for ever."""
    with nodes(scenario, 'dynamics'):
        listener.wait(lambda: listener.states
                      and listener.node.count_publishers('/dynamics/markers'))
        names = {name for name, _ in listener.node.get_topic_names_and_types()}
    assert {'/dynamics/tool_pose', '/dynamics/markers'} <= names
    for name in ('/dynamics/constraints', '/dynamics/constraint_effort'):
        assert (name in names) == rows
