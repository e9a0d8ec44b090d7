# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Each URDF against the closed form of its paper, read by Pinocchio.

Two independent routes to the same numbers: a wrong digit in a URDF cannot hide. Friction is left
out of both; the rotors of scara_1000, which URDF cannot say, are compared as numbers.
"""

from pathlib import Path
import xml.etree.ElementTree as ElementTree

import numpy as np
from oracles import irb120, parallel_2dof, scara_1000, scara_450, two_link
import pytest

pin = pytest.importorskip('pinocchio')

URDF = Path(__file__).resolve().parents[2] / 'urdf'
NAMES = ('scara_450', 'two_link', 'parallel_2dof', 'irb120', 'scara_1000')
STATES = 200
RELATIVE = 1e-12  # rounding of two different orders of operations


def rotation_z(yaw: float) -> np.ndarray:
    """Return the rotation (3, 3) about z."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def planar_tool(pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return position (3,) and rotation (3, 3) of (x, y, z, yaw)."""
    return pose[:3], rotation_z(pose[3])


def two_link_tool(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the tool of the vertical arm: paper y is world z, positive angles lift."""
    x, y = two_link.tool_position(q)
    c, s = np.cos(q[0] + q[1]), np.sin(q[0] + q[1])
    return np.array([x, 0.0, y]), np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def parallel_tool(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the end of chain 1, parallel to its passive link."""
    absolute = parallel_2dof.absolute_angles(q)
    x, y = parallel_2dof.tip_positions(absolute)[0]
    return np.array([x, y, 0.0]), rotation_z(absolute[1])


def parallel_mass(q: np.ndarray) -> np.ndarray:
    """Return the mass matrix in relative angles."""
    M = parallel_2dof.mass_matrix(parallel_2dof.absolute_angles(q))
    return parallel_2dof.relative_mass_matrix(M)


def parallel_bias(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the bias force on the relative angles."""
    return parallel_2dof.relative_force(parallel_2dof.bias_force(
        parallel_2dof.absolute_angles(q), parallel_2dof.absolute_angles(v)))


def irb120_tool(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return DH frame 6."""
    T = irb120.tool_transform(q)
    return T[:3, 3], T[:3, :3]


# name: (mass matrix, bias force without friction, tool pose)
ORACLES = {
    'scara_450': (
        scara_450.mass_matrix, scara_450.bias_force,
        lambda q: planar_tool(scara_450.tool_pose(q))),
    'two_link': (two_link.mass_matrix, two_link.bias_force, two_link_tool),
    'parallel_2dof': (parallel_mass, parallel_bias, parallel_tool),
    'irb120': (irb120.mass_matrix, irb120.bias_force, irb120_tool),
    'scara_1000': (
        scara_1000.link_mass_matrix, scara_1000.bias_force,
        lambda q: planar_tool(scara_1000.tool_pose(q))),
}


def robodyn_element(name: str) -> ElementTree.Element:
    """Return the one element that holds what URDF cannot say."""
    elements = ElementTree.parse(URDF / f'{name}.urdf').getroot().findall('robodyn')
    assert len(elements) == 1, f'{name}: {len(elements)} robodyn elements'
    return elements[0]


def load(name: str) -> 'pin.Model':
    """Return Pinocchio's model with the gravity of the robodyn element."""
    model = pin.buildModelFromUrdf(str(URDF / f'{name}.urdf'))
    gravity = robodyn_element(name).find('gravity').get('xyz')
    model.gravity.linear = np.array([float(x) for x in gravity.split()])
    return model


def random_states(model: 'pin.Model') -> list[tuple[np.ndarray, np.ndarray]]:
    """Return seeded states: angles in +-pi, strokes inside their limits, speeds in +-2."""
    rng = np.random.default_rng(2026)
    low = np.maximum(model.lowerPositionLimit, -np.pi)
    high = np.minimum(model.upperPositionLimit, np.pi)
    return [(rng.uniform(low, high), rng.uniform(-2.0, 2.0, model.nv)) for _ in range(STATES)]


@pytest.mark.parametrize('name', NAMES)
def test_urdf_mass_matrix_is_the_closed_form(name):
    model = load(name)
    data = model.createData()
    for q, _ in random_states(model):
        upper = np.triu(pin.crba(model, data, q))
        found = upper + np.triu(upper, 1).T
        expected = ORACLES[name][0](q)
        size = np.sqrt(np.diag(expected))
        worst = np.max(np.abs(found - expected) / np.outer(size, size))
        assert worst <= RELATIVE, f'{name}: M off by {worst:.2e} at q = {q}'


@pytest.mark.parametrize('name', NAMES)
def test_urdf_bias_force_is_the_closed_form(name):
    model = load(name)
    data = model.createData()
    states = random_states(model)
    found = np.array([pin.nonLinearEffects(model, data, q, v).copy() for q, v in states])
    expected = np.array([ORACLES[name][1](q, v) for q, v in states])
    size = np.max(np.abs(expected), axis=0)
    # A joint without bias force (a wrist axis) is judged on the scale of the whole robot's.
    size = np.where(size > 1e-12 * np.max(size), size, np.max(size))
    worst = np.max(np.abs(found - expected) / size)
    assert worst <= RELATIVE, f'{name}: h off by {worst:.2e}'


@pytest.mark.parametrize('name', NAMES)
def test_urdf_tool_pose_is_the_closed_form(name):
    model = load(name)
    data = model.createData()
    frame = model.getFrameId('tool0')
    assert frame < model.nframes, f'{name} has no tool0'
    for q, _ in random_states(model):
        pin.framesForwardKinematics(model, data, q)
        position, rotation = ORACLES[name][2](q)
        np.testing.assert_allclose(data.oMf[frame].translation, position, atol=RELATIVE)
        np.testing.assert_allclose(data.oMf[frame].rotation, rotation, atol=RELATIVE)


def test_parallel_tips_are_the_ends_of_the_chains():
    model = load('parallel_2dof')
    data = model.createData()
    for q, _ in random_states(model):
        pin.framesForwardKinematics(model, data, q)
        expected = parallel_2dof.tip_positions(parallel_2dof.absolute_angles(q))
        for i in range(3):
            tip = data.oMf[model.getFrameId(f'tip_{i + 1}')].translation
            np.testing.assert_allclose(tip, [*expected[i], 0.0], atol=RELATIVE)


def test_parallel_loops_pin_the_three_tips():
    loops = robodyn_element('parallel_2dof').findall('loop')
    frames = [(loop.get('frame_a'), loop.get('frame_b'), loop.get('axes')) for loop in loops]
    assert frames == [('tip_1', 'tip_2', 'x y'), ('tip_1', 'tip_3', 'x y')]
    passive = [p.get('joint') for p in robodyn_element('parallel_2dof').findall('passive')]
    assert passive == ['joint_2', 'joint_4', 'joint_6']


def test_point_payload_at_the_tool_gives_the_closed_form():
    model = load('scara_1000')
    load_inertia = pin.Inertia(scara_1000.PAYLOAD, np.zeros(3), np.zeros((3, 3)))
    model.appendBodyToJoint(model.getJointId('joint_4'), load_inertia, pin.SE3.Identity())
    data = model.createData()
    for q, v in random_states(model):
        found = np.triu(pin.crba(model, data, q))
        expected = np.triu(scara_1000.link_mass_matrix(q, scara_1000.PAYLOAD))
        np.testing.assert_allclose(found, expected, rtol=RELATIVE, atol=1e-11)
        np.testing.assert_allclose(
            pin.nonLinearEffects(model, data, q, v),
            scara_1000.bias_force(q, v, scara_1000.PAYLOAD), rtol=RELATIVE, atol=1e-10)


def test_scara_1000_rotors_are_the_papers():
    root = ElementTree.parse(URDF / 'scara_1000.urdf').getroot()
    parents = {j.get('name'): j.find('parent').get('link') for j in root.findall('joint')}
    rotors = robodyn_element('scara_1000').findall('rotor')
    assert [r.get('joint') for r in rotors] == [f'joint_{i}' for i in range(1, 5)]
    assert all(r.get('carrier') == parents[r.get('joint')] for r in rotors)
    assert [float(r.get('inertia')) for r in rotors] == list(scara_1000.ROTOR_INERTIA)
    assert [float(r.get('ratio')) for r in rotors] == list(scara_1000.GEAR_RATIO)


def joint_attributes(name: str, element: str, attribute: str) -> list[float]:
    """Return an attribute of every moving joint, in file order."""
    joints = ElementTree.parse(URDF / f'{name}.urdf').getroot().findall('joint')
    return [
        float(j.find(element).get(attribute)) for j in joints if j.get('type') != 'fixed']


def test_irb120_friction_is_the_oracles():
    frictions = robodyn_element('irb120').findall('friction')
    assert [f.get('joint') for f in frictions] == [f'joint_{i}' for i in range(1, 7)]
    breakaway = [float(f.get('breakaway')) for f in frictions]
    velocity = [float(f.get('breakaway_velocity')) for f in frictions]
    np.testing.assert_allclose(breakaway, irb120.BREAKAWAY, rtol=1e-15)
    np.testing.assert_allclose(velocity, irb120.BREAKAWAY_VELOCITY, rtol=1e-15)
    assert joint_attributes('irb120', 'dynamics', 'friction') == list(irb120.COULOMB)
    assert joint_attributes('irb120', 'dynamics', 'damping') == list(irb120.VISCOUS)


def test_scara_1000_damping_and_limits_are_the_papers():
    damping = joint_attributes('scara_1000', 'dynamics', 'damping')
    np.testing.assert_allclose(damping, scara_1000.JOINT_FRICTION, rtol=1e-15)
    assert joint_attributes('scara_1000', 'limit', 'lower') == list(scara_1000.LOWER)
    assert joint_attributes('scara_1000', 'limit', 'upper') == list(scara_1000.UPPER)


@pytest.mark.parametrize('name', NAMES)
def test_every_moving_link_has_a_physical_inertia(name):
    root = ElementTree.parse(URDF / f'{name}.urdf').getroot()
    moving = [j.find('child').get('link') for j in root.findall('joint')
              if j.get('type') != 'fixed']
    links = {link.get('name'): link for link in root.findall('link')}
    for link_name in moving:
        inertial = links[link_name].find('inertial')
        assert float(inertial.find('mass').get('value')) > 0.0
        i = {k: float(x) for k, x in inertial.find('inertia').attrib.items()}
        tensor = np.array([
            [i['ixx'], i['ixy'], i['ixz']], [i['ixy'], i['iyy'], i['iyz']],
            [i['ixz'], i['iyz'], i['izz']]])
        a, b, c = np.linalg.eigvalsh(tensor)
        assert a > 0.0 and a + b >= c, f'{name} {link_name}: principal inertias {a}, {b}, {c}'


@pytest.mark.parametrize('name', NAMES)
def test_every_moving_joint_has_limits_dynamics_and_its_link_a_shape(name):
    root = ElementTree.parse(URDF / f'{name}.urdf').getroot()
    links = {link.get('name'): link for link in root.findall('link')}
    for number, joint in enumerate(
            (j for j in root.findall('joint') if j.get('type') != 'fixed'), start=1):
        assert joint.get('name') == f'joint_{number}'
        assert joint.find('child').get('link') == f'link_{number}'
        limit, dynamics = joint.find('limit').attrib, joint.find('dynamics').attrib
        assert float(limit['lower']) < float(limit['upper'])
        assert float(limit['velocity']) > 0.0 and float(limit['effort']) >= 0.0
        assert float(dynamics['damping']) >= 0.0 and float(dynamics['friction']) >= 0.0
        link = links[joint.find('child').get('link')]
        assert link.find('visual/geometry') is not None
        assert link.find('collision/geometry') is not None


PATHS = {
    'scara_450_minus': ('scara_450', lambda t: (
        scara_450.path_position(t), scara_450.path_velocity(t)), 20.0),
    'scara_450_plus': ('scara_450', lambda t: (
        scara_450.path_position(t, 1), scara_450.path_velocity(t, 1)), 20.0),
    'two_link': ('two_link', lambda t: (
        two_link.path_position(t), two_link.path_velocity(t)), 5.0),
    'parallel_2dof': ('parallel_2dof', lambda t: (
        parallel_2dof.relative_angles(parallel_2dof.path_position(t)),
        parallel_2dof.relative_angles(parallel_2dof.path_velocity(t))), 4.0),
    'irb120': ('irb120', lambda t: irb120.reference(t)[:2], 1.0),
}


@pytest.mark.parametrize('case', PATHS)
def test_papers_motion_stays_inside_the_limits(case):
    name, path, horizon = PATHS[case]
    lower, upper, speed = (
        np.array(joint_attributes(name, 'limit', k)) for k in ('lower', 'upper', 'velocity'))
    for t in np.linspace(0.0, horizon, 401):
        q, v = path(t)
        assert np.all(lower < q) and np.all(q < upper), f'{case} at {t}: q = {q}'
        assert np.all(np.abs(v) < speed), f'{case} at {t}: v = {v}'
