# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Which column of a table is which: time, and position, velocity and effort of each joint.

Names are taken apart into a joint (its name, or one number), a word for the quantity, and words
that say nothing. What was wanted (target, desired) is not what was measured. Units in a name are
obeyed where they change a number: times in ms, angles in degrees.
"""
from __future__ import annotations

import math
import re
from typing import Mapping, NamedTuple, Sequence

from robodyn_ros.errors import RecordingError

WORDS = {
    'position': ('position', 'pos', 'q', 'qpos', 'angle', 'theta', 'joint'),
    'velocity': ('velocity', 'vel', 'speed', 'qdot', 'dq', 'qd', 'v', 'qvel', 'dtheta',
                 'thetadot'),
    'effort': ('torque', 'effort', 'tau', 'trq', 'eff', 'moment', 'force', 'current', 'cur', 'i',
               'u'),
}
"""How each quantity is called, what is preferred first."""
CURRENTS = ('current', 'cur', 'i', 'u')
"""Words of effort that need drive gains."""
SILENT = frozenset(('joint', 'joints', 'jnt', 'j', 'axis', 'state', 'states', 'actual', 'act',
                    'measured', 'meas', 'msr', 'feedback', 'motor', 'jointstates', 'robot', 'arm',
                    'data'))
"""Words that may stand in a name and say nothing."""
TIMES = frozenset(('t', 'time', 'stamp', 'timestamp', 'header stamp', 'seconds', 'sec', 'secs',
                   'time s', 't s', 'rosbagtimestamp', 'times', 'elapsed'))
SECONDS = {'s': 1.0, 'sec': 1.0, 'ms': 1e-3, 'us': 1e-6, 'µs': 1e-6, 'ns': 1e-9}
"""Units of time that a name may end with [s]."""
UNITS = frozenset(('rad', 'rad/s', 'rads', 'nm', 'n', 'm', 'm/s', 'a', 'amp', 'deg', 'deg/s',
                   'degs', 'degree', 'degrees', '°', '°/s', '1/s', 'v'))
"""What may stand in brackets, or behind an underscore where it has two letters or more."""


class Column(NamedTuple):
    """A column, by its place, and what its numbers are multiplied by."""

    place: int
    factor: float
    word: str
    """By which it was recognised."""


def time_column(head: Sequence[str], given: str | None) -> list[Column]:
    """Return the columns that can be the time."""
    found = []
    for place, word in enumerate(head):
        name, unit = _without_unit(word)
        words = _words(name)
        if len(words) > 1 and words[-1] in SECONDS and not unit:
            words, unit = words[:-1], words[-1]
        if given is not None:
            if word == given:
                found.append(Column(place, SECONDS.get(unit, 1.0), word))
        elif ' '.join(words) in TIMES:
            found.append(Column(place, SECONDS.get(unit, 1.0), word))
    # several clocks: the first is the one the samples were taken by
    return found[:1] if given is None else found


def columns_of(head: Sequence[str], field: str, joints: Sequence[str], pattern: str | None,
               source: str) -> dict[str, Column]:
    """
    Return the column of each joint for a quantity, by the joint's name or by its number.

    :param pattern: with % for the joint, in the place of the usual words
    :param source: for complaints
    """
    numbered: dict[int, list[Column]] = {}
    named: dict[str, list[Column]] = {}
    for place, word in enumerate(head):
        if pattern is None:
            joint, said, factor = _taken_apart(word, field, joints)
        else:
            match = re.fullmatch(re.escape(pattern).replace('%', '(.+)'), word)
            joint, said = (match.group(1), word) if match and '%' in pattern else ('', '')
            factor = 1.0
        if not said:
            continue
        if joint in joints:
            named.setdefault(joint, []).append(Column(place, factor, said))
        elif joint.isdigit():
            numbered.setdefault(int(joint), []).append(Column(place, factor, said))
    if named:
        return {joint: _only(some, field, joint, head, source) for joint, some in named.items()}
    first = min(numbered, default=0)
    if first > 1 or sorted(numbered) != list(range(first, first + len(numbered))):
        return {}
    if len(numbered) > len(joints):
        raise RecordingError(
            f'{source}: has {field} of {len(numbered)} joints, the robot has {len(joints)} '
            f'({", ".join(joints)}); give the URDF of the recorded robot, or name the columns by '
            'their joints')
    return {joints[number - first]: _only(numbered[number], field, str(number), head, source)
            for number in sorted(numbered)}


def _only(found: Sequence[Column], field: str, joint: str, head: Sequence[str],
          source: str) -> Column:
    """Return the column with the best word; two with the same one are two robots."""
    rank = {word: k for k, word in enumerate(WORDS[field])}
    ranks = sorted(found, key=lambda column: rank.get(column.word, 0))
    if len(ranks) > 1 and rank.get(ranks[0].word, 0) == rank.get(ranks[1].word, 0):
        raise RecordingError(
            f'{source}: columns {head[ranks[0].place]!r} and {head[ranks[1].place]!r} are both '
            f'{field} of joint {joint}; choose by --columns {field}=NAME_%')
    return ranks[0]


def _taken_apart(word: str, field: str, joints: Sequence[str]) -> tuple[str, str, float]:
    """Return joint, word of the quantity and factor; empty words where the name is no such."""
    name, unit = _without_unit(word)
    slash = name.lower().rfind('joint_states/')
    if slash >= 0:  # as PlotJuggler writes topics
        name = name[slash + len('joint_states/'):]
    factor = math.pi / 180.0 if unit.startswith(('deg', '°')) and field != 'effort' else 1.0
    for joint in sorted(joints, key=len, reverse=True):
        place = name.lower().find(joint.lower())
        if place < 0:
            continue
        before, after = name[:place], name[place + len(joint):]
        if before[-1:].isalnum() or after[:1].isdigit():
            continue
        said = _said([*_words(before), *_words(after)], field)
        if said and (said != 'joint'):
            return joint, said, factor
    numbers = re.findall(r'\d+', name)
    if len(numbers) != 1:
        return '', '', 1.0
    return numbers[0], _said(_words(name.replace(numbers[0], ' ')), field), factor


def _said(words: Sequence[str], field: str) -> str:
    """Return the word of the quantity, if all others say nothing."""
    told = [word for word in words if word in WORDS[field] and word not in SILENT]
    other = [word for word in words if word not in SILENT and word not in told]
    if other or len(told) > 1:
        # two words for one thing, such as joint position q
        return '' if other else told[0]
    if told:
        return told[0]
    return 'joint' if field == 'position' and 'joint' in words and set(words) <= SILENT else ''


def _words(name: str) -> list[str]:
    """Return the words of a name in small letters: JointTorque, joint_torque, joint.torque."""
    name = re.sub(r'(?<=[a-z])(?=[A-Z][a-z])', ' ', name)
    words = [word for word in re.split(r'[^a-zA-Zµ]+', name) if word]
    found = []
    for word in map(str.lower, words):
        for start in ('joint', 'motor'):
            if word.startswith(start) and any(word[len(start):] in some and len(word) > len(start)
                                              for some in WORDS.values()):
                word = word[len(start):]
        found.append(word)
    return found


def _without_unit(word: str) -> tuple[str, str]:
    """Return a name and its unit: q1 [rad], tau1 (N m), q1_deg."""
    match = re.fullmatch(r'(.+?)\s*[\[(]([^\d\[\]()]*|1/s)[\])]\s*', word)
    if match:
        unit = re.sub(r'[\s·*.]', '', match.group(2)).lower()
        if unit in UNITS or unit in SECONDS or not unit:
            return match.group(1), unit
        return word, ''
    match = re.fullmatch(r'(.+)_([a-zA-Z/°]{2,})', word)
    if match and match.group(2).lower() in UNITS:
        rest, unit = match.group(1), match.group(2).lower()
        return re.sub(r'_(rad|deg)$', '', rest), unit
    match = re.fullmatch(r'(.+)_(rad|deg)_(s|sec)', word, re.IGNORECASE)
    return (match.group(1), match.group(2).lower()) if match else (word, '')


def uses_currents(columns: Mapping[str, Column]) -> bool:
    """Tell whether efforts are currents by their names."""
    return any(column.word in CURRENTS for column in columns.values())
