# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Writes a recording that is a complete, indexed MCAP file after every flush.

After each flush the file ends with summary and footer; the next one cuts them off and appends the
new chunk and a new summary. A process killed between two flushes leaves a complete file; killed in
the middle of one (some ten microseconds), a file whose end is missing, which reader.py reads all
the same. The summary is kept as bytes and only grows, so that a flush costs little in long runs.

A record (mcap.dev, specification, version 0) is its kind (1 byte), the length of the rest (8) and
the rest. Numbers are little-endian, texts have their length before them (4 bytes). Written
here, not with the package mcap, because a recording that is complete at every moment needs its
summary again and again; and so recording needs no further package. Tests read the files with
packages of others.
"""
from __future__ import annotations

import os
import struct
from typing import Mapping
import zlib

from robodyn_ros.errors import RecordingError

try:
    import zstandard
except ImportError:  # comes with the package mcap; without it chunks are not compressed
    zstandard = None  # type: ignore[assignment]

MAGIC = b'\x89MCAP0\r\n'
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, METADATA, METADATA_INDEX, DATA_END = 0x0B, 0x0C, 0x0D, 0x0F
LARGEST_CHUNK = 1_000_000
"""Bytes of messages after which a chunk ends even before the next flush."""
FACTS = 'robodyn'
"""Name of the record with the scenario's facts."""
FOREVER = '{sec: 9223372036, nsec: 854775807}'


def quality_text(depth: int, reliable: bool, latched: bool) -> str:
    """
    Return a topic's quality of service as rosbag2 of Jazzy writes it: a YAML list of one profile.

    :param latched: the last message is kept for those who come later (transient local)
    """
    return (f'- history: keep_last\n  depth: {depth}\n'
            f'  reliability: {"reliable" if reliable else "best_effort"}\n'
            f'  durability: {"transient_local" if latched else "volatile"}\n'
            f'  deadline: {FOREVER}\n  lifespan: {FOREVER}\n  liveliness: automatic\n'
            f'  liveliness_lease_duration: {FOREVER}\n'
            '  avoid_ros_namespace_conventions: false\n')


