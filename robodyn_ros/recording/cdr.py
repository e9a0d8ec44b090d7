# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Reads serialised ROS 2 messages (CDR, version 1) by their definitions; needs no ROS.

After four bytes, of which the second tells the order of bytes, follow the fields. A number lies at
a multiple of its own size; a text has its length with the final zero before it, a sequence its
count. Numbers in arrays come as numpy arrays, messages as dictionaries.
"""
from __future__ import annotations

import struct
from typing import Any

import numpy as np

from robodyn_ros.recording.definitions import Definitions, fields_of, SEQUENCE
from robodyn_ros.ros_time import nanoseconds

NUMBERS = {'bool': '?', 'byte': 'B', 'char': 'B', 'int8': 'b', 'uint8': 'B', 'int16': 'h',
           'uint16': 'H', 'int32': 'i', 'uint32': 'I', 'int64': 'q', 'uint64': 'Q',
           'float32': 'f', 'float64': 'd'}
"""Code of each kind of number, to struct and to numpy."""
SIZES = {code: struct.calcsize('<' + code) for code in NUMBERS.values()}


def first_stamp(data: bytes) -> int:
    """Time of a message that begins with a stamp or a header [ns]."""
    seconds, rest = struct.unpack_from('<iI' if data[1] & 1 else '>iI', data, 4)
    return nanoseconds(seconds, rest)


class Decoder:
    """Reads the messages of one type."""

    def __init__(self, name: str, text: str):
        """
        Take the definition of a type.

        :param name: such as 'sensor_msgs/msg/JointState'
        """
        self._types = fields_of(name, text)
        self._name = name.replace('/msg/', '/')

    def __call__(self, data: bytes) -> dict[str, Any]:
        """Return the fields of a message; ValueError if its bytes do not fit the definition."""
        if len(data) < 4 or data[0] != 0 or data[1] > 1:
            raise ValueError(f'begins with {data[:4].hex()}, which is not plain CDR')
        cursor = _Cursor(self._types, memoryview(data)[4:], '<' if data[1] else '>')
        try:
            return cursor.message(self._name)
        except (KeyError, struct.error) as error:
            raise ValueError(f'does not fit its definition ({error})') from None


class _Cursor:
    """A place in the bytes of a message."""

    def __init__(self, types: Definitions, data: memoryview, order: str):
        self._types, self._data, self._order, self._at = types, data, order, 0

    def message(self, name: str) -> dict[str, Any]:
        return {field.name: self._field(field.kind, field.size) for field in self._types[name]}

    def _field(self, kind: str, count: int | None) -> Any:
        if count is None:
            return self._value(kind)
        if count == SEQUENCE:
            count = self._number('I')
        if kind in NUMBERS:
            return self._array(NUMBERS[kind], count)
        return [self._value(kind) for _ in range(count)]

    def _value(self, kind: str) -> Any:
        if kind in NUMBERS:
            return self._number(NUMBERS[kind])
        if kind != 'string':
            return self.message(kind)
        size = self._number('I')
        begin, self._at = self._at, self._at + size
        return bytes(self._data[begin:self._at]).rstrip(b'\0').decode(errors='replace')

    def _number(self, code: str) -> Any:
        size = SIZES[code]
        begin = -(-self._at // size) * size
        self._at = begin + size
        return struct.unpack_from(self._order + code, self._data, begin)[0]

    def _array(self, code: str, count: int) -> np.ndarray:
        if not count:  # nothing has no alignment
            return np.zeros(0, code)
        size = SIZES[code]
        begin = -(-self._at // size) * size
        self._at = begin + count * size
        return np.frombuffer(self._data, self._order + code, count, begin)
