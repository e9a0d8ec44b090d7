# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
JointTrajectory messages unpacked as arrays; no ROS.

rclpy makes an object of every point, which takes a second for a hundred thousand of them. Points
of equal size lie at equal distances in the message's bytes (CDR, little-endian): they are read as
arrays. What is laid out otherwise is left to rclpy.
"""
from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from robodyn_ros.ros_time import NANO, nanoseconds

FIELDS = ('positions', 'velocities', 'accelerations', 'effort')
LITTLE_ENDIAN = b'\x00\x01'
"""First bytes of CDR."""
STAMP = slice(4, 12)
"""Where the stamp lies in the bytes."""


class Unpacked(NamedTuple):
    """A JointTrajectory as arrays."""

    start: int
    """Its stamp [ns]."""
    names: list[str]
    times: np.ndarray
    """Time from start (k,) [ns]."""
    fields: dict
    """Values of every point by field, as checked_points takes them."""


def stamp_of(data: bytes) -> int:
    """Return the stamp of a message [ns]; 0 if its bytes do not tell."""
    if data[:2] != LITTLE_ENDIAN or len(data) < STAMP.stop:
        return 0
    return nanoseconds(*struct.unpack_from('<iI', data, STAMP.start))


def unpacked(data: bytes) -> Unpacked | None:
    """Return a JointTrajectory from its bytes; None where they are not regular."""
    try:
        return _from_bytes(data) if data[:2] == LITTLE_ENDIAN else None
    except (struct.error, UnicodeDecodeError):
        return None


class _Point(NamedTuple):
    """Where the parts of a point lie, from the first byte of the message's body on."""

    sizes: tuple[int, ...]
    """Values of each field."""
    counts: tuple[int, ...]
    """Places of these numbers."""
    values: tuple[int, ...]
    """Places of the first values."""
    time: int
    end: int


def _from_bytes(data: bytes) -> Unpacked | None:
    """Return the message; None where its points differ in size."""
    body = memoryview(data)[4:]
    sec, nanosec, at = *struct.unpack_from('<iI', body, 0), 8
    _, at = _text(body, at)
    count, at = _count(body, at)
    names = []
    for _ in range(count):
        name, at = _text(body, at)
        names.append(name)
    count, at = _count(body, at)
    start = nanoseconds(sec, nanosec)
    if count == 0:
        none = np.zeros((0, len(names)))
        return Unpacked(start, names, np.zeros(0, dtype=np.int64), dict.fromkeys(FIELDS, none))
    # eight-byte numbers are aligned to eight bytes: the first point may be laid out otherwise than
    # the others, and those of even number otherwise than those of odd number
    first = _point(body, at)
    groups = [(first, slice(0, 1), 1, 0)]
    if count > 1:
        second = _point(body, first.end)
        third = _point(body, second.end) if count > 2 else second
        stride = third.end - first.end
        groups += [(second, slice(1, None, 2), count // 2, stride),
                   (third, slice(2, None, 2), (count - 1) // 2, stride)]
    return _gathered(body, start, names, count, groups)


def _gathered(body: memoryview, start: int, names: list[str], count: int,
              groups: list[tuple[_Point, slice, int, int]]) -> Unpacked | None:
    """
    Read all points at once; None if they are not alike.

    :param groups: a point, which of all are laid out like it, their number, their distance [bytes]
    """
    def view(place: int, number: int, stride: int, kind: str, width: int = 1) -> np.ndarray:
        item = np.dtype(kind)
        return np.ndarray((number, width), item, body, place, (stride, item.itemsize))

    sizes = groups[0][0].sizes
    # counts that lie are met by the bytes' end, before there is room made for them
    if count * (8 * sum(sizes) + 4 * len(FIELDS) + 8) > len(body):
        return None
    times = np.empty(count, dtype=np.int64)
    fields = {field: np.empty((count if size else 0, size)) for field, size in zip(FIELDS, sizes)}
    try:
        for point, part, number, stride in groups:
            if not number:
                continue
            for place, size in zip(point.counts, sizes):
                if (view(place, number, stride, '<u4') != size).any():
                    return None
            for field, place, size in zip(FIELDS, point.values, sizes):
                if size:
                    fields[field][part] = view(place, number, stride, '<f8', size)
            times[part] = (view(point.time, number, stride, '<i4')[:, 0].astype(np.int64) * NANO
                           + view(point.time + 4, number, stride, '<u4')[:, 0])
    except (TypeError, ValueError):  # beyond the end of the bytes
        return None
    return Unpacked(start, names, times, fields)


def _point(body: memoryview, at: int) -> _Point:
    sizes, counts, values = [], [], []
    for _ in FIELDS:
        at = -(-at // 4) * 4
        counts.append(at)
        size, at = _count(body, at)
        if size:
            at = -(-at // 8) * 8
        values.append(at)
        sizes.append(size)
        at += 8 * size
    at = -(-at // 4) * 4
    return _Point(tuple(sizes), tuple(counts), tuple(values), at, at + 8)


def _count(body: memoryview, at: int) -> tuple[int, int]:
    at = -(-at // 4) * 4
    return struct.unpack_from('<I', body, at)[0], at + 4


def _text(body: memoryview, at: int) -> tuple[str, int]:
    size, at = _count(body, at)
    if at + size > len(body):
        raise struct.error('a text is longer than the message')
    return bytes(body[at:at + max(0, size - 1)]).decode(), at + size
