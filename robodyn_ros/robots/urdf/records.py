# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Read a URDF file into plain records, checking every number on the way.

Only what mechanics needs is read: links with inertials, joints, and the <robodyn> element for what
URDF cannot say (gravity, loops, passive joints, rotors, Stribeck friction). Every complaint names
the file, the element and the value; what is odd but can be read is a remark (remarks.py).
"""
from __future__ import annotations

from collections import Counter
import math
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, TypeVar
from unicodedata import category
from xml.etree.ElementTree import Element, tostring

from robodyn_ros.errors import RobotFileError
from robodyn_ros.robots.urdf.elements import parsed, read_text
from robodyn_ros.robots.urdf.macros import expanded, has_macros, without_leftovers
from robodyn_ros.robots.urdf.remarks import listed, Remark

Triple = tuple[float, float, float]
Value = TypeVar('Value')
LARGEST_NUMBER = 1e30
"""No robot has a number this large; products of such numbers would not be finite."""
JOINT_KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')
HELD_KINDS = ('floating', 'planar')
"""Joints of several freedoms, which are held where they are."""
MOST_LINKS = 5000
"""Links of a robot; a second or two to build."""


class Inertial(NamedTuple):
    """A link's <inertial>: tensor about the centre of mass, in a frame turned by rpy."""

    mass: float
    xyz: Triple
    rpy: Triple
    tensor: tuple[float, float, float, float, float, float]
    """ixx, ixy, ixz, iyy, iyz, izz [kg m^2]."""


class LinkRecord(NamedTuple):
    """A <link>."""

    name: str
    inertial: Inertial | None


class Mimic(NamedTuple):
    """A <mimic>: this joint's position is multiplier times that of another plus offset."""

    joint: str
    multiplier: float
    offset: float
    """[rad] or [m]."""


class JointRecord(NamedTuple):
    """A <joint>."""

    name: str
    kind: str
    parent: str
    child: str
    xyz: Triple
    rpy: Triple
    axis: Triple
    lower: float
    upper: float
    velocity: float
    effort: float
    damping: float
    friction: float
    mimic: Mimic | None = None


class RobotRecord(NamedTuple):
    """A whole file."""

    path: str
    name: str
    links: tuple[LinkRecord, ...]
    joints: tuple[JointRecord, ...]
    robodyn: tuple[tuple[str, dict], ...]
    """Children of <robodyn> as (tag, attributes)."""
    text: str
    """The URDF, its macros expanded."""
    remarks: tuple[Remark, ...] = ()


class ElementReader:
    """Reads elements of one file, which its complaints name."""

    def __init__(self, path: str):
        """Remember the file's name."""
        self.path = path
        self.remarks: list[Remark] = []
        """What was odd so far."""

    def fail(self, what: str) -> RobotFileError:
        """Return an error about the file, to be raised."""
        return RobotFileError(f'{self.path}: {what}')

    def single(self, element: Element, tag: str, where: str) -> Element | None:
        """Return the only child of a tag, None if there is none; the first of several."""
        found = element.findall(tag)
        if len(found) > 1:
            self.remarks.append(Remark(f'{where} has {len(found)} elements <{tag}>',
                                       'the first is used, as in ROS', 'keep one'))
        return found[0] if found else None

    def number(self, element: Element, attribute: str, where: str,
               default: float | None = None) -> float:
        """Return the number an attribute holds; without a default it must be there."""
        text = element.get(attribute)
        if text is None:
            if default is None:
                raise self.fail(f'<{element.tag}> of {where} has no {attribute}; give it a number')
            return default
        return self.numbers(text, 1, f'{attribute} of <{element.tag}> of {where}')[0]

    def numbers(self, text: str, count: int, where: str) -> tuple[float, ...]:
        """Return the numbers of a text; there must be count of them, all finite."""
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = ()
        if '_' in text:  # which Python takes between digits
            values = ()
        if len(values) != count or not all(abs(value) < LARGEST_NUMBER for value in values):
            wanted = 'a finite number' if count == 1 else f'{count} finite numbers'
            raise self.fail(f'{where} is {text!r}; expected {wanted} below {LARGEST_NUMBER:g}')
        return values

    def origin(self, element: Element | None, where: str) -> tuple[Triple, Triple]:
        """Return xyz [m] and rpy [rad] of an <origin>; zeros without one."""
        xyz, rpy = ((0.0, 0.0, 0.0) if element is None else self.numbers(
            element.get(key, '0 0 0'), 3, f'{key} of <origin> of {where}')
            for key in ('xyz', 'rpy'))
        return xyz, rpy  # type: ignore[return-value]

    def name(self, element: Element) -> str:
        """Return the name of an element, which must have one."""
        name = element.get('name', '')
        if not name:
            raise self.fail(f'a <{element.tag}> has no name; give it one')
        if not all(letter.isprintable() or letter.isspace() and category(letter) == 'Zs'
                   for letter in name):
            raise self.fail(f'a <{element.tag}> has the name {name!r}; use printable characters')
        return name


