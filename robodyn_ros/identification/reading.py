# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Read what was measured: a ROS 2 bag, a CSV file, or a result of `robodyn simulate`.

Every complaint names the file, what was found in it, and what helps.
"""
from __future__ import annotations

import csv
import os
from pathlib import Path
import re
from typing import Any, Callable, Mapping, Sequence
from zipfile import BadZipFile

import numpy as np

from robodyn_ros.errors import ArgumentError, RecordingError
from robodyn_ros.identification.filtering import Measured, refuse_short
from robodyn_ros.recording.bags import read_joint_states
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.robots.robot import Robot
from robodyn_ros.ros_time import NANO

Progress = Callable[[float], None]
TIME = ('t', 'time', 'stamp', 'timestamp', 'seconds', 'sec', 'time_s', 't_s')
WORDS = {
    'position': ('q', 'position', 'pos', 'angle', 'joint', 'jointposition', 'qpos'),
    'velocity': ('v', 'dq', 'qd', 'velocity', 'vel', 'speed', 'qdot', 'jointvelocity', 'qvel'),
    'effort': ('tau', 'effort', 'torque', 'eff', 'current', 'i', 'u', 'force', 'jointtorque'),
}
"""How columns of each quantity are called; the joint's name or number stands beside the word."""
LARGEST_CSV = 2_000_000_000
"""Bytes."""
DEGREES = 57.29577951308232


def read_measured(path: str | Path, robot: Robot, topic: str = '',
                  columns: Mapping[str, str] | None = None,
                  progress: Progress = lambda part: None) -> Measured:
    """
    Read a recording of a robot, whichever kind it is.

    :param topic: of joint states, where a bag has several
    :param columns: of a CSV file: t, position, velocity, effort as patterns with % for the joint
    """
    path = Path(path)
    if not os.path.exists(path):
        raise RecordingError(f'{path}: there is no such file; give a ROS 2 bag, a CSV file or a '
                             'result of robodyn simulate --output')
    if path.suffix == '.npz':
        found = _from_result(path, robot)
    elif path.suffix in ('.csv', '.txt', '.tsv', '.dat'):
        found = _from_csv(path, robot, columns or {})
    else:
        found = _from_bag(path, robot, topic, progress)
    return _checked(found, robot)


def _from_result(path: Path, robot: Robot) -> Measured:
    try:
        with np.load(path, allow_pickle=False) as file:
            found: dict[str, Any] = {key: file[key] for key in file.files}
    except (OSError, ValueError, BadZipFile, EOFError, AttributeError) as error:
        raise RecordingError(f'{path}: cannot be read as NPZ ({error}); give a result of robodyn '
                             'simulate --output') from None
    for key in ('t', 'q', 'v', 'a', 'tau'):
        if key not in found:
            raise RecordingError(f'{path}: has no array {key!r}; give a result of robodyn '
                                 'simulate --output')
    q, v, a, tau = (np.asarray(found[key], dtype=float) for key in ('q', 'v', 'a', 'tau'))
    if q.ndim != 2 or q.shape[1] != robot.n:
        raise RecordingError(f'{path}: has {q.shape[-1]} joints, {robot.name} has {robot.n} '
                             f'({", ".join(robot.joints)}); give the URDF of the same robot')
    return Measured(str(path), np.asarray(found['t'], dtype=float), q, tau, v, a)


def _from_bag(path: Path, robot: Robot, topic: str, progress: Progress) -> Measured:
    messages, name, complete = read_joint_states(path, topic, progress)
    messages = [(stamp, m) for stamp, m in messages if set(m['name']) & set(robot.joints)]
    if not messages:
        raise RecordingError(f'{path}: no joint state of {name} names a joint of {robot.name} '
                             f'({", ".join(robot.joints)}); give the URDF of the recorded robot')
    stamps = np.array([stamp for stamp, _ in messages], dtype=np.int64)
    kept = np.ones(len(stamps), bool)
    kept[:-1] = stamps[1:] != stamps[:-1]  # lockstep repeats a state: the last counts
    stamps, used = stamps[kept], [m for (_, m), keep in zip(messages, kept) if keep]
    held = _held(robot, used[0]['name'], f'{path}: {name}')
    rows = {field: np.full((len(used), robot.n), np.nan)
            for field in ('position', 'velocity', 'effort')}
    names: Sequence[str] = ()
    for k, message in enumerate(used):
        if list(message['name']) != list(names):
            names = list(message['name'])
            recorded = [joint for joint in robot.joints if joint not in held]
            places = places_of(recorded, names, f'{path}: {name}', strangers=True,
                               error=RecordingError, remedy='record all joints in one message')
            own = [robot.joints.index(joint) for joint in recorded]
        for field, values in rows.items():
            if len(message[field]) == len(names):
                values[k, own] = np.asarray(message[field])[places]
    remarks = list(_held_remarks(held))
    if not complete:
        remarks.append('the end of the file is missing; what was recorded before is used')
    return _assembled(str(path), (stamps - stamps[0]) / NANO, rows, robot, held, remarks)


