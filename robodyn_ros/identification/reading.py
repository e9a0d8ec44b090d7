# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Read what was measured: a ROS 2 bag, a CSV file, or a result of `robodyn simulate`.

Every complaint names the file, what was found in it, and what helps.
"""
from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
import csv
from dataclasses import replace
import os
from pathlib import Path
import re
from typing import Any, Callable, Iterator, Mapping, Sequence
from zipfile import BadZipFile

import numpy as np

from robodyn_ros.checks import LARGEST
from robodyn_ros.errors import ArgumentError, RecordingError
from robodyn_ros.identification.columns import (columns_of, plain_unit, SECONDS, time_column,
                                                uses_currents, WORDS)
from robodyn_ros.identification.filtering import Measured, refuse_short, usual_rate
from robodyn_ros.recording.bags import FIELDS, read_joint_states
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.robots.robot import Robot
from robodyn_ros.ros_time import NANO

Progress = Callable[[float], None]
LARGEST_CSV = 2_000_000_000
"""Bytes."""
DEGREES = 57.29577951308232
CUT_OFF = 'the end of the file is missing; what was recorded before is used'
MOVED = 1e-3
"""Way of a joint from which on it counts as moved [rad] or [m]."""
SLOWEST = 10.0
"""Samples per second below which nothing of a motion can be seen."""
RATES = 0.7, 1.4
"""Rate of positions over measured velocities that noise and filters of drivers can explain [-]."""


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
    every, name, complete = read_joint_states(path, topic, progress)
    messages = _of_robot(every, robot)
    if not messages and not complete:
        raise RecordingError(f'{path}: is cut off or damaged before the first joint state of '
                             f'{robot.name}; record again')
    if not messages:
        names = ', '.join(every[0][1]['name']) if every else 'no names'
        raise RecordingError(f'{path}: no joint state of {name} names a joint of {robot.name} '
                             f'({", ".join(robot.joints)}; the recording has {names}); give the '
                             'URDF of the recorded robot')
    what = f'{path}: {name}'
    stamps, rows = _rows(messages, robot, what)
    recorded = list(messages[0][1]['name'])
    for joint in robot.joints:  # grippers and parts of an arm may send their own
        own = [] if joint in recorded else [one for one in every if joint in one[1]['name']]
        if own:
            times, found = _rows(own, robot, what)
            _put(rows, stamps, times, found, robot.joints.index(joint))
            recorded.append(joint)
    held = _held(robot, recorded, what)
    remarks = list(_held_remarks(held))
    if not complete:
        remarks.append(CUT_OFF)
    return _assembled(str(path), (stamps - stamps[0]) / NANO, rows, robot, held, remarks)


def _rows(messages: list, robot: Robot, what: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return stamps (k,) [ns] and the fields (k, n) of messages, NaN where there is nothing."""
    stamps = np.array([stamp for stamp, _ in messages], dtype=np.int64)
    rows = {field: np.full((len(messages), robot.n), np.nan) for field in FIELDS}
    names: Sequence[str] = ()
    for k, (_, message) in enumerate(messages):
        if list(message['name']) != list(names):
            names = list(message['name'])
            recorded = [joint for joint in robot.joints if joint in names]
            places = places_of(recorded, names, what, strangers=True,
                               error=RecordingError, remedy='record all joints in one message')
            own = [robot.joints.index(joint) for joint in recorded]
        for field, values in rows.items():
            if len(message[field]) == len(names):
                values[k, own] = np.asarray(message[field])[places]
    return stamps, rows


def _put(rows: dict[str, np.ndarray], stamps: np.ndarray, times: np.ndarray,
         found: dict[str, np.ndarray], joint: int) -> None:
    """Put a joint's columns, told at other times, among rows; an effort that rests tells none."""
    for field, values in rows.items():
        column = found[field][:, joint]
        if field != 'effort' or np.ptp(column) > 0.0:
            # from the first stamp on: nanoseconds since 1970 have no digits left
            values[:, joint] = np.interp((stamps - stamps[0]) / NANO, (times - stamps[0]) / NANO,
                                         column)


