# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Whatever was missed, the arm does not chase it: gaps, clocks that jump, arms that are stuck."""

import signal
import time

import numpy as np
import pytest
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from system.assertions import LATCHED
from system.graph import heard_graph, nodes, stamp
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.dds
JOINTS = [f'joint_{k}' for k in range(1, 5)]
NANO = 1_000_000_000
WARN = b'\x01'
CALM = 12.0
"""Efforts of the helix stay below 6 N m; chasing it took 15 to 200 [N m] or [N]."""
PATIENCE = 0.2
"""Time for an answer to a state [s]."""


def moving(listener):
    """Return whether the arm follows the helix at full speed."""
    return max(map(abs, listener.states[-1].velocity)) > 0.2


def largest(states):
    """Return the largest effort that acted in states."""
    return np.abs([m.effort for m in states]).max()


@pytest.mark.parametrize('seconds', [0.3, 2.0])
def test_a_controller_that_slept_lunges_at_nothing(listener, seconds):
    """The plant brakes meanwhile; after a short sleep the arm joins gently, after a long not."""
    with heard_graph(listener, 'scara_helix') as processes:
        listener.wait(lambda: listener.states and moving(listener))
        seen, begin = len(listener.states), listener.now
        processes[1].send_signal(signal.SIGSTOP)
        try:
            listener.wait(lambda: listener.now > begin + seconds * NANO)
        finally:
            processes[1].send_signal(signal.SIGCONT)
        listener.wait_for_report('following' if seconds < 0.5 else 'holding: joint_states lack')
        begin = listener.now
        listener.wait(lambda: listener.now > begin + NANO)
        assert largest(listener.states[seen:]) < CALM
        assert listener.call(Trigger, 'trajectory/start').success
        listener.wait(lambda: moving(listener))
        assert largest(listener.states[seen:]) < CALM


@pytest.mark.parametrize('seconds', [1, 100_000])
def test_a_burst_of_strange_clocks_moves_nothing(listener, seconds):
    """Old ones, or ones to come: states are of another time, so no motion begins anew."""
    sent = []
    listener.node.create_subscription(JointTrajectory, 'controller/joint_trajectory',
                                      sent.append, LATCHED)
    with heard_graph(listener, 'scara_helix'):
        listener.wait(lambda: sent and listener.states and moving(listener)
                      and listener.now > 4 * NANO)
        clock, strange, seen = listener.publisher(Clock, '/clock'), Clock(), len(listener.states)
        for k in range(100):
            strange.clock.sec, strange.clock.nanosec = seconds, k * 1_000_000
            clock.publish(strange)
            listener.executor.spin_once(timeout_sec=0.01)
        begin = listener.now
        listener.wait(lambda: listener.now > begin + NANO)
        assert listener.next_report('controller: law').message.startswith('following')
        assert len({stamp(m) for m in sent}) == 1 and largest(listener.states[seen:]) < CALM


class StuckArm:
    """A driver whose arm does not move, whatever it is told."""

    def __init__(self, listener, q):
        """Stand at a place."""
        self.listener, self.stamp, self.sent = listener, 5 * NANO, 0.0
        self.state = JointState(name=JOINTS, position=q, velocity=[0.0] * 4)
        self.out = listener.publisher(JointState, 'joint_states')

    def tell(self, seconds, until):
        """Send states at 1 kHz of their own time until something is so."""
        def told():
            if until():
                return True
            # no faster than they are answered, save where an answer is missing
            answered = self.listener.commands and stamp(self.listener.commands[-1]) == self.stamp
            if not answered and time.monotonic() < self.sent + PATIENCE:
                return False
            self.sent = time.monotonic()
            for _ in range(10):
                self.stamp += 1_000_000
                self.state.header.stamp.sec, self.state.header.stamp.nanosec = divmod(
                    self.stamp, NANO)
                self.out.publish(self.state)
                self.listener.executor.spin_once(timeout_sec=0.0)
            return self.stamp > end
        end = self.stamp + int(seconds * NANO)
        self.listener.wait(told)


def test_an_arm_that_is_stuck_is_held_and_the_tolerance_is_named(listener):
    """It goes on by another trajectory only, from where it is."""
    with nodes('scara_helix', 'controller',
               controller={'constraints.joint_2.trajectory': 0.05, 'path_tolerance': 0.3}):
        arm = StuckArm(listener, [0.5, -0.9, 0.4, 0.05])
        out = listener.publisher(JointTrajectory, 'controller/joint_trajectory')
        arm.tell(0.1, lambda: False)
        for _ in range(2):
            message = JointTrajectory(joint_names=JOINTS, points=[
                JointTrajectoryPoint(positions=[0.9, -0.5, 0.0, 0.1])])
            message.points[0].time_from_start.sec = 2
            seen, reports = len(listener.commands), len(listener.reports)
            out.publish(message)
            # a report may still tell the reason of the time before while this one is followed
            arm.tell(60.0, lambda: any(
                "holding: joint 'joint_2' is 0.05" in status.message and status.level == WARN
                for status in listener.reports[reports:]))
            told = next(status.message for status in listener.reports[reports:]
                        if "holding: joint 'joint_2' is 0.05" in status.message)
            assert 'constraints.joint_2.trajectory' in told
            # the arm is held there: what is sent is what carries it
            held = arm.stamp
            arm.tell(1.0, lambda: False)
            listener.wait(lambda: stamp(listener.commands[-1]) == arm.stamp)
            efforts = [m.effort for m in listener.commands[seen:] if stamp(m) > held + NANO // 2]
            assert len(efforts) > 5 and np.ptp(efforts, axis=0).max() == 0.0


def test_a_stop_outlasts_the_laps_of_a_motion_that_repeats(listener):
    """The next lap is not begun, until ~/start."""
    short = {'duration': 1.0, 'repeat': True}
    with heard_graph(listener, 'scara_helix', controller=short, trajectory=short,
                     dynamics=short):
        listener.wait_for_report('following')
        assert listener.call(Trigger, 'controller/stop').success
        listener.wait_for_report('stopped: holding')
        begin = listener.now
        listener.wait(lambda: listener.now > begin + NANO)
        at = listener.states[-1].position
        listener.wait(lambda: listener.now > begin + 4 * NANO)
        rest = [m for m in listener.states if stamp(m) > begin + NANO]
        assert np.abs(np.array([m.position for m in rest]) - at).max() < 1e-6
        assert listener.call(Trigger, 'trajectory/start').success
        listener.wait_for_report('following')
