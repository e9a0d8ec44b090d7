# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a loaded robot says about itself is what its file says."""

import math
from pathlib import Path
from xml.etree import ElementTree

from mechanics.random_urdf import random_urdf
import numpy as np
import pytest
from robodyn_ros.mechanics.tree import Friction
from robodyn_ros.robots.geometry import rotation_from_rpy
from robodyn_ros.robots.robot import load_robot, robot_from_text, robot_names
from robodyn_ros.share import share_folder
from robots.small import small, TEXT

MOVING = ('revolute', 'continuous', 'prismatic')
FIVE = ['irb120', 'parallel_2dof', 'scara_1000', 'scara_450', 'two_link']


def test_the_five_robots_of_the_papers_are_there():
    """robot_names lists them in order."""
    assert robot_names() == FIVE


@pytest.mark.parametrize('name', FIVE)
def test_name_path_and_text_give_one_robot(name):
    """Loaded by name, by path (string or Path) or from text: the same tree, name and joints."""
    path = share_folder('urdf') / f'{name}.urdf'
    robots = [load_robot(name), load_robot(path), load_robot(str(path)),
              robot_from_text(path.read_text(), str(path))]
    for other in robots[1:]:
        assert other.tree == robots[0].tree and other.joints == robots[0].joints
        assert other.name == name and Path(other.path) == path and other.urdf == path.read_text()


@pytest.mark.parametrize('name', FIVE)
def test_joints_limits_and_frames_are_those_of_the_file(name):
    """Moving joints in the order of the file, limits from <limit>, links as frames."""
    arm = load_robot(name)
    root = ElementTree.fromstring(arm.urdf)
    joints = [j for j in root.findall('joint') if j.get('type') in MOVING]
    assert list(arm.joints) == [j.get('name') for j in joints] and arm.n == len(joints)
    assert sorted(arm.frames) == sorted(link.get('name') for link in root.findall('link'))
    assert arm.base == 'base_link' and 'tool0' in arm.frames
    passive = {p.get('joint') for p in root.iter('passive')}
    assert set(arm.passive) == passive
    for key in ('lower', 'upper', 'velocity', 'effort'):
        expected = [float(j.find('limit').get(key)) for j in joints]
        expected = [0.0 if key == 'effort' and j.get('name') in passive else x
                    for j, x in zip(joints, expected)]
        assert getattr(arm.limits, key).tolist() == expected, key
    assert arm.tree.payload_frame == 'tool0'
    gravity = root.find('robodyn/gravity').get('xyz').split()
    assert list(arm.parameters.gravity) == [float(x) for x in gravity]
    assert [arm.joint_index(joint) for joint in arm.joints] == list(range(arm.n))


def test_branches_are_numbered_depth_first_in_the_order_of_the_file():
    """Joints of a chain are neighbours even where the file mixes the branches."""
    link = ('<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'
            '</inertial></link>')
    edges = [('base', 'a1'), ('base', 'b1'), ('b1', 'b2'), ('a1', 'a2'), ('b1', 'c1'),
             ('a2', 'a3')]
    text = '<robot name="y"><link name="base"/>' + ''.join(
        link.format(child) + f'<joint name="j_{child}" type="continuous"><parent link="{parent}"/>'
        f'<child link="{child}"/></joint>' for parent, child in edges) + '</robot>'
    arm = robot_from_text(text)
    assert arm.joints == ('j_a1', 'j_a2', 'j_a3', 'j_b1', 'j_b2', 'j_c1')
    assert [b.parent for b in arm.tree.bodies] == [-1, 0, 1, -1, 3, 3]
    assert arm.tree.payload_frame == 'a3'  # no tool0: the end of the longest chain


def test_a_small_robot_is_read_completely():
    """Every number of the file is found where it belongs."""
    arm = small()
    assert arm.limits.lower.tolist() == [-1.5, 0.0] and arm.limits.upper.tolist() == [1.25, 0.3]
    assert arm.limits.velocity.tolist() == [3.5, 0.5]
    assert arm.limits.effort.tolist() == [40.0, 0.0]  # the slide is passive
    assert arm.passive == ('slide',) and arm.base == 'base'
    loop, = arm.loops
    assert loop == ('closure', 'tool0', 'base', ('x', 'y'))
    shoulder, slide = arm.tree.friction
    assert shoulder == Friction(0.1, 0.2, 0.35, 0.05) and slide == Friction()
    assert shoulder.saturating == 0.0 and not arm.tree.couplings
    rotor, = arm.tree.rotors
    assert (rotor.joint, rotor.carrier, rotor.inertia, rotor.ratio) == (1, 0, 0.01, 50.0)
    assert rotor.axis == (0.0, 0.0, -1.0)
    assert arm.tree.bodies[0].inertia.mass == 2.5 and arm.tree.bodies[1].inertia.mass == 0.75
    assert arm.position('tool0', [0.0, 0.25]) == pytest.approx((0.4, 0.0, 0.5 - 0.25 - 0.1))
    assert repr(arm) == '<Robot small: shoulder, slide; small.urdf>'


