# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories as bytes: what rclpy packs is unpacked as rclpy would, whatever its shape."""

import time

import numpy as np
import pytest

pytest.importorskip('rclpy')
from rclpy.serialization import serialize_message  # noqa: E402
from robodyn_ros.errors import MessageRefused  # noqa: E402
from robodyn_ros.nodes.common import messages  # noqa: E402
from robodyn_ros.nodes.controller import intake  # noqa: E402
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
        point = JointTrajectoryPoint(**dict(zip(intake.FIELDS, values[:order])))
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
    found = intake.unpacked(data)
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
    assert intake.unpacked(data) is None
    fields = messages.unpacked_trajectory(data)[-1]
    assert [len(row) for row in fields['positions']] == [3] * (1 + seed) + [4]


def test_cut_off_bytes_never_give_numbers():
    """Whatever is missing at the end, it is left to rclpy."""
    data = serialize_message(trajectory(np.random.default_rng(1), 4, 2, 3))
    for size in range(12, 370, 7):  # rclpy leaves room behind the message
        assert intake.unpacked(data[:size]) is None


def test_messages_keep_their_order():
    """A short one behind a long one waits for it; refusals come in turn, too."""
    seen = []

    def check(names, times, fields):
        seen.append(len(times))
        if len(times) == 2:
            raise MessageRefused('two points')
        return len(times)

    door = intake.Intake(check, messages.unpacked_trajectory)
    random = np.random.default_rng(0)
    counts = [1, 3000, 2, 1, 4000]
    for count in counts:
        door.put(serialize_message(trajectory(random, count, 3, 3)))
    found = []
    deadline = time.monotonic() + 60.0
    while len(found) < len(counts) and time.monotonic() < deadline:
        found += door.take()
    assert [arrived.points for arrived in found] == [1, 3000, None, 1, 4000]
    assert found[2].reason == 'two points' and seen == counts


@pytest.mark.parametrize('size', [40, intake.LONG])
def test_bytes_that_nobody_can_read_are_refused(size):
    """Whether looked at at once or beside the loop: one sentence, and the next one is taken."""
    taken = intake.Intake(lambda *message: message, messages.unpacked_trajectory)
    good = serialize_message(trajectory(np.random.default_rng(0), 2, 2, 1))
    taken.put(b'\x00\x01\x00\x00' + b'\xff' * size)
    taken.put(good)
    found = []
    deadline = time.monotonic() + 60.0
    while len(found) < 2 and time.monotonic() < deadline:
        found += taken.take()
    assert 'cannot be read' in found[0].reason and found[0].points is None
    assert not found[1].reason and len(found[1].points[1]) == 2
