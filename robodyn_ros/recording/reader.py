# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Reads an MCAP file of ROS 2 messages, ours or rosbag2's, from front to back; needs no ROS.

The index at the end is not used, so a file whose end is missing is read as far as it goes.
"""
from __future__ import annotations

from dataclasses import dataclass, field
import os
import struct
from typing import Any, Callable, Collection, Mapping

from robodyn_ros.errors import RecordingError
from robodyn_ros.recording.messages import Decoder, first_stamp
from robodyn_ros.recording.writer import FACTS, MAGIC


@dataclass
class Recording:
    """What was read: messages in the order of the file."""

    facts: Mapping[str, str] = field(default_factory=dict)
    """What the recorder knew of the run; empty in files of others."""
    messages: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)
    """Time [ns] and fields of each message, by topic as asked for."""
    complete: bool = True
    """Whether the file has its end."""
    topics: dict[str, list[str]] = field(default_factory=dict)
    """Full names of the topics that were read, by topic as asked for."""


def read_recording(path: str | os.PathLike, topics: Collection[str],
                   progress: Callable[[float], None] = lambda part: None) -> Recording:
    """
    Read the messages of some topics.

    A message counts at its stamp where it has one, else at the time at which it was logged.

    :param topics: names without namespace, such as 'controller/reference'
    :param progress: called now and then with the part that is read, 0 .. 1
    """
    name = os.fspath(path)
    try:
        from mcap.exceptions import McapError, UnsupportedCompressionError
        from mcap.stream_reader import StreamReader
        from zstandard import ZstdError
    except ImportError:
        raise RecordingError('reading a recording needs the package mcap, which is not '
                             'installed; run pip install "robodyn_ros[view]"') from None
    try:
        file = open(path, 'rb')
    except OSError as error:
        raise RecordingError(f'{name}: cannot be read ({error.strerror}); give a recording of '
                             'robodyn run --record') from None
    found = Recording(messages={topic: [] for topic in topics})
    with file:
        if file.read(len(MAGIC)) != MAGIC:
            raise RecordingError(f'{name}: is not an MCAP file; give a recording of robodyn run '
                                 '--record, or a result of robodyn simulate --output')
        file.seek(0)
        size = max(1, os.fstat(file.fileno()).st_size)
        reading = _Reading(name, found)
        try:
            for k, record in enumerate(StreamReader(file).records):
                reading.take(record)
                if k % 1000 == 0:
                    progress(file.tell() / size)
        except UnsupportedCompressionError as error:
            raise RecordingError(f'{name}: {error}; install that package, or record without '
                                 'compression') from None
        except (McapError, ZstdError, struct.error, RuntimeError, UnicodeDecodeError):
            found.complete = False  # the end is missing; what came before is good
    progress(1.0)
    return found


class _Reading:
    """Sorts records into a Recording."""

    def __init__(self, name: str, found: Recording):
        self._name, self._found = name, found
        self._schemas: dict[int, Any] = {}
        self._channels: dict[int, tuple[str, Decoder]] = {}

    def take(self, record: Any) -> None:
        kind = type(record).__name__
        if kind == 'Message':
            self._message(record)
        elif kind == 'Schema':
            self._schemas[record.id] = record
        elif kind == 'Channel':
            self._channel(record)
        elif kind == 'Metadata' and record.name == FACTS:
            self._found.facts = record.metadata

    def _channel(self, channel: Any) -> None:
        schema = self._schemas.get(channel.schema_id)
        if channel.message_encoding != 'cdr' or schema is None or schema.encoding != 'ros2msg':
            return
        for topic in self._found.messages:
            if ('/' + channel.topic).endswith('/' + topic):
                decoder = Decoder(schema.name, schema.data.decode(errors='replace'))
                self._channels[channel.id] = topic, decoder
                full = self._found.topics.setdefault(topic, [])
                if channel.topic not in full:
                    full.append(channel.topic)

    def _message(self, message: Any) -> None:
        if message.channel_id not in self._channels:
            return
        topic, decoder = self._channels[message.channel_id]
        try:
            fields = decoder(message.data)
        except ValueError as error:
            raise RecordingError(f'{self._name}: a message of {topic} at {message.log_time} ns '
                                 f'{error}; record again') from None
        stamp = first_stamp(message.data) if 'header' in fields else 0
        self._found.messages[topic].append((stamp or message.log_time, fields))
