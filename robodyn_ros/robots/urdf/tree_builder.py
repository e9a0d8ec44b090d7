# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Turn the records of a URDF into a tree: order the joints, weld fixed links, check inertias.

Joints are numbered depth first, children in the order of the file. Links behind fixed joints are
part of the body that carries them and stay known as frames.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import RobotFileError, UnknownNameError
from robodyn_ros.mechanics.tree import Body, Frame, Friction, PRISMATIC, REVOLUTE, Tree
from robodyn_ros.robots import geometry
from robodyn_ros.robots.urdf.records import JointRecord, LinkRecord, RobotRecord
from robodyn_ros.robots.urdf.robodyn_tag import RobodynTag


class BuiltTree(NamedTuple):
    """The tree and what belongs to its joints."""

    tree: Tree
    joints: tuple[JointRecord, ...]
    """Moving joints in the order of the tree."""
    base: str
    tag: RobodynTag


def build_tree(record: RobotRecord) -> BuiltTree:
    """Build the tree of a robot; RobotFileError names what cannot be one."""
    links = {link.name: link for link in record.links}
    base = _base(record, links)
    children: dict[str, list[JointRecord]] = {}
    for joint in record.joints:
        children.setdefault(joint.parent, []).append(joint)
    builder = _Builder(record.path, links, children)
    builder.visit(base)
    if not builder.joints:
        raise RobotFileError(f'{record.path}: no joint moves; a robot needs one that is revolute, '
                             'continuous or prismatic')
    tree = Tree(builder.bodies(), builder.frames, (), tuple(
        Friction(j.damping, j.friction, j.friction) for j in builder.joints),
        'tool0' if 'tool0' in builder.frames else builder.last_link)
    tag = RobodynTag(record, builder.joints, tree)
    tree = tree._replace(rotors=tuple(tag.rotors), friction=tuple(tag.friction))
    return BuiltTree(tree, tuple(builder.joints), base, tag)


def _base(record: RobotRecord, links: dict[str, LinkRecord]) -> str:
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
    if len(roots) != 1:
        raise RobotFileError(f'{record.path}: {len(roots)} links have no parent '
                             f'({", ".join(roots) or "a cycle of joints"}); a tree has exactly '
                             'one base link')
    return roots[0]


class _Builder:
    """Walks the links depth first and collects bodies and frames."""

    def __init__(self, path: str, links: dict, children: dict):
        self.path, self.links, self.children = path, links, children
        self.joints: list[JointRecord] = []
        self.frames: dict[str, Frame] = {}
        self.last_link = ''
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
                self.last_link = link
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
        """Return a link's inertia; only a welded part may be a point mass."""
        inertial = link.inertial
        if inertial is None or (inertial.mass == 0.0 and not any(inertial.tensor)):
            return None
        if inertial.mass <= 0.0:
            raise RobotFileError(f'{self.path}: mass of link {link.name!r} is {inertial.mass}; a '
                                 'mass is positive')
        reason = geometry.impossible_inertia(inertial.tensor, allow_point=welded)
        if reason:
            raise RobotFileError(f'{self.path}: inertia of link {link.name!r} {reason}')
        return geometry.inertia_about_origin(inertial)

    def bodies(self) -> tuple[Body, ...]:
        """Return the bodies; each must carry a mass."""
        result = []
        for joint, (parent, rotation, position), parts in zip(self.joints, self._placed,
                                                              self._parts):
            if not parts:
                raise RobotFileError(f'{self.path}: link {joint.child!r} moves with joint '
                                     f'{joint.name!r} but has no <inertial> with a mass; add one')
            whole = tuple(sum(part[k] for part in parts) for k in range(3))
            kind = PRISMATIC if joint.kind == 'prismatic' else REVOLUTE
            result.append(Body(joint.name, parent, kind, geometry.as_matrix(rotation),
                               geometry.as_vector(position), geometry.as_inertia(whole)))
        return tuple(result)
