# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The tool where nobody names it, and the payload that hangs there or elsewhere."""

import dataclasses

from mechanics.peer import Peer
import numpy as np
import pytest
from robodyn_ros.errors import ScenarioError, UnknownNameError
from robodyn_ros.robots.robot import load_robot, robot_from_text
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.scenario.simulation import Simulation
from robots.public import public_urdf, public_urdfs
from robots.small import small

PUBLIC = {
    'panda': 'panda_hand_tcp', 'baxter': 'right_gripper', 'ur5_robot': 'tool0',
    'xarm7': 'link_eef', 'kinova': 'j2s6s200_end_effector', 'pr2': 'r_gripper_tool_frame',
    'tiago': 'hand_palm_link', 'talos_full_v2': 'gripper_left_base_link',
    'g1_29dof_with_hand_rev_1_0': 'left_hand_palm_link', 'anymal': 'LF_FOOT'}
"""What people would name as the tool of these robots; no finger, sensor or ornament."""
AXES = {'x': '1 0 0', 'y': '0 1 0', 'z': '0 0 1'}


def tree(*joints):
    """Return a robot of joints 'parent child type x y z axis', the base being 'base'."""
    links = {'base': None}
    parts = []
    for k, (parent, child, kind, place, axis) in enumerate(joint.split(':') for joint in joints):
        links[child] = None
        parts.append(f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child '
                     f'link="{child}"/><origin xyz="{place}"/><axis xyz="{AXES[axis]}"/></joint>')
    return robot_from_text('<robot name="a">' + ''.join(
        f'<link name="{name}"/>' for name in links) + ''.join(parts) + '</robot>')


ARM = ('base:upper:continuous:0 0 0.1:z', 'upper:lower:continuous:0 0 0.3:y',
       'lower:wrist:continuous:0 0 0.3:z')


@pytest.mark.skipif(not public_urdfs(), reason='needs example-robot-data')
@pytest.mark.parametrize('name', PUBLIC)
def test_tools_of_public_robots(name):
    """As people call them."""
    robot = load_robot(public_urdf(name))
    assert robot.tool_frame() == robot.payload_frame == PUBLIC[name]


@pytest.mark.parametrize('more, expected', [
    ((), 'wrist'),
    (('wrist:flange:fixed:0 0 0.1:z', 'wrist:camera:fixed:0.2 0 0:z'), 'flange'),
    (('wrist:camera:fixed:0.2 0 0:z',), 'camera'),  # nothing lies on the axis
    (('wrist:flange:fixed:0 0 0.1:z', 'flange:tcp:fixed:0 0 0:z'), 'tcp'),
    (('lower:left_tool0:fixed:0 0 0.1:z',), 'left_tool0'),
    (('lower:tool0:fixed:0 0 0.1:z', 'wrist:right_tool0:fixed:0 0 0:z'), 'tool0'),
    (('wrist:hand:fixed:0 0 0.1:z', 'hand:a:continuous:0.1 0 0:x',
      'hand:b:continuous:-0.1 0 0:x'), 'hand'),
    (('wrist:hand:fixed:0 0 0.1:z', 'hand:a:continuous:0.1 0 0:x', 'a:a_tip:continuous:0 0 1:x',
      'hand:b:continuous:-0.1 0 0:x', 'b:b_tip:continuous:0 0 1:x', 'hand:c:continuous:0 0 0:x'),
     'hand'),
    (('wrist:last:continuous:0 0 0.1:y', 'upper:rod:continuous:0 0 0.1:y'), 'last'),
    # a jaw alone cannot be told from a wrist
    (('wrist:jaw:continuous:0 0 0.1:y',), 'jaw'),
    (('lower:other:continuous:0 0 0.3:z',), 'lower')])
def test_the_end_of_the_longest_chain(more, expected):
    """Fingers do not count, nor what lies beside the axis of the last joint."""
    assert tree(*ARM, *more).tool_frame() == expected


def test_two_arms_of_equal_length():
    """The first of the file, though rounding differs; a longer one comes before it."""
    joints = []
    for side, y, z in (('l', '0.2', 0.3), ('r', '-0.2', 0.1 + 0.2)):
        joints += [f'base:{side}1:continuous:0 {y} 0.3:z',
                   f'{side}1:{side}2:continuous:0.1 0 {z!r}:y']
    assert tree(*joints).tool_frame() == 'l2'
    assert tree(*joints[2:], *joints[:2]).tool_frame() == 'r2'
    longer = [joint.replace('0.1 0', '0.2 0') for joint in joints[2:]]
    assert tree(*joints[:2], *longer).tool_frame() == 'r2'


