# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Read a URDF file into plain records, checking every number on the way.

Only what mechanics needs is read: links with inertials, joints, and the <robodyn> element for what
URDF cannot say (gravity, loops, passive joints, rotors, Stribeck friction). Every complaint names
the file, the element and the value.
"""
from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from robodyn_ros.errors import RobotFileError

Triple = tuple[float, float, float]
LARGEST_NUMBER = 1e30
"""No robot has a number this large; products of such numbers would not be finite."""
JOINT_KINDS = ('revolute', 'continuous', 'prismatic', 'fixed')


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


class RobotRecord(NamedTuple):
    """A whole file."""

    path: str
    name: str
    links: tuple[LinkRecord, ...]
    joints: tuple[JointRecord, ...]
    robodyn: tuple[tuple[str, dict], ...]
    """Children of <robodyn> as (tag, attributes)."""
    text: str


class ElementReader:
    """Reads elements of one file, which its complaints name."""

    def __init__(self, path: str):
        """Remember the file's name."""
        self.path = path

    def fail(self, what: str) -> RobotFileError:
        """Return an error about the file, to be raised."""
        return RobotFileError(f'{self.path}: {what}')

    def single(self, element: Element, tag: str, where: str) -> Element | None:
        """Return the only child of a tag, None if there is none; two are refused."""
        found = element.findall(tag)
        if len(found) > 1:
            raise self.fail(f'{where} has {len(found)} elements <{tag}>; keep one')
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
        if not name.isprintable():
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
        inside = f'<inertial> of {where}'
        mass_element = self.single(inertial, 'mass', inside)
        tensor_element = self.single(inertial, 'inertia', inside)
        if mass_element is None or tensor_element is None:
            raise self.fail(f'{inside} lacks <mass> or <inertia>; give both')
        xyz, rpy = self.origin(self.single(inertial, 'origin', inside), where)
        mass = self.number(mass_element, 'value', where)
        tensor = tuple(self.number(tensor_element, key, where, None if key[1] == key[2] else 0.0)
                       for key in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'))
        return LinkRecord(name, Inertial(mass, xyz, rpy, tensor))  # type: ignore[arg-type]

    def joint(self, element: Element) -> JointRecord:
        name, kind = self.name(element), element.get('type', '')
        where = f'joint {name!r}'
        if kind not in JOINT_KINDS:
            raise self.fail(f'{where} has type {kind!r}; use one of {", ".join(JOINT_KINDS)}')
        if element.find('mimic') is not None:
            raise self.fail(f'{where} is a mimic joint; remove <mimic> and couple the joints with '
                            'the constraint joint_combination instead (docs/guide.md)')
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
        length = math.sqrt(sum(x * x for x in axis))
        if kind != 'fixed' and not 1e-6 < length < 1e6:
            raise self.fail(f'axis of {where} is {axis}; expected a direction, such as 0 0 1')
        lower, upper, velocity, effort = self._limits(element, kind, where)
        dynamics = self.single(element, 'dynamics', where)
        damping = friction = 0.0
        if dynamics is not None:
            damping = self.number(dynamics, 'damping', where, 0.0)
            friction = self.number(dynamics, 'friction', where, 0.0)
        if damping < 0.0 or friction < 0.0:
            raise self.fail(f'<dynamics> of {where} has damping {damping} and friction {friction};'
                            ' neither may be negative')
        return JointRecord(name, kind, ends[0], ends[1], xyz, rpy,
                           axis, lower, upper,  # type: ignore[arg-type]
                           velocity, effort, damping, friction)

    def _limits(self, element: Element, kind: str, where: str) -> tuple[float, ...]:
        limit = self.single(element, 'limit', where)
        if limit is None:
            if kind in ('revolute', 'prismatic'):
                other = ', or make it continuous' if kind == 'revolute' else ''
                raise self.fail(f'{where} is {kind} and has no <limit>; add one{other}')
            return -math.inf, math.inf, math.inf, math.inf
        lower = self.number(limit, 'lower', where, 0.0)
        upper = self.number(limit, 'upper', where, 0.0)
        if kind == 'continuous':
            lower, upper = -math.inf, math.inf
        if lower > upper:
            raise self.fail(f'<limit> of {where} has lower {lower} above upper {upper}; '
                            'exchange them')
        # many public files write 0 for "not known": no limit
        velocity = self.number(limit, 'velocity', where, 0.0) or math.inf
        effort = self.number(limit, 'effort', where, 0.0) or math.inf
        if velocity < 0.0 or effort < 0.0:
            raise self.fail(f'<limit> of {where} has velocity {velocity} and effort {effort}; '
                            'neither may be negative')
        return lower, upper, velocity, effort


def read_urdf(path: str | Path) -> RobotRecord:
    """Read and check a file; RobotFileError says what is wrong with it."""
    reader = _Reader(str(path))
    try:
        text = Path(path).read_text(encoding='utf-8')
    except FileNotFoundError:
        raise reader.fail('there is no such file; give the name of a robot of this package '
                          '(robodyn list) or the path of a URDF file') from None
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a name with a null
        raise reader.fail(f'cannot be read as text ({error}); give a URDF file') from None
    return parse_urdf(text, str(path))


def parse_urdf(text: str, path: str = '<text>') -> RobotRecord:
    """Check the text of a URDF file."""
    reader = _Reader(path)
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise reader.fail(f'is not well-formed XML ({error}); correct it there') from None
    if root.tag != 'robot':
        raise reader.fail(f'the outermost element is <{root.tag}>; a URDF has <robot>')
    if any(str(e.tag).startswith('{http') and 'xacro' in str(e.tag) for e in root.iter()):
        raise reader.fail('is a xacro file; run xacro on it and give the URDF it writes')
    links = tuple(reader.link(e) for e in root.findall('link'))
    joints = tuple(reader.joint(e) for e in root.findall('joint'))
    for kind, names in (('link', [x.name for x in links]), ('joint', [x.name for x in joints])):
        double = sorted({n for n in names if names.count(n) > 1})
        if double:
            raise reader.fail(f'{kind} {double[0]!r} occurs twice; every {kind} needs its own '
                              'name')
    if not links:
        raise reader.fail('has no <link>; a robot needs at least a base link')
    block = reader.single(root, 'robodyn', 'the robot')
    said = () if block is None else tuple((str(child.tag), dict(child.attrib)) for child in block)
    return RobotRecord(path, root.get('name', 'robot'), links, joints, said, text)
