# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories as bytes, and the process that takes them; what it hands on, and how it ends."""

import os
import signal
import threading
import time

import numpy as np
import pytest

pytest.importorskip('rclpy')
import rclpy  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from robodyn_ros import load_robot  # noqa: E402
from robodyn_ros.nodes.common import messages  # noqa: E402
from robodyn_ros.nodes.controller.intake import Intake  # noqa: E402
from robodyn_ros.nodes.intake import channel, unpacking  # noqa: E402
from robodyn_ros.nodes.intake.judge import Judge  # noqa: E402
from robodyn_ros.trajectories.joint_plan import Points  # noqa: E402
from system.graph import PATIENCE  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402


def trajectory(random, points, joints, order, ragged=False):
    """Return a random message with names of random lengths."""
    message = JointTrajectory(joint_names=['j' * int(random.integers(1, 9)) + str(k)
                                           for k in range(joints)])
    message.header.stamp.sec, message.header.stamp.nanosec = 12, 345
    message.header.frame_id = 'f' * int(random.integers(0, 5))
    for k in range(points):
        size = joints + int(ragged and k == points - 1)
        values = random.normal(size=(4, size)).tolist()
        point = JointTrajectoryPoint(**dict(zip(unpacking.FIELDS, values[:order])))
        point.time_from_start.sec, point.time_from_start.nanosec = k, 999_999_000 + k % 2
        message.points.append(point)
    return message


@pytest.mark.parametrize('seed', range(60))
def test_bytes_are_read_as_rclpy_reads_them(seed):
    """Any number of points, joints and fields: the same numbers, without rclpy's help."""
    random = np.random.default_rng(seed)
    message = trajectory(random, int(random.integers(0, 6)), int(random.integers(1, 8)),
                         int(random.integers(0, 5)))
    data = serialize_message(message)
    found = unpacking.unpacked(data)
    assert found.start == 12_000_000_345 and found.names == message.joint_names
    start, names, times, fields = messages.unpacked_trajectory(data)
    assert (found.start, found.names) == (start, names)
    assert np.array_equal(found.times, times)
    for field, rows in fields.items():
        assert np.array_equal(found.fields[field].ravel(), np.concatenate([[], *rows]))


@pytest.mark.parametrize('seed', range(10))
def test_what_is_not_regular_is_left_to_rclpy(seed):
    """Points of different sizes are complained about with the right one named."""
    random = np.random.default_rng(seed)
    message = trajectory(random, 2 + seed, 3, 1 + seed % 3, ragged=True)
    data = serialize_message(message)
    assert unpacking.unpacked(data) is None
    fields = messages.unpacked_trajectory(data)[-1]
    assert [len(row) for row in fields['positions']] == [3] * (1 + seed) + [4]


def test_cut_off_bytes_never_give_numbers():
    """Whatever is missing at the end, it is left to rclpy."""
    data = serialize_message(trajectory(np.random.default_rng(1), 4, 2, 3))
    for size in range(12, 370, 7):  # rclpy leaves room behind the message
        assert unpacking.unpacked(data[:size]) is None


class Door:
    """An Intake and a publisher of trajectories for it."""

    def __init__(self, **judge):
        """Start both."""
        self.judge = Judge(load_robot('scara_450').limits, **{'tolerance': None, **judge})
        self.completed = 0
        self.context = rclpy.Context()
        self.context.init(args=[])
        self.node = rclpy.create_node('sender', context=self.context)
        topic = f'door_{os.getpid()}'
        self.publisher = self.node.create_publisher(JointTrajectory, topic, 10)
        self.intake = Intake({'name': 'door', 'namespace': '/', 'topic': topic,
                              'domain': self.context.get_domain_id()}, self.complete)
        self.intake.judge(self.judge)
        self.listening()

    def complete(self, points):
        """Count."""
        self.completed += 1
        return points

    def listening(self):
        """Wait until messages come in."""
        wait(lambda: self.intake.reader and self.publisher.get_subscription_count() == 1)

    def send(self, *made):
        """Publish bytes; returns what has become of all, in turn."""
        found = []
        for data in made:
            self.publisher.publish(data)
        wait(lambda: found.extend(self.intake.take()) or len(found) >= len(made))
        return found

    def close(self):
        """End both."""
        self.intake.close()
        self.node.destroy_node()
        self.context.try_shutdown()


