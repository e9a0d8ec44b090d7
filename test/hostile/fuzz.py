# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Damaged inputs of every kind of file: each is read, or refused by one sentence, and soon.

Mutations are seeded: an input that gets through is named by its kind and number, and can be made
again with `made(kind, number)`.
"""
from __future__ import annotations

import logging
import os
from pathlib import Path
import random
import struct
import tempfile
import time
from typing import Callable, NamedTuple
import warnings

import numpy as np
from recording.encode import JOINT_STATE, joint_state, STRING, string
from robodyn_ros.checks import shown
from robodyn_ros.errors import RobodynError
from robodyn_ros.identification.reading import read_measured
from robodyn_ros.recording.messages import Decoder
from robodyn_ros.recording.writer import RecordingWriter
from robodyn_ros.report.motion import motion_of_recording, motion_of_result
from robodyn_ros.robots.robot import load_robot, robot_from_text
from robodyn_ros.robots.urdf.meshes import read_mesh
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.scenario.settings import settings_from
from robodyn_ros.share import share_folder
from robodyn_ros.sweeping.study import read_study
from robodyn_ros.trajectories.joint_space import Table

SLOW = 10.0
"""Longest time of the processor that any input may take [s]."""
ROBOT = load_robot('two_link')
SCENARIO = (share_folder('config') / 'two_link_line.yaml').read_bytes()
STUDY = b"""scenario: two_link_line
duration: 0.1
set: {dynamics.payload.mass: 1.0}
axes:
  dynamics.payload.mass: {uniform: [0.0, 2.0]}
  controller.kd: [[9.0], [18.0]]
  dynamics.initial_position.joint_1: {normal: [0.0, 0.01]}
draws: 8
metrics: [error_rms, effort_max]
"""
MOTION = [(0.01 * k, *np.sin((0.03 * k, 0.06 * k)), *np.cos((0.03 * k, 0.06 * k)) * (3.0, 6.0),
           *np.cos((0.06 * k, 0.08 * k))) for k in range(60)]
"""Time, positions, velocities and efforts of its two joints."""
MEASURED = b't,q1,q2,v1,v2,tau1,tau2\n' + b''.join(
    b'%.3f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n' % row for row in MOTION)
CSV = b't,joint_1,joint_2\n0.0,0.1,0.2\n0.5,0.2,0.1\n1.0,0.1,0.2\n'
WORDS = (b'', b'0', b'-1', b'nan', b'.inf', b'1e400', b'9' * 400, b'9' * 5000, b'0x' + b'f' * 400,
         b'null', b'true', b'[]', b'{}', b'&a', b'*a', b'<<: *a', b'[' * 60, b'{a: ' * 60, b'? ',
         b'!!python/object/apply:os.system [ls]', b'!!binary x', b'2001-99-99', b'"\\x1b[2J"',
         b'\xff\xfe', b'\x00', b'\r\n', b'\n', b'\t', b'$\\frac{$', b'[/b]', b"'", b'"', b'#',
         b'subprocess:Popen', b'../../etc/passwd', b'\xf0\x9f\xa4\x96', b'1:2:3:4', b'%s%n',
         b'-- ')
NUMBERS = (*(struct.pack('<I', x) for x in (0, 1, 2, 255, 65536, 2 ** 31 - 1, 2 ** 31,
                                            2 ** 32 - 1)),
           *(struct.pack('<Q', x) for x in (2 ** 40, 2 ** 63, 2 ** 64 - 1)))


def recording() -> bytes:
    """Return a small recording."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'small.mcap'
        writer = RecordingWriter(path)
        states = writer.channel('/joint_states', *JOINT_STATE, '')
        described = writer.channel('/robot_description', *STRING, '')
        writer.add(described, 1, string(ROBOT.urdf))
        for k, (t, *row) in enumerate(MOTION):
            writer.add(states, k + 1, joint_state(10 ** 9 + round(1e9 * t), list(ROBOT.joints),
                                                  row[:2], row[2:4], row[4:]))
        writer.close()
        return path.read_bytes()


def result() -> bytes:
    """Return a small result."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'small.npz')
        rest = np.zeros((3, 2))
        np.savez(path, t=np.arange(3.0), q=rest, v=rest, tau=rest, phi=np.zeros((3, 0)),
                 urdf=ROBOT.urdf)
        return Path(path).read_bytes()


def mesh(kind: str) -> bytes:
    """Return a small mesh as a file."""
    import trimesh
    made = trimesh.creation.box().export(file_type=kind)
    return made.encode() if isinstance(made, str) else made


def mutated(rng: random.Random, data: bytes, words: tuple[bytes, ...]) -> bytes:
    """Change bytes, cut, double, move and insert; one to eight times."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 8))):
        at = rng.randrange(len(made) + 1)
        end = min(len(made), at + rng.choice((1, 2, 4, 8, 30, 200)))
        action = rng.randrange(6)
        if action == 0:
            made[at:end] = rng.choice(words)
        elif action == 1:
            made[at:at] = rng.choice(words)
        elif action == 2:
            del made[at:end]
        elif action == 3:
            made[at:at] = made[at:end] * rng.choice((1, 2, 50))
        elif action == 4 and made:
            made[rng.randrange(len(made))] = rng.randrange(256)
        else:
            del made[at if rng.randrange(4) == 0 else end:]
    return bytes(made)


