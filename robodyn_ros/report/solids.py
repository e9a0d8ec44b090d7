# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A robot as flat faces that move with its links, for a picture without a graphics card.

Boxes, cylinders and spheres of the URDF's visuals become polygons; where a link has a mesh, or
nothing at all, a thin bar from joint to joint stands for it.
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from robodyn_ros.mechanics.kinematics import body_poses
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.visuals import Visual, visuals_of

SIDES = 24
"""Of a cylinder or a sphere."""
BAR_COLOUR = (0.45, 0.5, 0.58)
"""Colour of a bar."""
BAR_THICKNESS = 0.02
"""Of a bar [m]."""


class Faces(NamedTuple):
    """Polygons of one link, in its frame or in the base frame."""

    corners: np.ndarray
    """(f, 4, 3) [m]; a triangle has its last corner twice."""
    normals: np.ndarray
    """Outward (f, 3)."""
    colours: np.ndarray
    """Red, green, blue (f, 3), each 0 .. 1."""


class Solid:
    """A robot's faces."""

    def __init__(self, robot: Robot):
        """Read the visuals; a link without simple ones gets bars."""
        self.robot = robot
        self._links: dict[str, list[Faces]] = {}
        for visual in visuals_of(robot.urdf, robot.path):
            shape = _shape(visual)
            if shape is not None:
                corners = shape @ visual.rotation.T + visual.position
                self._links.setdefault(visual.link, []).append(_faces(corners, visual.colour[:3]))
        bodies = {robot.tree.frames[link].body for link in self._links}
        self._bare = [k for k in range(robot.n) if k not in bodies]

    def at(self, q: np.ndarray) -> Faces:
        """Return all faces at positions q (n,), in the base frame."""
        angles = [float(x) for x in q]
        made = []
        for link, parts in self._links.items():
            pose = self.robot.pose(link, angles)
            turn, place = np.array(pose.rotation, float), np.array(pose.position, float)
            made += [Faces(part.corners @ turn.T + place, part.normals @ turn.T, part.colours)
                     for part in parts]
        made += self._bars(angles)
        return Faces(*(np.concatenate(parts) for parts in zip(*made)))

    def _bars(self, angles: Sequence[float]) -> list[Faces]:
        """Bars for links without simple visuals: from the joint of each to the one before it."""
        bodies = self.robot.tree.bodies
        poses = [np.array(pose.position, float) for pose in body_poses(self.robot.tree, angles)]
        bars = []
        for k in self._bare:
            parent = bodies[k].parent
            begin, end = poses[parent] if parent >= 0 else np.zeros(3), poses[k]
            along = end - begin
            length = float(np.linalg.norm(along))
            axis = along / length if length > BAR_THICKNESS else np.array([0.0, 0.0, 1.0])
            other = np.eye(3)[int(np.argmin(np.abs(axis)))]
            side = np.cross(axis, other) / np.linalg.norm(np.cross(axis, other))
            turn = np.column_stack([side, np.cross(axis, side), axis])
            box = _box(BAR_THICKNESS, BAR_THICKNESS, max(length, BAR_THICKNESS))
            bars.append(_faces(box @ turn.T + (begin + end) / 2, BAR_COLOUR))
        return bars


def _faces(corners: np.ndarray, colour: Sequence[float]) -> Faces:
    # the diagonals span a polygon also where two corners fall together
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return Faces(corners, normals, np.tile(np.asarray(colour, float), (len(corners), 1)))


def _shape(visual: Visual) -> np.ndarray | None:
    """Corners of a shape in its own frame (f, 4, 3) [m]; None for a mesh."""
    if visual.kind == 'box':
        return _box(*visual.size)
    if visual.kind == 'cylinder':
        radius, length = visual.size
        return _turned([(0.0, -length / 2), (radius, -length / 2), (radius, length / 2),
                        (0.0, length / 2)])
    if visual.kind == 'sphere':
        angles = np.linspace(-np.pi / 2, np.pi / 2, SIDES // 2 + 1)
        return _turned([(visual.size[0] * float(np.cos(a)), visual.size[0] * float(np.sin(a)))
                        for a in angles])
    return None


def _box(x: float, y: float, z: float) -> np.ndarray:
    """Six sides; corners run against the clock seen from outside."""
    side = np.array([[(-0.5, -0.5, 0.5), (0.5, -0.5, 0.5), (0.5, 0.5, 0.5), (-0.5, 0.5, 0.5)]])
    turns = [side[:, :, order] for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0])]
    return np.concatenate([*turns, *(-turn[:, ::-1] for turn in turns)]) * np.array([x, y, z])


def _turned(outline: Sequence[tuple[float, float]]) -> np.ndarray:
    """Surface made by turning an outline of radius and height, bottom first, about z."""
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    made = []
    for (r0, z0), (r1, z1) in zip(outline, outline[1:]):
        for one, two in zip(around, around[1:]):
            made.append([[*(r0 * one), z0], [*(r0 * two), z0], [*(r1 * two), z1],
                         [*(r1 * one), z1]])
    return np.array(made)
