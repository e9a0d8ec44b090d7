# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every mistake in a robot file is one sentence that names the file, the element, the value."""

import re

import pytest
from robodyn_ros.errors import printable, RobodynError, RobotFileError, UnknownNameError
from robodyn_ros.robots.robot import load_robot, robot_from_text
from robodyn_ros.robots.urdf.visuals import visuals_of
from robots.small import small, spoiled, TEXT

HAND = '<mass value="0.75"/>'
MOMENTS = 'ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.003"'
INERTIAL = TEXT[TEXT.index('<inertial>', TEXT.index('"hand"')):TEXT.index(
    '</inertial>', TEXT.index('"hand"')) + len('</inertial>')]
ISLAND = ''.join(
    f'<link name="{a}"/><joint name="{a}{b}" type="fixed"><parent link="{a}"/>'
    f'<child link="{b}"/></joint>' for a, b in ('uv', 'vu'))

# what is wrong: (pieces replaced, words of the sentence)
MISTAKES = {
    # links
    'mass zero': ([('0.75', '0')], ["'hand'", ' 0;', 'positive']),
    'mass negative': ([('0.75', '-1')], ["'hand'", '-1;', 'positive']),
    'mass no number': ([('0.75', 'heavy')], ['<mass>', "'hand'", "'heavy'", 'finite number']),
    'mass nan': ([('0.75', 'nan')], ['<mass>', "'hand'", "'nan'", 'finite']),
    'mass infinite': ([('0.75', 'inf')], ['<mass>', "'hand'", "'inf'", 'finite']),
    'mass beyond all robots': ([('0.75', '1e300')], ['<mass>', "'1e300'", 'below 1e+30']),
    'mass without value': ([(HAND, '<mass/>')], ['<mass>', "'hand'", 'no value']),
    'no mass': ([(HAND, '')], ['<inertial>', "'hand'", '<mass>']),
    'no izz': ([(' izz="0.003"', '')], ['<inertia>', "'hand'", 'no izz']),
    'inertia negative': ([('ixx="0.002"', 'ixx="-0.002"')], ["'hand'", '-0.002', 'positive']),
    'inertia zero': ([('ixx="0.002"', 'ixx="0"')], ["'hand'", 'moment 0;', 'positive']),
    'inertia not definite': ([('ixy="0.001"', 'ixy="1"')], ["'arm'", 'positive']),
    'triangle inequality': ([('izz="0.003"', 'izz="0.3"')], ["'hand'", '0.3', 'sum']),
    'link without name': ([('<link name="tool0"/>', '<link/>')], ['<link>', 'no name']),
    'name of two lines': ([('<link name="tool0"/>', '<link name="a&#10;b"/>')],
                          ['<link>', "'a\\nb'", 'printable']),
    'two links of one name': ([('<link name="tool0"/>', '<link name="arm"/>')],
                              ["link 'arm'", 'twice', 'own name']),
    # joints
    'unknown joint type': ([('"prismatic"', '"screw"')],
                           ["'slide'", "'screw'", 'revolute, continuous, prismatic, fixed']),
    'joint without type': ([(' type="prismatic"', '')], ["'slide'", 'revolute']),
    'mimic of itself': ([('<axis xyz="0 0 -1"/>', '<axis xyz="0 0 -1"/><mimic joint="slide"/>')],
                        ["'slide'", 'mimics itself', 'without <mimic>']),
    'mimics in a circle': ([('<axis xyz="0 0 -1"/>', '<axis xyz="0 0 -1"/><mimic '
                             'joint="shoulder"/>'),
                            ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><mimic joint="slide"/>')],
                           ['shoulder -> slide -> shoulder']),
    'mimic of nobody': ([('<axis xyz="0 0 -1"/>', '<axis xyz="0 0 -1"/><mimic joint="elbow"/>')],
                        ["'slide'", "'elbow'", '<mimic>']),
    'mimic without joint': ([('<axis xyz="0 0 -1"/>', '<axis xyz="0 0 -1"/><mimic/>')],
                            ["'slide'", 'names no joint']),
    'two joints of one name': ([('"slide" type', '"shoulder" type')],
                               ["joint 'shoulder'", 'twice']),
    'joint without name': ([('<joint name="slide"', '<joint')], ['<joint>', 'no name']),
    'parent that does not exist': ([('<parent link="arm"/>', '<parent link="leg"/>')],
                                   ["'leg'", "'slide'", 'arm, base, hand, tool0']),
    'no parent': ([('<parent link="arm"/>', '')], ["'slide'", '<parent']),
    'no child': ([('<child link="hand"/>', '<child/>')], ["'slide'", '<child']),
    'axis zero': ([('xyz="0 0 -1"', 'xyz="0 0 0"')], ["'slide'", '(0.0, 0.0, 0.0)', 'direction']),
    'axis of two numbers': ([('xyz="0 0 -1"', 'xyz="0 -1"')], ["'slide'", "'0 -1'", '3 finite']),
    'origin nan': ([('xyz="0 0 0.5"', 'xyz="0 0 nan"')], ["'shoulder'", "'0 0 nan'", '3 finite']),
    'rpy infinite': ([('0 0 0.3', '0 inf 0')], ['rpy', "'arm'", "'0 inf 0'", 'finite']),
    'no limit': ([('<limit lower="0" upper="0.3" velocity="0.5" effort="90"/>', '')],
                 ["'slide'", 'prismatic', '<limit>', 'add']),
    'limits exchanged': ([('lower="-1.5"', 'lower="1.5"')], ["'shoulder'", '1.5', '1.25']),
    'limit no number': ([('velocity="3.5"', 'velocity="fast"')], ["'shoulder'", "'fast'"]),
    'effort negative': ([('effort="40"', 'effort="-40"')], ["'shoulder'", '-40', 'negative']),
    'damping negative': ([('damping="0.1"', 'damping="-0.1"')], ["'shoulder'", '-0.1']),
    # the tree
    'cycle of joints': ([('<link name="tool0"/>', ''), ('child link="tool0"', 'child link="base"'),
                         ('frame_a="tool0"', 'frame_a="arm"')],
                        ['cycle of joints', 'one base link']),
    'cycle beside the tree': ([('</robot>', ISLAND + '</robot>')], ["'u'", 'cycle', '<loop>']),
    'two roots': ([('</robot>', '<link name="lost"/></robot>')], ['2 links', "'base', 'lost'"]),
    'two parents': ([('child link="tool0"', 'child link="arm"')],
                    ["'arm'", "'shoulder'", "'flange'", '<loop>']),
    # <robodyn>
    'loop to nowhere': ([('frame_a="tool0"', 'frame_a="nowhere"')],
                        ["'nowhere'", "'closure'", 'arm, base, hand, tool0']),
    'loop without end': ([(' frame_b="base"', '')], ["'closure'", 'frame']),
    'loop along no axis': ([('axes="x y"', 'axes="x w"')], ["'w'", "'closure'", 'yaw']),
    'loop twice along one axis': ([('axes="x y"', 'axes="x x"')], ["'closure'", "'x x'"]),
    'rotor of an unknown joint': ([('<rotor joint="slide"', '<rotor joint="elbow"')],
                                  ["'elbow'", '<rotor>', 'shoulder, slide']),
    'rotor of a fixed joint': ([('<rotor joint="slide"', '<rotor joint="flange"')],
                               ["'flange'", '<rotor>', 'shoulder, slide']),
    'rotor on an unknown link': ([('carrier="arm"', 'carrier="leg"')], ["'leg'", "'slide'"]),
    'rotor elsewhere without axis': ([('carrier="arm"', 'carrier="hand"')],
                                     ["'slide'", "'hand'", 'axis']),
    'rotor axis zero': ([('carrier="arm"', 'carrier="arm" axis="0 0 0"')], ["'slide'", 'zero']),
    'rotor inertia negative': ([('inertia="0.01"', 'inertia="-1"')], ["'slide'", '-1.0']),
    'rotor without ratio': ([(' ratio="50"', '')], ['ratio', '<rotor>', 'finite']),
    'passive of an unknown joint': ([('<passive joint="slide"', '<passive joint="elbow"')],
                                    ["'elbow'", '<passive>', 'shoulder, slide']),
    'friction of an unknown joint': ([('<friction joint="shoulder"', '<friction joint="elbow"')],
                                     ["'elbow'", '<friction>', 'shoulder, slide']),
    'breakaway below Coulomb': ([('breakaway="0.35"', 'breakaway="0.1"')],
                                ["'shoulder'", '0.1', '0.2']),
    'breakaway velocity zero': ([('velocity="0.05"', 'velocity="0"')], ["'shoulder'", 'positive']),
    'coupling of an unknown joint': ([('<gravity', '<coupling joint="shoulder" other="elbow" '
                                                   'ratio="1"/><gravity')],
                                     ["'elbow'", '<coupling>', 'shoulder, slide']),
    'coupling with itself': ([('<gravity', '<coupling joint="slide" other="slide" ratio="1"/>'
                                           '<gravity')], ["'slide'", 'also turns with']),
    'coupling of ratio zero': ([('<gravity', '<coupling joint="slide" other="shoulder" '
                                             'ratio="0"/><gravity')], ["'slide'", 'ratio 0.0']),
    'coupling with too small a peak': ([('<gravity', '<coupling joint="slide" other="shoulder" '
                                                     'ratio="1" friction="2" breakaway="1"/>'
                                                     '<gravity')], ["'slide'", '1.0', '2.0']),
    'friction that saturates at no speed': (
        [('breakaway="0.35"', 'breakaway="0.35" saturating="1" saturation="0"')],
        ['shoulder', 'saturating 1.0 at 0.0']),
    'gravity of two numbers': ([('xyz="0 0 -9.81"', 'xyz="0 0"')], ['<gravity>', "'0 0'"]),
    'element nobody knows': ([('<gravity', '<gravty')], ["'gravty'", '<robodyn>', 'gravity']),
    # what must be single: a second one would take the place of the first
    'two robodyn': ([('</robot>', '<robodyn><gravity xyz="0 0 0"/></robodyn></robot>')],
                    ['the robot', '2 elements <robodyn>', 'keep one']),
    'two gravities': ([('<robodyn>', '<robodyn><gravity xyz="0 0 0"/>')],
                      ['<gravity>', 'twice', 'keep one']),
    'two frictions of a joint': ([('<robodyn>', '<robodyn><friction joint="shoulder" '
                                   'breakaway="5"/>')], ['<friction joint="shoulder">', 'twice']),
    'passive twice': ([('<robodyn>', '<robodyn><passive joint="slide"/>')],
                      ['<passive joint="slide">', 'twice']),
    'two loops of one name': ([('<robodyn>', '<robodyn><loop name="closure" frame_a="arm" '
                                'frame_b="tool0"/>')], ['<loop name="closure">', 'twice']),
    'two inertials': ([('<link name="hand">', f'<link name="hand">{INERTIAL}')],
                      ["link 'hand'", '2 elements <inertial>']),
    'two masses': ([(HAND, HAND + '<mass value="1"/>')],
                   ["<inertial> of link 'hand'", '2 elements <mass>']),
    **{f'two {tag}': ([('</joint>', f'<{tag} link="arm"/></joint>')],
                      ["joint 'shoulder'", f'2 elements <{tag}>'])
       for tag in ('parent', 'child', 'axis', 'limit', 'dynamics')},
    'two origins': ([('<axis xyz="0 0 -1"/>', '<axis xyz="0 0 -1"/><origin/>')],
                    ["joint 'slide'", '2 elements <origin>']),
    # the file
    'xacro': ([('<robot name="small">', '<robot name="small" xmlns:xacro="http://ros.org/xacro">'
                '<xacro:property name="a" value="1"/>')], ['xacro', 'by its path']),
    'entities': ([('<?xml version="1.0"?>', '<?xml version="1.0"?><!DOCTYPE robot ['
                   '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>')],
                 ['entity', "'a'"]),
    'not a robot': ([('<robot name="small">', '<sdf>'), ('</robot>', '</sdf>')],
                    ['<sdf>', '<robot>']),
    'broken XML': ([('</joint>', '')], ['well-formed', 'line']),
}


@pytest.mark.parametrize('mistake', MISTAKES)
def test_a_mistake_is_one_sentence_with_file_element_and_value(mistake):
    """The error is ours, is one line, and has the essential words."""
    changes, words = MISTAKES[mistake]
    with pytest.raises((RobotFileError, UnknownNameError)) as caught:
        robot_from_text(spoiled(*changes), 'small.urdf', strict=True)
    sentence = str(caught.value)
    assert '\n' not in sentence
    for word in ('small.urdf', *words):
        assert word in sentence, f'{mistake}: {word!r} is not in: {sentence}'


def test_the_text_without_a_mistake_is_a_robot():
    """What the table spoils is sound, so each complaint is about the piece replaced."""
    assert small().joints == ('shoulder', 'slide')


@pytest.mark.parametrize('text', ['', 'abc', '<robot', '\0', '<robot><link name="a"></robot>',
                                  '<robot/>', '<robot><joint name="a" type="fixed"/></robot>'])
def test_a_text_that_is_no_robot_is_refused(text):
    """Empty, not XML, no link, no joint: RobotFileError with the name given."""
    with pytest.raises(RobotFileError, match='^description: '):
        robot_from_text(text, 'description')


def write(tmp_path, data):
    """Return the path of a file with some bytes."""
    path = tmp_path / 'robot.urdf'
    path.write_bytes(data)
    return path


@pytest.mark.parametrize('case, words', [
    ('missing', ['no such file', 'robodyn list']),
    ('directory', ['folder', 'URDF']),
    ('not text', ['cannot be read']),
    ('empty', ['well-formed']),
    ('null in the name', ['cannot be read']),
    ('name too long', ['cannot be read']),
])
def test_a_file_that_cannot_be_read_is_named(case, words, tmp_path):
    """The sentence begins with the path, or with as much of it as can be read."""
    path = {
        'missing': lambda: tmp_path / 'nowhere.urdf', 'directory': lambda: tmp_path,
        'not text': lambda: write(tmp_path, b'\x81\x00\x00\x81'),
        'empty': lambda: write(tmp_path, b''),
        'null in the name': lambda: f'{tmp_path}/a\0b.urdf',
        'name too long': lambda: tmp_path / ('x' * 5000 + '.urdf'),
    }[case]()
    with pytest.raises(RobotFileError) as caught:
        load_robot(path)
    named = f'{printable(path)}: '
    assert str(caught.value).startswith(named if len(named) < 500 else named[:300])
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize('name', ['scara', '', 'x' * 5000])
def test_an_unknown_name_lists_the_robots(name):
    """All five names, and that a path would do."""
    with pytest.raises(UnknownNameError, match='path of a URDF') as caught:
        load_robot(name)
    assert 'irb120, parallel_2dof, scara_1000, scara_450, two_link' in str(caught.value)


def test_other_elements_comments_and_tools_extras_are_ignored():
    """Transmissions, gazebo, comments and processing instructions are not our business."""
    text = spoiled(('<robodyn>', '<gazebo><a/></gazebo><transmission name="t"/><robodyn><!-- c -->'
                    '<?tool x?>'))
    assert robot_from_text(text).joints == ('shoulder', 'slide')


def test_every_error_is_ours():
    """One except clause catches them all."""
    assert issubclass(RobotFileError, RobodynError) and issubclass(UnknownNameError, RobodynError)


@pytest.mark.parametrize('visual, words', [
    ('<origin xyz="0 0 up"/><geometry><sphere radius="1"/></geometry>', "is '0 0 up'"),
    ('<geometry><box size="1 2"/></geometry>', "size of a <box> of link 'tool0' is '1 2'"),
    ('<geometry><cylinder radius="wide" length="1"/></geometry>',
     "radius and length .* is 'wide 1'"),
    ('<geometry><sphere radius="-1"/></geometry>', r'is \[-1.0\]'),
    ('<geometry><mesh filename="a.stl" scale="1 0 1"/></geometry>', "is '1 0 1'"),
    ('<geometry><teapot/></geometry>', 'the shape <teapot>')])
def test_a_visual_that_cannot_be_drawn_is_one_sentence(visual, words):
    """Mechanics does not mind, and the other visuals are drawn."""
    good = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    arm = small(('<link name="tool0"/>',
                 f'<link name="tool0"><visual>{visual}</visual>{good}</link>'))
    shapes, complaints = visuals_of(arm.urdf, arm.path)
    assert [shape.kind for shape in shapes if shape.link == 'tool0'] == ['sphere']
    assert len(complaints) == 1
    assert re.search(f'small.urdf: .*{words}; expected', complaints[0])
