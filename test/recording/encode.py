# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Messages as CDR bytes by hand, and recordings made of them: no ROS, no code of the package's."""

import struct

import numpy as np
from robodyn_ros.recording.writer import RecordingWriter

JOINT_STATE = 'sensor_msgs/msg/JointState', (
    'std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n'
    'float64[] effort\n' + '=' * 80 + '\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\n'
    'string frame_id\n' + '=' * 80 + '\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n')
TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory', (
    'std_msgs/Header header\nstring[] joint_names\nJointTrajectoryPoint[] points\n' + '=' * 80
    + '\nMSG: trajectory_msgs/JointTrajectoryPoint\nfloat64[] positions\nfloat64[] velocities\n'
    'float64[] accelerations\nfloat64[] effort\nbuiltin_interfaces/Duration time_from_start\n'
    + '=' * 80 + '\nMSG: builtin_interfaces/Duration\nint32 sec\nuint32 nanosec\n'
    + '=' * 80 + JOINT_STATE[1].split('=' * 80, 1)[1])
STRING = 'std_msgs/msg/String', 'string data\n'


class Bytes:
    """Grows field by field, each at a multiple of its size."""

    def __init__(self, order='<'):
        """Begin after the four bytes that tell the order."""
        self.order, self.data = order, b''

    def number(self, code, value):
        """Append a number of struct's code."""
        size = struct.calcsize('<' + code)
        self.data += b'\0' * (-len(self.data) % size) + struct.pack(self.order + code, value)
        return self

    def text(self, text):
        """Append a text with its final zero."""
        self.number('I', len(text) + 1).data += text.encode() + b'\0'
        return self

    def doubles(self, values):
        """Append a sequence of numbers."""
        self.number('I', len(values))
        for value in values:
            self.number('d', value)
        return self

    @property
    def message(self):
        """All of it."""
        return b'\0' + (b'\1' if self.order == '<' else b'\0') + b'\0\0' + self.data


def joint_state(stamp, names, q=(), v=(), effort=(), order='<'):
    """Return a JointState of a time [ns]."""
    made = Bytes(order).number('i', stamp // 10 ** 9).number('I', stamp % 10 ** 9).text('base')
    made.number('I', len(names))
    for name in names:
        made.text(name)
    return made.doubles(q).doubles(v).doubles(effort).message


def trajectory(stamp, names, seconds, q):
    """Return a JointTrajectory of one point, some whole seconds after its stamp [ns]."""
    made = Bytes().number('i', stamp // 10 ** 9).number('I', stamp % 10 ** 9).text('')
    made.number('I', len(names))
    for name in names:
        made.text(name)
    made.number('I', 1).doubles(q).doubles(()).doubles(()).doubles(())
    return made.number('i', seconds).number('I', 0).message


def string(text):
    """Return a String."""
    return Bytes().text(text).message


def recorded(path, robot, t, q, urdf=True, commands=False, wanted=None):
    """
    Write a recording of a robot's states at times [s]; returns the path.

    :param commands: efforts of zero are commanded, too
    :param wanted: bytes of a JointTrajectory
    """
    writer = RecordingWriter(path, {'scenario': 'by_hand'})
    states = writer.channel('/joint_states', *JOINT_STATE, '')
    if urdf:
        writer.add(writer.channel('/robot_description', *STRING, ''), 10 ** 9,
                   string(robot.urdf))
    names = list(reversed(robot.joints))
    if wanted is not None:
        writer.add(writer.channel('/controller/joint_trajectory', *TRAJECTORY, ''), 10 ** 9,
                   wanted)
    orders = writer.channel('/joint_commands', *JOINT_STATE, '') if commands else None
    for when, row in zip(t, np.asarray(q)):
        stamp = 10 ** 9 + round(when * 1e9)
        writer.add(states, stamp, joint_state(stamp, names, row[::-1], 0 * row, 0 * row))
        if commands:
            writer.add(orders, stamp, joint_state(stamp, names, effort=0 * row))
    writer.close()
    return path
