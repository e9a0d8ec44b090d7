# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Requests and messages that are made to end a node do not."""

from importlib.util import find_spec

import pytest
from recording.encode import JOINT_STATE, joint_state
from robodyn_ros.recording.reader import read_recording
from robodyn_ros.recording.writer import RecordingWriter


@pytest.mark.dds
def test_a_parameter_of_no_type_there_is_ends_no_node():
    """Its type is a number of 0 to 255; rclpy itself falls over those it does not know."""
    if not find_spec('rclpy'):
        pytest.skip('ROS 2 (rclpy) is missing')
    from rcl_interfaces.msg import Parameter, ParameterValue
    from rcl_interfaces.srv import GetParameters, SetParameters
    from system.graph import Listener, nodes, written
    listener = Listener()
    try:
        with nodes('scara_helix', 'controller') as (node,):
            client = listener.node.create_client(SetParameters, '/controller/set_parameters')
            listener.wait(client.service_is_ready)
            wrong = Parameter(name='damping', value=ParameterValue(type=200))
            client.call_async(SetParameters.Request(parameters=[wrong]))
            listener.wait(lambda: 'malformed' in written(node) or node.poll() is not None)
            answer = listener.call(GetParameters, '/controller/get_parameters', names=['damping'])
            assert answer.values[0].double_value == 1.0
            assert 'Traceback' not in written(node)
    finally:
        listener.close()


@pytest.mark.parametrize('stamp', [-2 ** 31 * 10 ** 9, -1, 0, (2 ** 31 - 1) * 10 ** 9])
def test_a_message_of_any_time_can_be_recorded(stamp, tmp_path):
    """Also one of before 1970, which MCAP has no number for."""
    path = tmp_path / 'run.mcap'
    writer = RecordingWriter(path)
    channel = writer.channel('/joint_states', *JOINT_STATE, '')
    writer.add(channel, stamp, joint_state(5, ['a'], [1.0]))
    writer.close()
    found = read_recording(path, ['joint_states'])
    assert found.complete and len(found.messages['joint_states']) == 1
