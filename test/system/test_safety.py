# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The plant's safety, on by default: a defined reaction and a reason in /diagnostics."""

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from system.graph import nodes
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.dds
JOINTS = [f'joint_{k}' for k in range(1, 5)]
OK, WARN, ERROR = b'\x00', b'\x01', b'\x02'


def test_refused_commands_leave_the_arm_held_and_are_named(listener):
    """From the start-up hold to a second publisher, in one graph."""
    # slow, so that no machine is too slow: that would be a warning, too
    with nodes('scara_helix', 'dynamics', dynamics={'realtime_factor': 0.05}):
        listener.wait_for_report('held until the first command', OK)
        commands = listener.publisher(JointState, 'joint_commands')
        nan = float('nan')
        for message, words in (
                (JointState(name=JOINTS, effort=[nan] * 4), "'joint_1' is not finite"),
                (JointState(name=JOINTS, effort=[1.0] * 3), 'has 3 values for 4 joints'),
                (JointState(name=JOINTS[:3], effort=[1.0] * 3), "lacks joint 'joint_4'"),
                (JointState(name=[*JOINTS, 'joint_2'], effort=[1.0] * 5),
                 "names joint 'joint_2' twice"),
                (JointState(name=[*JOINTS[:3], 'elbow'], effort=[1.0] * 4),
                 "unknown joint 'elbow'")):
            commands.publish(message)
            assert 'held' in listener.wait_for_report(words, WARN).message
        old = JointState(name=JOINTS, effort=[1.0] * 4)
        old.header.stamp.nanosec = 1
        commands.publish(old)
        listener.wait_for_report('s ago; it is ignored', WARN)
        assert np.ptp([m.position for m in listener.states], axis=0).max() == 0.0
        second = listener.publisher(JointState, 'joint_commands')
        listener.wait_for_report('2 nodes publish joint_commands', WARN)
        listener.node.destroy_publisher(second)


def test_a_stale_command_ends_in_a_hold_and_a_fresh_one_ends_the_hold(listener):
    """Joints in any order, too much effort is limited and said, silence brakes."""
    with nodes('scara_helix', 'dynamics', dynamics={'command_timeout': 0.01}):
        commands = listener.publisher(JointState, 'joint_commands')
        for _ in range(2):
            seen = len(listener.states)
            commands.publish(JointState(name=JOINTS[::-1], effort=[0.0, 0.0, 0.0, 1e6]))
            listener.wait(lambda: any(m.effort[0] > 0 for m in listener.states[seen:]))
            moved = next(m for m in listener.states[seen:] if m.effort[0] > 0)
            assert moved.effort[0] < 1e6 and not any(moved.effort[1:])
            listener.wait(lambda: not any(listener.states[-1].velocity))
        listener.wait_for_report('limited to', WARN)
        assert np.isfinite([m.position for m in listener.states]).all()


@pytest.mark.parametrize('reaction', ['damping', 'zero'])
def test_other_reactions_to_silence(listener, reaction):
    """Each is named in diagnostics, and the arm stays finite."""
    options = {'on_timeout': reaction, 'command_timeout': 0.01}
    with nodes('scara_helix', 'dynamics', dynamics=options):
        commands = listener.publisher(JointState, 'joint_commands')
        commands.publish(JointState(name=JOINTS, effort=[0.5, 0.0, 0.0, 4.9]))
        listener.wait_for_report(f'no command in time: {reaction}')
        assert np.isfinite([[*m.position, *m.velocity] for m in listener.states]).all()


def test_beyond_a_joint_limit_the_arm_is_held_until_reset(listener):
    """An error that names the joint; commands are deaf until ~/reset."""
    with nodes('scara_helix', 'dynamics', dynamics={'command_timeout': 1000.0}):
        commands = listener.publisher(JointState, 'joint_commands')
        push = JointState(name=JOINTS, effort=[1e3, 0.0, 0.0, 0.0])
        commands.publish(push)
        report = listener.wait_for_report('beyond its limits', ERROR)
        assert 'joint_' in report.message and '~/reset' in report.message
        commands.publish(push)
        seen, at = len(listener.states), listener.states[-1].position
        listener.wait(lambda: len(listener.states) > seen + 100)
        assert listener.states[-1].position == at
        assert listener.call(Trigger, '/dynamics/reset').success
        listener.wait_for_report('held until the first command')
        assert listener.states[-1].position == listener.states[0].position


def test_a_diverging_plant_stops_at_finite_numbers(listener):
    """An impossible speed overflows at once; the error says so, and the last state is kept."""
    with nodes('scara_helix', 'dynamics', dynamics={'initial_velocity': '[1e200,0.0,0.0,0.0]',
                                                    'assemble': 'false', 'mode': 'lockstep'}):
        commands = listener.publisher(JointState, 'joint_commands')
        listener.wait(lambda: listener.states)
        command = JointState(name=JOINTS, effort=[0.0] * 4)
        command.header.stamp = listener.states[-1].header.stamp
        commands.publish(command)
        assert listener.wait_for_report('finite', ERROR)
        assert np.isfinite([[*m.position, *m.velocity] for m in listener.states]).all()


def test_the_controller_passes_over_strange_joints_and_says_when_states_stop(listener):
    """A gripper's joint among the states is none of its business; silence is a warning."""
    with nodes('scara_helix', 'controller'):
        states = listener.publisher(JointState, 'joint_states')
        trajectory = listener.publisher(JointTrajectory, 'controller/joint_trajectory')
        trajectory.publish(JointTrajectory(joint_names=JOINTS, points=[
            JointTrajectoryPoint(positions=[0.1, 0.2, 0.3, 0.05])]))
        state = JointState(name=['finger', *JOINTS[::-1]], position=[9.0, 0.05, 0.3, 0.2, 0.1],
                           velocity=[0.0] * 5)
        state.header.stamp.sec = 5

        def answered():
            states.publish(state)
            return listener.commands

        listener.wait(answered)
        assert list(listener.commands[-1].name) == JOINTS
        assert listener.commands[-1].header.stamp.sec == 5
        listener.wait_for_report('no joint_states for', WARN)
