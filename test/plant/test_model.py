# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Code with the robot's own payload, gravity and friction, and code that takes them: one plant."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros.robots.robot import load_robot

NOTHING = {'payload.mass': 1e-300}
"""A payload that weighs nothing, but asks for the code with all inputs."""
ROUNDING = 1e-12


@pytest.mark.parametrize('name, rows, kind', [
    ('scara_450', 'helix', 'none'), ('scara_450', 'helix', 'projection'),
    ('irb120', 'ball', 'projection'), ('parallel_2dof', 'closure', 'none'),
    ('scara_1000', 'cylinder', 'none'), ('two_link', '', 'none')])
def test_both_codes_agree(name, rows, kind):
    """At random states, forces and errors included."""
    plant = cases.plant(name, rows, kind)
    assert not plant.model.parametric(None) and plant.model.parametric(NOTHING)
    for state in cases.random_states(plant.robot.n, 30, seed=31):
        own, taken = plant.observe(state), plant.observe(state, parameters=NOTHING)
        for key in ('a', 'constraint_force', 'multipliers', 'phi'):
            one, other = getattr(own, key), getattr(taken, key)
            scale = 1.0 + np.abs(one).max(initial=0.0)
            assert np.abs(one - other).max(initial=0.0) < ROUNDING * scale, (key, state)


def test_the_values_decide():
    """The robot's own values by name are the code without inputs, to the last bit."""
    plant = cases.plant('irb120', 'ball', 'projection')
    own = {'payload.mass': 0.0, 'gravity.z': plant.robot.parameters.gravity[2],
           'friction_scale': 1.0}
    assert not plant.model.parametric(own)
    state = cases.random_states(6, 1, seed=32)[0]
    assert np.array_equal(plant.observe(state).a, plant.observe(state, parameters=own).a)
    assert plant.ready(own).functions is plant.ready().functions
    assert plant.ready(NOTHING).functions is not plant.ready().functions


def test_constants_fold_away():
    """What the code without inputs is for: fewer operations."""
    for name in ('scara_450', 'irb120'):
        plant = cases.plant(name)
        own, taken = (plant.program(parametric=x).operations['dynamics'] for x in (False, True))
        assert own < 0.8 * taken, (name, own, taken)


@pytest.mark.parametrize('name', ['scara_450', 'irb120', 'two_link'])
def test_functions_of_a_robot_agree_too(name):
    """M, h and accelerations by both codes."""
    robot = load_robot(name)
    other = robot.parameters._replace(payload_mass=1e-300)
    rng = np.random.default_rng(33)
    for q, v, tau in rng.uniform(-1.0, 1.0, (20, 3, robot.n)):
        for one, two in zip(robot.dynamics(q, v), robot.dynamics(q, v, other)):
            assert np.abs(one - two).max() < ROUNDING
        one, two = robot.forward_dynamics(q, v, tau), robot.forward_dynamics(q, v, tau, other)
        assert np.abs(one - two).max() < ROUNDING * (1.0 + np.abs(one).max())
