# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The graph obeys like a robot: points by hand, stops, resets, ends; real processes over DDS."""

import contextlib
import os
from pathlib import Path
import signal

import numpy as np
import pytest
from robodyn_ros import simulate
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from system.graph import heard_graph, nodes, stamp, start, written
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.dds
JOINTS = [f'joint_{k}' for k in range(1, 5)]
SHORT = {name: {'duration': 2.0} for name in ('dynamics', 'controller', 'trajectory')}
END = 'holding at the end of the trajectory'


def point(seconds, positions, joints=JOINTS):
    """Return a trajectory of one point, as `ros2 topic pub` would send it."""
    message = JointTrajectory(joint_names=joints)
    message.points.append(JointTrajectoryPoint(positions=positions))
    message.points[0].time_from_start.sec = seconds
    return message


def moved(states):
    """Return positions (k, n) of the states, in the order of their stamps, each once."""
    each = {stamp(message): message.position for message in states}
    return np.array([each[time] for time in sorted(each)])


def test_one_point_by_hand_is_reached_in_its_time(listener):
    """The arm leaves from where it stands, at the speed that was asked for."""
    with nodes('scara_helix', 'dynamics', 'controller'):
        trajectories = listener.publisher(JointTrajectory, 'controller/joint_trajectory')
        listener.wait(lambda: len(listener.states) > 10)
        begin = np.array(listener.states[-1].position)
        target = begin + [0.4, 0.3, -0.4, 0.1]
        trajectories.publish(point(4, target.tolist()))
        listener.wait_for_report(END)
        q = moved(listener.states)
        # 0.1 rad/s, and a little more where the line is joined from rest
        assert np.abs(q[1:] - q[:-1]).max() < 0.01
        assert np.abs([m.velocity for m in listener.states]).max() < 0.2
        assert q[-1] == pytest.approx(target, abs=1e-3)
        assert np.abs([m.effort for m in listener.commands]).max() < 20.0


def test_what_would_jump_is_refused_and_the_arm_stays(listener):
    """A point at time zero far away, a target beyond a limit, a way too fast: each is named."""
    with nodes('scara_helix', 'dynamics', 'controller'):
        trajectories = listener.publisher(JointTrajectory, 'controller/joint_trajectory')
        listener.wait(lambda: len(listener.states) > 10)
        begin = np.array(listener.states[-1].position)
        for seconds, way, words in ((0, 0.5, "from where joint 'joint_1' is"),
                                    (9, 9.0, "position of joint 'joint_1' is"),
                                    (0, -0.5, 'controller.start_tolerance')):
            trajectories.publish(point(seconds, (begin + [way, 0.0, 0.0, 0.0]).tolist()))
            listener.wait_for_report(words)
        assert not listener.commands and np.ptp(moved(listener.states), axis=0).max() == 0.0


@pytest.mark.parametrize('mode, duration', [('free', 2.0), ('lockstep', 10.0)])
def test_a_reset_brings_plant_controller_and_motion_to_the_start(listener, mode, duration):
    """After the motion and in the middle of it, again and again: never a fault."""
    asked = {name: {'duration': duration} for name in SHORT}
    asked['dynamics']['mode'] = mode
    with heard_graph(listener, 'scara_helix', **asked) as processes:
        listener.wait_for_report(END)
        first = moved(listener.states)
        for words in (END, END, 'following'):
            if words != END:
                assert listener.call(Trigger, 'trajectory/start').success
            listener.wait_for_report(words)
            before = listener.now
            assert listener.call(Trigger, 'dynamics/reset').success
            listener.wait_for_report('following')
            listener.wait_for_report(END)
            after = [m for m in listener.states if stamp(m) > before]
            q = moved(after)
            assert np.abs(q - first[0]).max() < np.ptp(first, axis=0).max() + 0.05
            # the arm is at the start once more, and leaves it without a jump
            begun = q[np.argmax(np.abs(q - first[0]).max(axis=1) < 1e-9):]
            assert np.abs(np.diff(begun, axis=0)).max() < 0.02
        assert not [s for s in listener.reports if 'beyond its limits' in s.message]
        assert all('trajectory refused' not in written(process) for process in processes)


def test_constraint_following_holds_at_the_end_and_on_stop(listener):
    """A closed chain follows the message: it rests after it, and where it is stopped."""
    with heard_graph(listener, 'parallel_line'):
        listener.wait_until(2.0)
        assert listener.call(Trigger, 'controller/stop').success
        listener.wait_for_report('stopped: holding')
        seen = len(listener.states)
        listener.wait(lambda: len(listener.states) > seen + 300)
        assert np.abs([m.velocity for m in listener.states[-100:]]).max() < 1e-3
        assert listener.call(Trigger, 'trajectory/start').success
        listener.wait_for_report('following')
        listener.wait_for_report(END)
        seen = len(listener.states)
        listener.wait(lambda: len(listener.states) > seen + 500)
        assert np.abs([m.velocity for m in listener.states[-100:]]).max() < 1e-3
        assert not [s for s in listener.reports if s.level == b'\x02']


