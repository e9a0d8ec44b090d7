# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Times a running graph from the side and prints what it saw as one line of JSON.

    python -m benchmarks.ros_stopwatch clock --seconds 5      /clock beside the wall clock [ns]
    python -m benchmarks.ros_stopwatch latency --seconds 60   from a state to its command
    python -m benchmarks.ros_stopwatch first --seconds 120    a line when it listens, then when the
                                                              first state came [ns]

Messages are not unpacked: only the stamp is read from their bytes, so that the watch costs little.
"""
from __future__ import annotations

import argparse
import json
import struct
import sys
import time
from typing import Any

import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState

DEEP = QoSProfile(depth=2000)
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LONGEST_WAIT = 60.0
"""Longest wait for the graph to run [s]."""


def stamp_of(data: bytes) -> int:
    """Read the first stamp of a serialised message (CDR, little-endian) [ns]."""
    seconds, rest = struct.unpack_from('<iI', data, 4)
    return seconds * 1_000_000_000 + rest


class Stopwatch(Node):
    """Notes when stamps arrive [ns]."""

    def __init__(self, what: str) -> None:
        """Listen to the clock, or to states and commands."""
        super().__init__('stopwatch')
        self.first: dict[str, dict[int, int]] = {'clock': {}, 'state': {}, 'command': {}}
        if what == 'clock':
            self._listen(Clock, '/clock', 'clock', NEWEST)
        else:
            self._listen(JointState, 'joint_states', 'state', DEEP)
            self._listen(JointState, 'joint_commands', 'command', DEEP)

    def _listen(self, kind: type, topic: str, name: str, quality: QoSProfile) -> None:
        seen = self.first[name]

        def note(data: Any) -> None:
            seen.setdefault(stamp_of(data), time.monotonic_ns())

        self.create_subscription(kind, topic, note, quality, raw=True)


def latency(states: dict[int, int], commands: dict[int, int]) -> dict[str, float]:
    """Return how many states were answered, and how fast, from the first answer on."""
    begin, end = min(commands), max(states) - 100_000_000
    asked = [stamp for stamp in states if begin <= stamp <= end]
    late = np.array([commands[s] - states[s] for s in asked if s in commands]) * 1e-3
    return {'states': len(asked), 'answered': len(late),
            'expected_states': (end - begin) // 1_000_000 + 1,
            'p50_us': float(np.percentile(late, 50)), 'p99_us': float(np.percentile(late, 99))}


def main() -> int:
    """Wait until the graph runs, watch it, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('what', choices=('clock', 'latency', 'first'))
    parser.add_argument('--seconds', type=float, default=5.0)
    chosen = parser.parse_args()
    rclpy.init(args=[])
    node = Stopwatch(chosen.what)
    keys = {'clock': ('clock',), 'latency': ('command', 'state'),
            'first': ('state',)}[chosen.what]

    def heard() -> int:
        return min(len(node.first[key]) for key in keys)

    def spin(seconds: float, enough: float = float('inf')) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end and heard() < enough:
            rclpy.spin_once(node, timeout_sec=0.1)

    if chosen.what == 'first':
        print('listening', flush=True)
        spin(chosen.seconds, enough=1)
    else:
        spin(LONGEST_WAIT, enough=50)
        for seen in node.first.values():  # from here on: everything before was starting up
            seen.clear()
        spin(chosen.seconds)
        spin(LONGEST_WAIT, enough=1)  # on a busy machine a short watch may have seen nothing
    running = heard() > 0
    result: object = list(node.first[keys[0]].items())
    if running and chosen.what == 'latency':
        result = latency(node.first['state'], node.first['command'])
    print(json.dumps(result))
    node.destroy_node()
    rclpy.try_shutdown()
    return 0 if running else 1


if __name__ == '__main__':
    sys.exit(main())
