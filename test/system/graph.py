# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Real node processes on the session's own DDS domain, and a listener that waits on conditions."""
from __future__ import annotations

import contextlib
from functools import partial
import signal
import subprocess
import sys
import tempfile
import time

from diagnostic_msgs.msg import DiagnosticArray
import rclpy
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from robodyn_ros.nodes.dynamics.node import FIRST_STAMP
from sensor_msgs.msg import JointState

LOST = 10.0
"""Time after which the answer of a service is taken for lost [s]."""
PATIENCE = 180.0
"""Longest wait for anything; generous, since a busy machine may compile first [s]."""


def start(scenario, name, **parameters):
    """Start a node of the package as a process; what it writes to stderr goes to .log."""
    arguments = ['-p', f'scenario:={scenario}', '-p', 'use_sim_time:=true']
    for key, value in parameters.items():
        arguments += ['-p', f'{key}:={value}']
    return start_with(name, *arguments)


def start_with(name, *arguments):
    """Start a node of the package with these arguments for ROS."""
    # a file, not a pipe: a pipe that nobody reads stops a node that complains a lot
    log = tempfile.TemporaryFile('w+')
    process = subprocess.Popen(
        [sys.executable, '-m', f'robodyn_ros.nodes.{name}.node', '--ros-args', *arguments],
        stderr=log, text=True)
    process.log = log
    return process


def written(process):
    """Return what a process wrote to stderr so far."""
    process.log.seek(0)
    return process.log.read()


def stop(process, how=signal.SIGINT):
    """End a process with a signal; returns its exit code and the end of what it wrote."""
    if process.poll() is None:
        process.send_signal(how)
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()  # else it would talk into every test that follows
        raise
    text = written(process)
    process.log.close()
    return code, text[-2000:]


@contextlib.contextmanager
def heard_graph(listener, scenario, **parameters):
    """
    Run the three nodes; the motion begins when the listener hears plant and controller.

    :param parameters: of the nodes, by name
    """
    with nodes(scenario, 'dynamics', 'controller', **parameters) as processes:
        listener.wait_for_writers('joint_states', 'joint_commands')
        listener.wait(lambda: listener.states)
        processes.append(start(scenario, 'trajectory', **parameters.get('trajectory', {})))
        yield processes


@contextlib.contextmanager
def nodes(scenario, *names, **parameters):
    """Run nodes of the package as processes; those still running must end cleanly on SIGINT."""
    processes = [start(scenario, name, **parameters.get(name, {})) for name in names]
    try:
        yield processes
    finally:
        # all processes started are also in the list when the test puts others in
        codes = [(process.args[2], *stop(process)) for process in processes]
    failed = [code for code in codes if code[1] not in (0, -signal.SIGKILL)]
    assert not failed, failed


class Listener:
    """Records joint_states, joint_commands and the texts of /diagnostics."""

    def __init__(self):
        """Join the graph with a context of its own."""
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('listener', context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.states, self.commands, self.reports = [], [], []
        self.writers = {}
        deep = QoSProfile(depth=5000)
        for topic, heard in (('joint_states', self.states), ('joint_commands', self.commands)):
            self.node.create_subscription(
                JointState, topic, heard.append, deep,
                event_callbacks=SubscriptionEventCallbacks(matched=partial(self._on_match, topic)))
        self.node.create_subscription(
            DiagnosticArray, '/diagnostics', lambda m: self.reports.extend(m.status), deep)

    def _on_match(self, topic, event):
        self.writers[topic] = event.current_count

    def wait_for_writers(self, *topics):
        """Spin until each topic has a publisher that this listener hears."""
        self.wait(lambda: all(self.writers.get(topic) for topic in topics))

    def wait(self, condition):
        """Spin until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, 'waited in vain'
            self.executor.spin_once(timeout_sec=0.1)

    def wait_for_report(self, words, level=None):
        """Spin until a new diagnostic status says the words; returns it."""
        seen = len(self.reports)

        def found():
            return [status for status in self.reports[seen:] if words in status.message
                    and level in (None, status.level)]

        try:
            self.wait(found)
        except AssertionError:
            raise AssertionError({status.message for status in self.reports}) from None
        return found()[0]

    def next_report(self, name):
        """Return the next diagnostic status of that name."""
        seen = len(self.reports)
        self.wait(lambda: any(status.name == name for status in self.reports[seen:]))
        return next(status for status in self.reports[seen:] if status.name == name)

    def next_value(self, key):
        """Return a value of the plant's next diagnostic status."""
        status = self.next_report('dynamics: plant')
        return {pair.key: pair.value for pair in status.values}[key]

    def wait_for_standstill(self):
        """Spin until the plant says it is paused and its last state is here; returns the stamp."""
        self.wait(lambda: self.next_value('paused') == 'True')
        # a busy machine hands over what was under way long after the report
        last = FIRST_STAMP + round(float(self.next_value('simulated_s')) * 1e9)
        self.wait(lambda: self.now >= last)
        return self.now

    def call(self, kind, name, **fields):
        """
        Call a service and return its response.

        A server may know a request before it knows where to send the response, which is then lost:
        what may happen twice is asked again.
        """
        client = self.node.create_client(kind, name)
        self.wait(client.service_is_ready)
        futures, asked = [], 0.0

        def answered():
            nonlocal asked
            if not futures or time.monotonic() > asked + LOST and '/step' not in name:
                futures.append(client.call_async(kind.Request(**fields)))
                asked = time.monotonic()
            return any(future.done() for future in futures)

        self.wait(answered)
        self.node.destroy_client(client)
        return next(future.result() for future in futures if future.done())

    def publisher(self, kind, topic):
        """Return a publisher that somebody listens to."""
        made = self.node.create_publisher(kind, topic, 10)
        mine = sum(s.topic_name.rsplit('/', 1)[-1] == topic.rsplit('/', 1)[-1]
                   for s in self.node.subscriptions)
        self.wait(lambda: made.get_subscription_count() > mine)
        return made

    @property
    def now(self):
        """Stamp of the newest state, 0 before the first [ns]."""
        return stamp(self.states[-1]) if self.states else 0

    def wait_until(self, seconds):
        """Spin until a state of that simulated time has come."""
        self.wait(lambda: self.now >= seconds * 1e9)

    def close(self):
        """Leave the graph."""
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.try_shutdown()


def stamp(message):
    """Return the stamp of a message [ns]."""
    return message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