class Kind(NamedTuple):
    """A kind of input."""

    seed: Callable[[], bytes]
    words: tuple[bytes, ...]
    read: Callable[[bytes, Path], object]
    """Read the bytes; the path is of a file that may be written."""


def _file(read: Callable[[Path], object]) -> Callable[[bytes, Path], object]:
    def write_and_read(data: bytes, path: Path) -> object:
        path.write_bytes(data)
        return read(path)
    return write_and_read


def _message(data: bytes, path: Path) -> object:
    """Read a message: half of the bytes are its definition, as files of others have their own."""
    head, mark, body = data.partition(b'\x00\x01\x00\x00')
    try:
        if len(data) % 2:
            return Decoder(*JOINT_STATE)(data)
        return Decoder('a/msg/B', JOINT_STATE[1] + head.decode('utf-8', 'replace'))(mark + body)
    except ValueError as error:  # what the readers of recordings make a sentence of
        raise RobodynError(f'{path}: {shown(str(error))}') from None


def _yaml(path: Path) -> object:
    scenario = load_scenario(path)
    return settings_from(type(scenario.controller), {'kp': scenario.duration}, 'fuzzed')


KINDS = {
    'URDF': Kind(lambda: ROBOT.urdf.encode(), WORDS,
                 lambda data, _: robot_from_text(data.decode('utf-8', 'surrogateescape'))),
    'YAML': Kind(lambda: SCENARIO, WORDS, _file(_yaml)),
    'CSV': Kind(lambda: CSV, WORDS, _file(lambda path: Table(str(path)).sample(np.zeros(2)))),
    'message': Kind(lambda: joint_state(5, ['a', 'b'], [1.0, 2.0]), NUMBERS, _message),
    'MCAP': Kind(recording, NUMBERS + WORDS[:8], _file(motion_of_recording)),
    'NPZ': Kind(result, NUMBERS + WORDS[:8], _file(motion_of_result)),
    'study': Kind(lambda: STUDY, WORDS, _file(read_study)),
    'measured.csv': Kind(lambda: MEASURED, WORDS,
                         _file(lambda path: read_measured(path, ROBOT))),
    'measured.mcap': Kind(recording, NUMBERS + WORDS[:8],
                          _file(lambda path: read_measured(path, ROBOT))),
    **{kind: Kind(lambda kind=kind: mesh(kind), WORDS + NUMBERS, _file(read_mesh))  # type: ignore
       for kind in ('stl', 'obj', 'dae')},
}


class Found(NamedTuple):
    """What became of the inputs of one kind."""

    inputs: int
    read: int
    """Of them were read; the others were refused."""
    slowest: float
    """[s]"""
    failures: list[str]
    """What got through: kind, number and what happened."""


def made(kind: str, number: int) -> bytes:
    """Return an input by its number."""
    return mutated(random.Random(f'{kind} {number}'), KINDS[kind].seed(), KINDS[kind].words)


def attack(kind: str, count: int, seconds: float) -> Found:
    """
    Try inputs until there were so many, or the time is over.

    :param seconds: for all of them
    """
    seed, words, read = KINDS[kind]
    data, good, slowest, failures = seed(), 0, 0.0, []
    begin, number = time.monotonic(), 0
    logging.getLogger('robodyn_ros').setLevel(logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter('ignore')
            path = Path(folder) / f'fuzzed.{kind.lower()}'
            while number < count and time.monotonic() - begin < seconds:
                one = mutated(random.Random(f'{kind} {number}'), data, words)
                start = time.process_time()
                try:
                    read(one, path)
                    good += 1
                except RobodynError as error:
                    if not str(error).isprintable() or len(str(error)) > 5000:
                        failures.append(f'{kind} {number}: {str(error)[:200]!r}')
                except BaseException as error:  # noqa: B902  that is what is looked for
                    if isinstance(error, KeyboardInterrupt):
                        raise
                    failures.append(f'{kind} {number}: {error!r:.200}')
                taken = time.process_time() - start
                slowest = max(slowest, taken)
                if taken > SLOW:
                    failures.append(f'{kind} {number}: took {taken:.1f} s')
                number += 1
    finally:
        logging.getLogger('robodyn_ros').setLevel(logging.NOTSET)
    return Found(number, good, slowest, failures)
