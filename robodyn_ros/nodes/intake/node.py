# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A hidden node that takes and checks the controller's trajectories, in a process of its own.

rclpy holds Python's lock while it takes a message, and Fast DDS the lock of the reader, at which
the states behind it wait: a million points are copied three times under both. Here nobody waits.
The controller starts this process and ends it (nodes/controller/intake.py); a signal of a terminal
is not for it. It has no parameters, services or log of its own.
"""
from __future__ import annotations

from hashlib import blake2b
import os
import signal
import socket
import sys
import time
from typing import Any

from rclpy import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from robodyn_ros.errors import MessageRefused
from robodyn_ros.nodes.common.messages import unpacked_trajectory
from robodyn_ros.nodes.common.qos import STREAM
from robodyn_ros.nodes.intake.channel import Channel, Closed, written
from robodyn_ros.nodes.intake.judge import Judge
from robodyn_ros.nodes.intake.unpacking import stamp_of, Unpacked, unpacked
from robodyn_ros.trajectories.joint_plan import Points
from trajectory_msgs.msg import JointTrajectory

LARGEST = 512 * 2 ** 20
"""Of a message [bytes]: two and a half million points of seven joints."""
LOOK = 0.1
"""Time between two looks at what the controller says, if nothing comes [s]."""
NICE = 5
"""
Looking at a million points can wait for the loop, on a machine of few cores. On one that is busy
with other things a short trajectory must not wait for long, so it is no more than this.
"""
AHEAD = 4
"""Trajectories that wait for the controller; the middleware keeps those after them."""


class Intake:
    """Takes messages, hands on what may be followed, or why it may not."""

    def __init__(self, channel: Channel):
        """Know nothing yet: the controller tells what to hear and by what to judge."""
        self.channel = channel
        self.judge: Judge | None = None
        self.setting: dict[str, Any] = {}
        self.on_the_way = 0
        self._newest = b''  # digest of the last points that were handed on

    def listen(self, seconds: float) -> None:
        """Hear what the controller says."""
        for words in self.channel.hear(seconds):
            kind = words.pop('kind')
            if kind == 'setting':
                self.setting = words
            elif kind == 'judge':
                self.judge = Judge.read(words)
            else:  # taken
                self.on_the_way -= 1

    def on_trajectory(self, data: bytes, info: Any) -> None:
        """Look at a message."""
        moments = {'came': time.monotonic_ns(), 'sent': int(info['source_timestamp'])}
        self.listen(0.0)  # what was said before it was sent
        while self.judge is None or self.on_the_way >= AHEAD:
            self.listen(LOOK)
        start = stamp_of(data)
        try:
            if len(data) > LARGEST:
                raise MessageRefused(f'it has {len(data)} bytes; expected {LARGEST} or less, so '
                                     'send fewer points')
            message = unpacked(data) or Unpacked(*unpacked_trajectory(data))
            start = message.start
            self._hand_on(self.judge.points(message.names, message.times, message.fields),
                          start=start, **moments)
        except MessageRefused as error:
            self.channel.tell('refused', start=start, **moments, reason=str(error))
        except MemoryError:
            self.channel.tell('refused', start=start, **moments, reason=(
                f'its {len(data)} bytes need more memory than there is; send fewer points'))
        self.on_the_way += 1

    def _hand_on(self, points: Points, **words: int) -> None:
        """Send points, unless they are those of the last time: a lap costs the loop nothing."""
        digest = blake2b()
        for array in points.arrays:
            digest.update(repr(array.shape).encode())
            digest.update(array.tobytes())
        if digest.digest() == self._newest:
            self.channel.tell('again', **words)
            return
        memory, layout = written(points)
        self.channel.tell('points', memory, **words, **layout)
        os.close(memory)
        self._newest = digest.digest()


def main() -> None:
    """Take trajectories until the controller is gone."""
    # blocked by who started this; what is ignored does not even wait
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(NICE)
    intake = Intake(Channel(socket.socket(fileno=int(sys.argv[1]))))
    try:
        while not intake.setting:
            intake.listen(LOOK)
        _serve(intake)
    except Closed:
        pass


def _serve(intake: Intake) -> None:
    setting, context = intake.setting, Context()
    context.init(args=[], domain_id=setting['domain'])
    # one that was killed is in the graph for a while yet, and no name may stand for both
    node = Node(f'{setting["name"]}_{os.getpid()}', context=context,
                namespace=setting['namespace'], cli_args=[], use_global_arguments=False,
                enable_rosout=False, start_parameter_services=False)
    executor = SingleThreadedExecutor(context=context)
    try:
        executor.add_node(node)
        hear: Any = intake.on_trajectory
        node.create_subscription(JointTrajectory, setting['topic'], hear, STREAM, raw=True)
        intake.channel.tell('ready', reader=node.get_name())
        while True:
            executor.spin_once(timeout_sec=LOOK)
            intake.listen(0.0)
    finally:
        executor.shutdown()
        node.destroy_node()
        context.try_shutdown()
