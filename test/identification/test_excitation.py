# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Motions that are found show the parameters, and keep the limits."""

from identification.cases import arm
import numpy as np
import pytest
from robodyn_ros.errors import ScenarioError
from robodyn_ros.identification.excitation import excitation_scenario, found_excitation
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.scenario.desired_motion import DesiredMotion


def test_a_motion_keeps_the_limits_and_is_better_than_most(tmp_path):
    """Condition number below 100, and every limit kept by the motion that is sent."""
    path = tmp_path / 'arm.urdf'
    path.write_text(arm().urdf)
    parts = []
    scenario, found = excitation_scenario(path, progress=lambda part, best: parts.append(best))
    assert found.condition < 100.0
    assert parts == sorted(parts, reverse=True) and parts[-1] < parts[10]
    robot = load_robot(path)
    reference = DesiredMotion(scenario.trajectory, duration=scenario.duration).reference(
        robot, scenario.duration, 0.01)
    limits = robot.limits
    assert (reference.q <= limits.upper).all() and (reference.q >= limits.lower).all()
    assert (np.abs(reference.v) <= limits.velocity).all()
    assert np.abs(reference.v[[0, -1]]).max() < 1e-6  # from rest to rest
    again = found_excitation(robot)
    assert again == found  # the same each time


def test_the_tool_stays_in_its_box():
    """A workspace is kept at every sample."""
    robot = arm()
    box = np.array([[-1.0, -1.0, 0.15], [1.0, 1.0, 2.0]])
    found = found_excitation(robot, box)
    _, q, _, _ = found.motion.sample(np.linspace(0.0, 10.0, 100, endpoint=False))
    place = robot.positions(robot.tool_frame(), q)
    assert (place > box[0] - 1e-3).all() and (place < box[1] + 1e-3).all()


def test_closed_chains_are_refused():
    """One sentence."""
    with pytest.raises(ScenarioError, match='closed loops'):
        found_excitation(load_robot('parallel_2dof'))
