# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion begins when its controller hears the arm, whoever comes up last; real processes."""

from nav_msgs.msg import Path
import pytest
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from system.assertions import expect_driver_on_helix, LATCHED
from system.driver_process import driver, wall_clock_nodes
from system.graph import stamp, start, stop
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.dds
LATE = ['-r', 'joint_states:=late_states']
SECONDS = 3.0
LUNGE = 80.0
"""
Effort of an arm that catches up with a motion is above it, 200 were seen; on a busy machine one
that is braked for a moment and goes on needs half of it [N m].
"""


class Relay:
    """Passes the driver's states on to the controller, once it is open."""

    def __init__(self, listener):
        """Hear all, pass nothing on."""
        self.listener, self.open = listener, False
        self.out = listener.node.create_publisher(JointState, 'late_states', 10)
        listener.node.create_subscription(JointState, 'joint_states', self.take,
                                          QoSProfile(depth=10))

    def take(self, message):
        """Pass a state on."""
        if self.open:
            self.out.publish(message)

    def hold_back(self, seconds):
        """Wait until so much of the driver's time has passed."""
        begin = self.listener.now
        self.listener.wait(lambda: self.listener.now > begin + seconds * 1e9)


def test_a_controller_that_hears_the_arm_late_still_gets_the_motion(listener):
    """The trajectory node hears the arm seconds before: the motion waits, and nothing jumps."""
    paths = []
    listener.node.create_subscription(Path, 'trajectory/path', paths.append, LATCHED)
    relay = Relay(listener)
    with driver(), wall_clock_nodes('scara_helix', controller=LATE, trajectory=[]):
        listener.wait(lambda: paths and listener.states and relay.out.get_subscription_count())
        relay.hold_back(SECONDS)
        assert not listener.commands
        relay.open = True
        expect_driver_on_helix(listener)
        assert max(abs(x) for m in listener.commands for x in m.effort) < LUNGE


def test_a_motion_whose_start_the_controller_misses_begins_anew(listener):
    """The states stop for the controller alone just when the motion is sent."""
    sent = []
    relay = Relay(listener)
    relay.open = True

    def take(message):
        sent.append(message)
        relay.open = len(sent) > 1  # the first start is missed, the second is not

    listener.node.create_subscription(JointTrajectory, 'controller/joint_trajectory', take,
                                      LATCHED)
    with driver(), wall_clock_nodes('scara_helix', controller=LATE, trajectory=[]):
        listener.wait(lambda: sent)
        first = stamp(sent[0])
        listener.wait(lambda: listener.now > first + SECONDS * 1e9)
        relay.open = True
        listener.wait_for_report('following')
        expect_driver_on_helix(listener)
        assert len(sent) > 1 and max(abs(x) for m in listener.commands for x in m.effort) < LUNGE


def test_a_controller_that_comes_back_waits_for_the_next_start(listener):
    """It joins no motion that has gone on without it, and moves nothing unasked."""
    with driver(), wall_clock_nodes('scara_helix', trajectory=[]):
        first = start('scara_helix', 'controller', use_sim_time='false')
        try:
            listener.wait_for_report('following')
        finally:
            stop(first)
        relay = Relay(listener)
        relay.hold_back(1.0)
        with wall_clock_nodes('scara_helix', controller=[]):
            listener.wait_for_report('no trajectory')
            seen = len(listener.commands)
            relay.hold_back(SECONDS)
            assert len(listener.commands) == seen
            assert listener.call(Trigger, 'trajectory/start').success
            listener.wait_for_report('following')
            assert max(abs(x) for m in listener.commands[seen:] for x in m.effort) < LUNGE
