# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A robot as a picture without a graphics card: flat faces that move with its links, and lines.

Boxes, cylinders and spheres of the URDF's visuals become polygons; where a link has a mesh, or
nothing at all, a thin bar from joint to joint stands for it. The picture is a parallel projection
with a depth for every dot and one lamp; it is drawn at twice its size and made smaller at the end,
which smooths the edges.
"""
from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple, Sequence

import numpy as np

from robodyn_ros.mechanics.kinematics import body_poses
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.visuals import Visual, visuals_of

OVERSAMPLING = 2
"""Dots drawn for each dot of the picture, along each side."""
LIGHT = np.array([0.33, -0.5, 0.8])
"""Towards the lamp."""
AMBIENT = 0.55
"""Brightness of a face that the lamp does not reach."""
WHITE, SHADOW, GRID = (255, 255, 255), (232, 235, 240), (214, 219, 226)
MARGIN = 0.05
"""Empty border, as a part of the picture."""
NARROWEST, WIDEST = 0.8, 1.5
"""Width of a picture, as a part of its height."""
TEXT_ROOM = 0.07
"""Room for a line of text at the top, as a part of the picture's height."""
SIDES = 24
"""Of a cylinder or a sphere."""
BAR_COLOUR, BAR_THICKNESS = (0.45, 0.5, 0.58), 0.02
"""Of a bar; thickness in [m]."""


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


