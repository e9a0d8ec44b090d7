# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Mesh files as triangles: STL (binary and text), COLLADA, OBJ, PLY, glTF and OFF.

Read by trimesh (COLLADA with pycollada), which is imported when a mesh is asked for: mechanics
needs none. As with RViz, the unit of a COLLADA file counts and its up axis does not. What was read
is kept for the next who asks, as long as the file stays the same.
"""
from __future__ import annotations

from functools import lru_cache
from io import BytesIO
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robodyn_ros.errors import MissingPackageError, RobotFileError

KINDS = ('.stl', '.dae', '.obj', '.ply', '.glb', '.gltf', '.off')
MOST_BYTES = 100_000_000
"""Of a file: some ten seconds of reading COLLADA, which is the slowest."""
MOST_FACES = 4_000_000
"""Of a file: a COLLADA file may place one part many times."""
KEPT = 512
"""Meshes kept in memory, none of more faces than was asked for."""
FINEST = 2 ** 20
"""Cells along a mesh of which corners in one are the same point."""
POINTER = b'version https://git-lfs.'
"""What stands where Git LFS has not put the file yet."""
CREASE = 0.6
"""Angle between two faces above which their edge is sharp [rad]."""
SHRINK = 0.8
"""By how much the grid of the simplification gets coarser from one try to the next [-]."""


class Mesh(NamedTuple):
    """Triangles in the frame of the file."""

    vertices: np.ndarray
    """(v, 3) [m]; a file without units is taken to be in metres."""
    faces: np.ndarray
    """Places of corners in vertices (f, 3), against the clock seen from outside."""
    colours: np.ndarray | None
    """Red, green, blue of each face (f, 3), each 0 .. 1; NaN, or None for all: no own colour."""

    def scaled(self, scale: tuple[float, ...] | np.ndarray) -> Mesh:
        """Return it stretched by factors (3,); mirrored, its faces still look outwards."""
        mirrored = np.prod(np.sign(scale)) < 0.0
        return Mesh(self.vertices * np.asarray(scale),
                    self.faces[:, ::-1] if mirrored else self.faces, self.colours)


def read_mesh(path: str | Path, most_faces: int = MOST_FACES) -> Mesh:
    """
    Return the triangles of a file; RobotFileError says in one sentence why there are none.

    :param most_faces: above which small detail is joined
    """
    path = Path(path)
    about = mesh_file(path)
    return _read(str(path.resolve()), about.st_mtime_ns, about.st_size, most_faces)


def mesh_file(path: Path) -> os.stat_result:
    """Return what is known of a file that may be a mesh; RobotFileError says why it is none."""
    if path.suffix.lower() not in KINDS:
        raise RobotFileError(f'{path}: is no mesh this package can read; convert it to one of '
                             f'{", ".join(kind[1:] for kind in KINDS)}')
    try:
        about = path.stat()
        if not os.path.isfile(path):
            raise RobotFileError(f'{path}: is not a file; give a mesh file')
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise RobotFileError(f'{path}: cannot be read ({reason}); put the mesh there') from None
    if about.st_size > MOST_BYTES:
        raise RobotFileError(f'{path}: has {about.st_size / 1e6:.0f} MB; a mesh of up to '
                             f'{MOST_BYTES / 1e6:.0f} MB is read, simplify it (MeshLab, Blender)')
    if about.st_size < len(POINTER) + 1000 and path.read_bytes().startswith(POINTER):
        raise RobotFileError(f'{path}: is a pointer of Git LFS, not the mesh; fetch the meshes '
                             'with git lfs pull in its repository')
    return about


@lru_cache(maxsize=KEPT)
def _read(path: str, changed: int, size: int, most_faces: int) -> Mesh:
    """Read a file; when it changed and its size are what makes it another one."""
    try:
        import trimesh
        if path.lower().endswith('.dae'):
            import collada  # noqa: F401  trimesh would say that it cannot read the file
    except ImportError as error:
        name = {'collada': 'pycollada'}.get(str(error.name), error.name)
        raise MissingPackageError(f'{path}: meshes need {name}, which is not installed; run pip '
                                  'install "robodyn_ros[view]"') from None
    try:
        padded = _without_tail(path)
        scene = trimesh.load_scene(padded, file_type='stl') if padded else \
            trimesh.load_scene(path)
        parts = [_part(trimesh, scene, name) for name in _placed(scene, path)]
    except RobotFileError:
        raise
    except Exception as error:  # noqa: B902  its readers may raise anything
        said = ' '.join(str(error).split())[:200] or type(error).__name__
        raise RobotFileError(f'{path}: is not a mesh that can be read ({said}); export it '
                             'anew') from None
    parts = [part for part in parts if len(part.faces)]
    mesh = _joined(parts) if parts else None
    if mesh is None or not len(mesh.faces):
        raise RobotFileError(f'{path}: has no triangles; export the mesh anew')
    return simplified(mesh, most_faces)


def _without_tail(path: str) -> BytesIO | None:
    """Return a binary STL without what follows its last triangle, as some are padded."""
    if not path.lower().endswith('.stl'):
        return None
    data = Path(path).read_bytes()
    end = 84 + 50 * int.from_bytes(data[80:84], 'little')
    return BytesIO(data[:end]) if 84 < end < len(data) < end + 4096 else None


def _placed(scene: Any, path: str) -> list[str]:
    """Return the nodes of a scene that hold triangles, if they are not too many."""
    names = [name for name in scene.graph.nodes_geometry
             if hasattr(scene.geometry[scene.graph[name][1]], 'faces')]
    count = sum(len(scene.geometry[scene.graph[name][1]].faces) for name in names)
    if count > MOST_FACES:
        raise RobotFileError(f'{path}: has {count} triangles; at most {MOST_FACES} are read, '
                             'simplify it (MeshLab, Blender)')
    return names


def _part(trimesh: Any, scene: Any, name: str) -> Mesh:
    """Return one geometry of a scene where it stands, in metres."""
    matrix, geometry = scene.graph[name]
    part = scene.geometry[geometry]
    unit = trimesh.units.unit_conversion(part.units, 'meters') if part.units else 1.0
    vertices = (part.vertices @ matrix[:3, :3].T + matrix[:3, 3]) * unit
    faces = np.asarray(part.faces)
    good = np.isfinite(vertices).all(axis=1)[faces].all(axis=1)
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        faces = faces[:, ::-1]
    colours = _colours(trimesh, part)
    return Mesh(np.nan_to_num(vertices, posinf=0.0, neginf=0.0), faces[good],
                None if colours is None else colours[good])


def _colours(trimesh: Any, part: Any) -> np.ndarray | None:
    """Return the colours of the faces; alpha, which exporters get wrong, is left out."""
    look, count = part.visual, len(part.faces)
    if look.kind in ('face', 'vertex'):
        return look.face_colors[:, :3] / 255.0
    material = getattr(look, 'material', None)
    if look.kind != 'texture' or material is None:
        return None
    image = getattr(material, 'image', None) or getattr(material, 'baseColorTexture', None)
    if image is not None and getattr(look, 'uv', None) is not None:
        at = trimesh.visual.color.uv_to_color(look.uv, image)
        if at is not None:
            return at[part.faces][..., :3].mean(axis=1) / 255.0
    colour = np.asarray(material.main_color)
    if np.array_equal(colour, trimesh.visual.color.DEFAULT_COLOR):
        return None  # what trimesh says where the file says nothing
    return np.tile(colour[:3] / 255.0, (count, 1))


def _joined(parts: list[Mesh]) -> Mesh:
    """Return several parts as one, with the corners that lie on one another joined."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    vertices = np.concatenate([part.vertices for part in parts])
    faces = np.concatenate([part.faces + k for part, k in zip(parts, first)])
    colours = None
    if any(part.colours is not None for part in parts):
        colours = np.concatenate([
            np.full((len(part.faces), 3), np.nan) if part.colours is None else part.colours
            for part in parts])
    return _clustered(vertices, faces, colours, FINEST)


