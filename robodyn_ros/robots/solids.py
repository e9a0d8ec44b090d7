# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Volume, centre and second moments of shapes, of density one: what an inertia is estimated from.

Of a closed mesh by Gauss: a sum over the tetrahedra between its triangles and a point. One that is
not closed has no inside; its convex hull stands in.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.robots.urdf.meshes import Mesh

THINNEST = 1e-9
"""Volume over the cube of the size below which a mesh is flat [-]."""


class Solid(NamedTuple):
    """A body of density one, in some frame."""

    volume: float
    """[m^3]"""
    centre: np.ndarray
    """(3,) [m]"""
    second: np.ndarray
    """Integral of x x^T about the centre (3, 3) [m^5]."""

    @property
    def tensor(self) -> np.ndarray:
        """Return the inertia about the centre (3, 3) [m^5]."""
        return np.trace(self.second) * np.eye(3) - self.second

    def placed(self, rotation: np.ndarray, position: np.ndarray) -> Solid:
        """Return it in the frame in which its own sits as given."""
        return Solid(self.volume, rotation @ self.centre + position,
                     rotation @ self.second @ rotation.T)


def joined(solids: list[Solid]) -> Solid:
    """Return several as one; what overlaps counts twice."""
    volume = sum(solid.volume for solid in solids)
    centre = np.sum([solid.volume * solid.centre for solid in solids], axis=0) / volume
    second = np.sum([solid.second + solid.volume * np.outer(solid.centre - centre,
                                                            solid.centre - centre)
                     for solid in solids], axis=0)
    return Solid(float(volume), centre, second)


def shape_solid(kind: str, size: tuple[float, ...]) -> Solid:
    """Return a box (x, y, z), cylinder (radius, length, axis z) or sphere (radius)."""
    if kind == 'box':
        volume = size[0] * size[1] * size[2]
        second = volume / 12.0 * np.diag(np.square(size))
    elif kind == 'cylinder':
        radius, length = size
        volume = np.pi * radius ** 2 * length
        second = volume * np.diag([radius ** 2 / 4.0, radius ** 2 / 4.0, length ** 2 / 12.0])
    else:
        radius, = size
        volume = 4.0 / 3.0 * np.pi * radius ** 3
        second = volume * radius ** 2 / 5.0 * np.eye(3)
    return Solid(float(volume), np.zeros(3), second)


def mesh_solid(mesh: Mesh) -> tuple[Solid | None, str]:
    """Return a mesh's inside, and what was measured: the mesh or its hull; None if it is flat."""
    size = float(np.ptp(mesh.vertices, axis=0).max()) if len(mesh.vertices) else 0.0
    least = THINNEST * size ** 3
    if _closed(mesh.faces):
        found = _inside(mesh.vertices, mesh.faces)
        if found.volume < 0.0:  # its faces look inwards
            found = _inside(mesh.vertices, mesh.faces[:, ::-1])
        if found.volume > least:
            return found, 'closed mesh'
    hull = _hull(mesh.vertices)
    if hull is None or not hull.volume > least:
        return None, 'a mesh without volume'
    return hull, 'convex hull of a mesh that is not closed'


def _closed(faces: np.ndarray) -> bool:
    """Tell whether every edge has one face on either side, both turning the same way."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype(np.int64)
    count = int(faces.max()) + 1 if len(faces) else 0
    there = edges[:, 0] * count + edges[:, 1]
    back = edges[:, 1] * count + edges[:, 0]
    unique = np.unique(there)
    once = len(unique) == len(there)
    return bool(len(faces)) and once and np.array_equal(unique, np.unique(back))


def _inside(vertices: np.ndarray, faces: np.ndarray) -> Solid:
    middle = vertices.mean(axis=0)
    a, b, c = (vertices[faces[:, k]] - middle for k in range(3))
    six = np.einsum('ij,ij->i', a, np.cross(b, c))  # six times the volume of each tetrahedron
    volume = float(six.sum()) / 6.0
    if volume == 0.0:
        return Solid(0.0, middle, np.zeros((3, 3)))
    total = a + b + c
    centre = (six @ total) / 24.0 / volume
    second = sum((np.einsum('i,ij,ik->jk', six, x, x) for x in (a, b, c, total)),
                 np.zeros((3, 3))) / 120.0
    return Solid(volume, middle + centre, second - volume * np.outer(centre, centre))


def _hull(vertices: np.ndarray) -> Solid | None:
    from scipy.spatial import ConvexHull, QhullError  # slow to import, for meshes only
    try:
        hull = ConvexHull(vertices)
    except (QhullError, ValueError):  # fewer than four points, or all in a plane
        return None
    corners = vertices[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inwards = np.einsum('ij,ij->i', normals, hull.equations[:, :3]) < 0.0
    faces = hull.simplices.copy()
    faces[inwards] = faces[inwards][:, ::-1]
    return _inside(vertices, faces)
