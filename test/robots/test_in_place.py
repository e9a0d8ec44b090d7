# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Functions for tight loops give the bits of the checked ones."""

import numpy as np
import pytest
from robodyn_ros import load_robot, robot_names
from robodyn_ros.errors import SizeError
from robodyn_ros.mechanics.parameters import Parameters


@pytest.mark.parametrize('name', robot_names())
def test_in_place_agrees_with_the_checked_functions(name):
    """On random states; the result is one array that is used again."""
    robot = load_robot(name)
    forward, inverse = robot.in_place('forward_dynamics'), robot.in_place('inverse_dynamics')
    both, place = robot.in_place('mass_and_bias'), robot.in_place(f'position {robot.frames[-1]}')
    random = np.random.default_rng(11)
    for q, v, u in random.uniform(-1.0, 1.0, (20, 3, robot.n)):
        a = forward(q, v, u)
        assert a is forward.result and np.array_equal(a, robot.forward_dynamics(q, v, u))
        assert np.array_equal(inverse(q, v, u), robot.inverse_dynamics(q, v, u))
        mass, bias = robot.dynamics(q, v)
        assert np.array_equal(both(q, v), [*mass.ravel(), *bias])
        assert np.array_equal(place(q, v), robot.positions(robot.frames[-1], q))


def test_in_place_takes_parameters_and_refuses_wrong_sizes():
    """Another gravity gives another acceleration; an array of another size is no state."""
    robot = load_robot('two_link')
    floating = robot.in_place('forward_dynamics', Parameters(gravity=(0.0, 0.0, 0.0)))
    zero = np.zeros(2)
    assert np.array_equal(floating(zero, zero, zero), zero)
    with pytest.raises(SizeError, match=r'\(2,\)'):
        floating(np.zeros(3), zero, zero)
    assert np.array_equal(floating([0, 0], zero, [0.0, 0.0]), zero)  # lists work, only slower
