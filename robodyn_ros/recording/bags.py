# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Joint states of any ROS 2 bag, by the library rosbags: a folder or a single file, any storage.

Our own MCAP reader (reader.py) goes on where a file was cut off, so it is asked first for MCAP.
"""
from __future__ import annotations

import os
from pathlib import Path
import struct
from typing import Any, Callable

from robodyn_ros.errors import MissingPackageError, RecordingError
from robodyn_ros.recording.reader import read_recording
from robodyn_ros.ros_time import nanoseconds

JOINT_STATE = 'sensor_msgs/msg/JointState'
FIELDS = ('position', 'velocity', 'effort')


def read_joint_states(path: Path, topic: str = '',
                      progress: Callable[[float], None] = lambda part: None,
                      ) -> tuple[list[tuple[int, dict[str, Any]]], str, bool]:
    """
    Return the joint states of a bag: stamp [ns] and fields (name, position, velocity, effort).

    :param path: of an MCAP file, a db3 file, or a folder of ros2 bag record
    :param topic: where a bag has several with joint states
    :returns: messages in the order of the file, their topic, and whether the file has its end
    """
    files = sorted(path.glob('*.mcap')) if os.path.isdir(path) else [path]
    if _packed_one_by_one(path / 'metadata.yaml'):
        files = []
    if files and all(file.suffix == '.mcap' for file in files):
        found = _from_mcap(files, topic, progress)
        if found[0] or not found[2]:
            return found
    return _from_rosbags(path, topic, progress)


def _from_mcap(files: list[Path], topic: str,
               progress: Callable[[float], None]) -> tuple[list, str, bool]:
    asked = topic.lstrip('/') or 'joint_states'
    parts: list[list[tuple[int, dict[str, Any]]]] = []
    names: set[str] = set()
    complete = True
    for file in files:
        found = read_recording(file, (asked,), progress)
        parts.append([(stamp, m) for stamp, m in found.messages[asked]
                      if m.keys() >= {'name', *FIELDS}])  # else it is of another kind
        names.update(found.topics.get(asked, ()))
        complete &= found.complete
    # by time, as bag_10 comes before bag_2 by name
    parts = sorted(filter(None, parts), key=lambda part: part[0][0])
    return sum(parts, []), _only(files[0], names, topic, asked), complete


def _packed_one_by_one(metadata: Path) -> bool:
    """Tell whether each message of a folder was packed by itself."""
    try:
        return 'compression_mode: message' in metadata.read_text(errors='replace').lower()
    except OSError:
        return False


def _from_rosbags(path: Path, topic: str,
                  progress: Callable[[float], None]) -> tuple[list, str, bool]:
    try:
        from rosbags.rosbag2 import Reader, ReaderError
        from rosbags.serde import SerdeError
        from rosbags.typesys import get_typestore, Stores
    except ImportError:
        raise MissingPackageError('reading this bag needs the package rosbags, which is not '
                                  'installed; run pip install "robodyn_ros[view]"') from None
    import sqlite3
    # rosbags trusts what it reads: lengths, numbers of channels, what is packed
    damaged = (ReaderError, sqlite3.Error, struct.error, OSError, ValueError, ArithmeticError,
               LookupError, AssertionError, RuntimeError, EOFError, MemoryError)
    types = get_typestore(Stores.ROS2_JAZZY)
    messages: list[tuple[int, dict[str, Any]]] = []
    complete = True
    try:
        with Reader(path) as bag:
            chosen = [c for c in bag.connections if c.msgtype == JOINT_STATE
                      and (not topic or c.topic.strip('/') == topic.strip('/'))]
            if not chosen:
                every = ', '.join(sorted({c.topic for c in bag.connections})) or 'no topics'
                raise RecordingError(f'{path}: has no sensor_msgs/JointState'
                                     f'{f" on {topic}" if topic else ""} (it has {every}); record '
                                     'the joint states of the robot')
            name = _only(path, {c.topic for c in chosen}, topic, 'joint_states')
            chosen = [c for c in chosen if c.topic == name]
            total = max(1, sum(c.msgcount for c in chosen))
            try:
                for connection, logged, raw in bag.messages(chosen):
                    read: Any = types.deserialize_cdr(raw, connection.msgtype)
                    stamp = nanoseconds(read.header.stamp.sec, read.header.stamp.nanosec)
                    messages.append((stamp or logged, {
                        'name': list(read.name), **{f: getattr(read, f) for f in FIELDS}}))
                    if len(messages) % 1000 == 0:
                        progress(min(1.0, len(messages) / total))
            except SerdeError:
                if not messages:  # each is packed, and only the folder tells how
                    raise
                complete = False
            except damaged:
                complete = False  # the end is missing; what came before is good
    except (SerdeError, *damaged) as error:
        why = str(error) or type(error).__name__
        raise RecordingError(f'{path}: cannot be read as a ROS 2 bag ({why}); give a folder of '
                             'ros2 bag record, or its .db3 or .mcap file') from None
    progress(1.0)
    return messages, name, complete


def _only(path: Path, names: set[str], topic: str, asked: str) -> str:
    """Return the one topic; two robots must be told apart, commands are no states."""
    if len(names) > 1 and not topic:
        states = {name for name in names if name.split('/')[-1] == 'joint_states'}
        names = states if len(states) == 1 else names
    if len(names) > 1:
        exact = [name for name in names if name.strip('/') == topic.strip('/')] if topic else []
        if not exact:
            raise RecordingError(f'{path}: has joint states of several robots '
                                 f'({", ".join(sorted(names))}); choose one with --topic')
    return min(names, default=asked)
