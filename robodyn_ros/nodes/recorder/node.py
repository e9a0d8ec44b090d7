# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The node `recorder`: keeps what the other nodes say in one MCAP file (docs/recording.md).

Messages are not unpacked. The file is complete after every flush, twice a second, so that a
killed run leaves a readable one. A message is logged at its own stamp, which is simulated time
where the graph uses it; one without a stamp, and a trajectory, whose stamp is its start, at the
newest stamp so far. Parameter `file`; an existing file is not overwritten.
"""
from __future__ import annotations

from datetime import datetime, timezone
from functools import partial
import sys
from typing import Any, Mapping, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from robodyn_ros.nodes.common.base_node import BaseNode
from robodyn_ros.nodes.common.options import CHANGEABLE, RecorderOptions
from robodyn_ros.nodes.common.parameters import options_of
from robodyn_ros.nodes.common.process import run_node
from robodyn_ros.nodes.common.wall_timer import wall_timer
from robodyn_ros.recording.messages import definition_of, first_stamp
from robodyn_ros.recording.writer import quality_text, RecordingWriter
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

FLUSH = 0.5
"""Wall time between flushes: a killed run loses no more than this [s]."""
LOOK = 1.0
"""Wall time between looks at what publishers offer [s]."""
SOON = 1e-3
"""Wall time between the end of a subscription and its successor [s]."""
DEPTH = 5000
"""Messages of a topic that wait while the recorder is busy: seconds at 1 kHz."""


class Topic(NamedTuple):
    """Something to record, as this package publishes it."""

    name: str
    kinds: tuple[Any, ...]
    """Message classes it may have, the usual one first."""
    latched: bool = False
    stamped: bool = True
    """Its stamp is the time at which it was said."""


TOPICS = (
    Topic('joint_states', (JointState,)),
    Topic('joint_commands', (JointState, Float64MultiArray)),
    Topic('controller/joint_trajectory', (JointTrajectory,), latched=True, stamped=False),
    Topic('controller/reference', (JointState,)),
    Topic('controller/error', (JointState,)),
    Topic('trajectory/path', (Path,), latched=True, stamped=False),
    Topic('dynamics/constraint_effort', (JointState,)),
    Topic('dynamics/constraints', (JointState,)),
    Topic('dynamics/tool_pose', (PoseStamped,)),
    Topic('robot_description', (String,), latched=True, stamped=False),
    Topic('/diagnostics', (DiagnosticArray,)),
    Topic('/clock', (ClockMessage,)),
)


class RecorderNode(BaseNode):
    """Subscribes, and hands bytes to the RecordingWriter."""

    def __init__(self, file: str | None = None, facts: Mapping[str, str] | None = None,
                 **node: Any):
        """
        Create the file and listen.

        :param file: instead of the one the parameter 'file' names
        :param facts: what is known of the run, such as its scenario
        :param node: further arguments of rclpy's Node, such as parameter_overrides
        """
        super().__init__('recorder', **node)
        now = datetime.now(timezone.utc).strftime('%Y%m%dT%H%M%SZ')
        options = options_of(self, RecorderOptions(file or ''), CHANGEABLE['recorder'])
        path = options.file or f'robodyn_{now}.mcap'
        self.writer = RecordingWriter(path, facts)
        self.newest: int | None = None
        self.waiting: list[tuple[int, bytes]] = []  # said before any stamp was known
        self.channels: dict[tuple[str, type], int] = {}
        self.heard: dict[Topic, Any] = {}
        self.count = 0  # of messages heard
        for topic in TOPICS:
            self._listen(topic, topic.kinds[0], True, topic.latched)
        wall_timer(self, FLUSH, self.writer.flush)
        wall_timer(self, LOOK, self._look)
        self.get_logger().info(f'records {len(TOPICS)} topics to {path}')

    def _listen_anew(self, topic: Topic, *how: Any) -> None:
        """Listen with another type or quality once the executor has let the old one go."""
        self.destroy_subscription(self.heard.pop(topic))

        def listen() -> None:
            self.destroy_timer(once)
            self._listen(topic, *how)

        once = wall_timer(self, SOON, listen)

    def _listen(self, topic: Topic, kind: Any, reliable: bool, latched: bool) -> None:
        quality = QoSProfile(
            depth=DEPTH, reliability=ReliabilityPolicy.RELIABLE if reliable
            else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if latched
            else DurabilityPolicy.VOLATILE)
        made = self.create_subscription(kind, topic.name, partial(self._on_message, topic),
                                        quality, raw=True)
        self.heard[topic] = made

    def _look(self) -> None:
        """Follow what publishers offer where it is not what was expected, as rosbag2 does."""
        for topic, heard in list(self.heard.items()):
            offers = self.get_publishers_info_by_topic(heard.topic_name)
            if not offers:
                continue
            known = {kind_name(kind): kind for kind in topic.kinds}
            kind = known.get(offers[0].topic_type)
            if kind is None:
                self.tell(f'{heard.topic_name} is {offers[0].topic_type}, not '
                          f'{" or ".join(known)}: it is not recorded')
                continue
            profiles = [offer.qos_profile for offer in offers]
            reliable = all(p.reliability != ReliabilityPolicy.BEST_EFFORT for p in profiles)
            latched = topic.latched and all(
                p.durability == DurabilityPolicy.TRANSIENT_LOCAL for p in profiles)
            used = heard.qos_profile
            if (kind, reliable, latched) != (
                    heard.msg_type, used.reliability == ReliabilityPolicy.RELIABLE,
                    used.durability == DurabilityPolicy.TRANSIENT_LOCAL):
                self._listen_anew(topic, kind, reliable, latched)

    def _on_message(self, topic: Topic, data: bytes) -> None:
        heard = self.heard.get(topic)
        if heard is None:  # under way when the subscription ended
            return
        self.count += 1
        channel = self.channels.get((topic.name, heard.msg_type))
        if channel is None:
            channel = self._channel(topic, heard)
        stamped = topic.stamped and heard.msg_type is not Float64MultiArray
        stamp = first_stamp(data) if stamped else 0
        if stamp > 0:
            self.newest = max(stamp, self.newest or 0)
            for early in self.waiting:
                self.writer.add(early[0], stamp, early[1])
            self.waiting.clear()
        elif self.newest is None:
            self.waiting.append((channel, data))
            return
        self.writer.add(channel, stamp or self.newest or 0, data)

    def _channel(self, topic: Topic, heard: Any) -> int:
        quality = heard.qos_profile
        number = self.writer.channel(
            heard.topic_name, kind_name(heard.msg_type), definition_of(heard.msg_type),
            quality_text(1 if topic.latched else 10,
                         quality.reliability == ReliabilityPolicy.RELIABLE,
                         quality.durability == DurabilityPolicy.TRANSIENT_LOCAL))
        self.channels[topic.name, heard.msg_type] = number
        return number

    def destroy_node(self) -> None:
        """Complete the file, and leave the graph."""
        if hasattr(self, 'writer'):  # a node that could not be made is destroyed, too
            self.writer.close()
        super().destroy_node()


def kind_name(kind: Any) -> str:
    """Name of a message class, such as 'sensor_msgs/msg/JointState'."""
    return f'{kind.__module__.split(".")[0]}/msg/{kind.__name__}'


def main(arguments: list[str] | None = None) -> int:
    """Run the node until a signal."""
    return run_node(RecorderNode, arguments)


if __name__ == '__main__':
    sys.exit(main())
