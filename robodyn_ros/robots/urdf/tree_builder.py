# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Turn the records of a URDF into a tree: order the joints, weld fixed links, check inertias.

Joints are numbered depth first, children in the order of the file. Links behind fixed joints are
part of the body that carries them and stay known as frames. A mimic joint has a body, which the
joint it follows moves, over however many others.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import RobotFileError, UnknownNameError
from robodyn_ros.mechanics.tree import Body, Drive, Frame, Friction, PRISMATIC, REVOLUTE, Tree
from robodyn_ros.robots import geometry
from robodyn_ros.robots.tool_frame import Tool, tool_of
from robodyn_ros.robots.urdf.records import (JointRecord, LARGEST_NUMBER, LinkRecord,
                                             RobotRecord)
from robodyn_ros.robots.urdf.remarks import listed, Remark
from robodyn_ros.robots.urdf.robodyn_tag import RobodynTag


NOTHING = 1e-20
"""Moment of inertia of a link without mass that is rounding, not an inertia [kg m^2]."""


class BuiltTree(NamedTuple):
    """The tree and what belongs to its joints."""

    tree: Tree
    joints: tuple[JointRecord, ...]
    """Moving joints, one per body."""
    base: str
    tool: Tool
    tag: RobodynTag
    remarks: tuple[Remark, ...]


def build_tree(record: RobotRecord) -> BuiltTree:
    """Build the tree of a robot; RobotFileError names what cannot be one."""
    links = {link.name: link for link in record.links}
    children: dict[str, list[JointRecord]] = {}
    for joint in record.joints:
        children.setdefault(joint.parent, []).append(joint)
    base, remarks = _base(record, links, children)
    builder = _Builder(record.path, links, children)
    builder.visit(base)
    tree = Tree(builder.bodies(), builder.frames, (), tuple(
        Friction(j.damping, j.friction, j.friction) for j in builder.joints),
        drives=_drives(record, builder.joints))
    tool = tool_of(tree, base)
    tree = tree._replace(payload_frame=tool.frame)
    tag = RobodynTag(record, builder.joints, tree)
    tree = tree._replace(rotors=tuple(tag.rotors), friction=tuple(tag.friction),
                         couplings=tuple(tag.couplings))
    return BuiltTree(tree, tuple(builder.joints), base, tool, tag,
                     (*record.remarks, *remarks, *builder.remarks))


def _drives(record: RobotRecord, bodies: list[JointRecord]) -> tuple[Drive, ...]:
    """Return what moves each body; nothing where each has its own coordinate."""
    if not any(joint.mimic for joint in bodies):
        return ()
    joints = {joint.name: joint for joint in record.joints}
    own = [joint.name for joint in bodies if joint.mimic is None]
    place = {name: k for k, name in enumerate(own)}
    drives = []
    for joint in bodies:
        ratio, offset, name, seen = 1.0, 0.0, joint.name, [joint.name]
        while joints[name].mimic is not None:
            followed = joints[name].mimic
            assert followed is not None
            # ratio (multiplier q + offset') + offset, one joint further
            offset += ratio * followed.offset
            ratio *= followed.multiplier
            name = followed.joint
            if name not in joints:
                raise UnknownNameError('joint', name, joints, f'<mimic> of joint {seen[-1]!r} of '
                                                              f'{record.path}')
            if name in seen:
                circle = ' -> '.join([*seen[seen.index(name):], name])
                raise RobotFileError(
                    f'{record.path}: joint {name!r} mimics itself ({circle}); one of them must '
                    'be without <mimic>')
            seen.append(name)
        if not (abs(ratio) < LARGEST_NUMBER and abs(offset) < LARGEST_NUMBER):
            raise RobotFileError(f'{record.path}: joint {joint.name!r} mimics {name!r} with the '
                                 f'multiplier {ratio:g} and offset {offset:g}; expected less than '
                                 f'{LARGEST_NUMBER:g}')
        drives.append(Drive(place[name], ratio, offset) if name in place
                      else Drive(-1, 0.0, offset))  # it follows a fixed joint
    return tuple(drives)


def _base(record: RobotRecord, links: dict[str, LinkRecord],
          children: dict[str, list[JointRecord]]) -> tuple[str, list[Remark]]:
    """Return the base link; where there are several trees, that of the one that moves most."""
    carried: dict[str, str] = {}
    for joint in record.joints:
        for name in (joint.parent, joint.child):
            if name not in links:
                raise UnknownNameError('link', name, links, f'joint {joint.name!r} of '
                                                            f'{record.path}')
        if joint.child in carried:
            raise RobotFileError(f'{record.path}: link {joint.child!r} is the child of joints '
                                 f'{carried[joint.child]!r} and {joint.name!r}; cut one and close '
                                 'it with a <loop> in <robodyn>')
        carried[joint.child] = joint.name
    roots = [name for name in links if name not in carried]
    if not roots:
        raise RobotFileError(f'{record.path}: every link has a parent (a cycle of joints); a tree '
                             'has exactly one base link')
    if len(roots) == 1:
        return roots[0], []
    sizes = {root: _size(root, children) for root in roots}
    base = max(roots, key=lambda root: sizes[root])  # the first of the largest
    others = [root for root in roots if root != base]
    for root in others:
        _remove(root, links, children)
    return base, [Remark(
        f'{len(roots)} links have no parent ({listed(roots)}); a tree has exactly one base link',
        f'{base!r} is the base, and {listed(others)} and what they carry are left out',
        'join them with fixed joints')]