def wait(condition):
    """Look at a condition until it holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, 'waited in vain'
        time.sleep(0.002)


@pytest.fixture
def door():
    """Yield a Door."""
    made = Door()
    yield made
    made.close()


def resting(count, at=0.1, second=12):
    """Return a trajectory of the SCARA that rests, serialised."""
    robot = load_robot('scara_450')
    message = JointTrajectory(joint_names=robot.joints)
    message.header.stamp.sec = second
    for k in range(count):
        point = JointTrajectoryPoint(positions=[at] * robot.n, velocities=[0.0] * robot.n)
        point.time_from_start.sec = k
        message.points.append(point)
    return serialize_message(message)


def child():
    """Return the process id of the process that takes trajectories."""
    [found] = [int(pid) for pid in os.listdir('/proc') if pid.isdigit() and _is_ours(pid)]
    return found


def _is_ours(pid):
    try:
        with open(f'/proc/{pid}/stat') as stat, open(f'/proc/{pid}/cmdline') as line:
            return stat.read().rsplit(')', 1)[1].split()[1] == str(os.getpid()) \
                and 'nodes.intake.node' in line.read()
    except OSError:
        return False


@pytest.mark.dds
def test_messages_keep_their_order(door):
    """A short one behind a long one waits for it; refusals come in turn, too."""
    bad = resting(2, np.nan)
    found = door.send(resting(1), resting(5000), bad, resting(3), resting(6000))
    assert [one.points and len(one.points.times) for one in found] == [1, 5000, None, 3, 6000]
    assert 'expected a finite number' in found[2].reason
    assert {one.start for one in found} == {12_000_000_000}
    assert np.array_equal(found[4].points.q, np.full((6000, 4), 0.1))
    assert not found[4].points.a.size


@pytest.mark.dds
def test_a_new_lap_costs_nothing(door):
    """The same message with another stamp gives the same points, neither checked nor completed."""
    first, = door.send(resting(5000))
    again, = door.send(resting(5000, second=40))
    assert again.points is first.points and again.start == 40_000_000_000 and door.completed == 1
    assert again.came > first.came
    other, = door.send(resting(5000, 0.2))
    assert other.points is not first.points and door.completed == 2


@pytest.mark.dds
def test_it_is_judged_as_told_last(door):
    """New rules hold for what is sent after they were told, though it is known already."""
    far = resting(2, 50.0)
    assert door.send(far)[0].points is not None
    door.intake.judge(door.judge._replace(tolerance=1e-3))
    assert 'beyond its limits' in door.send(far)[0].reason
    door.intake.judge(door.judge)
    assert door.send(far)[0].points is not None


@pytest.mark.dds
@pytest.mark.parametrize('size', [0, 40, 200_000])
def test_bytes_that_nobody_can_read_are_refused(door, size):
    """One sentence, and the next one is taken."""
    bad, good = door.send(b'\x00\x01\x00\x00' + b'\xff' * size, resting(2))
    assert 'cannot be read' in bad.reason and bad.points is None
    assert not bad.reason.startswith('Traceback') and len(good.points.times) == 2


@pytest.mark.dds
def test_memory_is_given_back(door):
    """Long trajectories lie in mapped memory, which is unmapped once they are forgotten."""
    def mapped():
        with open('/proc/self/maps') as maps:
            return maps.read().count('memfd:trajectory')

    kept = [door.send(resting(5000, 0.01 * k))[0].points for k in range(4)]
    assert mapped() == 4 and all(points.q[-1, 0] == 0.01 * k for k, points in enumerate(kept))
    row = kept[3].q[7]
    kept.clear()
    newest, = door.send(resting(5000, 0.5))
    wait(lambda: mapped() == 2)  # the newest, and the one that a row is left of
    assert row[0] == 0.03 and newest.points.q[0, 0] == 0.5


@pytest.mark.dds
@pytest.mark.skipif(not os.path.exists('/proc/self/stat'), reason='looks for a child in /proc')
def test_it_survives_signals_and_is_started_again(door):
    """Ctrl-C in a terminal goes to the whole group; a kill, as of a machine without memory."""
    process = child()
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(process, number)
    assert len(door.send(resting(5000))[0].points.times) == 5000
    os.kill(process, signal.SIGKILL)
    told = []
    wait(lambda: told.extend(door.intake.notices()) or told)
    assert 'has ended (-9); it is started again' in told[0] and not door.intake.reader
    wait(lambda: door.intake.reader)
    assert child() != process
    # the publisher may still count the one that was killed
    found = []
    wait(lambda: (door.publisher.publish(resting(3)), time.sleep(0.05),
                  found.extend(door.intake.take())) and found)
    assert len(found[0].points.times) == 3


@pytest.mark.dds
def test_it_ends_with_its_controller():
    """Nothing is left: neither process nor thread nor descriptor; also when it has just begun."""
    descriptors = len(os.listdir('/proc/self/fd'))
    for early in (False, True):
        intake = Intake({'name': 'door', 'namespace': '/', 'topic': 'door', 'domain': 0},
                        lambda points: points)
        if not early:
            wait(lambda: intake.reader)
        process = [int(pid) for pid in os.listdir('/proc') if pid.isdigit() and _is_ours(pid)]
        intake.close()
        assert not [pid for pid in process if os.path.exists(f'/proc/{pid}')]
    assert 'intake' not in {thread.name for thread in threading.enumerate()}
    assert len(os.listdir('/proc/self/fd')) == descriptors


@pytest.mark.parametrize('seed', range(5))
def test_points_cross_to_the_bit(seed):
    """Through memory without a name, short and long, complete and partial."""
    random = np.random.default_rng(seed)
    count, joints = int(random.choice([1, 2, 9, 3000])), int(random.integers(1, 8))
    fields = [random.normal(size=(count, joints)) if keep else np.zeros((0, joints))
              for keep in (True, seed > 0, seed > 2)]
    fields[0][:, 0] = np.nan
    points = Points(np.cumsum(random.integers(1, 99, size=count)), *fields)
    descriptor, words = channel.written(points)
    found, lent = channel.read(descriptor, **words)
    assert found.same(points) and points.same(found)
    assert not any(array.flags.writeable for array in found.arrays)
    assert lent is None or not lent.closed()
    del found
    assert lent is None or lent.closed()
    with pytest.raises(OSError):
        os.fstat(descriptor)