class Camera(NamedTuple):
    """Looks along -towards; a point's dots are origin + scale (p . right, -p . up)."""

    right: np.ndarray
    up: np.ndarray
    towards: np.ndarray
    """Unit vector from the scene to the camera (3,)."""
    scale: float
    """Dots per metre, finer ones."""
    origin: np.ndarray
    """Dots of the base (2,), finer ones."""

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return dots (..., 2) and depth towards the camera (...) of points (..., 3) [m]."""
        flat = np.stack([points @ self.right, -(points @ self.up)], axis=-1)
        return self.origin + self.scale * flat, points @ self.towards


def camera_for(cloud: np.ndarray, elevation: float, azimuth: float,
               height: int) -> tuple[Camera, int]:
    """
    Return a camera that has all points (k, 3) in its picture, and the picture's width.

    :param elevation: above the floor [deg]
    :param azimuth: about z, from x [deg]
    """
    e, a = np.radians([elevation, azimuth])
    towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    up = np.cross(towards, right)
    flat = np.stack([cloud @ right, -(cloud @ up)], axis=1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    extent = np.maximum(high - low, 1e-3)
    width = 2 * round(height * min(max(extent[0] / extent[1], NARROWEST), WIDEST) / 2)
    room = OVERSAMPLING * np.array([width * (1 - 2 * MARGIN),
                                    height * (1 - 2 * MARGIN - TEXT_ROOM)])
    scale = float((room / extent).min())
    centre = OVERSAMPLING * np.array([width / 2, height * (1 + TEXT_ROOM) / 2])
    return Camera(right, up, towards, scale, centre - scale * (low + high) / 2), width


class Canvas:
    """A picture in the making, with the depth of what is seen at every dot."""

    def __init__(self, camera: Camera, width: int, height: int):
        """Begin with an empty picture."""
        from PIL import Image, ImageDraw
        self.camera, self.size = camera, (width, height)
        self._image = Image.new('RGB', (OVERSAMPLING * width, OVERSAMPLING * height), WHITE)
        self._draw: Any = ImageDraw.Draw(self._image)
        self._depth = np.full((OVERSAMPLING * height, OVERSAMPLING * width), -np.inf)

    def copy(self) -> Canvas:
        """Return a canvas with the same picture, to draw on."""
        made = copy(self)
        made._depth = self._depth.copy()
        made._renew(np.array(self._image))
        return made

    def floor(self, height: float, middle: np.ndarray, half: float) -> None:
        """Draw a grid at a height [m] around a middle (2,) [m], half as wide [m]."""
        step = 10.0 ** np.floor(np.log10(2.0 * half)) / 4.0
        count = int(half / step) + 1
        lines, (x, y) = np.arange(-count, count + 1) * step, np.round(middle / step) * step
        first, last = lines[0], lines[-1]
        for line in lines:
            for a, b in (((line, first), (line, last)), ((first, line), (last, line))):
                ends = np.array([(x + a[0], y + a[1], height), (x + b[0], y + b[1], height)])
                self._draw.line([tuple(dot) for dot in self.camera.project(ends)[0]], GRID,
                                OVERSAMPLING)

    def shadow(self, faces: Faces, height: float) -> None:
        """Draw what the lamp casts onto the floor at a height [m]."""
        corners = faces.corners[faces.normals @ LIGHT > 0.0]
        fall = (corners[..., 2:] - height) / LIGHT[2]
        for dots in self.camera.project(corners - fall * LIGHT)[0]:
            self._draw.polygon([tuple(dot) for dot in dots], SHADOW)

    def paint(self, faces: Faces) -> None:
        """Draw faces, near ones over far ones, dot by dot."""
        picture = np.array(self._image)
        facing = faces.normals @ self.camera.towards
        lit = np.maximum(faces.normals @ (LIGHT / np.linalg.norm(LIGHT)), 0.0)
        colours = 255.0 * faces.colours * (AMBIENT + (1.0 - AMBIENT) * lit)[:, None]
        dots, depths = self.camera.project(faces.corners)
        for k in np.flatnonzero(facing > 1e-9):
            self._paint_face(picture, dots[k], depths[k], colours[k])
        self._renew(picture)

    def _paint_face(self, picture: np.ndarray, dots: np.ndarray, depths: np.ndarray,
                    colour: np.ndarray) -> None:
        low = np.maximum(np.floor(dots.min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(dots.max(axis=0)).astype(int) + 1, picture.shape[1::-1])
        if (high <= low).any():
            return
        x, y = np.arange(low[0], high[0])[None, :] + 0.5, np.arange(low[1], high[1])[:, None] + 0.5
        inside = np.ones((high[1] - low[1], high[0] - low[0]), bool)
        for (ax, ay), (bx, by) in zip(dots, np.roll(dots, -1, axis=0)):
            # seen from outside, corners run against the clock; dots have y downwards
            inside &= (bx - ax) * (y - ay) - (by - ay) * (x - ax) <= 0.0
        if not inside.any():
            return
        # depth is linear in the dots: fitted to the diagonals, which every face has
        sides = np.array([dots[2] - dots[0], dots[3] - dots[1]])
        slope = np.linalg.solve(sides, [depths[2] - depths[0], depths[3] - depths[1]])
        depth = depths[0] + slope[0] * (x - dots[0, 0]) + slope[1] * (y - dots[0, 1])
        place = np.s_[low[1]:high[1], low[0]:high[0]]
        seen = inside & (depth > self._depth[place])
        self._depth[place][seen] = depth[seen]
        picture[place][seen] = colour

    def line(self, points: np.ndarray, colour: Sequence[int], width: float,
             dash: int = 0) -> None:
        """
        Draw a curve of points (k, 3) [m]; pale where it is behind a face.

        :param width: in dots of the picture
        :param dash: pieces of the curve that are drawn and left out in turn, 0 for a solid one
        """
        dots, depths = self.camera.project(points)
        shape = self._depth.shape
        column = np.clip(dots[:, 0].astype(int), 0, shape[1] - 1)
        row = np.clip(dots[:, 1].astype(int), 0, shape[0] - 1)
        hidden = depths < self._depth[row, column] - 2.0 * width / self.camera.scale
        pale = tuple(int(0.35 * c + 0.65 * 255) for c in colour)
        for chosen, paint in ((True, pale), (False, tuple(colour))):
            for k in range(len(dots) - 1):
                if hidden[k] == chosen and not (dash and k // dash % 2):
                    self._draw.line([tuple(dots[k]), tuple(dots[k + 1])], paint,
                                    int(OVERSAMPLING * width))

    def dot(self, point: np.ndarray, colour: Sequence[int], radius: float) -> None:
        """Draw a disc at a point (3,) [m]; its radius is in dots of the picture."""
        (x, y), r = self.camera.project(point)[0], OVERSAMPLING * radius
        self._draw.ellipse([x - r, y - r, x + r, y + r], tuple(colour))

    def text(self, text: str, font: Any, right: bool = False) -> None:
        """Write a line at the top, on the left or on the right."""
        margin = OVERSAMPLING * MARGIN * self.size[1] / 2
        x = OVERSAMPLING * self.size[0] - margin if right else margin
        self._draw.text((x, margin), text, (48, 54, 61), font, anchor='ra' if right else 'la')

    def picture(self) -> np.ndarray:
        """Return what was drawn, as bytes (height, width, 3)."""
        from PIL import Image
        return np.asarray(self._image.resize(self.size, Image.Resampling.BOX))

    def _renew(self, picture: np.ndarray) -> None:
        from PIL import Image, ImageDraw
        self._image = Image.fromarray(picture)
        self._draw = ImageDraw.Draw(self._image)
