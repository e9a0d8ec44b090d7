# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the controller and the process that takes its trajectories tell one another; no ROS.

Words go as JSON through a pair of sockets. Points of long trajectories stay where they were
written, in memory without a name, whose descriptor goes along: the other side looks at the same
pages, and copies nothing.
"""
from __future__ import annotations

from collections import deque
import json
import mmap
import os
import socket
import struct
import tempfile
from typing import Any, Mapping, NamedTuple
import weakref

import numpy as np

from robodyn_ros.trajectories.joint_plan import Points

SIZE = struct.Struct('<I')
"""Of the words that follow, at the beginning of each message."""
BLOCK = 65536
"""Bytes read at once."""
MOST_DESCRIPTORS = 64
"""Taken at once."""
SHORT = 65536
"""Bytes of points up to which they are copied, instead of kept open."""


class Closed(Exception):
    """The other side is gone."""


class Channel:
    """One end of the pair."""

    def __init__(self, end: socket.socket):
        """Take it."""
        self.socket = end
        self._came, self._descriptors = bytearray(), deque[int]()
        self._going = bytearray()

    def tell(self, kind: str, descriptor: int | None = None, **words: Any) -> None:
        """Send words, and perhaps a descriptor; waits until the other side has room for them."""
        try:
            socket.send_fds(self.socket, [_framed(kind, words)],
                            [] if descriptor is None else [descriptor])
        except OSError as error:
            raise Closed from error

    def tell_soon(self, kind: str, **words: Any) -> None:
        """Send words now, or with later flush() calls if the other side is busy; never waits."""
        self._going += _framed(kind, words)
        self.flush()

    def flush(self) -> None:
        """Send what there is room for."""
        try:
            while self._going:
                del self._going[:self.socket.send(self._going, socket.MSG_DONTWAIT)]
        except BlockingIOError:
            pass
        except OSError:
            self._going.clear()  # nobody is there any more, which hear() tells

    def hear(self, seconds: float) -> list[dict[str, Any]]:
        """
        Return the messages that have come, after a wait of some seconds at most for the first.

        :raises Closed: when the other side is gone
        """
        self.socket.settimeout(seconds if seconds > 0.0 else 1e-6)
        try:
            data, descriptors, _, _ = socket.recv_fds(self.socket, BLOCK, MOST_DESCRIPTORS)
        except (TimeoutError, BlockingIOError):
            return []
        except OSError as error:
            raise Closed from error
        finally:
            self.socket.settimeout(None)
        self._descriptors.extend(descriptors)
        if not data:
            raise Closed
        self._came += data
        messages = []
        while len(self._came) >= SIZE.size:
            end = SIZE.size + SIZE.unpack_from(self._came)[0]
            if len(self._came) < end:
                break
            messages.append(json.loads(self._came[SIZE.size:end]))
            del self._came[:end]
        return messages

    def descriptor(self) -> int:
        """Return the next descriptor that came, in the order of the messages."""
        return self._descriptors.popleft()

    def close(self) -> None:
        """Leave."""
        self.socket.close()
        while self._descriptors:
            os.close(self._descriptors.popleft())


def _framed(kind: str, words: Mapping[str, Any]) -> bytes:
    text = json.dumps({'kind': kind, **words}).encode()
    return SIZE.pack(len(text)) + text


def written(points: Points) -> tuple[int, dict[str, Any]]:
    """Return a descriptor of memory with the points, and what read() needs beside it."""
    if hasattr(os, 'memfd_create'):
        descriptor = os.memfd_create('trajectory')
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    with open(descriptor, 'wb', buffering=0, closefd=False) as memory:
        for array in points.arrays:
            rest = memoryview(array.tobytes())
            while rest:
                rest = rest[memory.write(rest):]
    return descriptor, {'joints': points.q.shape[1], 'rows': [len(a) for a in points.arrays]}


class Lent(NamedTuple):
    """Memory that arrays lie in."""

    memory: mmap.mmap
    user: weakref.ref
    """All these arrays are views of it."""

    def closed(self) -> bool:
        """Give it back if nobody reads it any more; returns whether that is done."""
        if self.user() is None:
            self.memory.close()
        return self.memory.closed


def read(descriptor: int, joints: int, rows: list[int]) -> tuple[Points, Lent | None]:
    """
    Return points that were written(), and the memory that they lie in; closes the descriptor.

    Pages are looked at when a point is. Who keeps the memory decides who spends time on its end.
    """
    sizes = [rows[0] * 8, *(8 * joints * count for count in rows[1:])]
    lent = None
    try:
        if sum(sizes) > SHORT:
            memory = mmap.mmap(descriptor, sum(sizes), access=mmap.ACCESS_READ)
            whole = np.frombuffer(memory, np.uint8)
            lent = Lent(memory, weakref.ref(whole))
        else:
            whole = np.frombuffer(os.pread(descriptor, sum(sizes), 0), np.uint8)
    finally:
        os.close(descriptor)
    times, *fields = np.split(whole, np.cumsum(sizes[:-1]))
    q, v, a = (field.view(float).reshape(-1, joints) for field in fields)
    return Points(times.view(np.int64), q, v, a), lent
