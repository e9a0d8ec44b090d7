# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What is asked of running nodes, whoever started them: a launch file or a test itself.

Every function takes a Listener that joined the graph before the nodes came up.
"""
from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
import numpy as np
from oracles import scara_450 as arm
from rclpy.qos import DurabilityPolicy, QoSProfile
from robodyn_ros import load_robot, load_scenario, simulate
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger
from system.graph import stamp
from trajectory_msgs.msg import JointTrajectory

START = 1.0
"""Simulated time at which a plant's motion begins, in lockstep or without a controller [s]."""
SPAN = 5.0
"""Part of the motion that is looked at [s]."""
HEARD = 100
"""States that must have been heard of it."""
FOLLOWED = 5e-3
"""Distance of a driver's joint from the helix; it is one period of 4 ms late [rad] or [m]."""
STRETCH = 250
"""States of a driver that must be within it: one second."""
LENGTH = 20 * 10 ** 9
"""Of the helix [ns]."""
LAPS = 5
"""How often it may be begun."""
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def mode_of(scenario):
    """Name the mode in which the plant's states depend on no clock but its own."""
    return 'free' if load_scenario(scenario).controller.kind == 'none' else 'lockstep'


def nodes_of(scenario):
    """Name the nodes a scenario needs."""
    names = ['dynamics', 'trajectory']
    return names if load_scenario(scenario).controller.kind == 'none' else [*names, 'controller']


def expect_nodes(listener, *names):
    """Wait until nodes of these full names are up."""
    def missing():
        found = listener.node.get_node_names_and_namespaces()
        return set(names) - {f'{space.rstrip("/")}/{name}' for name, space in found}

    try:
        listener.wait(lambda: not missing())
    except AssertionError:
        raise AssertionError(f'these nodes did not come up: {missing()}') from None


def resume(listener, scenario):
    """Let a plant that started paused go on, as soon as all of its motion will be heard."""
    driven = load_scenario(scenario).controller.kind != 'none'
    listener.wait_for_writers('joint_states', *(['joint_commands'] if driven else []))
    assert listener.call(SetBool, '/dynamics/set_pause', data=False).success


def expect_states(listener, robot):
    """Wait for joint_states; they are complete and in the order of time."""
    joints = sorted(load_robot(robot).joints)
    listener.wait(lambda: len(listener.states) > 10)
    heard = listener.states[:10]  # not all: who looks long does not listen
    for message in heard:
        assert sorted(message.name) == joints
        assert len(message.position) == len(message.velocity) == len(joints)
        assert np.isfinite([*message.position, *message.velocity]).all()
    stamps = [stamp(message) for message in heard]
    assert stamps == sorted(stamps) and stamps[0] > 0


def expect_tracking(listener, scenario):
    """Wait for a part of the motion; the tool (the joints) kept within the tolerance."""
    made = load_scenario(scenario)
    span = min(made.duration, SPAN)
    listener.wait_until(START + span)
    wanted = simulate(made)  # the whole: its ends at rest are part of the motion
    place = {round((stamp(m) * 1e-9 - START) / made.controller.period): m.position
             for m in listener.states}
    heard = sorted(k for k in place if 0 <= k < len(wanted.t))
    assert len(heard) > HEARD, f'only {len(heard)} states were heard'
    q = np.array([place[k] for k in heard])
    if wanted.desired.in_space:
        tool = wanted.robot.positions(wanted.frame, q)
        error = np.linalg.norm(tool - wanted.tool_reference[heard], axis=1)
    else:
        error = np.abs(q - wanted.reference.q[heard]).max(axis=1)
    assert error.max() <= made.tolerance, f'{error.max()} at {heard[int(error.argmax())]} periods'
    # a listener that was found late may have heard the end only: there, too, is not the start
    assert np.abs(q - wanted.q[0]).max() > 1e-3, 'the robot did not move'


def start_of(message):
    """Return when the motion itself begins [ns]: a way that leads to it may come before."""
    last = message.points[-1].time_from_start
    return stamp(message) + last.sec * 10 ** 9 + last.nanosec - LENGTH


def expect_driver_on_helix(listener, namespace=''):
    """
    Wait until the stand-in driver was on the helix for a second's worth of states.

    Its closed form (test/oracles) is the judge; nothing of the package is. A machine that stalls
    loses the arm, which is then held, as it should be: the motion is begun again.
    """
    starts, doing, good = [], [''], []
    listener.node.create_subscription(JointTrajectory, f'{namespace}/controller/joint_trajectory',
                                      lambda m: starts.append(start_of(m)), LATCHED)
    listener.node.create_subscription(DiagnosticStatus, f'{namespace}/controller/status',
                                      lambda m: doing.append(m.message), LATCHED)
    listener.wait(lambda: starts)
    seen = 0

    def followed():
        nonlocal seen
        states, seen = listener.states[seen:], len(listener.states)
        for message in states:
            t = (stamp(message) - starts[-1]) * 1e-9
            at = arm.path_position(arm.rest_to_rest(t))
            if 1.0 < t < LENGTH * 1e-9 - 1.0 \
                    and np.abs(np.array(message.position) - at).max() < FOLLOWED:
                good.append(message.position)
        return len(good) >= STRETCH

    for _ in range(LAPS):
        listener.wait(lambda: followed() or doing[-1].startswith('holding')
                      or listener.now > starts[-1] + LENGTH)
        if followed():
            break
        laps = len(doing)  # the controller may tell before the answer is here
        assert listener.call(Trigger, f'{namespace}/trajectory/start').success
        listener.wait(lambda laps=laps: 'following' in doing[laps:])
    assert followed(), f'the motion was not followed: {doing}'
    moved = np.ptp([m.position for m in listener.states], axis=0)
    assert moved[:2].min() > 10 * FOLLOWED, 'the arm did not move'


def expect_array_commands(listener, topic):
    """Wait for efforts without names, as effort controllers of ros2_control take them."""
    heard = []
    listener.node.create_subscription(Float64MultiArray, topic, heard.append, 10)
    listener.wait(lambda: len(heard) > 10)
    assert {len(message.data) for message in heard} == {4}
    assert not listener.commands


def expect_side_by_side(listener, robots):
    """
    Wait for states and a clock in each namespace; the states are those of its own robot.

    :param robots: name of the robot by namespace
    """
    states, clocks = {name: [] for name in robots}, {name: [] for name in robots}
    for name in robots:
        listener.node.create_subscription(JointState, f'/{name}/joint_states',
                                          states[name].append, 10)
        listener.node.create_subscription(Clock, f'/{name}/clock', clocks[name].append, 10)
    listener.wait(lambda: all(len(heard) > 10 for heard in (*states.values(), *clocks.values())))
    for name, robot in robots.items():
        joints = list(load_robot(robot).joints)
        assert all(list(message.name) == joints for message in states[name])
    assert not listener.states and listener.node.count_publishers('/clock') == 0