class RecordingWriter:
    """An MCAP file of the profile ros2, open for writing."""

    def __init__(self, path: str | os.PathLike, facts: Mapping[str, str] | None = None):
        """
        Create the file; RecordingError if it exists or cannot be.

        :param facts: what is known of the run, such as its scenario
        """
        self.path = os.fspath(path)
        try:
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise RecordingError(f'{self.path}: the file exists and is not overwritten; give '
                                 'another name, or remove it') from None
        except OSError as error:
            raise RecordingError(f'{self.path}: cannot be created ({error.strerror}); give a path '
                                 'in a folder that exists and may be written') from None
        self._data = bytearray(MAGIC + _record(HEADER, 'ros2', 'robodyn_ros'))
        self._size = 0  # of the data in the file; what follows is summary
        self._schemas: dict[str, int] = {}
        self._counts: dict[int, int] = {}
        self._described, self._indices = bytearray(), bytearray()  # parts of the summary
        self._chunks, self._facts = 0, bool(facts)
        self._start: int | None = None
        self._end = 0
        if facts:
            record = _record(METADATA, FACTS, _texts(facts))
            self._described += _record(
                METADATA_INDEX, struct.pack('<QQ', len(self._data), len(record)), FACTS)
            self._data += record
        self._begin_chunk()
        self.flush()

    def channel(self, topic: str, kind: str, definition: str, quality: str) -> int:
        """
        Announce a topic; returns its number.

        :param kind: type, such as 'sensor_msgs/msg/JointState'
        :param definition: text of the type and of all it contains (messages.py)
        :param quality: of quality_text
        """
        made = b''
        if kind not in self._schemas:
            self._schemas[kind] = len(self._schemas) + 1
            made = _record(SCHEMA, struct.pack('<H', self._schemas[kind]), kind, 'ros2msg',
                           definition)
        number = len(self._counts) + 1
        made += _record(CHANNEL, struct.pack('<HH', number, self._schemas[kind]), topic, 'cdr',
                        _texts({'offered_qos_profiles': quality}))
        self._counts[number] = 0
        self._described += made
        self._chunk += made
        return number

    def add(self, channel: int, time: int, data: bytes) -> None:
        """Keep the bytes of a message (CDR) at a time, 0 or later: there is no other [ns]."""
        time = max(0, time)
        self._counts[channel] += 1
        self._places.setdefault(channel, []).append((time, len(self._chunk)))
        self._chunk += struct.pack('<BQHIQQ', MESSAGE, 22 + len(data), channel,
                                   self._counts[channel], time, time)  # logged and published
        self._chunk += data
        if len(self._chunk) > LARGEST_CHUNK:
            self._end_chunk()

    def flush(self) -> None:
        """Bring everything to the file and complete it; does nothing once it is closed."""
        if self._file < 0:
            return
        self._end_chunk()
        place = self._size + len(self._data)
        statistics = _record(STATISTICS, struct.pack(
            '<QHIIIIQQ', sum(self._counts.values()), len(self._schemas), len(self._counts), 0,
            int(self._facts), self._chunks, self._start or 0, self._end), _numbers(self._counts))
        data_end = _record(DATA_END, bytes(4))
        summary = self._described + self._indices + statistics
        footer = struct.pack('<BQQQ', FOOTER, 20, place + len(data_end), 0)
        checksum = struct.pack('<I', zlib.crc32(footer, zlib.crc32(summary)))
        end = data_end + summary + footer + checksum + MAGIC
        try:
            os.ftruncate(self._file, self._size)
            left = memoryview(bytes(self._data) + end)
            os.lseek(self._file, self._size, os.SEEK_SET)
            while left:
                left = left[os.write(self._file, left):]
        except OSError as error:
            os.close(self._file)
            self._file = -1
            raise RecordingError(f'{self.path}: cannot be written ({error.strerror}); what was '
                                 'written before is kept: make room, and record again') from None
        self._size = place
        self._data.clear()

    def close(self) -> None:
        """Flush and close; a second call does nothing."""
        self.flush()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _begin_chunk(self) -> None:
        self._chunk = bytearray()
        self._places: dict[int, list[tuple[int, int]]] = {}

    def _end_chunk(self) -> None:
        if not self._places:
            return
        times = [time for places in self._places.values() for time, _ in places]
        start, end = min(times), max(times)
        self._start = start if self._start is None else min(start, self._start)
        self._end = max(end, self._end)
        plain = bytes(self._chunk)
        compression, packed = '', plain
        if zstandard is not None:
            compression, packed = 'zstd', zstandard.ZstdCompressor(level=1).compress(plain)
        place = self._size + len(self._data)
        made = _record(CHUNK, struct.pack('<QQQI', start, end, len(plain), zlib.crc32(plain)),
                       compression, struct.pack('<Q', len(packed)), packed)
        self._data += made
        indices, begin = {}, self._size + len(self._data)
        for channel, places in self._places.items():
            indices[channel] = self._size + len(self._data)
            content = b''.join(struct.pack('<QQ', *place) for place in places)
            self._data += _record(MESSAGE_INDEX, struct.pack('<HI', channel, len(content)),
                                  content)
        self._indices += _record(
            CHUNK_INDEX, struct.pack('<QQQQ', start, end, place, len(made)), _numbers(indices),
            struct.pack('<Q', self._size + len(self._data) - begin), compression,
            struct.pack('<QQ', len(packed), len(plain)))
        self._chunks += 1
        self._begin_chunk()


def _record(kind: int, *parts: bytes | str) -> bytes:
    content = b''.join(_text(part) if isinstance(part, str) else part for part in parts)
    return struct.pack('<BQ', kind, len(content)) + content


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack('<I', len(data)) + data


def _texts(pairs: Mapping[str, str]) -> bytes:
    content = b''.join(_text(key) + _text(value) for key, value in pairs.items())
    return struct.pack('<I', len(content)) + content


def _numbers(pairs: Mapping[int, int]) -> bytes:
    content = b''.join(struct.pack('<HQ', *pair) for pair in pairs.items())
    return struct.pack('<I', len(content)) + content
