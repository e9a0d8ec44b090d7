# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What URDF cannot say, read from the <robodyn> element: loops, passive joints, motors, friction.

    <gravity xyz="0 0 -9.81"/>
    <passive joint="joint_2"/>
    <loop name="closure" frame_a="tip_1" frame_b="tip_2" axes="x y"/>
    <rotor joint="joint_3" carrier="link_2" inertia="0.01" ratio="50" axis="0 0 1"/>
    <friction joint="joint_1" breakaway="0.875" breakaway_velocity="0.1"/>
    <coupling joint="joint_6" other="joint_5" ratio="1" inertia="0.1" damping="0.5" friction="1"/>

A rotor's carrier is by default the link before its joint and its axis the joint's. Coulomb and
viscous friction are the joint's own <dynamics friction damping>. A coupling is a motor that turns
with v_joint + ratio v_other (mechanics.tree.Coupling); it, too, may have breakaway and
breakaway_velocity. Friction that saturates, saturating tanh(v / saturation), may stand with both.
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.mechanics.tree import Coupling, Friction, Rotor, Tree
from robodyn_ros.robots import geometry
from robodyn_ros.robots.urdf.records import ElementReader, JointRecord, RobotRecord

AXES = ('x', 'y', 'z', 'roll', 'pitch', 'yaw')


class Loop(NamedTuple):
    """A loop closure named in the file: two frames meet in the given axes."""

    name: str
    frame_a: str
    frame_b: str
    axes: tuple[str, ...]