def _held(robot: Robot, names: Sequence[str], what: str) -> tuple[str, ...]:
    """Return the joints that were not recorded: fingers, which may be taken as held."""
    missing = tuple(joint for joint in robot.joints if joint not in names)
    carried = {robot.joints[k] for k, body in enumerate(robot.joint_bodies)
               if any(robot.tree.bodies[child].parent == body and
                      robot.tree.bodies[child].joint in names
                      for child in range(len(robot.tree.bodies)))}
    for joint in missing:
        if joint in carried or joint in robot.passive:
            raise RecordingError(f'{what} lacks joint {joint!r} of {robot.name} (it has '
                                 f'{", ".join(names)}); give the URDF of the recorded robot, or '
                                 'record all joints')
    return missing


def _held_remarks(held: Sequence[str]) -> list[str]:
    return [f'joints {", ".join(held)} were not recorded and count as held at 0'] if held else []


def _assembled(source: str, t: np.ndarray, rows: Mapping[str, np.ndarray], robot: Robot,
               held: Sequence[str], remarks: Sequence[str]) -> Measured:
    """Put columns together; joints that were held rest, and have no torque."""
    q, v, tau = (rows[field].copy() for field in ('position', 'velocity', 'effort'))
    for joint in held:
        k = robot.joints.index(joint)
        q[:, k] = np.clip(0.0, robot.limits.lower[k], robot.limits.upper[k])
        v[:, k] = 0.0
    live = [k for k, joint in enumerate(robot.joints) if joint not in held]
    known = v if np.isfinite(v[:, live]).any() else None
    return Measured(source, t, q, tau, known, None, tuple(remarks))


def _from_csv(path: Path, robot: Robot, columns: Mapping[str, str]) -> Measured:
    for key in columns:
        if key not in ('t', *WORDS):
            raise ArgumentError(f'--columns names {key!r}; expected t, {", ".join(WORDS)}, such '
                                'as effort=current_%')
    if path.stat().st_size > LARGEST_CSV:
        raise RecordingError(f'{path}: has {path.stat().st_size} bytes; cut it to a few minutes')
    try:
        with open(path, newline='', encoding='utf-8-sig') as file:
            sample = file.read(4096)
            file.seek(0)
            delimiter = max(',;\t ', key=lambda mark: sample.split('\n')[0].count(mark))
            head = [word.strip() for word in next(csv.reader(file, delimiter=delimiter), [])]
            data = np.genfromtxt(file, delimiter=None if delimiter == ' ' else delimiter)
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise RecordingError(f'{path}: cannot be read as CSV ({str(error).splitlines()[0]}); give '
                             'a first line of names and one line per sample') from None
    if data.ndim != 2 or data.shape[1] != len(head):
        raise RecordingError(f'{path}: the first line names {len(head)} columns and the others '
                             f'have {data.shape[-1] if data.ndim else 0}; give one name per '
                             'column')
    time = [k for k, word in enumerate(head)
            if (word == columns['t'] if 't' in columns else word.lower() in TIME)]
    if len(time) != 1:
        raise RecordingError(f'{path}: has no column of time among {", ".join(head[:8])} …; name '
                             'it t, or give --columns t=NAME')
    places = {field: _columns_of(head, field, robot, columns.get(field)) for field in WORDS}
    for field in ('position', 'effort'):
        if not places[field]:
            raise RecordingError(
                f'{path}: has no column of {field} for the joints of {robot.name} (columns are '
                f'{", ".join(head[:8])} …); name them {WORDS[field][0]}1, {WORDS[field][0]}2 … or '
                f'{field}/JOINT, or give --columns {field}=NAME_%')
    held = _held(robot, list(places['position']), str(path))
    rows = {field: np.full((len(data), robot.n), np.nan) for field in WORDS}
    for field, found in places.items():
        for joint, column in found.items():
            rows[field][:, robot.joints.index(joint)] = data[:, column]
    return _assembled(str(path), data[:, time[0]], rows, robot, held, _held_remarks(held))


