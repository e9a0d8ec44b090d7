# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Controller and trajectory nodes, unchanged, move a driver that knows nothing of the plant."""

import numpy as np
from oracles import scara_450 as arm
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger
from system.driver_process import driver, wall_clock_nodes
from system.graph import Listener, stamp
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.dds
TOLERANCE = 5e-3
"""Distance of a joint from the helix [rad] or [m]; one period of 4 ms is late in any case."""
STRETCH = 250
"""States in a row that must be within it: one second of the driver."""
LENGTH = 20_000_000_000
"""Of the motion [ns]."""
LAPS = 5
"""How often it may be begun."""
REMAPPED = ['-p', 'command_format:=float64_multi_array', '-r',
            'joint_commands:=/effort_controller/commands']


def start_of(message):
    """Return when the motion itself begins [ns]: a way that leads to it may come before."""
    last = message.points[-1].time_from_start
    return stamp(message) + last.sec * 1_000_000_000 + last.nanosec - LENGTH


def errors(states, start):
    """Return the distance from the closed form of the helix at each state's wall-clock stamp."""
    found = []
    for message in states:
        t = (stamp(message) - start) * 1e-9
        wanted = arm.path_position(arm.rest_to_rest(t))
        found.append(np.abs(np.array(message.position) - wanted).max() if t > 0.0 else np.inf)
    return np.array(found)


@pytest.mark.parametrize('arguments, controller', [([], []), (['--array-commands'], REMAPPED)],
                         ids=['joint_state', 'float64_multi_array'])
def test_the_driver_follows_the_helix_on_the_wall_clock(arguments, controller):
    """A second of the motion is within the tolerance of the closed form."""
    listener = Listener()
    starts, arrays = [], []
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    listener.node.create_subscription(JointTrajectory, 'controller/joint_trajectory',
                                      lambda m: starts.append(start_of(m)), latched)
    listener.node.create_subscription(Float64MultiArray, 'effort_controller/commands',
                                      arrays.append, 10)

    def followed():
        states = listener.states[-STRETCH:]
        return starts and len(states) == STRETCH \
            and stamp(states[0]) > starts[-1] + 1_000_000_000 \
            and errors(states, starts[-1]).max() < TOLERANCE  # it starts from rest, and slowly

    try:
        with driver(*arguments), wall_clock_nodes('scara_helix', controller=controller,
                                                  trajectory=[]):
            listener.wait(lambda: starts and len(listener.states) > STRETCH
                          and stamp(listener.states[-STRETCH]) > starts[-1])
            laps = 0
            while not followed():  # a machine that stalls loses the arm: begin again
                seen = len(listener.states)
                listener.wait(lambda: len(listener.states) > seen + STRETCH / 5)
                if stamp(listener.states[-1]) > starts[-1] + LENGTH:
                    laps += 1
                    assert laps < LAPS, 'the motion was not followed'
                    assert listener.call(Trigger, 'trajectory/start').success
                    listener.wait(lambda: stamp(listener.states[-1]) < starts[-1] + LENGTH)
            listener.wait(lambda: arrays if controller else listener.commands)
    finally:
        listener.close()
    moved = np.ptp([m.position for m in listener.states], axis=0)
    assert moved[0] > 10 * TOLERANCE and moved[1] > 10 * TOLERANCE
    assert bool(arrays) == bool(controller) and bool(listener.commands) != bool(controller)
