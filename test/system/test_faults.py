# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Processes that die, nonsense on every topic, trajectories of absurd size: all survived."""

import signal

from builtin_interfaces.msg import Duration, Time
import numpy as np
import pytest
from robodyn_ros import load_scenario, simulate
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from system.graph import heard_graph, nodes, stamp, start, stop, written
from system.test_lockstep import digest, lockstep_run
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

pytestmark = pytest.mark.dds
JOINTS = [f'joint_{k}' for k in range(1, 5)]
PERIOD, NANO = 1_000_000, 1_000_000_000
TRACKING = 1e-3
"""How near to the path counts as following it [rad] or [m]."""
TIMEOUT = 0.1
"""Default command time-out of the plant [s]."""
SLOW = {'realtime_factor': 0.3}
"""Free mode with time to spare, for a machine that does other things too."""


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


def test_a_killed_controller_leaves_a_held_arm_and_its_successor_is_led_back(listener):
    """The plant holds in time; the next controller jumps nowhere, and ~/start begins anew."""
    error = tracking(listener)
    with heard_graph(listener, 'scara_helix', dynamics=SLOW) as processes:
        listener.wait(lambda: moving(listener.states[-1]) and error() < TRACKING)
        lost(processes.pop(1))
        listener.wait_for_report('no command in time: hold')
        listener.wait(lambda: not moving(listener.states[-1]))
        last = stamp(listener.commands[-1])
        held = next(m for m in listener.states if stamp(m) > last and not moving(m))
        # the last command was taken at most one time-out after its own state
        assert stamp(held) - last <= (2 * TIMEOUT + 0.002) * NANO
        at = listener.states[-1].position
        listener.wait(lambda now=listener.now: listener.now > now + 200 * PERIOD)
        assert listener.states[-1].position == at
        seen = len(listener.commands)
        processes.append(start('scara_helix', 'controller'))
        # the motion went on without the arm, which is not led to catch up with it
        listener.wait_for_report('no trajectory')
        assert len(listener.commands) == seen
        assert listener.call(Trigger, 'trajectory/start').success
        listener.wait(lambda: moving(listener.states[-1]))
        assert np.abs([m.velocity for m in listener.states]).max() < 1.0
        seen = listener.now
        listener.wait(lambda: listener.now > seen + NANO and error() < TRACKING)
    assert np.isfinite([m.position for m in listener.states]).all()


@pytest.mark.parametrize('mode, late', [('free', 2.5), ('lockstep', 8.0)])
def test_a_killed_plant_comes_back_and_the_motion_starts_over(listener, mode, late):
    """Its clock begins anew; controller and trajectory go on with it, without a restart."""
    error = tracking(listener)
    with heard_graph(listener, 'scara_helix', dynamics={**SLOW, 'mode': mode}) as processes:
        listener.wait_until(late)  # so late that the second clock is heard before it is there
        lost(processes.pop(0))
        listener.states.clear()
        processes.append(start('scara_helix', 'dynamics', mode=mode, **SLOW))
        listener.wait(lambda: 0 < listener.now < (late - 0.1) * NANO)
        listener.wait_until(1.6)
        listener.wait(lambda: len(listener.states) > 200)   # who was found late has heard few
        listener.wait(lambda: moving(listener.states[-1]) and error() < TRACKING)
    if mode == 'lockstep':
        states = {stamp(m): m.position for m in listener.states}
        heard = sorted(stamp for stamp in states if stamp < (late - 0.1) * NANO)
        expected = simulate(load_scenario('scara_helix')).q
        again = np.array([states[k] for k in heard])
        assert len(heard) > 100
        assert np.abs(again - expected[[(k - NANO) // PERIOD for k in heard]]).max() < 1e-9


def test_without_the_trajectory_node_the_controller_goes_on(listener):
    """What it has, it follows; ~/error stays small."""
    error = tracking(listener)
    with heard_graph(listener, 'scara_helix', dynamics=SLOW) as processes:
        listener.wait(lambda: moving(listener.states[-1]) and error() < TRACKING)
        lost(processes.pop())
        seen = listener.now
        listener.wait(lambda: listener.now > seen + NANO // 2 and error() < TRACKING
                      and moving(listener.states[-1]))


def garbage():
    """Return messages no node should act on, by topic."""
    nan, inf = float('nan'), float('inf')
    names = [[], JOINTS[:3], [*JOINTS, 'joint_1'], ['joint_1'] * 4,
             ['', 'ä', '../x', 'joint_1' * 1000]]
    states = [JointState(name=n, position=[1.0] * 4, velocity=[1.0] * 4, effort=[9.0] * 4)
              for n in names]
    states += [JointState(name=JOINTS, position=[x] * k, velocity=[x] * k, effort=[x] * k)
               for x, k in ((nan, 4), (inf, 4), (-inf, 4), (1.0, 3), (1.0, 5), (1.0, 0))]
    whole = JointTrajectoryPoint(positions=[0.1] * 4)
    before = JointTrajectoryPoint(positions=[0.2] * 4, time_from_start=Duration(sec=-1))
    moving_end = JointTrajectoryPoint(positions=[0.1] * 4, velocities=[1.0, 0.0, 0.0])
    trajectories = [
        JointTrajectory(), JointTrajectory(joint_names=JOINTS),
        JointTrajectory(points=[whole]),
        JointTrajectory(joint_names=JOINTS[:2], points=[whole]),
        JointTrajectory(joint_names=[*JOINTS[:3], 'elbow'], points=[whole]),
        JointTrajectory(joint_names=JOINTS, points=[whole, before]),
        JointTrajectory(joint_names=JOINTS, points=[whole, whole]),
        JointTrajectory(joint_names=JOINTS, points=[moving_end]),
        JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(positions=[nan] * 4)]),
        JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(positions=[1.0] * 3)]),
        JointTrajectory(joint_names=JOINTS, points=[JointTrajectoryPoint(
            positions=[1.0] * 4, effort=[1.0] * 4)])]
    past = JointTrajectory(joint_names=JOINTS, points=[whole])
    past.header.stamp = Time(sec=0, nanosec=1)
    return {'joint_commands': (JointState, states), 'joint_states': (JointState, states),
            'controller/joint_trajectory': (JointTrajectory, [*trajectories, past])}


