# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The records of an MCAP file as bytes (mcap.dev, specification, version 0).

A record is its kind (1 byte), the length of the rest (8 bytes) and the rest. Numbers are
little-endian, texts have their length before them (4 bytes). Written here, not with the package
mcap, because a recording that is complete at every moment needs its summary again and again; and
so recording needs no further package. Tests read the files with packages of others.
"""
from __future__ import annotations

import struct
from typing import Mapping
import zlib

MAGIC = b'\x89MCAP0\r\n'
FOOTER = 0x02
_HEAD = struct.Struct('<BQ')
_MESSAGE = struct.Struct('<BQHIQQ')
_PAIR = struct.Struct('<QQ')


def _record(kind: int, content: bytes) -> bytes:
    return _HEAD.pack(kind, len(content)) + content


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack('<I', len(data)) + data


def _texts(pairs: Mapping[str, str]) -> bytes:
    content = b''.join(_text(key) + _text(value) for key, value in pairs.items())
    return struct.pack('<I', len(content)) + content


def _numbers(pairs: Mapping[int, int]) -> bytes:
    content = b''.join(struct.pack('<HQ', *pair) for pair in pairs.items())
    return struct.pack('<I', len(content)) + content


def header(profile: str, library: str) -> bytes:
    """First record of a file."""
    return _record(0x01, _text(profile) + _text(library))


def schema(number: int, name: str, encoding: str, definition: str) -> bytes:
    """Type of messages."""
    return _record(0x03, struct.pack('<H', number) + _text(name) + _text(encoding)
                   + _text(definition))


def channel(number: int, schema_number: int, topic: str, encoding: str,
            facts: Mapping[str, str]) -> bytes:
    """Topic with its type."""
    return _record(0x04, struct.pack('<HH', number, schema_number) + _text(topic)
                   + _text(encoding) + _texts(facts))


def message_head(channel_number: int, sequence: int, time: int, size: int) -> bytes:
    """Return what stands before the bytes of a message; logged and published at a time [ns]."""
    return _MESSAGE.pack(0x05, 22 + size, channel_number, sequence, time, time)


def chunk(start: int, end: int, plain: bytes, compression: str, packed: bytes) -> bytes:
    """
    Pack records of a stretch of time [ns].

    :param plain: the records, whose checksum is kept
    :param packed: the same, compressed
    """
    return _record(0x06, struct.pack('<QQQI', start, end, len(plain), zlib.crc32(plain))
                   + _text(compression) + struct.pack('<Q', len(packed)) + packed)


def message_index(channel_number: int, places: list[tuple[int, int]]) -> bytes:
    """Time [ns] and place in the chunk of each message of a channel."""
    content = b''.join(_PAIR.pack(*place) for place in places)
    return _record(0x07, struct.pack('<HI', channel_number, len(content)) + content)


def chunk_index(start: int, end: int, place: int, length: int, indices: Mapping[int, int],
                indices_length: int, compression: str, packed: int, plain: int) -> bytes:
    """
    Where in the file a chunk is, and the indices of its messages.

    :param indices: place in the file of each channel's message index
    """
    return _record(0x08, struct.pack('<QQQQ', start, end, place, length) + _numbers(indices)
                   + struct.pack('<Q', indices_length) + _text(compression)
                   + struct.pack('<QQ', packed, plain))


def statistics(schemas: int, metadata: int, chunks: int, start: int, end: int,
               counts: Mapping[int, int]) -> bytes:
    """Return the number of messages of each channel, and of all else."""
    return _record(0x0B, struct.pack('<QHIIIIQQ', sum(counts.values()), schemas, len(counts), 0,
                                     metadata, chunks, start, end) + _numbers(counts))


def metadata(name: str, pairs: Mapping[str, str]) -> bytes:
    """Facts by name that are no messages."""
    return _record(0x0C, _text(name) + _texts(pairs))


def metadata_index(place: int, length: int, name: str) -> bytes:
    """Where in the file a metadata record is."""
    return _record(0x0D, struct.pack('<QQ', place, length) + _text(name))


def ending(summary: bytes, place: int) -> bytes:
    """
    Return the end of a file whose data end at a place: summary, footer and magic.

    The checksum is that of the summary and of the footer up to it.
    """
    data_end = _record(0x0F, struct.pack('<I', 0))
    footer = _HEAD.pack(FOOTER, 20) + _PAIR.pack(place + len(data_end), 0)
    total = zlib.crc32(footer, zlib.crc32(summary))
    return data_end + summary + footer + struct.pack('<I', total) + MAGIC
