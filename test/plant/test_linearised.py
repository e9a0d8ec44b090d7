# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A and B of constrained plants against differences of what they do, for every kind of step."""

import os
import subprocess
import sys

import numpy as np
from plant.cases import (assert_close, gains, helix_start, line_start, parallel_start, plant,
                         random_states, robot)
import pytest
from robodyn_ros import Plant, State
from robodyn_ros.constraints.constraint import constraint
from robodyn_ros.errors import ConstraintError, RobodynError, SizeError

STEP = 5e-4  # of the differences: their error is about 1e-11 for these plants
CLOSE = 1e-9


def differences(function, z, h=STEP):
    """Jacobian by central differences of sixth order."""
    columns = []
    for move in h * np.eye(len(z)):
        columns.append(sum(c * (function(z + k * move) - function(z - k * move))
                           for k, c in ((1, 45.0), (2, -9.0), (3, 1.0))) / (60.0 * h))
    return np.array(columns).T


def assert_linearised(of, state, tau, parameters=None):
    """Compare both pairs with differences of derivative() and advance()."""
    n = of.robot.n
    found = of.linearised(state, tau, parameters)

    def rates(z):
        return np.concatenate(of.derivative(State(state.t, z[:n], z[n:2 * n]), z[2 * n:],
                                            parameters))

    def step(z):
        end = of.advance(State(state.t, z[:n], z[n:2 * n]), z[2 * n:], parameters=parameters)
        return np.concatenate([end.q, end.v])
    z = np.concatenate([state.q, state.v, tau])
    assert_close('rates', found.rates, rates(z), 1e-12, state)
    assert_close('A, B', np.hstack([found.A, found.B]), differences(rates, z), CLOSE, state)
    assert_close('step', np.hstack([found.A_step, found.B_step]), differences(step, z), CLOSE,
                 state)


CASES = {
    # robot, rows, stabilisation, integrator
    'free arm': ('irb120', '', 'none', 'rk4'),
    'two rows, Baumgarte, friction solved for': ('irb120', 'ball', 'baumgarte',
                                                 'implicit_friction'),
    'closed chain and a line': ('parallel_2dof', 'line', 'velocity_correction', 'taylor'),
    'closed chain, non-ideal': ('parallel_2dof', 'drag', 'velocity_correction', 'heun'),
    'closed chain, projected': ('parallel_2dof', 'closure', 'projection', 'rk4'),
    'closed chain, Baumgarte': ('parallel_2dof', 'closure', 'baumgarte', 'semi_implicit_euler'),
    'no freedom left': ('scara_450', 'helix', 'projection', 'euler'),
    'rows twice': ('parallel_2dof', 'closure twice', 'none', 'rk4'),
    'rows mixed': ('two_link', 'line mixed', 'velocity_correction', 'heun'),
}


@pytest.mark.parametrize('name', CASES)
def test_a_and_b_are_the_slopes_of_the_plant(name):
    """Every stabilisation and integrator, friction, run-time parameters, rows that depend."""
    of = plant(*CASES[name][:3], 1e-3, CASES[name][3])
    n, rng = of.robot.n, np.random.default_rng(81)
    parameters = gains(20.0, 100.0) if CASES[name][2] == 'baumgarte' else {}
    starts = {'rows mixed': line_start(0.2), 'no freedom left': helix_start()}
    state = starts.get(name, random_states(n, 1, 82, 0.8)[0])
    if name in ('closed chain, projected', 'rows twice'):
        state = parallel_start()
    if name == 'closed chain, projected':
        parameters = {'payload.mass': 0.7, 'gravity.y': -3.0, 'friction_scale': 0.5}
    assert_linearised(of, state, rng.normal(size=n), parameters)


@constraint
def roll(robot, q, v, t, *, rate=0.3):
    """Let two joints turn at rates that depend on place and time: not holonomic."""
    return [v[0] * (1.0 + q[1] * q[1]) + v[1] * q[2] - rate * t]


def test_a_row_of_a_user_that_depends_on_velocity_and_time():
    """psi(q, v, t), with a run-time parameter."""
    of = Plant(robot('scara_450'), [roll], stabilisation='none', integrator='heun')
    for state in random_states(4, 2, 83):
        assert_linearised(of, state, np.array([1.0, -0.5, 0.2, 3.0]), {'roll.rate': -0.7})


def test_many_states_have_the_bits_of_each_alone():
    """Seven states with times of their own; and a plant of one joint fewer lanes than states."""
    of = plant('parallel_2dof', 'line', 'velocity_correction', 1e-3, 'taylor')
    states = random_states(6, 7, 84, 0.5)
    tau = np.random.default_rng(85).normal(size=(7, 6))
    many = of.linearised(State(np.array([s.t for s in states]), np.array([s.q for s in states]),
                               np.array([s.v for s in states])), tau)
    for k, state in enumerate(states):
        alone = of.linearised(state, tau[k])
        for one, all_ in zip(alone, many):
            assert one.tobytes() == all_[k].tobytes()
    assert many.A.shape == (7, 12, 12) and many.B_step.shape == (7, 12, 6)


def test_a_control_law_is_left_out():
    """The torque is the one given, whatever law is compiled into the plant's loop."""
    from robodyn_ros import Control
    law = Control(lambda t, q, v, reference, parameters: [-x for x in q], 0, {})
    with_law = Plant(robot('two_link'), control=law, close_loops=False)
    state = State(0.0, np.array([0.3, 0.4]), np.array([0.1, -0.2]))
    found = with_law.linearised(state, np.array([1.0, 2.0]))
    bare = plant('two_link').linearised(state, np.array([1.0, 2.0]))
    assert np.allclose(found.A_step, bare.A_step, rtol=0.0, atol=1e-15)


def test_without_a_compiler_the_bits_are_the_same():
    """ROBODYN_INTERPRET=1 runs the same operations as plain Python."""
    code = ('import numpy as np; from robodyn_ros import *; '
            "p = Plant(load_robot('parallel_2dof'), stabilisation=stabilisation('baumgarte', "
            '3.0, 2.0)); s = State(0.1, 0.1 * np.arange(6.0), np.ones(6)); '
            'print([x.tobytes().hex() for x in p.linearised(s, np.ones(6))])')
    found = [subprocess.run([sys.executable, '-c', code], env={**os.environ, **extra}, check=True,
                            capture_output=True, text=True, timeout=120).stdout
             for extra in ({}, {'ROBODYN_INTERPRET': '1'})]
    assert found[0] == found[1] and len(found[0]) > 1000


def test_refusals_are_sentences():
    """What has no derivative says why, and what is malformed what was expected."""
    state = State(0.0, np.zeros(6), np.zeros(6))
    damped = Plant(robot('irb120'), damped=True)
    with pytest.raises(ConstraintError, match='damped'):
        damped.linearised(state)
    with pytest.raises(ConstraintError, match='depend on one another'):
        twice = plant('parallel_2dof', 'closure twice', 'projection')
        twice.linearised(parallel_start())
    of = plant('irb120')
    with pytest.raises(SizeError, match='expected'):
        of.linearised(State(0.0, np.zeros(5), np.zeros(5)))
    with pytest.raises(RobodynError, match='one for each state'):
        of.linearised(State(np.zeros(3), np.zeros((2, 6)), np.zeros((2, 6))))
    with pytest.raises(RobodynError, match='unknown parameter'):
        of.linearised(state, parameters={'mass': 1.0})
