# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Wrong partners: two that tell where the arm is, one that is not heard, a clock that is not."""

from builtin_interfaces.msg import Time
import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from system.graph import heard_graph, nodes, start_with, stop, written

pytestmark = pytest.mark.dds
NANO = 1_000_000_000
WARN = b'\x01'


def test_two_that_publish_joint_states_are_named_and_the_arm_is_held(listener):
    """No command is sent until one is gone; then the arm is held until another trajectory."""
    with heard_graph(listener, 'scara_helix'):
        listener.wait_for_report('following')
        second = listener.publisher(JointState, 'joint_states')
        told = listener.wait_for_report('2 nodes publish joint_states', WARN).message
        assert '/dynamics' in told and '/listener' in told
        seen = len(listener.commands)
        begin = listener.now
        listener.wait(lambda: listener.now > begin + NANO)
        assert len(listener.commands) <= seen + 10  # what was under way
        listener.node.destroy_publisher(second)
        listener.wait_for_report('holding: 2 nodes publish joint_states')
        listener.wait(lambda: len(listener.commands) > seen + 100)
        assert not any(abs(x) > 0.01 for x in listener.states[-1].velocity)


def test_a_gripper_that_publishes_its_own_joints_disturbs_nobody(listener):
    """Its states are passed over, and it is no rival."""
    with nodes('scara_helix', 'dynamics', 'controller', 'trajectory') as processes:
        gripper = listener.publisher(JointState, 'joint_states')

        def following():
            gripper.publish(JointState(name=['finger'], position=[0.1]))
            return any(status.message == 'following' for status in listener.reports)

        listener.wait(following)
        assert 'finger' not in written(processes[1])


def test_a_best_effort_driver_is_named_in_diagnostics(listener):
    """As long as it is there, with the parameter that helps."""
    with nodes('scara_helix', 'controller'):
        listener.node.create_publisher(JointState, 'joint_states', QoSProfile(
            depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
        for _ in range(8):  # longer than a reason is kept
            told = listener.wait_for_report('with best effort', WARN).message
        assert '/listener' in told
        assert 'qos_overrides./joint_states.subscription.reliability' in told


@pytest.mark.parametrize('name, arguments', [
    ('controller', []), ('trajectory', []), ('viewer', ['-p', 'port:=0'])])
def test_simulated_time_that_never_begins_is_told_once(listener, name, arguments):
    """By every node; a node that has another name too."""
    process = start_with(name, '-r', '__node:=other', '-p', 'use_sim_time:=true', *arguments)
    try:
        listener.wait(lambda: 'nobody publishes /clock' in written(process))
    finally:
        code, text = stop(process)
    assert code == 0 and text.count('nobody publishes /clock') == 1


def test_a_clock_before_zero_ends_no_node(listener):
    """Said once; time goes on with the next good one."""
    with nodes('scara_helix', 'controller', 'trajectory') as processes:
        clock = listener.node.create_publisher(Clock, '/clock', 10)
        listener.wait(lambda: clock.get_subscription_count() >= 2)
        for node in processes:
            def told(node=node):
                clock.publish(Clock(clock=Time(sec=-5)))
                assert node.poll() is None, written(node)
                return '/clock is malformed' in written(node)

            listener.wait(told)
        for k in range(20):
            clock.publish(Clock(clock=Time(sec=-(2 ** 31), nanosec=2 ** 32 - 1)))
            clock.publish(Clock(clock=Time(sec=k)))
        clock.publish(Clock(clock=Time(sec=30)))
        listener.next_report('controller: law')
        assert all(written(node).count('/clock is malformed') <= 2 for node in processes)


def test_a_driver_that_tells_impossible_states_ends_no_node(listener):
    """Positions of 1e300 rad are numbers, but no arm has them, and none come of them."""
    with nodes('scara_helix', 'controller', 'trajectory') as processes:
        clock = listener.node.create_publisher(Clock, '/clock', 10)
        states = listener.publisher(JointState, 'joint_states')
        time = 1000

        def told(value):
            nonlocal time
            time += 1
            message = JointState(name=[f'joint_{k}' for k in range(1, 5)],
                                 position=[0.1, value, 0.1, 0.0], velocity=[0.0] * 4)
            message.header.stamp = Time(sec=time // 1000, nanosec=time % 1000 * 1_000_000)
            clock.publish(Clock(clock=message.header.stamp))
            states.publish(message)
            assert not any(node.poll() for node in processes), written(processes[1])
            return 'which no arm can have' in written(processes[1])

        listener.wait(lambda: told(1e300))
        listener.wait(lambda: told(0.3) and listener.commands)  # goes on with good ones


@pytest.mark.parametrize('name, override, told', [
    ('controller', 'joint_states.subscription.reliability:=bogus', '`reliability`: `bogus`'),
    ('controller', 'joint_states.subscription.depth:=-5', 'a depth from 1'),
    ('dynamics', 'joint_states.publisher.history:=long', '`history`: `long`')])
def test_bad_overrides_of_quality_end_in_a_sentence(name, override, told):
    """Exit code 2, no traceback."""
    process = start_with(name, '-p', f'qos_overrides./{override}')
    process.wait(120)
    code, text = stop(process)
    assert code == 2 and told in text and 'Traceback' not in text


def test_an_override_of_one_topic_is_not_that_of_another(listener):
    """Best-effort states leave resets and commands reliable."""
    with nodes('scara_helix', 'dynamics', dynamics={
            'qos_overrides./joint_states.publisher.reliability': 'best_effort'}):
        def offered(topic):
            return [info.qos_profile.reliability for info in
                    listener.node.get_publishers_info_by_topic(topic)
                    if info.node_name == 'dynamics']

        listener.wait(lambda: offered('/joint_states') and offered('/dynamics/resets'))
        assert offered('/joint_states') == [ReliabilityPolicy.BEST_EFFORT]
        assert offered('/dynamics/resets') == [ReliabilityPolicy.RELIABLE]


def test_an_arm_that_is_held_says_no_velocity(listener):
    """Time goes on while it waits for the first command, so it stands still."""
    with nodes('scara_helix', 'dynamics', dynamics={'initial_velocity': '[0.1, 0.0, 0.0, 0.0]'}):
        listener.wait(lambda: len(listener.states) > 100)
        assert not any(any(m.velocity) for m in listener.states)
