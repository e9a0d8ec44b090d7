# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A process of nodes serves everything while messages flow, and ends as it should."""

import os
import signal
import subprocess
import sys
import time

import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.common.executor import chosen_executor, EVENTS, KINDS, SINGLE
from robodyn_ros.nodes.common.process import Session
from robodyn_ros.nodes.common.wall_timer import wall_timer
from std_msgs.msg import Int32
from std_srvs.srv import Trigger
from system.graph import PATIENCE

pytestmark = pytest.mark.dds
PROGRAM = """
import os, signal, sys, time
from rclpy.node import Node
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.common.process import run_node
from robodyn_ros.nodes.common.wall_timer import wall_timer
from std_msgs.msg import Int32

class Busy(Node):
    def __init__(self):
        super().__init__('busy')
        self.count = 0
        self.publisher = self.create_publisher(Int32, 'ticks', 10)
        wall_timer(self, 1e-3, self.tick)

    def tick(self):
        self.count += 1
        if self.count == 50:
            {act}
        self.publisher.publish(Int32(data=self.count))

sys.exit(run_node(Busy, []))
"""
"""A node that publishes a thousand times a second and does something in its fiftieth callback."""


class Bench:
    """Two nodes in one session."""

    def __init__(self, session):
        """Begin with nothing but the nodes."""
        self.session = session
        self.nodes = [Node(name) for name in ('one', 'two')]
        for node in self.nodes:
            session.add(node)

    def spin_until(self, condition):
        """Spin until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, 'waited in vain'
            assert self.session.spin_once(0.1), 'ended'


@pytest.fixture(params=sorted(KINDS))
def bench(request):
    """Run one test's nodes under each executor."""
    with Session([], KINDS[request.param]) as session:
        yield Bench(session)


def flow(bench, count=50, **options):
    """Send numbers from one node to the other; returns what arrived."""
    one, two = bench.nodes
    heard = []
    two.create_subscription(Int32, 'numbers', heard.append, QoSProfile(depth=count), **options)
    publisher = one.create_publisher(Int32, 'numbers', QoSProfile(depth=count))
    bench.spin_until(publisher.get_subscription_count)
    for k in range(count):
        publisher.publish(Int32(data=k))
    bench.spin_until(lambda: len(heard) == count)
    return heard


def test_messages_come_all_and_in_order(bench):
    """None is lost while there is room for it in the queue."""
    assert [m.data for m in flow(bench)] == list(range(50))


def test_raw_messages_are_bytes(bench):
    """As the recorder and the viewer take them."""
    assert all(isinstance(data, bytes) for data in flow(bench, 5, raw=True))


def test_timers_tick_at_their_rate(bench):
    """Two seconds of 100 Hz beside a slow one: few ticks are late, and none comes too often."""
    fast, slow = [], []
    wall_timer(bench.nodes[0], 1e-2, lambda: fast.append(time.monotonic()))
    wall_timer(bench.nodes[1], 0.5, lambda: slow.append(1))
    bench.spin_until(lambda: fast)
    bench.spin_until(lambda: time.monotonic() > fast[0] + 2.0)
    took = fast[-1] - fast[0]
    assert 0.5 * took < 1e-2 * len(fast) < 1.01 * took + 2e-2
    assert len(slow) in (2, 3, 4, 5)


def test_services_are_served_while_messages_flow(bench):
    """A timer floods a topic, and a request is answered at once."""
    one, two = bench.nodes
    heard = []

    def answer(_, response):
        response.success = True
        return response

    two.create_subscription(Int32, 'flood', heard.append, 10)
    publisher = one.create_publisher(Int32, 'flood', 10)
    wall_timer(one, 1e-3, lambda: publisher.publish(Int32(data=1)))
    two.create_service(Trigger, 'ask', answer)
    client = one.create_client(Trigger, 'ask')
    bench.spin_until(lambda: client.service_is_ready() and len(heard) > 20)
    seen, future = len(heard), client.call_async(Trigger.Request())
    bench.spin_until(future.done)
    assert future.result().success and len(heard) < seen + 1000
    bench.spin_until(lambda: len(heard) > seen + 100)


def test_entities_may_come_and_go(bench):
    """A subscription is replaced by a timer's callback; destroyed ones and timers are silent."""
    one, two = bench.nodes
    first, second, ticks = [], [], []
    publisher = one.create_publisher(Int32, 'late', 10)
    bench.session.spin_once(0.0)
    subscription = two.create_subscription(Int32, 'late', first.append, 10)
    wall_timer(one, 1e-2, lambda: publisher.publish(Int32(data=len(first))))
    bench.spin_until(lambda: len(first) > 3)

    def replace():
        ticks.append(len(first))
        timer.cancel()
        two.destroy_subscription(subscription)
        two.create_subscription(Int32, 'late', second.append, 10)

    timer = wall_timer(two, 1e-2, replace)
    bench.spin_until(lambda: len(second) > 5)
    assert len(ticks) == 1 and len(first) <= ticks[0] + 1  # one may have been under way


def test_an_error_in_a_callback_reaches_who_spins(bench):
    """It is not swallowed."""
    def broken():
        raise ValueError('broken')

    wall_timer(bench.nodes[0], 1e-3, broken)
    with pytest.raises(ValueError, match='broken'):
        bench.spin_until(lambda: False)


@pytest.mark.parametrize('kind', sorted(KINDS))
@pytest.mark.parametrize('act, code, words', [
    ('raise ValueError("broken")', 1, 'ValueError: broken'),
    ('raise RobodynError("nothing to write on")', 2, 'robodyn: nothing to write on\n')])
def test_an_error_in_a_callback_ends_the_process(kind, act, code, words):
    """With its text, and with the exit code of a mistake or of a crash."""
    done = subprocess.run([sys.executable, '-c', PROGRAM.format(act=act)], capture_output=True,
                          text=True, timeout=PATIENCE,
                          env={**os.environ, 'ROBODYN_EXECUTOR': kind})
    assert done.returncode == code and words in done.stderr


@pytest.mark.parametrize('kind', sorted(KINDS))
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('times', [1, 3])
def test_a_signal_in_the_middle_of_a_callback_is_no_error(kind, number, times):
    """Exit code 0 and, with the faster executor, not a word: the callback is ended first."""
    act = f'[os.kill(os.getpid(), {int(number)}) for _ in range({times})]; time.sleep(0.2)'
    done = subprocess.run([sys.executable, '-c', PROGRAM.format(act=act)], capture_output=True,
                          text=True, timeout=PATIENCE,
                          env={**os.environ, 'ROBODYN_EXECUTOR': kind})
    assert done.returncode == 0, done.stderr
    assert 'Traceback' not in done.stderr
    if KINDS[kind] is not SINGLE:
        assert not done.stderr


def test_the_environment_chooses(monkeypatch):
    """The fast one unless asked otherwise; another word is refused with those that are known."""
    monkeypatch.delenv('ROBODYN_EXECUTOR', raising=False)
    assert chosen_executor() is EVENTS
    monkeypatch.setenv('ROBODYN_EXECUTOR', 'single')
    assert chosen_executor().make is SingleThreadedExecutor
    monkeypatch.setenv('ROBODYN_EXECUTOR', 'quick')
    with pytest.raises(RobodynError, match="'quick' in the environment.*events, single"):
        chosen_executor()
