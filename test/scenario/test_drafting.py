# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A robot file alone is enough: a gentle motion within its limits, and scenarios that run."""

import re

import numpy as np
import pytest
from robodyn_ros import load_robot, load_scenario, simulate
from robodyn_ros.errors import RobodynError, ScenarioError, SingularMassError
from robodyn_ros.scenario.drafting import drafted, EFFORT_PART, MOTIONS, VELOCITY_PART
from robodyn_ros.scenario.writing import scenario_text
from robodyn_ros.share import share_folder
from robots.public import public_urdf, public_urdfs

needs_public = pytest.mark.skipif(not public_urdfs(), reason='no example-robot-data')


def test_a_robot_file_is_a_scenario_within_its_limits():
    """Positions inside, velocities below half, efforts below four fifths; changes are taken."""
    path = share_folder('urdf') / 'irb120.urdf'
    result = simulate(load_scenario(path, ['dynamics.payload.mass=0.1']), duration=3.0)
    limits = result.robot.limits
    assert result.scenario.dynamics.payload.mass == 0.1
    result = simulate(load_scenario(path))
    assert np.abs(result.error).max() < 1e-3 and np.ptp(result.q, axis=0).min() > 0.05
    assert (result.q > limits.lower).all() and (result.q < limits.upper).all()
    assert (np.abs(result.v) < VELOCITY_PART * limits.velocity).all()
    assert (np.abs(result.tau) < (EFFORT_PART + 0.1) * limits.effort).all()


@needs_public
@pytest.mark.parametrize('motion', MOTIONS)
def test_what_is_written_runs_as_it_is(tmp_path, motion):
    """The text of a UR5's scenario is read again as the same scenario, and is followed."""
    scenario = drafted(public_urdf('ur5_robot'), motion)
    path = tmp_path / f'{scenario.name}.yaml'
    path.write_text(scenario_text(scenario, scenario.robot, 'a test'))
    again = load_scenario(path)
    assert again.trajectory == scenario.trajectory and again.controller == scenario.controller
    assert '# ' in path.read_text()
    result = simulate(again)
    assert result.robot.tool_frame() == again.trajectory.frame
    assert not result.robot.limits.passed_by(result.motion)
    if motion != 'joint_sine':
        assert np.linalg.norm(result.tool - result.tool_reference, axis=1).max() < 1e-3


@needs_public
@pytest.mark.parametrize('name', ['panda', 'xarm7'])
def test_public_arms_move(name):
    """With mimic joints, stiff friction and weak motors."""
    result = simulate(load_scenario(public_urdf(name)), duration=1.0)
    assert np.abs(result.error).max() < result.scenario.tolerance


def test_a_long_chain_moves_within_its_tolerance(tmp_path):
    """The motion is gentle at its end, too."""
    links = ''.join(
        f'<link name="l{k + 1}"><inertial><origin xyz="0.1 0.02 0"/><mass value="1"/><inertia '
        'ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>'
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="0.1 0 0.05"/><axis xyz="{("1 0 0", "0 1 0", "0 0 1")[k % 3]}"/>'
        '<limit lower="-2" upper="2" effort="5000" velocity="2"/></joint>' for k in range(20))
    path = tmp_path / 'snake.urdf'
    path.write_text(f'<robot name="snake"><link name="l0"/>{links}</robot>')
    result = simulate(load_scenario(path), duration=5.0)
    assert np.abs(result.error).max() < result.scenario.tolerance
    assert np.ptp(result.q, axis=0).min() > 0.02


def test_motors_that_cannot_hold_the_robot_are_told_and_made_stronger(tmp_path, caplog):
    """Public files have effort="1" for "not known": such a robot runs, with a warning."""
    text = (share_folder('urdf') / 'irb120.urdf').read_text()
    path = tmp_path / 'weak.urdf'
    path.write_text(re.sub(r'effort="[^"]*"', 'effort="0.5"', text))
    result = simulate(load_scenario(path), duration=1.0)
    assert np.abs(result.error).max() < 1e-3 and np.ptp(result.q, axis=0).min() > 0.005
    assert 'effort limits are ignored' in caplog.text and "joint 'joint_" in caplog.text
    settings = result.scenario
    assert settings.trajectory.ignore_limits and not settings.dynamics.limit_efforts


def test_closed_chains_swing_freely():
    """No law leads them along a joint motion; they move nevertheless."""
    path = share_folder('urdf') / 'parallel_2dof.urdf'
    assert simulate(load_scenario(path), duration=0.1).violation.max() < 1e-6
    with pytest.raises(ScenarioError, match='closed loops.*helix.*by hand'):
        drafted(path, 'helix')


def test_what_cannot_be_found_is_one_sentence(tmp_path):
    """A planar arm follows no helix; a frame that is not there; links without mass."""
    two_link = share_folder('urdf') / 'two_link.urdf'
    with pytest.raises(ScenarioError, match='no helix was found that .* take another'):
        drafted(two_link, 'helix')
    with pytest.raises(RobodynError, match='unknown frame'):
        drafted(two_link, 'line', 'elbow')
    assert drafted(two_link, 'line').trajectory.kind == 'line'
    massless = tmp_path / 'massless.urdf'
    massless.write_text(re.sub(r'(?s)<inertial>.*?</inertial>', '', two_link.read_text()))
    for motion in MOTIONS[1:]:
        with pytest.raises(SingularMassError, match='move no mass.*robodyn inertials'):
            drafted(massless, motion)
    assert load_robot('two_link').n == 2
