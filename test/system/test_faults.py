# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Processes that die, nonsense on every topic, trajectories of absurd size: all survived."""

import signal

from builtin_interfaces.msg import Duration, Time
import numpy as np
import pytest
from robodyn_ros import load_scenario, simulate
from sensor_msgs.msg import JointState
from system.graph import Listener, nodes, stamp, start, stop, written
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.dds
JOINTS = [f'joint_{k}' for k in range(1, 5)]
GRAPH = ('dynamics', 'controller', 'trajectory')
PERIOD, NANO = 1_000_000, 1_000_000_000
TRACKING = 1e-3
"""How near to the path counts as following it [rad] or [m]."""
PERIODS = 400
SLOW = {'realtime_factor': 0.5}
"""Free mode with time to spare, for a machine that does other things too."""


@pytest.fixture
def listener():
    """Join the graph for one test."""
    made = Listener()
    yield made
    made.close()


def tracking(listener):
    """Return a function of the newest joint error the controller reports; large at first."""
    seen = [9.0]
    listener.node.create_subscription(
        JointState, 'controller/error',
        lambda m: seen.append(max(map(abs, m.position)) if m.position else 9.0), 10)
    return lambda: seen[-1]


def moving(state):
    """Return whether a joint moves."""
    return max(map(abs, state.velocity)) > 1e-3


def lost(process):
    """Kill a process."""
    assert stop(process, signal.SIGKILL)[0] == -signal.SIGKILL


def lockstep_states(listener, disturb=lambda processes, listener: None):
    """Return positions, velocities and efforts of a lockstep run, disturbed or not."""
    with nodes('scara_helix', *GRAPH, dynamics={'mode': 'lockstep'}) as processes:
        listener.wait(lambda: listener.now >= NANO + 20 * PERIOD)
        disturb(processes, listener)
        listener.wait(lambda: len({stamp(m) for m in listener.states}) > PERIODS)
    states = {stamp(m): m for m in listener.states if len(m.name) == 4
              and m.header.frame_id == 'base_link'}
    first = min(states)
    return np.array([[states[t].position, states[t].velocity, states[t].effort]
                     for t in range(first, first + PERIODS * PERIOD, PERIOD)])


@pytest.fixture(scope='module')
def undisturbed():
    """Return the states of a lockstep run in peace."""
    made = Listener()
    states = lockstep_states(made)
    made.close()
    return states


def test_a_killed_controller_leaves_a_held_arm_and_its_successor_resumes(listener):
    """The plant holds in time; the next controller gets the trajectory and is on the path."""
    with nodes('scara_helix', *GRAPH, dynamics=SLOW) as processes:
        error = tracking(listener)
        listener.wait(lambda: listener.states and moving(listener.states[-1])
                      and error() < TRACKING)
        lost(processes.pop(1))
        listener.wait(lambda: not moving(listener.states[-1]))
        last = stamp(listener.commands[-1])
        held = next(m for m in listener.states if stamp(m) > last and not moving(m))
        # the command in the air, the time-out itself and the period in which it is noticed
        assert stamp(held) - last <= 0.1 * NANO + 50 * PERIOD
        listener.wait_for_report('no command in time: hold')
        at = listener.states[-1].position
        listener.wait(lambda now=listener.now: listener.now > now + 200 * PERIOD)
        assert listener.states[-1].position == at
        processes.append(start('scara_helix', 'controller'))
        listener.wait(lambda: moving(listener.states[-1]))
        seen = listener.now
        listener.wait(lambda: listener.now > seen + NANO and error() < TRACKING)
    assert np.isfinite([m.position for m in listener.states]).all()


@pytest.mark.parametrize('mode', ['free', 'lockstep'])
def test_a_killed_plant_comes_back_and_the_motion_starts_over(listener, mode):
    """Its clock begins anew; controller and trajectory go on with it, without a restart."""
    with nodes('scara_helix', *GRAPH, dynamics={**SLOW, 'mode': mode}) as processes:
        error = tracking(listener)
        listener.wait_until(1.6)
        lost(processes.pop(0))
        listener.states.clear()
        processes.append(start('scara_helix', 'dynamics', mode=mode, **SLOW))
        listener.wait(lambda: 0 < listener.now < 1.2 * NANO)
        listener.wait_until(1.6)
        listener.wait(lambda: moving(listener.states[-1]) and error() < TRACKING)
    if mode == 'lockstep':
        states = {stamp(m): m.position for m in listener.states}
        again = np.array([states[NANO + k * PERIOD] for k in range(PERIODS)])
        expected = simulate(load_scenario('scara_helix'), duration=1.0).q[:PERIODS]
        assert np.abs(again - expected).max() < 1e-9


def test_without_the_trajectory_node_the_controller_goes_on(listener):
    """What it has, it follows; ~/error stays small."""
    with nodes('scara_helix', *GRAPH, dynamics=SLOW) as processes:
        error = tracking(listener)
        listener.wait(lambda: error() < TRACKING)
        lost(processes.pop())
        seen = listener.now
        listener.wait(lambda: listener.now > seen + NANO // 2 and error() < TRACKING
                      and moving(listener.states[-1]))


