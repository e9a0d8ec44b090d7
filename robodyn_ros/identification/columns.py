# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Which column of a table is which: time, and position, velocity and effort of each joint.

Names are taken apart into a joint (its name, or one number), a word for the quantity, and words
that say nothing. What was wanted (target, desired) is not what was measured. Units in a name are
obeyed: times in ms, angles in degrees, speeds in rpm, torques in mNm.
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
                    'data', 'log', 'logsout', 'out', 'value'))
"""Words that may stand in a name and say nothing."""
TIMES = frozenset(('t', 'time', 'stamp', 'timestamp', 'header stamp', 'seconds', 'sec', 'secs',
                   'time s', 't s', 'rosbagtimestamp', 'times', 'elapsed'))
SECONDS = {'s': 1.0, 'sec': 1.0, 'ms': 1e-3, 'us': 1e-6, 'µs': 1e-6, 'ns': 1e-9, 'msec': 1e-3,
           'usec': 1e-6, 'nsec': 1e-9, 'milliseconds': 1e-3, 'microseconds': 1e-6,
           'nanoseconds': 1e-9}
"""Units of time that a name may end with [s]."""
TURN = 2.0 * math.pi
UNITS = {'': 1.0, 'rad': 1.0, 'rad/s': 1.0, 'rads': 1.0, '1/s': 1.0, 'm': 1.0, 'm/s': 1.0,
         'nm': 1.0, 'n': 1.0, 'a': 1.0, 'amp': 1.0, 'amps': 1.0, 'v': 1.0, '%': 1.0,
         'deg': TURN / 360.0, 'deg/s': TURN / 360.0, 'degs': TURN / 360.0, 'rev': TURN,
         'rev/s': TURN, 'rpm': TURN / 60.0, 'mrad': 1e-3, 'mrad/s': 1e-3, 'mm': 1e-3,
         'mm/s': 1e-3, 'mnm': 1e-3, 'knm': 1e3, 'kn': 1e3, 'ma': 1e-3}
"""What may stand in brackets, behind a slash, or behind an underscore where it has two letters or
more, and what the numbers are multiplied by."""
NOT_TORQUES = ('a', 'amp', 'amps', 'ma', 'v', '%')
"""Units of efforts that need drive gains."""


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
        name, unit = without_unit(word)
        words = _words(name)
        if not unit and words and words[-1] in SECONDS and words != ['s']:
            words, unit = words[:-1] or ['t'], words[-1]
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
        elif joint.isdecimal() and len(joint) < 10:  # Python reads no number of thousands
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
    name, unit = without_unit(word)
    slash = name.lower().rfind('joint_states/')
    if slash >= 0:  # as PlotJuggler writes topics
        name = name[slash + len('joint_states/'):]
    factor = UNITS.get(unit, 1.0)
    for joint in sorted(joints, key=len, reverse=True):
        place = name.lower().find(joint.lower())
        if place < 0:
            continue
        before, after = name[:place], name[place + len(joint):]
        if before[-1:].isalnum() or after[:1].isdigit():
            continue
        said = _said([*_words(before), *_words(after)], field, unit)
        if said and (said != 'joint'):
            return joint, said, factor
    numbers = re.findall(r'\d+', name)
    if len(numbers) != 1:
        return '', '', 1.0
    return numbers[0], _said(_words(name.replace(numbers[0], ' ')), field, unit), factor


def _said(words: Sequence[str], field: str, unit: str) -> str:
    """Return the word of the quantity, if all others say nothing; that of currents by the unit."""
    told = [word for word in words if word in WORDS[field] and word not in SILENT]
    other = [word for word in words if word not in SILENT and word not in told]
    if other or len(told) > 1:
        # two words for one thing, such as joint position q
        return '' if other else told[0]
    if told:
        return CURRENTS[0] if field == 'effort' and unit in NOT_TORQUES else told[0]
    return 'joint' if field == 'position' and 'joint' in words and set(words) <= SILENT else ''


def _words(name: str) -> list[str]:
    """Return the words of a name in small letters: JointTorque, joint_torque, joint.torque."""
    name = re.sub(r'(?<=[a-z])(?=[A-Z][a-z])', ' ', name)
    words = [word for word in re.split(r'[^a-zA-Zµ]+', name) if word]
    found: list[str] = []
    for word in map(str.lower, words):
        for start in ('joint', 'motor'):
            if word.startswith(start) and any(word[len(start):] in some and len(word) > len(start)
                                              for some in WORDS.values()):
                word = word[len(start):]
        if word == 'dot' and found:  # q_dot, theta_dot
            found[-1] += word
            continue
        single = re.sub(r'ies$', 'y', word) if word.endswith('ies') else word.removesuffix('s')
        found.append(single if len(single) > 2 and any(
            single in some for some in (*WORDS.values(), SILENT)) else word)
    return found


def without_unit(word: str) -> tuple[str, str]:
    """Return a name and its unit: q1 [rad], tau1 (N m), q1 / deg, q1_deg, q_deg_1, dq1_deg_s."""
    for pattern in (r'(.*?)\s*[\[(]([^\d\[\]()]*|1/s|\D+s\^?-1)[\])]\s*',
                    r'(.+?)\s+/\s*(\D+)', r'(.+?)\s*(°(?:/s)?)',
                    r'(.+)_((?:rad|deg|degrees)(?:ps|_(?:per_)?s(?:ec(?:ond)?)?))',
                    r'(.+)_([a-z/]{2,})', r'(.+)_(rad|deg)(_?\d+)'):
        match = re.fullmatch(pattern, word, re.IGNORECASE)
        unit = plain_unit(match.group(2)) if match else None
        if match and unit is not None:
            return match.group(1) + ''.join(match.groups()[2:]), unit
    return word, ''


def plain_unit(word: str) -> str | None:
    """Return a unit as UNITS or SECONDS has it, None if it is no unit."""
    unit = re.sub(r'[\s·*.^()\[\]]', '', word).lower()
    for long, short in (('degrees', 'deg'), ('degree', 'deg'), ('°', 'deg'), ('_per_', '/'),
                        ('_', '/'), ('degps', 'deg/s'), ('radps', 'rad/s'), ('s-1', '/s'),
                        ('/second', '/s'), ('/sec', '/s')):
        unit = unit.replace(long, short)
    return unit if unit in UNITS or unit in SECONDS else None


def uses_currents(columns: Mapping[str, Column]) -> bool:
    """Tell whether efforts are currents by their names."""
    return any(column.word in CURRENTS for column in columns.values())