REASONS = {
    'controller': (
        'the trajectory names no joints', 'the trajectory has no points',
        'the trajectory lacks joint', "names the unknown joint 'elbow'",
        'times must increase', 'velocities of point 0 has 3 values', 'expected a finite number',
        'positions of point 0 has 3 values', 'the trajectory has efforts', 's ago',
        'position of joint_states lacks joint', 'position of joint_states names joint',
        "position of joint_states of joint 'joint_1' is not finite"),
    'dynamics': (
        'effort of joint_commands lacks joint', 'effort of joint_commands names joint',
        "effort of joint_commands names the unknown joint ''", 'values for 4 joints',
        "of joint 'joint_1' is not finite"),
}
"""What each node must say of the garbage, joint_trajectory_controller's list included."""


def flood(processes, listener):
    """Send all garbage many times; every kind is named in the log, once or twice."""
    # of who publishes joint_states but says nothing nobody knows that it is no second arm
    last = sorted(garbage().items(), key=lambda item: item[0] == 'joint_states')
    topics = [(listener.publisher(kind, topic), messages) for topic, (kind, messages) in last]
    topics.reverse()

    def send():
        for publisher, messages in topics:
            for message in messages:
                publisher.publish(message)
                listener.executor.spin_once(timeout_sec=0.0)

    for _ in range(20):
        send()
    report = listener.wait_for_report('trajectory refused')
    assert 'following' in report.message
    listener.wait_for_report('nodes publish joint_commands')
    for process, node in zip(processes, ('dynamics', 'controller')):
        for words in REASONS[node]:
            # in a flood a reader that is busy gets the newest only
            listener.wait(lambda: words in written(process) or send())
            assert written(process).count(words) <= 4, words


def test_a_flood_of_garbage_changes_no_bit_and_every_reason_is_told():
    """Bad names, sizes, numbers and trajectories on every input, in between good messages."""
    assert digest(lockstep_run('scara_helix', flood)[0]) == digest(lockstep_run('scara_helix')[0])


def test_a_trajectory_of_absurd_size_is_followed(listener):
    """Taken as a whole while the plant waits; the arm ends on its last point."""
    count, step = 200_000, 5000     # more only takes longer to build, here
    with nodes('scara_helix', 'dynamics', 'controller', dynamics={'mode': 'lockstep'}) as graph:
        listener.wait(lambda: listener.states)
        end = np.array(listener.states[0].position) + [0.1, 0.0, 0.0, 0.0]
        ramp = np.linspace(listener.states[0].position, end, count)
        points = [JointTrajectoryPoint(positions=row, time_from_start=Duration(
            sec=k * step // NANO, nanosec=k * step % NANO)) for k, row in enumerate(ramp)]
        publisher = listener.publisher(JointTrajectory, 'controller/joint_trajectory')
        publisher.publish(JointTrajectory(joint_names=JOINTS, points=points))
        listener.wait(lambda: f'trajectory of {count} points' in written(graph[1]))
        listener.wait_until(3.5)
    assert np.abs(np.array(listener.states[-1].position) - end).max() < 1e-3