def garbage():
    """Return messages no node should act on, by topic."""
    nan, inf = float('nan'), float('inf')
    names = [[], JOINTS[:3], [*JOINTS, 'joint_5'], [*JOINTS, 'joint_1'], ['joint_1'] * 4,
             ['', 'ä', '../x', 'joint_1' * 1000]]
    states = [JointState(name=n, position=[1.0] * 4, velocity=[1.0] * 4, effort=[9.0] * 4)
              for n in names]
    states += [JointState(name=JOINTS, position=[x] * k, velocity=[x] * k, effort=[x] * k)
               for x, k in ((nan, 4), (inf, 4), (-inf, 4), (1.0, 3), (1.0, 5), (1.0, 0))]
    whole = JointTrajectoryPoint(positions=[0.1] * 4)
    later = JointTrajectoryPoint(positions=[0.2] * 4, time_from_start=Duration(sec=-1))
    trajectories = [
        JointTrajectory(), JointTrajectory(joint_names=JOINTS),
        JointTrajectory(points=[whole]),
        JointTrajectory(joint_names=JOINTS[:2], points=[whole]),
        JointTrajectory(joint_names=[*JOINTS[:3], 'elbow'], points=[whole]),
        JointTrajectory(joint_names=JOINTS, points=[whole, later]),
        JointTrajectory(joint_names=JOINTS, points=[whole, whole]),
        JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(positions=[nan] * 4)]),
        JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(positions=[1.0] * 3)]),
        JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(effort=[1.0] * 4)])]
    past = JointTrajectory(joint_names=JOINTS, points=[whole])
    past.header.stamp = Time(sec=0, nanosec=1)
    return {'joint_commands': (JointState, states), 'joint_states': (JointState, states),
            'controller/joint_trajectory': (JointTrajectory, [*trajectories, past])}


def test_a_flood_of_garbage_changes_no_bit_and_each_reason_is_logged_once(undisturbed, listener):
    """Bad names, sizes, numbers and trajectories on every input, in between good messages."""
    def flood(processes, listener):
        topics = [(listener.publisher(kind, topic), messages)
                  for topic, (kind, messages) in garbage().items()]
        for _ in range(20):
            for publisher, messages in topics:
                for message in messages:
                    publisher.publish(message)
                    listener.executor.spin_once(timeout_sec=0.0)
        report = listener.wait_for_report('trajectory refused')
        assert 'following' in report.message
        listener.wait_for_report('nodes publish joint_commands')
        texts = [written(process) for process in processes]
        for words, text in (('the trajectory has no points', texts[1]),
                            ('the trajectory names no joints', texts[1]),
                            ('times must increase', texts[1]), ('s ago', texts[1]),
                            ('velocity of joint_states lacks', texts[1]),
                            ("effort of joint_commands names the unknown joint ''", texts[0])):
            assert text.count(words) <= 2, text[-3000:]

    assert np.array_equal(lockstep_states(listener, flood), undisturbed)


def test_a_stopped_process_changes_no_bit(undisturbed, listener):
    """Controller, then plant sleep in the middle of a lockstep run."""
    def sleep(processes, listener):
        plant, controller, _ = processes
        for process in (controller, plant):
            process.send_signal(signal.SIGSTOP)
            try:
                if process is controller:  # until the plant has asked again
                    listener.wait(lambda: len({stamp(m) for m in listener.states[-2:]}) == 1)
                else:  # until the last states in the air have come
                    seen = -1
                    while seen != len(listener.states):
                        seen = len(listener.states)
                        listener.executor.spin_once(timeout_sec=0.3)
            finally:
                process.send_signal(signal.SIGCONT)
            listener.wait(lambda now=listener.now: listener.now > now + 20 * PERIOD)

    assert np.array_equal(lockstep_states(listener, sleep), undisturbed)


def test_a_trajectory_of_two_hundred_thousand_points_is_followed(listener):
    """
    Taken as a whole, answered in order, and the arm ends on its last point.

    Two hundred thousand, not a million: Python needs many seconds to make and read a million
    points, which tells nothing more.
    """
    with nodes('scara_helix', 'dynamics', 'controller', dynamics={'mode': 'lockstep'}) as graph:
        listener.wait(lambda: listener.states)
        q0 = np.array(listener.states[0].position)
        points = [JointTrajectoryPoint(positions=q0 + [1e-6 * k, 0, 0, 0],
                                       time_from_start=Duration(nanosec=2000 * k))
                  for k in range(200_000)]
        publisher = listener.publisher(JointTrajectory, 'controller/joint_trajectory')
        publisher.publish(JointTrajectory(joint_names=JOINTS, points=points))
        listener.wait(lambda: 'trajectory of 200000 points' in written(graph[1]))
        listener.wait_until(2.5)
    assert np.abs(np.array(listener.states[-1].position) - points[-1].positions).max() < 1e-3
