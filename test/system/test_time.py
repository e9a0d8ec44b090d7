# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Pause, step, reset, the clock, and motions that start again."""

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from system.graph import heard_graph, Listener, nodes, stamp
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.dds
GRAPH = ('dynamics', 'controller', 'trajectory')
WARN = b'\x01'
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


def time_of(clock):
    """Return the time of a message of /clock [ns]."""
    return clock.clock.sec * NANO + clock.clock.nanosec


@pytest.mark.parametrize('mode', ['free', 'lockstep'])
def test_who_comes_during_a_pause_gets_state_clock_and_description(listener, mode):
    """They are repeated as they are, and the controller does not miss its states."""
    with heard_graph(listener, 'scara_helix', dynamics={'mode': mode}):
        start = listener.states[0].position
        listener.wait(lambda: listener.states[-1].position != start)
        assert listener.call(SetBool, '/dynamics/set_pause', data=True).success
        now = listener.wait_for_standstill()
        late, clock, robots = Listener(), [], []
        try:
            late.node.create_subscription(Clock, '/clock', clock.append, 10)
            late.node.create_subscription(
                String, 'robot_description', robots.append,
                QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
            late.wait(lambda: len(late.states) > 3 and len(clock) > 3 and robots)
        finally:
            late.close()
        assert {stamp(m) for m in late.states} == {now} == set(map(time_of, clock))
        assert len({tuple(m.position) for m in late.states}) == 1
        for _ in range(4):  # each a second: far longer than state_timeout
            listener.next_report('dynamics: plant')
        listener.wait(lambda: 'no joint_states' not in listener.next_report(
            'controller: law').message)
        assert listener.wait_for_standstill() == now


def test_the_clock_has_a_rate_of_its_own_that_may_change(listener):
    """200 Hz of simulated time by default."""
    clock = []
    listener.node.create_subscription(Clock, '/clock', clock.append, QoSProfile(depth=1000))

    def least(seen):
        return min(np.diff([time_of(m) for m in clock[seen:]]), default=0)

    with nodes('scara_helix', 'dynamics', dynamics={'realtime_factor': 0.25}):
        listener.wait(lambda: least(0) == NANO // 200)
        change = [Parameter(name, value=value).to_parameter_msg()
                  for name, value in (('clock_rate', 20.0), ('watch_rate', 10.0))]
        results = listener.call(SetParameters, '/dynamics/set_parameters', parameters=change)
        assert all(result.successful for result in results.results)
        listener.wait(lambda: len(clock) > 3 and least(-3) == NANO // 20)


def test_a_plant_that_cannot_keep_the_pace_says_so(listener):
    """The factor is in every report; the warning only where more was asked for, not paused."""
    with nodes('scara_helix', 'dynamics', dynamics={'realtime_factor': 1000.0}):
        report = listener.wait_for_report('times real time, 1000 was asked for', WARN)
        values = {pair.key: pair.value for pair in report.values}
        assert 0.0 < float(values['realtime_factor']) < 950.0
        assert listener.call(SetBool, '/dynamics/set_pause', data=True).success
        listener.wait_for_standstill()
        assert float(listener.next_value('realtime_factor')) == 0.0
        assert 'was asked for' not in listener.next_report('dynamics: plant').message


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
