# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every recorded type, with random content, is read as ROS 2 itself wrote it."""

from array import array
from importlib import import_module

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 (rclpy) is missing')

from rclpy.serialization import serialize_message  # noqa: E402
from robodyn_ros.nodes.recorder.node import kind_name, TOPICS  # noqa: E402
from robodyn_ros.recording.messages import (Decoder, definition_of, fields_of,  # noqa: E402
                                            NUMBERS, SEQUENCE)

KINDS = sorted({kind for topic in TOPICS for kind in topic.kinds}, key=kind_name)


def random_message(kind, fields, random):
    """Fill every field; sequences are often empty, for they are the traps of alignment."""
    def value(name):
        if name == 'string':
            return ''.join(random.choice(list('abä€ x'), random.integers(0, 9)))
        if name == 'bool':
            return bool(random.integers(0, 2))
        if name == 'byte':
            return random.bytes(1)
        if NUMBERS.get(name) in ('f', 'd'):
            return float(np.float32(random.normal()))
        if name in NUMBERS:
            return int(random.integers(0, 100))
        package, _, name_only = name.partition('/')
        return random_message(getattr(import_module(f'{package}.msg'), name_only), fields, random)

    message = kind()
    for field in fields[kind_name(kind).replace('/msg/', '/')]:
        if field.size is None:
            setattr(message, field.name, value(field.kind))
        else:
            count = int(random.integers(0, 4)) if field.size == SEQUENCE else field.size
            setattr(message, field.name, [value(field.kind) for _ in range(count)])
    return message


def plain(value):
    """Return a message or field as dictionaries, lists and numbers."""
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, bytes):
        return value[0]
    if isinstance(value, (list, tuple, array, np.ndarray)):
        return [plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


@pytest.mark.parametrize('kind', KINDS, ids=kind_name)
def test_round_trip(kind):
    """Our reader, by our definition, of rclpy's bytes."""
    name, text = kind_name(kind), definition_of(kind)
    fields, decode = fields_of(name, text), Decoder(name, text)
    random = np.random.default_rng(7)
    for _ in range(200):
        message = random_message(kind, fields, random)
        assert plain(decode(serialize_message(message))) == plain(message)


@pytest.mark.parametrize('kind', KINDS, ids=kind_name)
def test_definitions_are_those_of_the_installed_files(kind):
    """Same fields as in the .msg files, where they are installed."""
    index = pytest.importorskip('ament_index_python.packages')
    for name, fields in fields_of(kind_name(kind), definition_of(kind)).items():
        package, _, short = name.partition('/')
        try:
            folder = index.get_package_share_directory(package)
        except LookupError:
            pytest.skip(f'needs the .msg files of {package}, which this ROS does not install')
        with open(f'{folder}/msg/{short}.msg') as file:
            assert fields_of(name, file.read())[name] == fields