def _of_robot(messages: list, robot: Robot) -> list:
    """Return the messages with efforts, if there are any, that name most of the joints."""
    joints, counts = set(robot.joints), [(False, 0)] * len(messages)
    names: Sequence[str] = ()
    known = 0
    for k, (_, message) in enumerate(messages):
        if message['name'] is not names and message['name'] != names:
            names = message['name']
            known = len(joints.intersection(names))
        counts[k] = known > 0 and len(message['effort']) == len(names), known
    most = max(counts, default=(False, 0))
    return [one for one, count in zip(messages, counts) if count == most and most[1]]


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
    head, delimiter, skipped, encoding = _head(path)
    times = time_column(head, columns.get('t'))
    if len(times) != 1:
        raise RecordingError(f'{path}: has no column of time among {", ".join(head[:8])} …; name '
                             'it t, or give --columns t=NAME')
    places = {field: columns_of(head, field, robot.joints, columns.get(field), str(path))
              for field in WORDS}
    for field in ('position', 'effort'):
        if not places[field]:
            word = WORDS[field][0]
            raise RecordingError(
                f'{path}: has no column of {field} for the joints of {robot.name} (columns are '
                f'{", ".join(head[:8])} …); name them {word}1, {word}2 … or '
                f'{field}/JOINT, or give --columns {field}=NAME_%')
    held = _held(robot, list(places['position']), str(path))
    used = [times[0], *(column for found in places.values() for column in found.values())]
    data, whole = _numbers(path, delimiter, skipped, encoding, [column.place for column in used])
    data = data * np.array([column.factor for column in used])
    rows = {field: np.full((len(data), robot.n), np.nan) for field in WORDS}
    values = iter(data.T[1:])
    for field, found in places.items():
        for joint in found:
            rows[field][:, robot.joints.index(joint)] = next(values)
    remarks = _held_remarks(held)
    if not whole:
        remarks.append(CUT_OFF)
    if 'effort' not in columns and uses_currents(places['effort']):
        remarks.append('efforts are taken from '
                       + ', '.join(head[column.place] for column in places['effort'].values())
                       + ': if those are currents, --drive-gains makes torques of them')
    return _assembled(str(path), data[:, 0], rows, robot, held, remarks)


