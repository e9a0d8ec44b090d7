# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Reads an MCAP file of ROS 2 messages, ours or rosbag2's, from front to back; needs no ROS.

The index at the end is not used, so a file whose end is missing is read as far as it goes.
"""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
import os
import struct
from typing import Any, Callable, Collection, Mapping

from robodyn_ros.errors import printable, RecordingError
from robodyn_ros.recording.messages import Decoder, first_stamp
from robodyn_ros.recording.writer import FACTS, MAGIC

MOST_RATIO = 100
"""How much larger a file may become when it is unpacked; states of an arm become ten times."""
LEAST_UNPACKED = 1 << 26
"""Bytes that any file may unpack to."""


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
        from mcap.exceptions import McapError
        from mcap.stream_reader import breakup_chunk, StreamReader
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
        reading, unpacking = _Reading(name, found), _Unpacking(name, size)
        try:
            # chunks are unpacked here: the reader would make any size of a few bytes of them, and
            # no record can be longer than its file
            for record in StreamReader(file, emit_chunks=True, record_size_limit=size).records:
                if type(record).__name__ == 'Chunk':
                    for inside in breakup_chunk(unpacking.plain(record)):
                        reading.take(inside)
                else:
                    reading.take(record)
                progress(file.tell() / size)
        except (McapError, ZstdError, struct.error, RuntimeError, UnicodeDecodeError,
                EOFError, MemoryError, OverflowError):
            found.complete = False  # the end is missing; what came before is good
    progress(1.0)
    return found


class _Unpacking:
    """Unpacks the chunks of a file, as long as they are what a recording can be."""

    def __init__(self, name: str, size: int):
        """:param size: of the file [bytes]."""
        self._name, self._left = name, max(LEAST_UNPACKED, MOST_RATIO * size)

    def plain(self, chunk: Any) -> Any:
        """Return a chunk that is not packed."""
        if not chunk.compression:
            return chunk
        data = self._unpacked(chunk.compression, chunk.data)
        self._left -= len(data)
        if self._left < 0:
            raise RecordingError(f'{self._name}: unpacks to more than {MOST_RATIO} times its '
                                 'size, which no recording of a robot does; record again')
        return dataclasses.replace(chunk, compression='', data=data)

    def _unpacked(self, kind: str, data: bytes) -> bytes:
        """Unpack what may be, and one byte more."""
        if kind == 'zstd':
            import zstandard
            with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as file:
                return file.read(self._left + 1)
        try:
            if kind == 'lz4':
                from lz4.frame import LZ4FrameDecompressor
                return LZ4FrameDecompressor().decompress(data, max_length=self._left + 1)
        except ImportError:
            pass
        raise RecordingError(f'{self._name}: is packed with {printable(kind)!r}, which cannot be '
                             'read here; install lz4, or record without compression')


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
        """Take a channel of one of the topics, if its messages can be read."""
        schema = self._schemas.get(channel.schema_id)
        if channel.message_encoding != 'cdr' or schema is None or schema.encoding != 'ros2msg':
            return
        for topic in self._found.messages:
            if ('/' + channel.topic).endswith('/' + topic):
                try:
                    decoder = Decoder(schema.name, schema.data.decode(errors='replace'))
                except ValueError as error:
                    raise RecordingError(f'{self._name}: the definition of {topic} {error}; '
                                         'record again') from None
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
        stamp = stamp or message.log_time
        if stamp >= 1 << 63:
            raise RecordingError(f'{self._name}: a message of {topic} has the time {stamp} ns, '
                                 'after all times there are; record again')
        self._found.messages[topic].append((stamp, fields))
