# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A stand-in for the driver of a SCARA arm: no line of code in common with the package's plant.

The closed forms of paper 000 (test/oracles), integrated over the time that passed on the wall
clock. Publishes joint_states with wall-clock stamps; takes JointState or Float64MultiArray
commands; brakes until the first command and when commands stop. Faults can be built in.
"""
import argparse
import contextlib
import sys

import numpy as np
from oracles import scara_450 as arm
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

JOINTS = ['joint_1', 'joint_2', 'joint_3', 'joint_4']
STALE = 0.1
"""Age of a command at which the brakes close [s]."""
STEP = 2e-3
"""Longest step of the integration [s]."""
FAULTS = ('names', 'velocity', 'stamps', 'sign', 'best_effort', 'silent')


def acceleration(q, v, tau):
    """Return a = M^-1 (tau - C v - G) (4,)."""
    return np.linalg.solve(arm.mass_matrix(q), tau - arm.bias_force(q, v))


def advanced(q, v, tau, seconds):
    """Integrate by the classic Runge-Kutta rule; returns q and v."""
    steps = max(1, int(np.ceil(seconds / STEP)))
    h = seconds / steps
    for _ in range(steps):
        a1 = acceleration(q, v, tau)
        v2 = v + h / 2 * a1
        a2 = acceleration(q + h / 2 * v, v2, tau)
        v3 = v + h / 2 * a2
        a3 = acceleration(q + h / 2 * v2, v3, tau)
        v4 = v + h * a3
        a4 = acceleration(q + h * v3, v4, tau)
        q = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4)
        v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return q, v


class Driver(Node):
    """Arm, brakes and topics."""

    def __init__(self, array_commands, rate, fault):
        """Stand braked at the start of the helix."""
        super().__init__('driver')
        self.fault = fault
        self.q, self.v, self.tau = arm.path_position(0.0), np.zeros(4), np.zeros(4)
        self.time = self.now()
        self.commanded = None
        offered = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT
                             if fault == 'best_effort' else ReliabilityPolicy.RELIABLE)
        self.states = self.create_publisher(JointState, 'joint_states', offered)
        if array_commands:
            self.create_subscription(Float64MultiArray, 'effort_controller/commands',
                                     lambda m: self.on_command(JOINTS, m.data), 1)
        else:
            self.create_subscription(JointState, 'joint_commands',
                                     lambda m: self.on_command(m.name, m.effort), 1)
        self.create_timer(1.0 / rate, self.on_tick)

    def now(self):
        """Return the time of the wall clock [ns]."""
        return self.get_clock().now().nanoseconds

    def on_command(self, names, efforts):
        """Take a torque for every joint; anything else is not for this arm."""
        if sorted(names) != JOINTS or len(efforts) != 4 or not np.isfinite(efforts).all():
            return
        sign = -1.0 if self.fault == 'sign' else 1.0
        self.tau = sign * np.array([efforts[list(names).index(name)] for name in JOINTS])
        self.commanded = self.now()

    def on_tick(self):
        """Move on by the time that passed, and say where the arm is."""
        now = self.now()
        passed, self.time = (now - self.time) * 1e-9, now
        stale = self.commanded is None or now - self.commanded > STALE * 1e9
        if stale:
            self.v, self.tau = np.zeros(4), np.zeros(4)
        else:
            self.q, self.v = advanced(self.q, self.v, self.tau, min(passed, STALE))
        if self.fault == 'silent' and stale and self.commanded is not None:
            return
        message = JointState(name=JOINTS, position=self.q.tolist(), effort=self.tau.tolist())
        if self.fault != 'velocity':
            message.velocity = self.v.tolist()
        if self.fault == 'names':
            message.name = ['shoulder', *JOINTS[1:]]
        if self.fault != 'stamps':
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, 1_000_000_000)
        self.states.publish(message)


def main():
    """Run until a signal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--array-commands', action='store_true')
    parser.add_argument('--rate', type=float, default=250.0)
    parser.add_argument('--fault', choices=FAULTS)
    arguments = parser.parse_args()
    rclpy.init()
    try:
        rclpy.spin(Driver(arguments.array_commands, arguments.rate, arguments.fault))
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RuntimeError:  # a context that the signal has taken away
        if rclpy.ok():
            raise
    with contextlib.suppress(RuntimeError):  # the signal's handler may be at it just now
        rclpy.try_shutdown()
    return 0


if __name__ == '__main__':
    sys.exit(main())