def _head(path: Path) -> tuple[list[str], str, int, str]:
    """
    Return the names of the columns, what separates them, the lines above the numbers, encoding.

    The names stand in the last line above the numbers, or before it where that has their units.
    """
    with open(path, 'rb') as raw:
        begin = raw.read(1 << 16)
    encoding = 'utf-16' if begin[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else 'utf-8-sig'
    try:  # the piece may end within a letter
        text = getincrementaldecoder(encoding)().decode(begin)
    except UnicodeDecodeError:
        encoding = 'latin-1'  # older spreadsheets
        text = begin.decode(encoding)
    if '\0' in text:
        raise RecordingError(f'{path}: cannot be read as CSV (it is not text); give a first line '
                             'of names and one line per sample')
    lines = text.splitlines()
    filled = [k for k, line in enumerate(lines) if line.strip('#%;, \t')]
    numbers = [_has_numbers(lines[k]) for k in filled]
    place = next((k for k in range(len(filled)) if all(numbers[k:k + 2])), None)
    if place is None:
        raise RecordingError(f'{path}: {"has no line of numbers" if filled else "is empty"}; give '
                             'a first line of names and one line per sample')
    above, first = [lines[k] for k in filled[:place]], filled[place]
    if not above:
        raise RecordingError(f'{path}: begins with numbers ({lines[first][:40].strip()} …); give '
                             'a first line of names, such as t,q1,q2,tau1,tau2')
    delimiter = max(',;\t', key=above[-1].count)
    delimiter = delimiter if delimiter in above[-1] else ' '  # in other names spaces are part
    head, below = (_words_of(line, delimiter) for line in (above[-1], lines[first]))
    units = list(map(plain_unit, head))
    if len(above) > 1 and any(units) and None not in units:
        head = [f'{name} [{unit}]' if unit else name
                for name, unit in zip(_words_of(above[-2], delimiter), units)]
    if len(below) != len(head) and (len(below) != len(head) + 1 or below[-1]):
        raise RecordingError(f'{path}: the line of names has {len(head)} columns and the others '
                             f'have {len(below)}; give one name per column')
    return head, delimiter, first, encoding


def _words_of(line: str, delimiter: str) -> list[str]:
    """Return what a line has in each column."""
    line = line.lstrip('#% ')
    if delimiter == ' ':
        return line.split()
    return [word.strip() for word in next(csv.reader([line], delimiter=delimiter), [])]


def _has_numbers(line: str) -> bool:
    """Tell whether most of a line is numbers."""
    words = [word for word in re.split(r'[,;\s"]+', line.lstrip('#%')) if word]
    return sum(map(_is_number, words)) > len(words) // 2


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _numbers(path: Path, delimiter: str, skipped: int, encoding: str,
             places: Sequence[int]) -> tuple[np.ndarray, bool]:
    """
    Return columns of a table of numbers (k, columns), and whether its last line is whole.

    What is left out is NaN; a last line that ends too early is left out itself.
    """
    def lenient(word: str) -> float:
        word = word.strip().strip('"').removesuffix(' sec')  # as MATLAB writes durations
        return float(word.replace(',', '.') if delimiter != ',' else word) if word else np.nan

    mark, whole = None if delimiter == ' ' else delimiter, True

    def lines() -> Iterator[str]:
        nonlocal whole
        with open(path, newline='', encoding=encoding) as file:
            for line in file:
                if line[-1] != '\n' and len(line.split(mark)) <= max(places):
                    whole = False
                else:
                    yield line

    told = ''
    for converter in (None, lenient):  # the first is many times faster
        try:
            return np.loadtxt(lines(), delimiter=mark, skiprows=skipped, usecols=places, ndmin=2,
                              converters=converter), whole
        except (OSError, ValueError, IndexError, UnicodeDecodeError) as error:
            told = str(error).splitlines()[0]
    raise RecordingError(f'{path}: cannot be read as a table of numbers ({told[:200]}); give one '
                         'line per sample with a number in each column that is used')


def _checked(found: Measured, robot: Robot) -> Measured:
    """Refuse what no fit can use, each with its own sentence; return the rest, time from zero."""
    source, t = found.source, found.t
    if not np.isfinite(t).all():
        raise RecordingError(f'{source}: time is not a number in sample '
                             f'{int(np.argmin(np.isfinite(t))) + 1}; remove such samples')
    again = np.append(t[1:] == t[:-1], False)  # lockstep repeats a state: the last counts
    if again.any():
        found = found.part(~again)
        t = found.t
    if (np.diff(t) <= 0.0).any():
        k = int(np.argmax(np.diff(t) <= 0.0))
        raise RecordingError(f'{source}: time {t[k + 1]:.9g} s follows {t[k]:.9g} s; times must '
                             'increase: cut the recording there, or sort it')
    refuse_short(found)
    # seconds since 1970 have no digits left for what is done with them
    found = _without_resting(replace(found, t=t - t[0]), robot)
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
            bad = ~(np.abs(column) <= LARGEST)
            if bad.any() and not np.isnan(column).all():
                k = int(np.argmax(bad))
                given = 'not a number' if np.isnan(column[k]) else f'{column[k]:g}'
                raise RecordingError(f'{source}: {what} of joint {joint!r} is {given} at '
                                     f't = {t[k]:.6g} s ({int(bad.sum())} samples are no numbers '
                                     f'or beyond {LARGEST:g}); remove such samples')
    for joint, column in zip(robot.joints, found.tau.T):
        if np.isfinite(column).all() and np.ptp(column) == 0.0 and joint in motors:
            raise RecordingError(f'{source}: effort of joint {joint!r} is {column[0]:g} all the '
                                 'time; record a driver that measures it')
    _refuse_degrees(found, robot)
    _refuse_rates(found, robot)
    if found.a is None and usual_rate(found) < SLOWEST:
        step = 1.0 / usual_rate(found)
        raise RecordingError(f'{source}: a sample comes every {step:.4g} s; expected at least '
                             f'{SLOWEST:g} a second: if the times are in milliseconds or '
                             'nanoseconds, call their column t_ms or t_ns')
    if float(np.ptp(found.q, axis=0).max()) < MOVED:
        raise RecordingError(f'{source}: the robot stands still, so that nothing of its masses '
                             'and friction can be seen; let it move: robodyn excite finds a '
                             'motion')
    return found


def _without_resting(found: Measured, robot: Robot) -> Measured:
    """
    Return a recording whose columns without a meaning are NaN, and whose angles do not jump.

    A joint that rests with an effort that never changes (fingers) tells no torque; velocities
    that stay zero while the joint moves were not measured, and are differentiated; an angle that
    is told within a turn goes on beyond it.
    """
    q, tau, v, remarks = found.q.copy(), found.tau.copy(), found.v, list(found.remarks)
    turning = np.array([unit == 'rad' for unit in robot.units]) & np.isfinite(q).all(axis=0)
    q[:, turning] = np.unwrap(q[:, turning], axis=0)
    moved = np.ptp(np.nan_to_num(q), axis=0) > MOVED
    still = [k for k in range(robot.n) if not moved[k]
             and np.isfinite(tau[:, k]).all() and np.ptp(tau[:, k]) == 0.0]
    if still and moved.any():
        tau[:, still] = np.nan
        remarks.append(f'joints {", ".join(robot.joints[k] for k in still)} rest with an effort '
                       'that never changes, which is not used')
    if v is not None and found.a is None:
        blind = [k for k in range(robot.n) if moved[k] and not v[:, k].any()]
        if blind:
            v = v.copy()
            v[:, blind] = np.nan
            remarks.append(f'velocities of {", ".join(robot.joints[k] for k in blind)} are zero '
                           'all the time; positions are differentiated')
        v = v if np.isfinite(v).any() else None
    return replace(found, q=q, tau=tau, v=v, remarks=tuple(remarks))


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


def _refuse_rates(found: Measured, robot: Robot) -> None:
    """Refuse velocities that are not those of the positions, in whatever units."""
    if found.v is None:
        return
    span = np.ptp(found.q, axis=0)
    for k in np.flatnonzero(span > 0.05 * max(1.0, float(span.max()))).tolist():
        v, moved = found.v[:, k], np.gradient(found.q[:, k], found.t)
        both = float(moved @ v)
        if np.isnan(both) or both == 0.0:
            continue
        # noise of either lies in one of the quotients only: the true one is between them
        least, most = both / float(v @ v), float(moved @ moved) / both
        if both > 0.0 and least < RATES[1] and most > RATES[0]:
            continue
        times = 1.0 / least
        if 40.0 < times < 80.0:
            hint = 'it seems to be in degrees: convert it to rad/s'
        elif unit := next((unit for unit, size in SECONDS.items()
                           if 0.5 < times * size < 2.0 and size < 1.0), ''):
            hint = f'times seem to be in {unit}: call their column t_{unit}'
        else:
            hint = 'look at the units and signs, or leave the velocities out'
        raise RecordingError(f'{found.source}: velocity of joint {robot.joints[k]!r} is '
                             f'{times:.3g} times the rate of its position; {hint}')
