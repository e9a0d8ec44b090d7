# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The nodes' executor serves everything rclpy's own serves, in one thread and in order."""

import time

import pytest
import rclpy
from rclpy.qos import QoSProfile
from robodyn_ros.nodes.common.executor import DirectExecutor
from std_msgs.msg import Int32
from std_srvs.srv import Trigger
from system.graph import PATIENCE

pytestmark = pytest.mark.dds


class Bench:
    """Two nodes in one context under a DirectExecutor."""

    def __init__(self):
        """Begin with nothing but the nodes."""
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.nodes = [rclpy.create_node(name, context=self.context) for name in ('one', 'two')]
        self.executor = DirectExecutor(context=self.context)
        for node in self.nodes:
            self.executor.add_node(node)

    def spin_until(self, condition):
        """Spin until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, 'waited in vain'
            self.executor.spin_once(timeout_sec=0.1)

    def close(self):
        """Leave."""
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def bench():
    """Run one test's nodes."""
    made = Bench()
    yield made
    made.close()


def flow(bench, count=50, **options):
    """Send numbers from one node to the other; returns what arrived, and the callback's list."""
    one, two = bench.nodes
    heard = []
    two.create_subscription(Int32, 'numbers', options.pop('callback', heard.append),
                            QoSProfile(depth=count), **options)
    publisher = one.create_publisher(Int32, 'numbers', QoSProfile(depth=count))
    bench.spin_until(publisher.get_subscription_count)
    for k in range(count):
        publisher.publish(Int32(data=k))
    return heard


def test_messages_come_all_and_in_order(bench):
    """Plain callbacks, unpacked and raw."""
    heard = flow(bench)
    bench.spin_until(lambda: len(heard) == 50)
    assert [m.data for m in heard] == list(range(50))


def test_raw_messages_and_those_with_information(bench):
    """A callback of two arguments gets what rclpy gives; raw ones get bytes."""
    pairs = []
    flow(bench, 5, callback=lambda data, about: pairs.append((data, about)), raw=True)
    bench.spin_until(lambda: len(pairs) == 5)
    assert isinstance(pairs[0][0], bytes) and pairs[0][1]


def test_services_timers_and_coroutines_while_messages_flow(bench):
    """Nothing starves: a timer floods a topic, and a service and a coroutine are served."""
    one, two = bench.nodes
    heard, served = [], []

    async def later(message):
        heard.append(message.data)

    def answer(_, response):
        served.append(True)
        response.success = True
        return response

    two.create_subscription(Int32, 'flood', later, 10)
    publisher = one.create_publisher(Int32, 'flood', 10)
    ticks = []

    def tick():
        ticks.append(1)
        publisher.publish(Int32(data=len(ticks)))

    one.create_timer(1e-3, tick)
    two.create_service(Trigger, 'ask', answer)
    client = one.create_client(Trigger, 'ask')
    bench.spin_until(lambda: client.service_is_ready() and len(heard) > 20)
    future = client.call_async(Trigger.Request())
    bench.spin_until(future.done)
    assert future.result().success and served and len(ticks) >= len(heard)


def test_entities_may_come_and_go(bench):
    """A subscription made later is served; a destroyed one, or a cancelled timer, is silent."""
    one, two = bench.nodes
    heard = []
    publisher = one.create_publisher(Int32, 'late', 10)
    bench.executor.spin_once(timeout_sec=0.0)
    subscription = two.create_subscription(Int32, 'late', heard.append, 10)
    bench.spin_until(publisher.get_subscription_count)
    publisher.publish(Int32(data=1))
    bench.spin_until(lambda: heard)
    two.destroy_subscription(subscription)
    ticks = []
    timer = one.create_timer(1e-3, lambda: ticks.append(1))
    bench.spin_until(lambda: len(ticks) > 3)
    timer.cancel()
    publisher.publish(Int32(data=2))
    seen = len(ticks)
    other = []
    two.create_timer(1e-2, lambda: other.append(1))
    bench.spin_until(lambda: len(other) > 5)
    assert len(heard) == 1 and len(ticks) <= seen + 1


def test_guard_conditions_tasks_and_exceptions(bench):
    """A guard wakes its callback, a task runs, an error in a callback reaches who spins."""
    called = []
    guard = bench.nodes[0].create_guard_condition(lambda: called.append('guard'))
    guard.trigger()
    bench.spin_until(lambda: called)
    task = bench.executor.create_task(lambda: called.append('task'))
    bench.spin_until(task.done)
    assert called == ['guard', 'task']

    def broken():
        raise ValueError('broken')

    timer = bench.nodes[0].create_timer(1e-3, broken)
    with pytest.raises(ValueError, match='broken'):
        bench.spin_until(lambda: False)
    timer.cancel()