def _below(root: str, children: dict[str, list[JointRecord]]) -> list[JointRecord]:
    found: list[JointRecord] = []
    waiting = [root]
    while waiting:
        joints = children.get(waiting.pop(), [])
        found += joints
        waiting += [joint.child for joint in joints]
    return found


def _size(root: str, children: dict[str, list[JointRecord]]) -> tuple[int, int]:
    """Return the moving joints and all joints of a tree."""
    joints = _below(root, children)
    return sum(joint.kind != 'fixed' for joint in joints), len(joints)


def _remove(root: str, links: dict[str, LinkRecord],
            children: dict[str, list[JointRecord]]) -> None:
    for joint in _below(root, children):
        del links[joint.child]
        children.pop(joint.child, None)
    del links[root]
    children.pop(root, None)


class _Builder:
    """Walks the links depth first and collects bodies and frames."""

    def __init__(self, path: str, links: dict, children: dict):
        self.path, self.links, self.children = path, links, children
        self.joints: list[JointRecord] = []
        self.frames: dict[str, Frame] = {}
        self.remarks: list[Remark] = []
        self._placed: list[tuple[int, np.ndarray, np.ndarray]] = []
        self._parts: list[list[tuple]] = []

    def visit(self, base: str) -> None:
        """Walk from the base; a joint gets its number when it is reached."""
        stack: list[tuple] = [(None, base, -1, np.eye(3), np.zeros(3))]
        while stack:
            joint, link, body, rotation, position = stack.pop()
            if joint is not None and joint.kind != 'fixed':
                body, rotation, position = self._body(joint, body, rotation, position)
            self.frames[link] = Frame(body, geometry.as_matrix(rotation),
                                      geometry.as_vector(position))
            welded = joint is not None and joint.kind == 'fixed'
            if body >= 0:
                part = self._part(self.links[link], welded)
                if part is not None:
                    self._parts[body].append(geometry.moved(part, rotation, position))
            for child in reversed(self.children.get(link, [])):
                turned = geometry.snapped(rotation @ geometry.rotation_from_rpy(child.rpy))
                at = position + rotation @ np.array(child.xyz)
                stack.append((child, child.child, body, turned, at))
        if len(self.frames) != len(self.links):
            lost = sorted(set(self.links) - set(self.frames))
            raise RobotFileError(f'{self.path}: link {lost[0]!r} is not connected to the base; '
                                 'joints form a cycle, cut it and close it with a <loop>')

    def _body(self, joint: JointRecord, parent: int, rotation: np.ndarray,
              position: np.ndarray) -> tuple:
        """Start a new body at a moving joint; returns where the child link sits on it."""
        align = geometry.frame_with_z_along(joint.axis)
        self.joints.append(joint)
        self._placed.append((parent, geometry.snapped(rotation @ align), position))
        self._parts.append([])
        return len(self.joints) - 1, align.T, np.zeros(3)

    def _part(self, link: LinkRecord, welded: bool) -> tuple | None:
        """Return a link's inertia, if it has one; what no body can have is remarked on."""
        inertial = link.inertial
        if inertial is None or inertial.mass == 0.0 and max(map(abs, inertial.tensor)) < NOTHING:
            return None
        found = done = ''
        if inertial.mass <= 0.0:
            found = f'mass of link {link.name!r} is {inertial.mass:g}; a mass is positive'
        else:
            reason = geometry.impossible_inertia(inertial.tensor, allow_point=welded)
            found = f'inertia of link {link.name!r} {reason}' if reason else ''
        if found:
            done = 'it is used as it is'
            self.remarks.append(Remark(found, done, geometry.inertia_remedy(inertial)
                                       + ', or let robodyn inertials estimate it'))
        return geometry.inertia_about_origin(inertial)

    def bodies(self) -> tuple[Body, ...]:
        """Return the bodies; one may be without mass."""
        result = []
        for joint, (parent, rotation, position), parts in zip(self.joints, self._placed,
                                                              self._parts):
            whole = tuple(sum(part[k] for part in parts) for k in range(3)) if parts else \
                (0.0, np.zeros(3), np.zeros((3, 3)))
            kind = PRISMATIC if joint.kind == 'prismatic' else REVOLUTE
            result.append(Body(joint.name, parent, kind, geometry.as_matrix(rotation),
                               geometry.as_vector(position), geometry.as_inertia(whole)))
        return tuple(result)
