# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
ROS 2 messages as bytes: their definitions, and how they are read by them; needs no ROS.

A definition is the text of a .msg file followed by those of all types it contains, each after a
line of 80 '=' and a line 'MSG: package/Type' (encoding ros2msg of MCAP, as rosbag2 writes it).
They are made from the classes, which every ROS 2 has, wherever its .msg files may lie; comments
and constants are not in them.

A serialised message (CDR, version 1) has four bytes, of which the second tells the order of bytes,
then its fields. A number lies at a multiple of its own size; a text has its length with the final
zero before it, a sequence its count. Numbers in arrays come as numpy arrays, messages as
dictionaries.
"""
from __future__ import annotations

from importlib import import_module
import re
import struct
from typing import Any, NamedTuple, Union

import numpy as np

from robodyn_ros.ros_time import nanoseconds

SEPARATOR = '=' * 80
ZSTD = bytes.fromhex('28b52ffd')
"""With which packed bytes begin."""
LONGEST_SIZE = 9
"""Digits of the size of an array."""
SEQUENCE = -1
"""Size of a field with any number of elements."""
OTHER_NAMES = {'boolean': 'bool', 'octet': 'byte', 'double': 'float64', 'float': 'float32'}
_SEQUENCE_TYPE = re.compile(r'sequence<(?P<kind>.+?)(?:, (?P<most>\d+))?>')
_FIELD = re.compile(r'(?P<kind>[\w/]+)(?:<=\d+)?(?P<array>\[[<=\d]*\])?\s+(?P<name>\w+)')
NUMBERS = {'bool': '?', 'byte': 'B', 'char': 'B', 'int8': 'b', 'uint8': 'B', 'int16': 'h',
           'uint16': 'H', 'int32': 'i', 'uint32': 'I', 'int64': 'q', 'uint64': 'Q',
           'float32': 'f', 'float64': 'd'}
"""Code of each kind of number, to struct and to numpy."""
SIZES = {code: struct.calcsize('<' + code) for code in NUMBERS.values()}


class Field(NamedTuple):
    """A field of a message."""

    name: str
    kind: str
    """Type of the value or of each element, such as float64 or std_msgs/Header."""
    size: Union[int, None]
    """Elements of an array, SEQUENCE for any number, None for a single value."""


Definitions = dict[str, list[Field]]
"""Fields of each type by name (package/Type)."""


def definition_of(message: Any) -> str:
    """Write the definition of a message class and of all it contains."""
    texts: dict[str, str] = {}
    _write(message, texts)
    first, *others = texts.items()
    return first[1] + ''.join(f'{SEPARATOR}\nMSG: {name}\n{text}' for name, text in others)


def _write(message: Any, texts: dict[str, str]) -> None:
    package = message.__module__.split('.')[0]
    lines, contained = [], []
    texts[f'{package}/{message.__name__}'] = ''  # its place: before what it contains
    for name, written in message.get_fields_and_field_types().items():
        kind, array = written, ''
        sequence = _SEQUENCE_TYPE.fullmatch(written)
        if sequence:
            kind, most = sequence['kind'], sequence['most']
            array = f'[<={most}]' if most else '[]'
        elif written.endswith(']'):
            kind, _, count = written[:-1].partition('[')
            array = f'[{count}]'
        kind = re.sub(r'<(\d+)>', r'<=\1', kind)  # a text of limited length
        lines.append(f'{OTHER_NAMES.get(kind, kind)}{array} {name}\n')
        if '/' in kind:
            contained.append(kind)
    texts[f'{package}/{message.__name__}'] = ''.join(lines)
    for kind in contained:
        if kind not in texts:
            package, _, name = kind.partition('/')
            _write(getattr(import_module(f'{package}.msg'), name), texts)


def fields_of(name: str, text: str) -> Definitions:
    """
    Read a definition, also one with comments, constants and defaults.

    :param name: of the first type, such as 'sensor_msgs/msg/JointState'
    """
    found: Definitions = {}
    for part in text.split(SEPARATOR + '\n'):
        if part.startswith('MSG:'):
            name, _, part = part[4:].partition('\n')
        name = name.strip().replace('/msg/', '/')
        package = name.split('/')[0]
        fields = []
        for line in part.splitlines():
            line = line.split('#')[0].strip()
            match = _FIELD.match(line)
            if match is None or line[match.end():].lstrip().startswith('='):  # a constant
                continue
            kind = match['kind'].replace('/msg/', '/')
            if kind[0].isupper():
                kind = 'std_msgs/Header' if kind == 'Header' else f'{package}/{kind}'
            size = (match['array'] or '').strip('[]')
            if len(size) > LONGEST_SIZE:
                raise ValueError(f'has an array of {size[:LONGEST_SIZE]}... elements')
            fields.append(Field(match['name'], kind, None if match['array'] is None
                                else int(size) if size.isdigit() else SEQUENCE))
        found[name] = fields
    return found


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
        if data[:4] == ZSTD:
            raise ValueError('is packed by itself, and only the folder of its bag tells how: give '
                             'that folder')
        if len(data) < 4 or data[0] != 0 or data[1] > 1:
            raise ValueError(f'begins with {data[:4].hex()}, which is not plain CDR')
        cursor = _Cursor(self._types, memoryview(data)[4:], '<' if data[1] else '>')
        try:
            return cursor.message(self._name)
        except (KeyError, struct.error, RecursionError) as error:
            raise ValueError(f'does not fit its definition ({error})') from None


EMPTY_VALUES = 1000
"""Values of a message that take no byte, at most."""


class _Cursor:
    """A place in the bytes of a message."""

    def __init__(self, types: Definitions, data: memoryview, order: str):
        self._types, self._data, self._order, self._at = types, data, order, 0
        # every value takes a byte, but an empty message, of which there may be any number in none
        self._left = len(data) + EMPTY_VALUES

    def message(self, name: str) -> dict[str, Any]:
        return {field.name: self._field(field.kind, field.size) for field in self._types[name]}

    def _field(self, kind: str, count: int | None) -> Any:
        if count is None:
            return self._value(kind)
        if count == SEQUENCE:
            count = self._number('I')
        if kind in NUMBERS:
            return self._array(NUMBERS[kind], count)
        if count > len(self._data) - self._at + EMPTY_VALUES:
            raise ValueError(f'tells of {count} elements in {len(self._data)} bytes')
        return [self._value(kind) for _ in range(count)]

    def _value(self, kind: str) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ValueError(f'has more values than bytes, which are {len(self._data)}')
        if kind in NUMBERS:
            return self._number(NUMBERS[kind])
        if kind != 'string':
            return self.message(kind)
        size = self._number('I')
        begin, self._at = self._at, self._at + size
        if self._at > len(self._data):
            raise ValueError(f'has a text of {size} bytes beyond its end')
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
