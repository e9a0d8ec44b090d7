# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Pause, step, reset, the clock, and motions that start again."""

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger
from system.graph import heard_graph, nodes, stamp
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.dds
GRAPH = ('dynamics', 'controller', 'trajectory')
PERIOD, NANO = 1_000_000, 1_000_000_000


@pytest.mark.parametrize('mode', ['free', 'lockstep'])
def test_pause_step_and_reset(listener, mode):
    """A pause stands still, a step is one period, reset returns to the start at a later time."""
    with heard_graph(listener, 'scara_helix', dynamics={'mode': mode, 'realtime_factor': 0.5}):
        start = listener.states[0].position
        listener.wait(lambda: listener.states[-1].position != start)
        assert not listener.call(Trigger, '/dynamics/step').success  # only when paused
        assert listener.call(SetBool, '/dynamics/set_pause', data=True).success
        now = listener.wait_for_standstill()
        assert listener.wait_for_standstill() == now
        for k in (1, 2):
            assert listener.call(Trigger, '/dynamics/step').success
            listener.wait(lambda: listener.now > now + (k - 1) * PERIOD)
            assert listener.wait_for_standstill() == now + k * PERIOD
        assert listener.call(Trigger, '/dynamics/reset').success
        listener.wait(lambda: listener.states[-1].position == start)
        later = listener.wait_for_standstill()
        assert later > now + 2 * PERIOD  # the clock goes on
        assert listener.call(SetBool, '/dynamics/set_pause', data=False).success
        listener.wait(lambda: listener.now > later + 50 * PERIOD)
    times = [stamp(m) for m in listener.states]
    assert times == sorted(times)


def test_the_clock_is_that_of_the_states_and_its_speed_can_change(listener):
    """/clock carries stamps of states; realtime_factor changes while running, within bounds."""
    clock = []
    listener.node.create_subscription(Clock, '/clock', clock.append, 10)
    with nodes('scara_helix', 'dynamics'):
        for factor in (4.0, 0.25):
            change = Parameter('realtime_factor', value=factor).to_parameter_msg()
            assert listener.call(SetParameters, '/dynamics/set_parameters',
                                 parameters=[change]).results[0].successful
            seen = len(clock)
            listener.wait(lambda: len(clock) > seen + 5)
        refused = listener.call(
            SetParameters, '/dynamics/set_parameters',
            parameters=[Parameter('realtime_factor', value=0.0).to_parameter_msg()]).results[0]
        assert not refused.successful and 'realtime_factor' in refused.reason
    stamps = {stamp(m) for m in listener.states}
    ticks = [m.clock.sec * NANO + m.clock.nanosec for m in clock]
    inside = [t for t in ticks if min(stamps) <= t <= max(stamps)]
    assert ticks == sorted(ticks) and inside and all(t % PERIOD == 0 for t in ticks)


def test_a_motion_starts_again_on_request_and_each_time_it_ends(listener):
    """~/start replaces the running motion; repeat sends the next before the end."""
    sent, error = [], [9.0]
    listener.node.create_subscription(JointTrajectory, 'controller/joint_trajectory',
                                      lambda m: sent.append(stamp(m)), 10)
    listener.node.create_subscription(JointState, 'controller/error',
                                      lambda m: error.append(max(map(abs, m.position))), 10)
    with nodes('scara_helix', *GRAPH, dynamics={'realtime_factor': 0.5},
               trajectory={'repeat': True, 'duration': 1.0}):
        listener.wait(lambda: len(set(sent)) > 1)
        starts = sorted(set(sent))
        lap = starts[1] - starts[0]
        assert lap > NANO and listener.now < starts[1]  # the motion and its way back
        assert listener.call(Trigger, '/trajectory/start').success
        listener.wait(lambda: any((s - starts[0]) % lap for s in sent))
        again = next(s for s in sent if (s - starts[0]) % lap)
        assert again % PERIOD == 0
        listener.wait(lambda: listener.now > again + NANO // 2 and error[-1] < 1e-2)


def test_a_later_start_in_lockstep_does_not_wait_for_ever(listener):
    """The arm is held by the controller until the motion begins, then follows it."""
    with nodes('scara_helix', 'dynamics', 'controller', dynamics={'mode': 'lockstep'}):
        listener.wait(lambda: listener.states)
        at = np.array(listener.states[0].position)
        message = JointTrajectory(joint_names=list(listener.states[0].name))
        message.header.stamp.sec, message.header.stamp.nanosec = 1, NANO // 5
        for k in range(2):
            point = JointTrajectoryPoint(positions=at + [0.1 * k, 0.0, 0.0, 0.0],
                                         velocities=[0.0] * 4)
            point.time_from_start.nanosec = k * NANO // 2
            message.points.append(point)
        listener.publisher(JointTrajectory, 'controller/joint_trajectory').publish(message)
        listener.wait_until(2.2)
    held = [m.position for m in listener.states if stamp(m) <= 1.2 * NANO]
    assert np.abs(np.array(held) - at).max() < 1e-2  # the start has a speed
    assert abs(listener.states[-1].position[0] - at[0] - 0.1) < 1e-3
