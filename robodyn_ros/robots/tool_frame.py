# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Which frame of a robot is its tool, where nobody says: the one rule for payload, paths and view.

tool0, with a prefix if need be (left_tool0); else the end of the longest chain: that with the most
moving joints, then the longest in metres, then the first of the file. The fingers of a hand do not
count: a hand is a body whose longest branch has fewer joints than lead to it, and whose second
longest has more than half as many as that. Of the frames on the last body, the tool is the
farthest on the axis of the last joint, as flanges and tool centre points are and cameras beside
them are not; where there is none, the farthest.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.mechanics.tree import Tree

NAMED = 'tool0'
ON_AXIS = 1e-3
"""Distance from an axis up to which a frame lies on it [m]."""
SAME_LENGTH = 1e-6
"""Chains whose lengths differ by less are equally long: left and right arms [m]."""


class Tool(NamedTuple):
    """The frame that is the tool, and why."""

    frame: str
    reason: str


def tool_of(tree: Tree, base: str) -> Tool:
    """Return the tool of a robot; the base link where nothing moves."""
    if NAMED in tree.frames:
        return Tool(NAMED, 'by its name')
    ranks = _ranks(tree)
    named = [name for name, frame in tree.frames.items()
             if name.endswith(NAMED) and frame.body >= 0]
    if named:
        return Tool(max(named, key=lambda name: ranks[tree.frames[name].body]), 'by its name')
    if not tree.bodies:
        return Tool(base, 'nothing moves')
    fingers = _fingers(tree, [rank[0] for rank in ranks])
    body = max((k for k in range(len(ranks)) if k not in fingers), key=lambda k: ranks[k])
    joints, beyond = ranks[body][0], ', without its fingers' if any(
        tree.bodies[k].parent == body for k in fingers) else ''
    return Tool(_end(tree, body), f'the end of the longest chain, {joints} '
                                  f'{"joint" if joints == 1 else "joints"}{beyond}')


def _ranks(tree: Tree) -> list[tuple[int, float]]:
    """Return how many joints lead to each body, and how long the way is, in SAME_LENGTH."""
    joints: list[int] = []
    lengths: list[float] = []
    for body in tree.bodies:  # a parent comes before its children
        before = body.parent
        joints.append(1 + (joints[before] if before >= 0 else 0))
        lengths.append(float(np.linalg.norm(np.array(body.translation, float)))
                       + (lengths[before] if before >= 0 else 0.0))
    return [(count, round(length / SAME_LENGTH)) for count, length in zip(joints, lengths)]


def _fingers(tree: Tree, joints: list[int]) -> set[int]:
    """
    Return the bodies behind hands.

    :param joints: that lead to each body, its own among them
    """
    behind = [1] * len(joints)  # joints of the longest branch that begins with this body's own
    branches: list[list[int]] = [[] for _ in joints]
    for k in reversed(range(len(joints))):
        parent = tree.bodies[k].parent
        if parent >= 0:
            behind[parent] = max(behind[parent], 1 + behind[k])
            branches[parent].append(behind[k])
    found: set[int] = set()
    for k, body in enumerate(tree.bodies):
        if body.parent in found:
            found.add(k)
        elif body.parent >= 0:
            first, second = sorted([0, 0, *branches[body.parent]])[:-3:-1]
            if first / 2.0 < second <= first < joints[body.parent]:
                found.add(k)
    return found


def _end(tree: Tree, body: int) -> str:
    """Return the frame on a body that is its end; the frame deepest in the file of equal ones."""
    own, *others = [(name, np.array(frame.translation, float))
                    for name, frame in tree.frames.items() if frame.body == body]
    on_axis = [(name, place) for name, place in others if np.hypot(*place[:2]) < ON_AXIS]
    end, farthest = own[0], 0.0
    for name, place in on_axis or others:
        distance = float(np.linalg.norm(place))
        if distance > farthest - SAME_LENGTH:
            end, farthest = name, max(farthest, distance)
    return end
