# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The dynamics node by itself: held until a command, deaf to nonsense, changed while running."""

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from system.graph import nodes, stamp

pytestmark = pytest.mark.dds


def test_the_arm_is_held_until_a_good_command_and_ignores_bad_ones(listener):
    """Unknown joints, missing joints, wrong sizes and NaN move nothing; a good command does."""
    commands = listener.node.create_publisher(JointState, 'joint_commands', 10)
    joints = [f'joint_{k}' for k in range(1, 5)]
    bad = [JointState(name=[*joints[:3], 'elbow'], effort=[9.0] * 4),
           JointState(name=joints[:3], effort=[9.0] * 3),
           JointState(name=joints, effort=[9.0] * 3),
           JointState(name=joints, effort=[float('nan')] * 4),
           JointState(name=[joints[0]] * 4, effort=[9.0] * 4)]
    with nodes('scara_helix', 'dynamics', dynamics={'command_timeout': 1000.0}):
        listener.wait(lambda: len(listener.states) > 10 and commands.get_subscription_count())
        for message in bad:
            commands.publish(message)
        seen = len(listener.states)
        listener.wait(lambda: len(listener.states) > seen + 200)
        still = np.array([m.position for m in listener.states])
        assert np.ptp(still, axis=0).max() == 0.0
        commands.publish(JointState(name=joints[::-1], effort=[1.0, 0.0, 0.0, 2.0]))
        listener.wait(lambda: np.abs(np.array(listener.states[-1].position) - still[0]).max()
                      > 1e-3)
        assert list(listener.states[-1].effort) == [2.0, 0.0, 0.0, 1.0]
    times = [stamp(m) for m in listener.states]
    assert times == sorted(times)


def test_payload_changes_while_running_and_nonsense_is_refused_whole(listener):
    """A negative mass is refused with a reason; a good one is accepted."""
    with nodes('scara_helix', 'dynamics'):
        client = listener.node.create_client(SetParameters, '/dynamics/set_parameters')
        listener.wait(client.service_is_ready)

        def set_mass(value):
            request = SetParameters.Request(parameters=[
                Parameter('payload.mass', value=value).to_parameter_msg()])
            future = client.call_async(request)
            listener.wait(future.done)
            return future.result().results[0]

        refused = set_mass(-1.0)
        assert not refused.successful and 'payload.mass out of range' in refused.reason
        assert not set_mass('heavy').successful
        assert set_mass(2.0).successful
