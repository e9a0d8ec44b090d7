# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Real node processes on the session's own DDS domain, and a listener that waits on conditions."""
from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState

PATIENCE = 120.0
"""Longest wait for anything; generous, since a busy machine may compile first [s]."""


@contextlib.contextmanager
def nodes(scenario, *names, **parameters):
    """Run nodes of the package as processes; they must end cleanly on SIGINT."""
    processes = []
    for name in names:
        arguments = ['-p', f'scenario:={scenario}', '-p', 'use_sim_time:=true']
        for key, value in parameters.get(name, {}).items():
            arguments += ['-p', f'{key}:={value}']
        processes.append(subprocess.Popen(
            [sys.executable, '-m', f'robodyn_ros.nodes.{name}_node', '--ros-args', *arguments],
            stderr=subprocess.PIPE, text=True))
    try:
        yield processes
    finally:
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        codes = {}
        for name, process in zip(names, processes):
            _, text = process.communicate(timeout=PATIENCE)
            codes[name] = (process.returncode, text[-2000:])
    failed = {name: code for name, code in codes.items() if code[0] != 0}
    assert not failed, failed


class Listener:
    """Records joint_states and joint_commands."""

    def __init__(self):
        """Join the graph with a context of its own."""
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('listener', context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.states, self.commands = [], []
        deep = QoSProfile(depth=5000)
        self.node.create_subscription(JointState, 'joint_states', self.states.append, deep)
        self.node.create_subscription(JointState, 'joint_commands', self.commands.append, deep)

    def wait(self, condition):
        """Spin until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, 'waited in vain'
            self.executor.spin_once(timeout_sec=0.1)

    def close(self):
        """Leave the graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()


def stamp(message):
    """Return the stamp of a message [ns]."""
    return message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