def test_nothing_moves():
    """Then the base is the tool."""
    robot = robot_from_text('<robot name="a"><link name="stand"/></robot>')
    assert robot.tool_frame() == 'stand'


@pytest.mark.skipif(not public_urdfs(), reason='needs example-robot-data')
@pytest.mark.parametrize('name, wrist', [('baxter', 'right_w1'), ('panda', 'panda_joint6')])
def test_a_payload_changes_the_torques_of_the_wrist(name, wrist):
    """By its weight times its lever, and as in Pinocchio."""
    robot = load_robot(public_urdf(name))
    q, zero = np.random.default_rng(3).uniform(0.2, 0.9, robot.n), np.zeros(robot.n)
    loaded = robot.parameters._replace(payload_mass=5.0, payload_centre=(0.0, 0.01, 0.05))
    without, carrying = (robot.inverse_dynamics(q, zero, zero, each)
                         for each in (None, loaded))
    assert abs(carrying - without)[robot.joint_index(wrist)] > 1.0
    assert np.allclose(carrying, Peer(robot, loaded).inverse_dynamics(q, zero, zero),
                       rtol=0.0, atol=1e-10)


def test_a_payload_at_another_frame():
    """The same as one that is welded there; the robot it was made of stays as it was."""
    robot = small()
    there = robot.carrying_at('arm')
    state = np.array([0.3, 0.1]), np.array([0.5, -0.2]), np.array([1.0, 2.0])
    own = robot.inverse_dynamics(*state, {'payload.mass': 2.0})
    assert (there.payload_frame, robot.payload_frame, there.tool_frame()) == \
        ('arm', 'tool0', 'tool0')
    loaded = robot.parameters._replace(payload_mass=2.0, friction_scale=0.0)
    for each in (robot, there):
        assert np.allclose(each.inverse_dynamics(*state, loaded),
                           Peer(each, loaded).inverse_dynamics(*state)
                           + _rotors(each, state[2]), rtol=0.0, atol=1e-12)
    assert np.array_equal(robot.inverse_dynamics(*state, {'payload.mass': 2.0}), own)
    assert robot.carrying_at('') is robot.carrying_at('tool0') is robot
    with pytest.raises(UnknownNameError, match="frame 'nowhere'.*arm, base"):
        robot.carrying_at('nowhere')


def _rotors(robot, a):
    """Torques of motors' rotors, which Pinocchio does not read."""
    still, zero = robot.parameters._replace(friction_scale=0.0, gravity=(0, 0, 0)), 0.0 * a
    bare = robot_from_text(robot.urdf.replace('<rotor', '<!-- ').replace('ratio="50"/>', '-->'))
    return robot.inverse_dynamics(zero, zero, a, still) \
        - bare.inverse_dynamics(zero, zero, a, still)


def test_a_scenario_chooses_where_plant_and_model_carry():
    """dynamics.payload.frame for both, controller.model.payload.frame for the model alone."""
    scenario = load_scenario('irb120_sine', {'dynamics.payload.mass': 1.0,
                                             'controller.model.payload.mass': 1.0})
    error = {}
    for name, changes in {
            'both at the tool': {}, 'both at link 4': {'dynamics.payload.frame': 'link_4'},
            'model elsewhere': {'controller.model.payload.frame': 'link_4'}}.items():
        one = Simulation(dataclasses.replace(load_scenario('irb120_sine', {
            'dynamics.payload.mass': 1.0, 'controller.model.payload.mass': 1.0, **changes}),
            duration=0.5))
        error[name] = np.abs(one.run().error).max()
        frames = (one.robot.payload_frame, wiring.model_robot(
            one.robot, one.scenario.controller.model).payload_frame)
        assert frames == {'both at the tool': ('tool0', 'tool0'),
                          'both at link 4': ('link_4', 'link_4'),
                          'model elsewhere': ('tool0', 'link_4')}[name]
    assert error['model elsewhere'] > 10.0 * max(error['both at the tool'],
                                                 error['both at link 4'])
    frame = dataclasses.replace(scenario, trajectory=dataclasses.replace(
        scenario.trajectory, frame='link_5'))
    assert wiring.robot_of(frame).payload_frame == 'link_5'


@pytest.mark.parametrize('name', ['dynamics.payload.frame', 'controller.model.payload.frame'])
def test_an_unknown_frame_is_one_sentence(name):
    """It names the setting and the frames there are."""
    with pytest.raises(ScenarioError, match=f"{name}: unknown frame 'hook'.*tool0"):
        Simulation(load_scenario('irb120_sine', {name: 'hook'}))