class _Reader(ElementReader):
    """Turns elements into records."""

    def link(self, element: Element) -> LinkRecord:
        name = self.name(element)
        where = f'link {name!r}'
        inertial = self.single(element, 'inertial', where)
        if inertial is None:
            return LinkRecord(name, None)
        return LinkRecord(name, self.readable(
            lambda: self.inertial(inertial, where), None, 'this <inertial> is left out'))

    def inertial(self, inertial: Element, where: str) -> Inertial | None:
        inside = f'<inertial> of {where}'
        mass_element = self.single(inertial, 'mass', inside)
        tensor_element = self.single(inertial, 'inertia', inside)
        lacking = [f'<{tag}>' for tag, found in (('mass', mass_element),
                                                 ('inertia', tensor_element)) if found is None]
        if lacking:
            self.remarks.append(Remark(f'{inside} lacks {" and ".join(lacking)}',
                                       'what is missing is zero', 'give both'))
        if len(lacking) == 2:
            return None
        xyz, rpy = self.origin(self.single(inertial, 'origin', inside), where)
        mass = 0.0 if mass_element is None else self.number(mass_element, 'value', where)
        none: tuple[float, ...] = (0.0,) * 6
        tensor = none if tensor_element is None else self.readable(
            lambda: self.tensor(tensor_element, where), none, 'this <inertia> counts as zero')
        return Inertial(mass, xyz, rpy, tensor)  # type: ignore[arg-type]

    def tensor(self, element: Element, where: str) -> tuple[float, ...]:
        tensor = tuple(self.number(element, key, where, None if key[1] == key[2] else 0.0)
                       for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
        lacking = [key for key in ('ixy', 'ixz', 'iyz') if key not in element.attrib]
        if lacking:
            self.remarks.append(Remark(
                f'<inertia> of {where} lacks {", ".join(lacking)}', 'what is missing is zero',
                'write them: ROS leaves out the whole <inertia>', mended=False))
        return tensor

    def readable(self, read: Callable[[], Value], otherwise: Value, done: str) -> Value:
        """Return what is read; where that fails, a remark is made, and ROS's answer is ours."""
        try:
            return read()
        except RobotFileError as error:
            found, _, remedy = str(error).removeprefix(f'{self.path}: ').rpartition('; ')
            self.remarks.append(Remark(found, f'{done}, as in ROS', remedy))
            return otherwise

    def joint(self, element: Element) -> JointRecord:
        name, kind = self.name(element), element.get('type', '')
        where = f'joint {name!r}'
        if kind in HELD_KINDS:
            self.remarks.append(Remark(
                f'{where} is {kind}', 'it is held where it is',
                'joints of several freedoms are not moved; make it of revolute and prismatic ones '
                'with links of no mass between them', mended=False))
            kind = 'fixed'
        if kind not in JOINT_KINDS:
            raise self.fail(f'{where} has type {kind!r}; use one of '
                            f'{", ".join(JOINT_KINDS + HELD_KINDS)}')
        ends = []
        for end in ('parent', 'child'):
            found = self.single(element, end, where)
            if found is None or not found.get('link'):
                raise self.fail(f'{where} has no <{end} link="...">; name the link it joins')
            ends.append(found.get('link', ''))
        xyz, rpy = self.origin(self.single(element, 'origin', where), where)
        axis_element = self.single(element, 'axis', where)
        axis = (1.0, 0.0, 0.0) if axis_element is None else self.numbers(
            axis_element.get('xyz', '1 0 0'), 3, f'xyz of <axis> of {where}')
        length = math.hypot(*axis)
        if kind != 'fixed' and not length:
            raise self.fail(f'axis of {where} is {axis}; expected a direction, such as 0 0 1')
        if length and not 1e-6 < length < 1e6:  # whose square may be no number
            axis = tuple(x / length for x in axis)
        lower, upper, velocity, effort = self._limits(element, kind, where)
        dynamics = self.single(element, 'dynamics', where)
        damping = friction = 0.0
        if dynamics is not None:
            damping = self.number(dynamics, 'damping', where, 0.0)
            friction = self.number(dynamics, 'friction', where, 0.0)
        if damping < 0.0 or friction < 0.0:
            self.remarks.append(Remark(
                f'<dynamics> of {where} has damping {damping} and friction {friction}',
                'what is negative is taken for 0', 'neither can be negative'))
            damping, friction = max(damping, 0.0), max(friction, 0.0)
        return JointRecord(name, kind, ends[0], ends[1], xyz, rpy,
                           axis, lower, upper,  # type: ignore[arg-type]
                           velocity, effort, damping, friction,
                           None if kind == 'fixed' else self._mimic(element, where))

    def _mimic(self, element: Element, where: str) -> Mimic | None:
        found = self.single(element, 'mimic', where)
        if found is None:
            return None
        if not found.get('joint'):
            raise self.fail(f'<mimic> of {where} names no joint; write <mimic joint="..."/>')
        return Mimic(found.get('joint', ''), self.number(found, 'multiplier', where, 1.0),
                     self.number(found, 'offset', where, 0.0))

    def _limits(self, element: Element, kind: str, where: str) -> tuple[float, ...]:
        limit = self.single(element, 'limit', where)
        if kind == 'fixed':
            return 0.0, 0.0, math.inf, math.inf
        if limit is None:
            if kind in ('revolute', 'prismatic'):
                other = ', or make it continuous' if kind == 'revolute' else ''
                raise self.fail(f'{where} is {kind} and has no <limit>; add one{other}')
            return -math.inf, math.inf, math.inf, math.inf
        lower, upper, velocity, effort = (
            self._limit(limit, key, where) for key in ('lower', 'upper', 'velocity', 'effort'))
        if kind == 'continuous':
            lower, upper = -math.inf, math.inf
        elif limit.get('lower') is limit.get('upper') is None:
            self.remarks.append(Remark(
                f'<limit> of {where} has neither lower nor upper', 'its position has no limits',
                'give both', mended=False))
            lower, upper = -math.inf, math.inf
        if lower > upper:
            self.remarks.append(Remark(f'<limit> of {where} has lower {lower:g} above upper '
                                       f'{upper:g}', 'they are exchanged', 'exchange them'))
            lower, upper = upper, lower
        if velocity < 0.0 or effort < 0.0:
            self.remarks.append(Remark(
                f'<limit> of {where} has velocity {velocity:g} and effort {effort:g}',
                'what is negative is taken without its sign', 'neither can be negative'))
        # many public files write 0 for "not known": no limit
        return lower, upper, abs(velocity) or math.inf, abs(effort) or math.inf

    def _limit(self, limit: Element, key: str, where: str) -> float:
        """Return a number of a <limit>, 0 without one; what is as large as none is infinite."""
        text = limit.get(key)
        try:
            value = float(text or 0.0)
        except ValueError:
            value = math.nan
        if math.isnan(value) or text == '' or text and '_' in text:
            raise self.fail(f'{key} of <limit> of {where} is {text!r}; expected a number')
        return math.copysign(math.inf, value) if abs(value) >= LARGEST_NUMBER else value

    def unknown_limits(self, joints: list[JointRecord]) -> None:
        """Remark, once for all of them, on joints with motors whose limits are not told."""
        moving = [joint for joint in joints if joint.kind != 'fixed' and joint.mimic is None]
        for key, unit in (('effort', 'N m or N'), ('velocity', 'rad/s or m/s')):
            unknown = [joint.name for joint in moving if math.isinf(getattr(joint, key))]
            if unknown:
                self.remarks.append(Remark(
                    f'the {key} limit of {"joint" if len(unknown) == 1 else "joints"} '
                    f'{listed(unknown)} is 0 or not given', 'no limit is known',
                    f'write {key}="..." [{unit}] into <limit>, from the data sheet',
                    mended=False))


def read_urdf(path: str | Path, arguments: Mapping[str, Any] | None = None) -> RobotRecord:
    """
    Read and check a file; RobotFileError says what is wrong with it.

    :param arguments: of a xacro file
    """
    text = read_text(path)
    root = parsed(text, str(path))
    if has_macros(root) and (Path(path).suffix == '.xacro' or not without_leftovers(root)[1]):
        text, remarks = expanded(path, arguments)
        whole = parsed(text, str(path))
        if whole.find('link') is None and root.find('xacro:macro') is not None:
            raise RobotFileError(f'{path}: defines macros and calls none, so it has no <link>; '
                                 'give the file that calls them')
        record = parse_urdf(text, str(path), whole)
        return record._replace(remarks=(*remarks, *record.remarks))
    if arguments:
        raise RobotFileError(f'{path}: has no macros, but the xacro arguments '
                             f'{listed(tuple(map(str, arguments)))} were given; leave them out')
    return parse_urdf(text, str(path), root)


def parse_urdf(text: str, path: str = '<text>', root: Element | None = None) -> RobotRecord:
    """
    Check the text of a URDF file.

    :param root: its outermost element, if the text was parsed before
    """
    reader = _Reader(path)
    root = parsed(text, path) if root is None else root
    if root.tag != 'robot':
        raise reader.fail(f'the outermost element is <{root.tag}>; a URDF has <robot>')
    root, left = without_leftovers(root)
    if left:
        text = tostring(root, encoding='unicode')
        reader.remarks.append(Remark(
            f'it calls {listed(left)}, and neither defines nor includes a macro',
            'these elements are left out, as ROS does', 'expand its xacro file anew'))
    if has_macros(root):
        raise reader.fail('is a xacro file; load it by its path, or give the URDF that xacro '
                          'makes of it')
    count = len(root.findall('link'))
    if count > MOST_LINKS:
        raise reader.fail(f'has {count} links; expected at most {MOST_LINKS}: the largest robots '
                          'have some hundreds')
    links = tuple(reader.link(e) for e in root.findall('link'))
    joints = tuple(reader.joint(e) for e in root.findall('joint'))
    for kind, names in (('link', [x.name for x in links]), ('joint', [x.name for x in joints])):
        double = sorted(name for name, count in Counter(names).items() if count > 1)
        if double:
            raise reader.fail(f'{kind} {double[0]!r} occurs twice; every {kind} needs its own '
                              'name')
    if not links:
        raise reader.fail('has no <link>; a robot needs at least a base link')
    block = reader.single(root, 'robodyn', 'the robot')
    said = () if block is None else tuple((str(child.tag), dict(child.attrib)) for child in block)
    passive = {attributes.get('joint') for tag, attributes in said if tag == 'passive'}
    reader.unknown_limits([joint for joint in joints if joint.name not in passive])
    return RobotRecord(path, root.get('name', 'robot'), links, joints, said, text,
                       tuple(reader.remarks))