class RobodynTag(ElementReader):
    """Everything <robodyn> says, read one element after another against the file's tree."""

    def __init__(self, record: RobotRecord, joints: Sequence[JointRecord], tree: Tree):
        """Read the element, if the file has one; RobotFileError says what is wrong with it."""
        super().__init__(record.path)
        self.joints, self.tree = joints, tree
        self.gravity = (0.0, 0.0, -9.81)
        self.loops: list[Loop] = []
        self.passive: list[str] = []
        self.rotors: list[Rotor] = []
        self.couplings: list[Coupling] = []
        self.friction: list[Friction] = list(tree.friction)
        self.index = {joint.name: k for k, joint in enumerate(joints)}
        readers = {'gravity': self._gravity, 'loop': self._loop, 'passive': self._passive,
                   'rotor': self._rotor, 'friction': self._friction,
                   'coupling': self._coupling}
        told: set[tuple[str, str]] = set()
        for tag, attributes in record.robodyn:
            if tag not in readers:
                raise UnknownNameError('element', tag, readers, f'<robodyn> of {self.path}')
            readers[tag](attributes)
            self._refuse_second(tag, attributes, told)

    def _refuse_second(self, tag: str, attributes: dict, told: set[tuple[str, str]]) -> None:
        """Refuse to hear the same thing twice: the later would take the earlier's place."""
        key = {'gravity': '', 'loop': 'name', 'passive': 'joint', 'friction': 'joint'}.get(tag)
        if key is None or (key and key not in attributes):
            return  # a joint may have two motors; loops need no name
        about = f' {key}="{attributes[key]}"' if key else ''
        if (tag, about) in told:
            raise self.fail(f'<robodyn> has <{tag}{about}> twice; keep one')
        told.add((tag, about))

    def _numbers(self, attributes: dict, key: str, count: int, tag: str) -> tuple[float, ...]:
        return self.numbers(attributes.get(key, ''), count, f'{key} of <{tag}> in <robodyn>')

    def _joint(self, attributes: dict, tag: str, key: str = 'joint') -> int:
        name = attributes.get(key, '')
        if name not in self.index:
            raise UnknownNameError('joint', name, self.index, f'<{tag}> in <robodyn> of '
                                                              f'{self.path}')
        return self.index[name]

    def _gravity(self, attributes: dict) -> None:
        self.gravity = self._numbers(attributes, 'xyz', 3, 'gravity')  # type: ignore

    def _passive(self, attributes: dict) -> None:
        joint = self.joints[self._joint(attributes, 'passive')]
        if joint.mimic is not None:
            raise self.fail(f'<passive> in <robodyn> names joint {joint.name!r}, which follows '
                            f'{joint.mimic.joint!r}; leave it out, a mimic joint has no motor')
        self.passive.append(joint.name)

    def _loop(self, attributes: dict) -> None:
        name = attributes.get('name', f'loop_{len(self.loops) + 1}')
        ends = [attributes.get(key, '') for key in ('frame_a', 'frame_b')]
        for end in ends:
            if end not in self.tree.frames:
                raise UnknownNameError('frame', end, self.tree.frames,
                                       f'loop {name!r} of {self.path}')
        axes = tuple(attributes.get('axes', 'x y z').split())
        for axis in axes:
            if axis not in AXES:
                raise UnknownNameError('axis', axis, AXES, f'loop {name!r} of {self.path}')
        if not axes or len(set(axes)) != len(axes):
            raise self.fail(f'axes of loop {name!r} are {" ".join(axes)!r}; name each of x y z '
                            'roll pitch yaw at most once')
        self.loops.append(Loop(name, ends[0], ends[1], axes))

    def _rotor(self, attributes: dict) -> None:
        joint = self._joint(attributes, 'rotor')
        record, body = self.joints[joint], self.tree.bodies[joint]
        carrier = attributes.get('carrier', record.parent)
        if carrier not in self.tree.frames:
            raise UnknownNameError('link', carrier, self.tree.frames,
                                   f'the rotor of joint {record.name!r} of {self.path}')
        inertia, = self._numbers(attributes, 'inertia', 1, 'rotor')
        ratio, = self._numbers(attributes, 'ratio', 1, 'rotor')
        if inertia < 0.0:
            raise self.fail(f'inertia of the rotor of joint {record.name!r} is {inertia}; it '
                            'cannot be negative')
        frame = self.tree.frames[carrier]
        if 'axis' in attributes:
            direction = np.array(frame.rotation) @ self._numbers(attributes, 'axis', 3, 'rotor')
        elif frame.body == body.parent:
            direction = np.array(body.rotation)[:, 2]
        else:
            raise self.fail(f'the rotor of joint {record.name!r} sits on link {carrier!r}, not on '
                            'the link before its joint; give its axis in the frame of that link')
        length = float(np.linalg.norm(direction))
        if not length > 0.0:
            raise self.fail(f'axis of the rotor of joint {record.name!r} is zero; expected a '
                            'direction')
        self.rotors.append(Rotor(joint, frame.body, geometry.as_vector(direction / length),
                                 inertia, ratio))

    def _friction(self, attributes: dict) -> None:
        joint = self._joint(attributes, 'friction')
        law = self.friction[joint]
        breakaway, = self._numbers(attributes, 'breakaway', 1, 'friction')
        velocity = law.velocity
        if 'breakaway_velocity' in attributes:
            velocity, = self._numbers(attributes, 'breakaway_velocity', 1, 'friction')
        saturating, saturation = self._saturating(attributes, 'friction')
        if breakaway < law.coulomb or velocity <= 0.0:
            raise self.fail(f'friction of joint {self.joints[joint].name!r} has breakaway '
                            f'{breakaway} at {velocity}; expected at least the Coulomb friction '
                            f'{law.coulomb} of <dynamics> at a positive velocity')
        self.friction[joint] = law._replace(breakaway=breakaway, velocity=velocity,
                                            saturating=saturating, saturation=saturation)

    def _saturating(self, attributes: dict, tag: str) -> tuple[float, float]:
        saturating, saturation = (
            self.numbers(attributes.get(key, default), 1, f'{key} of <{tag}> in <robodyn>')[0]
            for key, default in (('saturating', '0'), ('saturation', '1')))
        if saturating < 0.0 or saturation <= 0.0:
            raise self.fail(f'<{tag} joint="{attributes.get("joint", "")}"> in <robodyn> has '
                            f'saturating {saturating} at {saturation}; expected nothing negative '
                            'at a positive velocity')
        return saturating, saturation

    def _coupling(self, attributes: dict) -> None:
        joint, other = (self._joint(attributes, 'coupling', key) for key in ('joint', 'other'))
        about = f'coupling of joint {self.joints[joint].name!r}'
        if joint == other:
            raise self.fail(f'{about} in <robodyn> names itself as the other; name the joint that '
                            'the motor also turns with')
        ratio, = self._numbers(attributes, 'ratio', 1, 'coupling')
        inertia, damping, coulomb, breakaway, velocity = (
            self.numbers(attributes.get(key, default), 1, f'{key} of <coupling> in <robodyn>')[0]
            for key, default in (('inertia', '0'), ('damping', '0'), ('friction', '0'),
                                 ('breakaway', attributes.get('friction', '0')),
                                 ('breakaway_velocity', '0.1')))
        if ratio == 0.0 or min(inertia, damping, coulomb) < 0.0:
            raise self.fail(f'{about} has ratio {ratio}, inertia {inertia}, damping {damping} and '
                            f'friction {coulomb}; expected a ratio that is not zero, and nothing '
                            'negative besides')
        if breakaway < coulomb or velocity <= 0.0:
            raise self.fail(f'{about} has breakaway {breakaway} at {velocity}; expected at least '
                            f'its friction {coulomb} at a positive velocity')
        self.couplings.append(Coupling(joint, other, ratio, inertia,
                                       Friction(damping, coulomb, breakaway, velocity,
                                                *self._saturating(attributes, 'coupling'))))
