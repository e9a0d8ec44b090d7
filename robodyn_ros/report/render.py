# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A robot as a picture without a graphics card: flat faces that move with its links, and lines.

The shapes of the robot's appearance become polygons. The picture is a parallel projection with a
depth for every dot and one lamp; it is drawn at twice its size and made smaller at the end, which
smooths the edges.
"""
from __future__ import annotations

from copy import copy
import logging
from typing import Any, NamedTuple, Sequence

import numpy as np

from robodyn_ros.report.raster import covered
from robodyn_ros.robots.appearance import appearance_of, link_poses, Part
from robodyn_ros.robots.robot import Robot

LOG = logging.getLogger('robodyn_ros')
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
EDGE_ON = 1e-6
"""Part of a face's area that is seen, below which it is not drawn [-]."""
SIDES = 24
"""Of a cylinder or a sphere."""
MESH_FACES = 1500
"""Triangles of one mesh: the picture is small, and there are hundreds of them."""


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
        """Read how the robot looks; what is not as its file says is logged."""
        look = appearance_of(robot, MESH_FACES)
        for warning in look.warnings:
            LOG.warning('%s', warning)
        self.robot, self._links = robot, look.links
        self._faces = [_joined([_faces_of(part) for part in look.parts if part.shape.link == link])
                       for link in self._links]

    def at(self, q: np.ndarray) -> Faces:
        """Return all faces at positions q (n,), in the base frame."""
        made = []
        for own, pose in zip(self._faces, link_poses(self.robot, self._links, q)):
            turn = np.array(pose.rotation, float)
            made.append(Faces(own.corners @ turn.T + pose.position, own.normals @ turn.T,
                              own.colours))
        return _joined(made)


def _joined(parts: Sequence[Faces]) -> Faces:
    empty = Faces(np.zeros((0, 4, 3)), np.zeros((0, 3)), np.zeros((0, 3)))
    return Faces(*(np.concatenate(columns) for columns in zip(empty, *parts)))


def _faces_of(part: Part) -> Faces:
    """Return the faces of a part in its link's frame."""
    shape, mesh = part.shape, part.mesh
    corners = _shape(part) @ shape.rotation.T + shape.position
    colours: Any = shape.colour[:3]
    if mesh is not None and mesh.colours is not None:
        colours = np.where(np.isfinite(mesh.colours), mesh.colours, colours)
    return _faces(corners, colours)


def _faces(corners: np.ndarray, colours: Any) -> Faces:
    # the diagonals span a polygon also where two corners fall together
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return Faces(corners, normals, np.broadcast_to(colours, (len(corners), 3)))


def _shape(part: Part) -> np.ndarray:
    """Corners of a shape in its own frame (f, 4, 3) [m]."""
    size = part.shape.size
    if part.mesh is not None:
        return part.mesh.vertices[part.mesh.faces[:, [0, 1, 2, 2]]]
    if part.shape.kind == 'box':
        return _box(*size)
    if part.shape.kind == 'cylinder':
        radius, length = size
        return _turned([(0.0, -length / 2), (radius, -length / 2), (radius, length / 2),
                        (0.0, length / 2)])
    angles = np.linspace(-np.pi / 2, np.pi / 2, SIDES // 2 + 1)
    return _turned([(size[0] * float(np.cos(a)), size[0] * float(np.sin(a))) for a in angles])


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
        fall = (faces.corners[..., 2:] - height) / LIGHT[2]
        picture = np.array(self._image)
        dots = self.camera.project(faces.corners - fall * LIGHT)[0]
        for found in covered(dots, picture.shape[1], picture.shape[0]):
            picture[found.y, found.x] = SHADOW
        self._renew(picture)

    def paint(self, faces: Faces) -> None:
        """Draw faces, near ones over far ones, dot by dot; a face has two sides."""
        picture = np.array(self._image)
        seen = np.abs(faces.normals @ self.camera.towards) > EDGE_ON
        faces = Faces(*(part[seen] for part in faces))
        outwards = np.sign(faces.normals @ self.camera.towards)
        lit = np.maximum(outwards * (faces.normals @ (LIGHT / np.linalg.norm(LIGHT))), 0.0)
        colours = 255.0 * faces.colours * (AMBIENT + (1.0 - AMBIENT) * lit)[:, None]
        dots, depths = self.camera.project(faces.corners)
        # depth is linear in the dots: fitted to the diagonals, which every face has
        (ax, ay), (bx, by) = (dots[:, 2] - dots[:, 0]).T, (dots[:, 3] - dots[:, 1]).T
        a, b = depths[:, 2] - depths[:, 0], depths[:, 3] - depths[:, 1]
        with np.errstate(all='ignore'):  # a face without an area covers no dot
            slope_x = (a * by - b * ay) / (ax * by - ay * bx)
            slope_y = (b * ax - a * bx) / (ax * by - ay * bx)
        for face, x, y in covered(dots, picture.shape[1], picture.shape[0]):
            depth = depths[face, 0] + slope_x[face] * (x + 0.5 - dots[face, 0, 0]) \
                + slope_y[face] * (y + 0.5 - dots[face, 0, 1])
            near = depth > self._depth[y, x]
            # of several faces at one dot the last one written stays: the nearest
            order = np.flatnonzero(near)[np.argsort(depth[near], kind='stable')]
            face, x, y = face[order], x[order], y[order]
            self._depth[y, x] = depth[order]
            picture[y, x] = colours[face]
        self._renew(picture)

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
