# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Mesh files become the same triangles in every format; what cannot be read is one sentence."""

import numpy as np
import pytest
from robodyn_ros.errors import RobotFileError

trimesh = pytest.importorskip('trimesh', reason='the extra "view" is not installed')
pytest.importorskip('collada', reason='the extra "view" is not installed')

from robodyn_ros.robots.urdf import meshes  # noqa: E402

SIZES = (0.1, 0.2, 0.3)


def volume(mesh):
    """Return the volume by the divergence theorem [m^3]."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return float((np.cross(a, b) * c).sum() / 6.0)


def box(path, **options):
    """Write a box."""
    trimesh.creation.box(SIZES).export(path, **options)
    return path


@pytest.mark.parametrize('name, options', [
    ('box.stl', {}), ('box.stl', {'file_type': 'stl_ascii'}), ('box.dae', {}), ('box.obj', {}),
    ('BOX.STL', {}), ('box.ply', {}), ('box.glb', {})])
def test_every_format_has_the_same_box(tmp_path, name, options):
    """Corners, faces that look outwards, the volume."""
    mesh = meshes.read_mesh(box(tmp_path / name, **options))
    assert len(mesh.vertices) == 8 and len(mesh.faces) == 12
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx(SIZES)
    assert volume(mesh) == pytest.approx(np.prod(SIZES))
    assert volume(mesh.scaled((1.0, -2.0, 1.0))) == pytest.approx(2.0 * np.prod(SIZES))


def test_a_padded_stl_is_read(tmp_path):
    """What follows the last triangle is nobody's."""
    with open(box(tmp_path / 'box.stl'), 'ab') as file:
        file.write(b'\n\0\0\0')
    assert volume(meshes.read_mesh(tmp_path / 'box.stl')) == pytest.approx(np.prod(SIZES))


def test_the_unit_of_a_collada_file_counts(tmp_path):
    """A box in millimetres is a thousandth as long."""
    path = box(tmp_path / 'box.dae')
    text = path.read_text()
    assert '<asset>' in text and '<unit' not in text
    path.write_text(text.replace('<asset>', '<asset><unit name="millimeter" meter="0.001"/>'))
    assert np.ptp(meshes.read_mesh(path).vertices, axis=0) == pytest.approx(
        np.array(SIZES) / 1000.0)


def test_colours_of_the_file(tmp_path):
    """An OBJ with a material has its colour; an STL has none."""
    (tmp_path / 'm.mtl').write_text('newmtl red\nKd 1.0 0.0 0.0\n')
    (tmp_path / 'a.obj').write_text(
        'mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n')
    assert meshes.read_mesh(tmp_path / 'a.obj').colours.tolist() == [[1.0, 0.0, 0.0]]
    assert meshes.read_mesh(box(tmp_path / 'b.stl')).colours is None


def test_large_meshes_get_fewer_faces_and_keep_their_shape(tmp_path):
    """As many as were asked for, within a few per cent of the volume."""
    path = tmp_path / 'ball.stl'
    trimesh.creation.icosphere(subdivisions=6, radius=0.5).export(path)
    whole, coarse = meshes.read_mesh(path), meshes.read_mesh(path, 3000)
    assert len(whole.faces) == 81920 and 500 < len(coarse.faces) <= 3000
    assert volume(coarse) == pytest.approx(volume(whole), rel=0.05)


def test_a_changed_file_is_read_again(tmp_path):
    """What is kept is kept for a file as it was."""
    path = box(tmp_path / 'part.stl')
    before = meshes.read_mesh(path)
    assert meshes.read_mesh(path) is before
    trimesh.creation.icosphere().export(path)
    assert len(meshes.read_mesh(path).faces) != len(before.faces)


@pytest.mark.parametrize('name, content, words', [
    ('empty.stl', b'', 'not a mesh that can be read|has no triangles'),
    ('none.stl', b'solid none\nendsolid none\n', 'not a mesh that can be read|has no triangles'),
    ('noise.stl', bytes(range(256)) * 4, 'not a mesh that can be read|has no triangles'),
    ('broken.dae', b'<COLLADA>', 'not a mesh that can be read|has no triangles'),
    ('lines.obj', b'v 0 0 0\nv 1 0 0\nl 1 2\n', 'not a mesh that can be read|has no triangles'),
    ('pointer.stl', b'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n',
     'pointer of Git LFS.*git lfs pull'),
    ('flat.obj', b'v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n', 'no triangles|can be read'),
    ('part.step', b'', 'convert it to one of stl')])
def test_what_is_no_mesh_is_one_sentence(tmp_path, name, content, words):
    """It names the file."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RobotFileError, match=f'{name}: .*({words})'):
        meshes.read_mesh(tmp_path / name)


def test_a_mesh_of_half_a_gigabyte_is_refused_at_once(tmp_path):
    """By its size, unread; a folder and nothing at all are refused too."""
    path = tmp_path / 'huge.stl'
    with open(path, 'wb') as file:
        file.truncate(500_000_000)
    with pytest.raises(RobotFileError, match='huge.stl: has 500 MB; .* simplify it'):
        meshes.read_mesh(path)
    (tmp_path / 'folder.stl').mkdir()
    for name in ('folder.stl', 'missing.stl'):
        with pytest.raises(RobotFileError, match=name):
            meshes.read_mesh(tmp_path / name)