def _columns_of(head: Sequence[str], field: str, robot: Robot,
                pattern: str | None) -> dict[str, int]:
    """Return the column of each joint for a quantity, by name or by number."""
    numbered: dict[int, int] = {}
    named: dict[str, int] = {}
    for k, word in enumerate(head):
        if pattern is not None:
            match = re.fullmatch(re.escape(pattern).replace('%', '(.+)'), word)
            if not match or '%' not in pattern:
                continue
            found = [match.group(1)]
        else:
            found = [_beside(word, known) for known in WORDS[field]]
        for rest in found:
            if rest in robot.joints:
                named[rest] = k
            elif rest.isdigit():
                numbered[int(rest)] = k
    first = min(numbered, default=0)
    if named or first > 1 or sorted(numbered) != list(range(first, first + len(numbered))):
        return named
    return {robot.joints[number - first]: k for number, k in sorted(numbered.items())
            if number - first < robot.n}


def _beside(word: str, known: str) -> str:
    """Return what stands beside a known word: q1, position/elbow, elbow.position, tau_3."""
    for pattern in (rf'{known}[/._ \[-]?(.+?)\]?', rf'(.+?)[/._ -]{known}'):
        match = re.fullmatch(pattern, word, re.IGNORECASE)
        if match:
            return match.group(1)
    return ''


def _checked(found: Measured, robot: Robot) -> Measured:
    """Refuse what no fit can use, each with its own sentence."""
    source, t = found.source, found.t
    if not np.isfinite(t).all():
        raise RecordingError(f'{source}: time is not a number in line '
                             f'{int(np.argmin(np.isfinite(t))) + 1}; remove such samples')
    if (np.diff(t) <= 0.0).any():
        k = int(np.argmax(np.diff(t) <= 0.0))
        raise RecordingError(f'{source}: time {t[k + 1]:.9g} s follows {t[k]:.9g} s; times must '
                             'increase: cut the recording there, or sort it')
    refuse_short(found)
    held = [np.isnan(column).all() for column in found.tau.T]
    motors = [joint for joint in robot.joints if joint not in robot.passive]
    without = [joint for joint, none in zip(robot.joints, held) if none]
    if all(joint in without for joint in motors):
        raise RecordingError(f'{source}: has no efforts; identification needs the torques (or '
                             'currents, with --drive-gains) of the motors: record a driver that '
                             'tells them')
    for what, values in (('position', found.q), ('velocity', found.v), ('effort', found.tau)):
        if values is None:
            continue
        for joint, column in zip(robot.joints, values.T):
            bad = ~np.isfinite(column)
            if bad.any() and not bad.all():
                raise RecordingError(f'{source}: {what} of joint {joint!r} is not a number at '
                                     f't = {t[int(np.argmax(bad))]:.6g} s ({int(bad.sum())} '
                                     'samples); remove such samples')
    for joint, column in zip(robot.joints, found.tau.T):
        if np.isfinite(column).all() and np.ptp(column) == 0.0 and joint in motors:
            raise RecordingError(f'{source}: effort of joint {joint!r} is {column[0]:g} all the '
                                 'time; record a driver that measures it')
    _refuse_degrees(found, robot)
    if float(np.ptp(found.q, axis=0).max()) < 1e-3:
        raise RecordingError(f'{source}: the robot stands still, so that nothing of its masses '
                             'and friction can be seen; let it move: robodyn excite finds a '
                             'motion')
    return found


def _refuse_degrees(found: Measured, robot: Robot) -> None:
    """Refuse positions that only make sense in degrees."""
    turning = np.array([unit == 'rad' for unit in robot.units])
    span = np.ptp(found.q, axis=0)
    limits = robot.limits
    room = np.where(np.isfinite(limits.upper - limits.lower), limits.upper - limits.lower, 50.0)
    beyond = turning & (span > 1.5 * room + 0.5)
    if beyond.any() and (span / DEGREES <= room + 0.5)[turning].all():
        k = int(np.argmax(beyond))
        raise RecordingError(f'{found.source}: joint {robot.joints[k]!r} moves over {span[k]:.4g}'
                             f', more than its range of {room[k]:.4g} rad; positions seem to '
                             'be in degrees: convert positions and velocities to radians')
    if found.v is None:
        return
    for k in np.flatnonzero(turning & (span > 1e-2)).tolist():
        moved = np.gradient(found.q[:, k], found.t)
        size = float(moved @ moved)
        ratio = float(found.v[:, k] @ moved) / size if size > 0.0 else 1.0
        if 40.0 < ratio < 80.0:
            raise RecordingError(f'{found.source}: velocity of joint {robot.joints[k]!r} is '
                                 f'{ratio:.3g} times the rate of its position; it seems to be in '
                                 'degrees: convert it to rad/s')
