# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a robot, and the addresses that others are told."""

import numpy as np
import pytest
from robodyn_ros.robots.appearance import appearance_of, corners_of, link_poses
from robodyn_ros.robots.robot import load_robot, robot_from_text
from robodyn_ros.robots.urdf.addresses import followable_address
from robots.small import small

pytest.importorskip('trimesh', reason='the extra "view" is not installed')

TOOL = '<link name="tool0"/>'


def with_mesh(address):
    """Return the small arm with one mesh at its tool."""
    return small((TOOL, '<link name="tool0"><visual><geometry>'
                        f'<mesh filename="{address}"/></geometry></visual></link>'))


def test_a_mesh_that_is_not_found_is_one_warning_and_a_stand_in():
    """Whatever the number of its uses."""
    look = appearance_of(with_mesh('package://nowhere/a.stl'))
    assert len(look.warnings) == 1 and "no package 'nowhere'" in look.warnings[0]
    assert look.parts


def test_a_robot_without_visuals_is_a_skeleton():
    """Every moving part has something, joined where the joints are."""
    robot = small()
    look = appearance_of(robot)
    drawn = {robot.tree.frames[link].body for link in look.links}
    assert set(range(len(robot.tree.bodies))) <= drawn | {len(robot.tree.bodies) - 1}
    assert not look.warnings
    for part in look.parts:
        assert np.isfinite(corners_of(part)).all()


def test_links_are_where_the_compiled_kinematics_puts_them():
    """In plain numbers."""
    robot = load_robot('irb120')
    q = np.linspace(-1.0, 1.0, robot.n)
    for frame, pose in zip(robot.frames, link_poses(robot, robot.frames, q)):
        assert np.abs(np.array(pose.position) - robot.frame(frame, q).position).max() < 1e-12


def test_addresses_that_others_can_follow(tmp_path, monkeypatch):
    """package:// stays where the ament index has the file; the rest becomes file://."""
    (tmp_path / 'meshes').mkdir()
    mesh = tmp_path / 'meshes' / 'a b.stl'
    mesh.write_text('')
    near = tmp_path / 'arm.urdf'
    assert followable_address('meshes/a b.stl', near) == mesh.as_uri()
    assert followable_address('meshes/none.stl', near) == 'meshes/none.stl'
    index = tmp_path / 'prefix' / 'share' / 'ament_index' / 'resource_index' / 'packages'
    index.mkdir(parents=True)
    share = tmp_path / 'prefix' / 'share' / 'arm_description'
    share.mkdir()
    (share / 'a.stl').write_text('')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'prefix'))
    address = 'package://arm_description/a.stl'
    assert followable_address(address, near) == (share / 'a.stl').as_uri()  # RViz asks the index
    (index / 'arm_description').write_text('')
    assert followable_address(address, near) == address


def test_the_text_of_a_robot_names_files_by_their_whole_path(tmp_path):
    """So that a node elsewhere finds them."""
    (tmp_path / 'a.stl').write_text('')
    path = tmp_path / 'arm.urdf'
    path.write_text(with_mesh('a.stl').urdf)
    assert f'filename="{(tmp_path / "a.stl").as_uri()}"' in load_robot(path).urdf


def test_something_is_seen_of_a_robot_that_neither_moves_nor_has_its_mesh():
    """A knob at its base, and the warning."""
    stand = robot_from_text('<robot name="stand"><link name="a"><visual><geometry><mesh '
                            'filename="package://nobody/a.stl"/></geometry></visual></link>'
                            '</robot>')
    look = appearance_of(stand)
    assert [part.shape.kind for part in look.parts] == ['cylinder'] and len(look.warnings) == 1
