# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Message definitions: written from Python's message classes, and read from recordings.

A definition is the text of a .msg file followed by those of all types it contains, each after a
line of 80 '=' and a line 'MSG: package/Type' (encoding ros2msg of MCAP, as rosbag2 writes it).
They are made from the classes, which every ROS 2 has, wherever its .msg files may lie; comments
and constants are not in them.
"""
from __future__ import annotations

from importlib import import_module
import re
from typing import Any, NamedTuple, Union

SEPARATOR = '=' * 80
SEQUENCE = -1
"""Size of a field with any number of elements."""
OTHER_NAMES = {'boolean': 'bool', 'octet': 'byte', 'double': 'float64', 'float': 'float32'}
_SEQUENCE_TYPE = re.compile(r'sequence<(?P<kind>.+?)(?:, (?P<most>\d+))?>')
_FIELD = re.compile(r'(?P<kind>[\w/]+)(?:<=\d+)?(?P<array>\[[<=\d]*\])?\s+(?P<name>\w+)')


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
            fields.append(Field(match['name'], kind, None if match['array'] is None
                                else int(size) if size.isdigit() else SEQUENCE))
        found[name] = fields
    return found