def test_a_plant_on_a_path_stops_at_the_end_of_its_motion(listener):
    """Nothing climbs on: the plant says finished, and rests."""
    with nodes('scara_helix_constrained', 'dynamics', dynamics={'duration': 1.0}):
        listener.wait_for_report('finished')
        listener.wait_until(2.0)  # a busy machine hands states over later than the report
        assert not any(listener.states[-1].velocity)
        at = listener.states[-1].position
        seen = len(listener.states)
        listener.wait(lambda: len(listener.states) > seen + 300)
        assert listener.states[-1].position == at


def test_nothing_moves_unasked_and_then_gently(listener):
    """Without autostart there is no motion until ~/start; an arm elsewhere is led to its start."""
    elsewhere = '[0.9, -0.5, 0.0, 0.1]'
    with nodes('scara_helix', 'dynamics', 'controller',
               dynamics={'initial_position': elsewhere, **SHORT['dynamics']},
               controller=SHORT['controller']) as processes:
        processes.append(start('scara_helix', 'trajectory', autostart=False,
                               **SHORT['trajectory']))
        listener.wait(lambda: listener.node.count_subscribers('dynamics/resets') > 1)
        listener.wait_for_report('no trajectory')
        seen = len(listener.states)
        listener.wait(lambda: len(listener.states) > seen + 500)
        assert not listener.commands
        assert listener.call(Trigger, 'trajectory/start').success
        listener.wait_for_report(END)
        assert 'the arm is led to the start' in written(processes[-1])
        begin = simulate('scara_helix', 2.0).reference.q[0]
        there = np.abs(moved(listener.states) - begin).max(axis=1) < 1e-4
        way = moved(listener.states)[:int(np.argmax(there))]
        assert there.any() and np.abs(np.diff(way, axis=0)).max() < 0.02
        assert np.abs([m.velocity for m in listener.states[:len(way)]]).max() < 0.55
        assert np.abs([m.effort for m in listener.commands]).max() < 30.0


def test_a_start_that_finds_no_arm_is_refused(listener):
    """Without autostart an arm that comes up later does not move for what was asked before."""
    with nodes('scara_helix', 'controller') as processes:
        processes.append(start('scara_helix', 'trajectory', autostart=False,
                               **SHORT['trajectory']))
        answer = listener.call(Trigger, 'trajectory/start')
        assert not answer.success and 'joint_states do not come' in answer.message
        processes.append(start('scara_helix', 'dynamics'))
        listener.wait_for_report('no trajectory')
        seen = len(listener.states)
        listener.wait(lambda: len(listener.states) > seen + 1000)
        assert not listener.commands


def test_answers_from_before_a_reset_are_not_applied(listener):
    """A torque for the state before it arrives after it: the arm stays held."""
    with nodes('scara_helix', 'dynamics'):
        commands = listener.publisher(JointState, 'joint_commands')
        listener.wait(lambda: len(listener.states) > 10)
        late = JointState(name=JOINTS, effort=[50.0, 0.0, 0.0, 0.0])
        late.header.stamp = listener.states[-1].header.stamp
        assert listener.call(Trigger, 'dynamics/reset').success
        for _ in range(5):
            commands.publish(late)
            seen = len(listener.states)
            listener.wait(lambda: len(listener.states) > seen + 20)
        assert np.ptp(moved(listener.states), axis=0).max() == 0.0


def test_what_was_sent_before_a_stop_does_not_move_the_arm(listener):
    """A long trajectory may be on its way for a second; meanwhile states are answered."""
    with nodes('scara_helix', 'dynamics', 'controller') as processes:
        trajectories = listener.publisher(JointTrajectory, 'controller/joint_trajectory')
        listener.wait(lambda: len(listener.states) > 10)
        begin = np.array(listener.states[-1].position)
        trajectories.publish(point(1, begin.tolist()))
        listener.wait_for_report(END)
        intake = intake_of(processes[1].pid)
        os.kill(intake, signal.SIGSTOP)
        target = begin + [0.1, 0.0, 0.0, 0.0]
        trajectories.publish(point(1, target.tolist()))
        assert listener.call(Trigger, 'controller/stop').success
        seen = len(listener.commands)
        listener.wait(lambda: len(listener.commands) > seen + 100)
        os.kill(intake, signal.SIGCONT)
        listener.wait_for_report('it was sent before the arm was stopped')
        assert np.abs(moved(listener.states) - begin).max() < 1e-3
        trajectories.publish(point(1, target.tolist()))
        listener.wait(lambda: abs(listener.states[-1].position[0] - target[0]) < 1e-3)


def intake_of(controller):
    """Return the id of the process that takes the trajectories of a controller."""
    for stat in Path('/proc').glob('[0-9]*/stat'):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rsplit(')', 1)[1].split()[1]) == controller:
                return int(stat.parent.name)
    raise AssertionError('the controller has no such process')
