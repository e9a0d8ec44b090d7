# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Whatever is a URDF loads: public robots against Pinocchio, one made-up file for each case."""

from importlib import metadata
import json
from pathlib import Path
import time

from mechanics.peer import Peer
from mechanics.random_urdf import random_urdf
import numpy as np
import pytest
from robodyn_ros import Plant, State
from robodyn_ros.commands.main import main
from robodyn_ros.errors import RobodynError, RobotFileError, SingularMassError
from robodyn_ros.mechanics import equations, kinematics
from robodyn_ros.mechanics.friction import friction_torque, mean_slope
from robodyn_ros.mechanics.tree import Friction
from robodyn_ros.robots.mass_check import check_mass
from robodyn_ros.robots.robot import load_robot, robot_from_text
from robodyn_ros.robots.urdf import macros
from robodyn_ros.robots.urdf.records import MOST_LINKS
from robots.small import small, spoiled, TEXT

try:
    LISTED = metadata.files('example-robot-data') or []
except metadata.PackageNotFoundError:
    LISTED = []
FILES = sorted(Path(str(file.locate())) for file in LISTED if file.suffix == '.urdf')
REFUSED = {
    'alex_psyonic_hands.urdf': "unknown joint 'index_q1'",  # a mimic of a joint that is not there
    'ur3.urdf': 'has no <link>',  # xacro macros that nobody calls
}
"""The two of the 69 files that are no robots, and why."""
AXIS = '<axis xyz="0 0 -1"/>'


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_public_robots_are_those_of_pinocchio(path):
    """M, h and frames to 1e-12, mimic joints included; what is refused says why."""
    if path.name in REFUSED:
        with pytest.raises(RobodynError, match=REFUSED[path.name]):
            load_robot(path)
        return
    arm = load_robot(path)
    peer, rng = Peer(arm), np.random.default_rng(7)
    q, v = rng.uniform(-1.0, 1.0, (2, arm.n))
    if arm.n:
        M, h = equations.mass_and_bias(arm.tree, arm.parameters._replace(friction_scale=0.0),
                                       q.tolist(), v.tolist())
        for ours, theirs in zip((M, h), peer.mass_and_bias(q, v)):
            assert np.abs(np.array(ours, float) - theirs).max() <= 1e-12 * np.abs(theirs).max()
    for name in arm.frames[::1 + len(arm.frames) // 8]:
        pose = kinematics.frame_pose(arm.tree, arm.find_frame(name), q.tolist())
        rotation, position, *_ = peer.frame(name, q, v)
        assert np.abs(np.array(pose.position, float) - position).max() < 1e-12
        assert np.abs(np.array(pose.rotation, float) - rotation).max() < 1e-12


def test_random_mimics_are_those_of_pinocchio():
    """Chains of mimics on random trees: M = G^T M G, h, torque, Jacobian and energy."""
    for seed in range(20):
        rng = np.random.default_rng([71, seed])
        text = random_urdf(rng, 7, 2)
        names = robot_from_text(text).joints
        for name, followed in ((names[2], names[0]), (names[4], names[2]), (names[5], names[6])):
            begin = text.index(f'<joint name="{name}"')
            end = text.index('</joint>', begin)
            text = (f'{text[:end]}<mimic joint="{followed}" multiplier="{rng.normal():.3f}" '
                    f'offset="{rng.normal():.3f}"/>{text[end:]}')
        arm = robot_from_text(text)
        assert arm.n == 4 and len(arm.mimics) == 3 and len(arm.all_joints) == 7
        peer, (q, v, a) = Peer(arm), rng.uniform(-1.0, 1.0, (3, 4))
        still = arm.parameters._replace(friction_scale=0.0)
        M, h = equations.mass_and_bias(arm.tree, still, q.tolist(), v.tolist())
        for ours, theirs in zip((M, h), peer.mass_and_bias(q, v)):
            assert np.abs(np.array(ours) - theirs).max() <= 1e-12 * max(1.0, np.abs(theirs).max())
        tau = equations.inverse_dynamics(arm.tree, still, *(x.tolist() for x in (q, v, a)))
        assert np.allclose(tau, peer.inverse_dynamics(q, v, a), rtol=0.0, atol=1e-11)
        frame = arm.find_frame(arm.frames[-1])
        jacobian = kinematics.frame_jacobian(arm.tree, frame, q.tolist())
        assert np.allclose(np.array(jacobian, float), peer.frame(arm.frames[-1], q, v)[-1],
                           rtol=0.0, atol=1e-12)


ODD = {
    'impossible inertia': ([('izz="0.003"', 'izz="0.3"')], "inertia of link 'hand'"),
    'effort zero': ([('effort="40"', 'effort="0"')], "effort limit of joint 'shoulder'"),
    'limits exchanged': ([('lower="-1.5"', 'lower="1.5"')], 'they are exchanged'),
    'no bounds': ([('lower="-1.5" upper="1.25"', '')], 'neither lower nor upper'),
    'floating': ([('"flange" type="fixed"', '"flange" type="floating"')], 'held where it is'),
    'second root': ([('</robot>', '<link name="lost"/></robot>')], "'base' is the base"),
    'calls of nothing': ([('<link name="tool0"/>', '<link name="tool0"/><xacro:camera '
                          'name="a ${b}"/>')], "calls 'xacro:camera'"),
    'two origins': ([(AXIS, AXIS + '<origin/>')], 'the first is used'),
    'a number with a unit': ([('value="0.75"', 'value="0.75 kg"')],
                             "is '0.75 kg'; this <inertial> is left out, as in ROS (expected a "
                             'finite number below 1e+30)'),
    'a comma': ([('value="0.75"', 'value="0,75"')], "'0,75'"),
    'an underscore': ([('value="0.75"', 'value="0_75"')], "'0_75'"),
    'mass nan': ([('value="0.75"', 'value="nan"')], "'nan'"),
    'centre of two numbers': ([('xyz="0.1 0 0" rpy="0 0 0.3"', 'xyz="0.1 0"')], "'0.1 0'"),
    'no products': ([('ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0"',
                      'ixx="0.002" ixz="0" iyy="0.002"')],
                    "<inertia> of link 'hand' lacks ixy, iyz; what is missing is zero"),
}


@pytest.mark.parametrize('case', ODD)
def test_what_is_odd_is_read_with_one_remark(case):
    """One remark that says what was made of it."""
    changes, words = ODD[case]
    arm = small(*changes)
    assert arm.joints == ('shoulder', 'slide')
    assert len(arm.remarks) == 1 and words in arm.remarks[0].sentence


@pytest.mark.parametrize('old, new', [
    ('value="0.75"', 'value="0.75 kg"'), ('value="0.75"', 'value=""'), ('value="0.75"', ''),
    (' izz="0.003"', ''), ('izz="0.003"', 'izz="0.003f"'), ('xyz="0.1 0 0"', 'xyz="0.1 0"')])
def test_an_inertial_that_cannot_be_read_is_left_out_as_in_pinocchio(old, new):
    """The link is one without mass, or of a point; for M and h too."""
    arm = robot_from_text(spoiled((old, new), ('<rotor joint="slide" carrier="arm" '
                                               'inertia="0.01" ratio="50"/>', '')))
    peer, (q, v) = Peer(arm), np.array([[0.3, 0.1], [0.5, -0.2]])
    M, h = equations.mass_and_bias(arm.tree, arm.parameters._replace(friction_scale=0.0),
                                   q.tolist(), v.tolist())
    for ours, theirs in zip((M, h), peer.mass_and_bias(q, v)):
        assert np.abs(np.array(ours, float) - theirs).max() < 1e-12
    with pytest.raises(RobotFileError, match="'hand'|'arm'"):
        robot_from_text(arm.urdf, strict=True)


def test_any_length_of_an_axis_will_do_but_none():
    """A direction is one however long; names may hold any kind of blank."""
    for xyz in ('0 0 -1e-9', '0 0 -1e9', '0 0 -1e-200'):
        arm = small((AXIS, f'<axis xyz="{xyz}"/>'))
        assert arm.mass_matrix(np.zeros(2)) == pytest.approx(small().mass_matrix(np.zeros(2)))
    assert robot_from_text(TEXT.replace('"shoulder"', '"a\u00a0b"')).joints[0] == 'a\u00a0b'


@pytest.mark.parametrize('text', [
    '\ufeff' + TEXT, '\n ' + TEXT, TEXT.replace('<link name="base"/>', '<!-- a -- b --><link '
                                                                       'name="base"/>'),
    TEXT.replace('<robot ', '<robot xmlns="http://ros.org" xmlns:xacro="http://ros.org/xacro" '),
    TEXT.replace('</robot>', '<sensor:camera/><gazebo><a b="${c}"/></gazebo></robot>'),
    TEXT.replace('name="small"', 'name="a & b &nbsp; &amp; &#65;"'),
    TEXT.replace('<?xml version="1.0"?>', '<?xml encoding="utf-8"?>'),
    TEXT.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="klingon"?>')])
def test_what_ros_reads_is_read(text, tmp_path):
    """Byte order mark, blanks, comments with --, namespaces, prefixes nobody declared, bare &."""
    path = tmp_path / 'arm.urdf'
    path.write_text(text, encoding='utf-8')
    assert load_robot(path).joints == ('shoulder', 'slide')
    path.write_bytes(text.removeprefix('\ufeff').encode('utf-16'))
    assert load_robot(path).joints == ('shoulder', 'slide')


@pytest.mark.parametrize('encoding, declared', [
    ('utf-8', 'utf-16'), ('utf-8', 'cp037'), ('utf-8', 'zlib'), ('utf-16-le', 'utf-16'),
    ('utf-16-be', 'utf-16'), ('utf-16', 'utf-16'), ('gbk', 'gb2312'), ('shift-jis', 'Shift_JIS'),
    ('cp1252', 'windows-1252'), ('latin-1', 'utf-8'), ('latin-1', 'ascii')])
def test_any_encoding_is_read_whatever_is_declared(encoding, declared, tmp_path):
    """Text after the end of which a C program left zeros, too."""
    names = {'gbk': '\u5173\u8282', 'shift-jis': '\u95a2\u7bc0'}
    name = names.get(encoding, 'gel\u00e4nk')
    text = TEXT.replace('<?xml version="1.0"?>', f'<?xml version="1.0" encoding="{declared}"?>')
    path = tmp_path / 'arm.urdf'
    path.write_bytes(f'{text.replace("shoulder", name)}\0\0\n'.encode(encoding))
    assert load_robot(path).joints == (name, 'slide')


def test_a_robot_without_mass_moves_but_is_not_simulated():
    """Kinematics work; the refusal names the joints and the command."""
    text = TEXT
    while '<inertial>' in text:
        begin, end = text.index('<inertial>'), text.index('</inertial>') + len('</inertial>')
        text = text[:begin] + text[end:]
    arm = robot_from_text(text.replace('<rotor', '<!-- ').replace('ratio="50"/>', '-->'), 'a.urdf')
    assert np.isfinite(arm.positions('tool0', [0.1, 0.2])).all()
    with pytest.raises(SingularMassError, match="'shoulder', 'slide'.*robodyn inertials a.urdf"):
        check_mass(arm)


def test_a_robot_without_moving_joint_is_read():
    """It has frames, and a plant says that there is nothing to simulate."""
    arm = robot_from_text('<robot name="stand"><link name="a"/></robot>')
    assert arm.n == 0 and arm.frames == ('a',)
    with pytest.raises(RobotFileError, match='no joint moves'):
        Plant(arm)


XACRO = """<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:arg name="prefix" default=""/><xacro:include filename="$(find parts)/part.xacro"/>
<link name="$(arg prefix)base"/><xacro:part name="$(arg prefix)arm" parent="$(arg prefix)base"/>
</robot>"""
PART = """<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="part"
params="name parent"><link name="${name}"/><joint name="${name}_joint" type="continuous">
<parent link="${parent}"/><child link="${name}"/></joint></xacro:macro></robot>"""


def written(tmp_path, main_text=XACRO, part=PART):
    """Return the path of a xacro file whose parts lie in a package beside its own."""
    for name in ('arm', 'parts'):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'package.xml').write_text(f'<package><name>{name}</name></package>')
    (tmp_path / 'parts' / 'part.xacro').write_text(part)
    path = tmp_path / 'arm' / 'arm.urdf.xacro'
    path.write_text(main_text)
    return path


def test_xacro_is_expanded_with_arguments_and_packages(tmp_path):
    """$(find) finds the package beside the file, without ROS."""
    path = written(tmp_path)
    assert load_robot(path).joints == ('arm_joint',)
    assert load_robot(path, {'prefix': 'left_'}).joints == ('left_arm_joint',)
    misspelt = load_robot(path, {'prefx': 'left_'})
    assert misspelt.joints == ('arm_joint',) and misspelt.remarks[0].sentence == (
        "no <xacro:arg> asks for 'prefx'; what is given for it changes nothing (its arguments are "
        "'prefix')")


@pytest.mark.parametrize('change, words', [
    (('<xacro:part ', '<xacro:nothing '), 'nothing'),
    (('<xacro:arg name="prefix" default=""/>', ''), "argument 'prefix' .*--xacro prefix:="),
    (('/part.xacro', '/none.xacro'), 'none.xacro'),
    (('$(find parts)', '$(find nobody)'), "^[^<]*no package 'nobody'(?!.*'nobody')"),
    (('$(find parts)/part.xacro', 'arm.urdf.xacro'), 'without end'),
    (('default=""', 'default="${1 * (2, 3) + 10 ** 10 * (0,)}"'), 'more memory'),
    (('<robot name', '<robot nam e'), 'well-formed')])
def test_a_xacro_error_is_one_sentence(change, words, tmp_path):
    """Undefined macro, missing argument, file or package, a file that includes itself."""
    path = written(tmp_path, XACRO.replace(*change))
    with pytest.raises(RobotFileError, match=words) as caught:
        load_robot(path)
    assert '\n' not in str(caught.value)


def test_macros_that_multiply_end_soon(tmp_path, monkeypatch):
    """Each calls the next eight times: bounded in work, whatever else the machine does."""
    monkeypatch.setattr(macros, 'MOST_WORK', 1)
    text = ''.join(f'<xacro:macro name="m{k}" params="">{f"<xacro:m{k + 1}/>" * 8}</xacro:macro>'
                   for k in range(12)) + '<xacro:macro name="m12" params=""/><xacro:m0/>'
    path = written(tmp_path, XACRO.replace('<link', f'{text}<link', 1))
    with pytest.raises(RobotFileError, match='1 s of computing; look for a macro'):
        load_robot(path)


@pytest.mark.parametrize('inertial, lacks, mass', [
    ('', '<mass> and <inertia>', 0.0), ('<mass value="2"/>', '<inertia>', 2.0)])
def test_an_inertial_that_lacks_something_is_read(inertial, lacks, mass):
    """As ROS reads it: what is missing is zero; strict refuses."""
    begin = TEXT.index('<inertial>', TEXT.index('"hand"'))
    end = TEXT.index('</inertial>', begin)
    text = f'{TEXT[:begin]}<inertial>{inertial}{TEXT[end:]}'
    arm = robot_from_text(text)
    assert f"<inertial> of link 'hand' lacks {lacks}" in arm.remarks[0].sentence
    M = arm.mass_matrix(np.zeros(2))
    assert M[1, 1] == pytest.approx(mass + 0.01 * 50.0 ** 2)  # and the rotor
    with pytest.raises(RobotFileError, match='lacks .*strict'):
        robot_from_text(text, strict=True)


def test_a_file_of_macros_alone_says_so(tmp_path):
    """Vendors keep arm_macro.xacro beside arm.xacro."""
    written(tmp_path)
    with pytest.raises(RobotFileError, match='defines macros and calls none.*file that calls'):
        load_robot(tmp_path / 'parts' / 'part.xacro')


def test_calls_that_an_old_xacro_left_are_ignored_in_a_urdf_only(tmp_path):
    """The text that others get is clean; in a xacro file they are a mistake."""
    text = TEXT.replace('<link name="tool0"/>', '<link name="tool0"/><xacro:camera/>').replace(
        '<robot ', '<robot xmlns:xacro="http://ros.org/wiki/xacro" ')
    for name in ('arm.urdf', 'arm.xacro'):
        (tmp_path / name).write_text(text)
    arm = load_robot(tmp_path / 'arm.urdf')
    assert 'xacro:camera' not in arm.urdf and robot_from_text(arm.urdf).joints == arm.joints
    with pytest.raises(RobotFileError, match='xacro:camera'):
        load_robot(tmp_path / 'arm.urdf', strict=True)
    with pytest.raises(RobotFileError, match='unknown macro name: xacro:camera'):
        load_robot(tmp_path / 'arm.xacro')
    (tmp_path / 'arm.urdf').write_text(text.replace('<xacro:camera/>', '<xacro:camera/>'
                                                    '<xacro:property name="a" value="1"/>'))
    with pytest.raises(RobotFileError, match='unknown macro name: xacro:camera'):
        load_robot(tmp_path / 'arm.urdf')


def test_many_fixed_links_are_read_soon():
    """As many links in a chain as are read: no square of that, and no recursion."""
    links = ''.join(f'<link name="l{k}"/>' for k in range(MOST_LINKS))
    joints = ''.join(f'<joint name="j{k}" type="fixed"><parent link="l{k}"/>'
                     f'<child link="l{k + 1}"/></joint>' for k in range(MOST_LINKS - 1))
    begin = time.process_time()
    assert len(robot_from_text(f'<robot name="a">{links}{joints}</robot>').frames) == MOST_LINKS
    assert time.process_time() - begin < 10.0


def test_check_and_inertials(tmp_path, capsys, monkeypatch):
    """Boxes get the mass and inertia of boxes; then the robot can be simulated."""
    monkeypatch.chdir(tmp_path)
    text = PART[PART.index('<link'):PART.index('</xacro')].replace('${name}', 'arm').replace(
        '${parent}', 'base').replace('<link name="arm"/>', '<link name="arm"><visual><origin '
                                     'xyz="0.5 0 0"/><geometry><box size="1 0.1 0.2"/></geometry>'
                                     '</visual></link>')
    Path('arm.urdf').write_text(f'<robot name="arm"><link name="base"/>{text}</robot>')
    assert main(['check', 'arm.urdf', '--json']) == 1
    facts = json.loads(capsys.readouterr().out)
    assert not facts['can_be_simulated'] and 'arm_joint' in facts['why_not']
    assert main(['inertials', 'arm.urdf', '--mass', '6']) == 0
    arm = load_robot('arm_inertials.urdf')
    expected = 6.0 * (0.1 ** 2 + 0.2 ** 2) / 12.0  # about x, the axis of a joint without <axis>
    assert abs(arm.mass_matrix([0.3])[0, 0] - expected) < 1e-9
    assert main(['check', 'arm_inertials.urdf']) == 0


@pytest.mark.parametrize('name, words', [
    ('none.stl', 'is not there'), ('folder.stl', 'is not a file'), ('arm.step', 'convert it'),
    ('large.stl', 'has 500 MB')])
def test_meshes_that_cannot_be_read_are_told(name, words, tmp_path, capsys):
    """By check and by inertials, which says what else helps and does not name itself."""
    (tmp_path / 'folder.stl').mkdir()
    (tmp_path / 'arm.step').touch()
    with open(tmp_path / 'large.stl', 'wb') as large:
        large.truncate(500_000_000)
    path = tmp_path / 'arm.urdf'
    path.write_text('<robot name="arm"><link name="base"/><link name="arm"><visual><geometry>'
                    f'<mesh filename="{name}"/></geometry></visual></link><joint name="j" '
                    'type="continuous"><parent link="base"/><child link="arm"/></joint></robot>')
    assert main(['check', str(path), '--json']) == 1
    found = [remark['found'] for remark in json.loads(capsys.readouterr().out)['remarks']]
    assert any('1 mesh cannot be drawn' in text and words in text for text in found)
    assert main(['inertials', str(path), '--mass', '2', '--output', str(tmp_path / 'b.urdf')]) == 1
    out, err = capsys.readouterr()
    told = ' '.join(out.split())
    assert words in err and 'no link was filled in' in told
    assert 'write an <inertial>' in told and 'robodyn inertials' not in told


def test_stiff_friction_is_solved_for():
    """The friction of a file, damping 10 and friction 1 on a light link, at a step of 1 ms."""
    changes = [('damping="0.1" friction="0.2"', 'damping="10" friction="1"'),
               ('breakaway="0.35"', 'breakaway="1.0"'), ('value="2.5"', 'value="0.01"'),
               ('ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.04"',
                'ixx="2e-5" ixy="0" ixz="0" iyy="2e-5" iyz="0" izz="2e-5"'),
               ('value="0.75"', 'value="0.001"'),
               ('ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.003"',
                'ixx="2e-6" ixy="0" ixz="0" iyy="2e-6" iyz="0" izz="2e-6"')]
    arm = small(*changes)
    plant = Plant(arm, close_loops=False)
    assert plant.model.integrator == 'implicit_friction'
    start = State(0.0, np.zeros(2), np.array([3.0, 0.0]))
    motion = plant.rollout(start, 0.1, tau=np.array([2.0, 0.0]))
    # it comes to the speed at which friction balances the torque
    law = arm.tree.friction[0]
    assert abs(friction_torque(law, motion.v[-1, 0]) - 2.0) < 1e-3
    with pytest.raises(RobodynError, match='joint friction.*implicit_friction'):
        Plant(arm, close_loops=False, integrator='rk4').rollout(start, 0.1)
    assert Plant(load_robot('irb120')).model.integrator == 'rk4'


def test_implicit_friction_is_of_second_order():
    """Halving the step quarters the error, where friction is not stiff."""
    arm = small()
    ends = [Plant(arm, close_loops=False, integrator='implicit_friction', step=step).rollout(
        State(0.0, np.zeros(2), np.array([1.5, 0.1])), 0.2, tau=np.array([3.0, -5.0])).q[-1]
        for step in (1e-3, 5e-4, 2.5e-4)]
    ratio = np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()
    assert 3.5 < ratio < 4.5


def test_mean_slope_is_friction_over_velocity():
    """For any law and speed, and finite at rest."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        coulomb = rng.uniform(0.0, 2.0)
        law = Friction(rng.uniform(0.0, 2.0), coulomb, coulomb + rng.uniform(0.0, 1.0),
                       rng.uniform(0.01, 0.5))
        v = rng.normal()
        assert abs(mean_slope(law, v) * v - friction_torque(law, v)) < 1e-12
        assert abs(mean_slope(law, 0.0) - friction_torque(law, 1e-9) / 1e-9) < 1e-4


def test_strict_refuses_what_is_mended():
    """As an argument of both loaders."""
    text = spoiled(('izz="0.003"', 'izz="0.3"'))
    with pytest.raises(RobotFileError, match='strict'):
        robot_from_text(text, strict=True)