def _clustered(vertices: np.ndarray, faces: np.ndarray, colours: np.ndarray | None,
               cells: int) -> Mesh:
    """
    Return a mesh in which the corners in one cell of a grid are one, their mean.

    :param cells: along the longest side of the mesh; triangles that become lines are left out
    """
    low, extent = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max())
    grid = np.floor((vertices - low) * (cells / max(extent, 1e-30))).astype(np.int64)
    key = (grid[:, 0] * (cells + 1) + grid[:, 1]) * (cells + 1) + grid[:, 2]
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    joined = np.stack([np.bincount(place, column) for column in vertices.T], axis=1)
    faces = place[faces]
    a, b, c = faces.T
    real = (a != b) & (b != c) & (c != a)
    return Mesh(joined / count[:, None], faces[real].astype(np.int32),
                None if colours is None else colours[real])


def simplified(mesh: Mesh, most_faces: int) -> Mesh:
    """Return a mesh of at most so many faces, on a grid that is as fine as they allow."""
    made, cells = mesh, int(4.0 * most_faces ** 0.5)
    while len(made.faces) > most_faces and cells > 1:
        made = _clustered(*mesh, cells)
        cells = int(SHRINK * cells)
    return made


def creased(mesh: Mesh) -> Mesh:
    """Return a mesh whose sharp edges are cut, for a smooth shading that keeps them sharp."""
    import trimesh
    cut = trimesh.graph.smooth_shade(
        trimesh.Trimesh(mesh.vertices, mesh.faces, process=False), CREASE, facet_minarea=None)
    return Mesh(np.asarray(cut.vertices), np.asarray(cut.faces), mesh.colours)