def test_limits_that_the_file_does_not_give_are_infinite():
    """A continuous joint has no position limits; velocity or effort 0 means not known."""
    arm = small(('"revolute"', '"continuous"'), ('velocity="3.5" effort="40"',
                                                 'velocity="0" effort="0"'))
    for limit in (-arm.limits.lower, arm.limits.upper, arm.limits.velocity, arm.limits.effort):
        assert limit[0] == math.inf
    bare = small(('"revolute"', '"continuous"'), (
        '<limit lower="-1.5" upper="1.25" velocity="3.5" effort="40"/>', ''))
    assert bare.limits.upper[0] == bare.limits.effort[0] == math.inf


def test_without_robodyn_a_robot_has_plain_defaults():
    """Gravity down, no loops, no rotors, Coulomb friction of <dynamics> without a peak."""
    start, end = TEXT.index('<robodyn>'), TEXT.index('</robodyn>') + len('</robodyn>')
    arm = robot_from_text(TEXT[:start] + TEXT[end:])
    assert arm.parameters.gravity == (0.0, 0.0, -9.81)
    assert arm.loops == arm.passive == arm.tree.rotors == ()
    assert arm.tree.friction[0] == Friction(0.1, 0.2, 0.2, 0.1) and arm.limits.effort[1] == 90.0


def test_welded_links_weigh_and_stay_frames():
    """A mass behind a fixed joint is part of the body that carries it, wherever it sits."""
    part = ('<inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>')
    arm = small(('<link name="tool0"/>', f'<link name="tool0">{part}</link>'))
    hand = arm.tree.bodies[1].inertia
    assert hand.mass == 4.75
    # the slide's axis is -z, so its body frame is turned by pi about x: tool at z = +0.1
    assert hand.moment == pytest.approx((0.0, 0.0, 0.4))
    assert hand.tensor[0][0] == pytest.approx(0.002 + 0.1 + 4.0 * 0.1 ** 2)
    base = small(('<link name="base"/>', f'<link name="base">{part}</link>'))
    assert base.tree == small().tree  # what does not move has no inertia
    assert 'tool0' in arm.frames


def test_axes_need_not_be_unit_vectors():
    """A direction counts, not its length."""
    q = np.random.default_rng(121).normal(size=2).tolist()
    one, other = small(), small(('xyz="0 0 -1"', 'xyz="0 0 -7.5"'))
    assert one.position('tool0', q) == other.position('tool0', q)
    assert one.tree.bodies == other.tree.bodies


def test_a_rotor_axis_is_given_in_the_frame_of_its_carrier():
    """Written out in the carrier's link frame, the joint's own axis gives the default rotor."""
    for number in range(20):
        rng = np.random.default_rng([122, number])
        text = random_urdf(rng, 4)
        for joint in ElementTree.fromstring(text).findall('joint'):
            if joint.get('type') == 'fixed':
                continue
            rpy = [float(x) for x in joint.find('origin').get('rpy').split()]
            axis = rotation_from_rpy(rpy) @ np.array(
                [float(x) for x in joint.find('axis').get('xyz').split()])
            rotor = f'<rotor joint="{joint.get("name")}" inertia="0.01" ratio="9"'
            written = f'axis="{" ".join(repr(float(3.0 * x)) for x in axis)}"'
            (default,), (given,) = (robot_from_text(text.replace(
                '</robot>', f'<robodyn>{rotor} {end}/></robodyn></robot>')).tree.rotors
                for end in ('', written))
            assert given._replace(axis=default.axis) == default
            assert given.axis == pytest.approx(default.axis, abs=1e-15), f'{written}\n{text}'


def test_the_tool_is_the_chosen_frame_or_tool0_or_the_end():
    """A name that the robot lacks falls back; a link welded to the base is never the tool."""
    arm = small()
    assert arm.tool_frame('arm') == 'arm'
    assert arm.tool_frame() == arm.tool_frame('nowhere') == 'tool0' == arm.tree.payload_frame
    other = small(('tool0', 'gripper'), (
        '</robot>', '<link name="wall"/><joint name="weld" type="fixed"><parent link="base"/>'
        '<child link="wall"/></joint></robot>'))
    assert other.frames[-1] == 'wall' and other.tool_frame('tool0') == 'gripper'
