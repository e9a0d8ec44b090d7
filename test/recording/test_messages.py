# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Definitions are read as rosbag2 writes them, and bytes are read by them."""

import numpy as np
import pytest
from recording.encode import Bytes, JOINT_STATE, joint_state
from robodyn_ros.recording.messages import Decoder, Field, fields_of, first_stamp, SEQUENCE

WRITTEN = """\
# Comment with = and [] signs
uint8 OK=0   # a constant
string NAME = "x # y"
string<=20 name "default"   # a limited text
float64[36] covariance
Point[<=4] corners
geometry_msgs/msg/Point centre
Header header
int32 count 5
""" + '=' * 80 + '\nMSG: my_msgs/Point\nfloat32 x\n' + '=' * 80 + \
    '\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\n'


def test_comments_constants_and_defaults():
    """Only the fields remain, with full names of their types."""
    found = fields_of('my_msgs/msg/Thing', WRITTEN)
    assert found['my_msgs/Thing'] == [
        Field('name', 'string', None), Field('covariance', 'float64', 36),
        Field('corners', 'my_msgs/Point', SEQUENCE), Field('centre', 'geometry_msgs/Point', None),
        Field('header', 'std_msgs/Header', None), Field('count', 'int32', None)]
    assert found['my_msgs/Point'] == [Field('x', 'float32', None)]


@pytest.mark.parametrize('order', '<>')
def test_joint_state_in_either_order_of_bytes(order):
    """Empty sequences take no padding; the stamp is found without decoding."""
    data = joint_state(3_000_000_007, ['a', 'long_name'], [1.5, -2.0], [], [0.25], order)
    found = Decoder(*JOINT_STATE)(data)
    assert found['header'] == {'stamp': {'sec': 3, 'nanosec': 7}, 'frame_id': 'base'}
    assert found['name'] == ['a', 'long_name'] and first_stamp(data) == 3_000_000_007
    assert found['position'].tolist() == [1.5, -2.0] and found['effort'].tolist() == [0.25]
    assert len(found['velocity']) == 0


@pytest.mark.parametrize('data', [
    b'', b'\0\1', b'\0\7\0\0' + 40 * b'\0', joint_state(1, ['a'], [1.0])[:-6],
    Bytes().number('i', 0).number('I', 0).number('I', 4_000_000_000).message])
def test_bytes_that_do_not_fit(data):
    """ValueError, whatever the bytes."""
    with pytest.raises(ValueError):
        Decoder(*JOINT_STATE)(data)


def test_random_bytes_never_do_worse():
    """Neither a crash nor another error."""
    random = np.random.default_rng(1)
    decode = Decoder(*JOINT_STATE)
    for _ in range(300):
        try:
            decode(b'\0\1\0\0' + random.bytes(int(random.integers(0, 80))))
        except ValueError:
            pass
