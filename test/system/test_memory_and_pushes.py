# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Laws with memory as nodes in lockstep, and an arm that is pushed from outside."""
import json

from geometry_msgs.msg import WrenchStamped
import numpy as np
import pytest
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from system.graph import heard_graph
from system.test_run_command import robodyn

pytestmark = pytest.mark.dds
ARM = 'scara_via_points'


@pytest.mark.parametrize('scenario, changes', [
    (ARM, ('controller.kind=computed_torque', 'controller.ki=[8000.0]')),
    (ARM, ('controller.kind=adaptive', 'controller.adaptation=[3000.0, 10.0]')),
    (ARM, ('controller.kind=computed_torque', 'controller.observer=100.0',
           'dynamics.push={force: [5.0, 0.0, 0.0], start: 0.2, duration: 0.2}')),
    ('parallel_line', ('controller.adaptation=[4000.0]', 'controller.epsilon=2e-3'))])
def test_laws_with_memory_run_as_nodes_to_the_bit(scenario, changes):
    """The nodes repeat what simulate gives, whatever was sent twice."""
    told = [word for change in changes for word in ('--set', change)]
    done = robodyn('run', scenario, '--fast', '--duration', '0.6', '--json',
                   '--set', 'trajectory.ignore_limits=true', '--set', 'tolerance=0.01', *told)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)['difference_from_simulate'] == 0.0


def wrench(frame, *force):
    """Return a push at a frame, in its own axes [N]."""
    message = WrenchStamped()
    message.header.frame_id = frame
    message.wrench.force.x, message.wrench.force.y, message.wrench.force.z = force
    return message


def test_an_arm_can_be_pushed_and_tells_so(listener):
    """The observer's topic shows the push, and nothing when it ends; a bad frame is refused."""
    felt = []
    listener.node.create_subscription(JointState, 'controller/external_torque',
                                      lambda m: felt.append(np.array(m.effort)),
                                      QoSProfile(depth=100))
    observing = {'observer': 100.0, 'model.payload.mass': 5.0}
    # lockstep: a busy machine loses no motion
    with heard_graph(listener, 'scara_via_points', dynamics={'mode': 'lockstep'},
                     controller=observing):
        push = listener.publisher(WrenchStamped, 'dynamics/external_wrench')
        listener.wait(lambda: felt)
        listener.wait_for_report('holding at the end of the trajectory')
        quiet = np.abs(felt[-1]).max()

        def pushed():
            push.publish(wrench('tool0', 0.0, 8.0, 0.0))
            return np.abs(felt[-1][:3]).max() > quiet + 1.0

        listener.wait(pushed)
        listener.wait(lambda: np.abs(felt[-1][:3]).max() < quiet + 0.1)  # it ends by itself
        push.publish(wrench('nowhere', 1.0, 0.0, 0.0))
        listener.wait_for_report("external_wrench: unknown frame 'nowhere'")
