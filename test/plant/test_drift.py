# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Without stabilisation phi'' = 0: phi(t) = phi(0) + t phi'(0) (tables of paper 000)."""

import numpy as np
from oracles import scara_450
from plant import cases
from plant.ode45 import ode45
import pytest
from robodyn_ros import State
from robodyn_ros.plant.verification import integrate_accurately

# The law itself, over 20 s: what is left is the integrator's error (facts: 4e-12 m with DOP853).
DRIFT = 1e-10
TABLE = cases.TARGETS['000']['unstabilised']
LOW_ORDER = cases.TARGETS['000']['unstabilised_low_order']
STARTS = {
    'elbow_plus_literal': scara_450.START_ELBOW_PLUS,
    'elbow_minus_literal': scara_450.START_ELBOW_MINUS,
    'exact_minus': scara_450.path_position(0.0, -1), 'exact_plus': scara_450.path_position(0.0, 1)}


@pytest.fixture(scope='module')
def helix():
    """Return the SCARA on the helix; the gains are 0, the bare equation."""
    return cases.plant('scara_450', 'helix', 'baumgarte')


@pytest.mark.parametrize('name', STARTS)
def test_errors_grow_along_a_straight_line_and_reach_the_tables_values(helix, name):
    """The accurate integration follows the line to 1e-10, and its maxima are the table's."""
    start = State(0.0, STARTS[name], scara_450.START_VELOCITY)
    times = np.linspace(0.0, 20.0, 401)
    q, v = integrate_accurately(helix, start, times)
    phi = cases.errors(helix, times, np.hstack([q, v]))
    phi_0, rate_0, _ = helix.constraint_rows(start)
    line = phi_0 + times[:, None] * rate_0
    assert np.abs(phi - line).max() < DRIFT
    expected = TABLE['exact_angles' if name.startswith('exact') else name]
    cases.assert_printed('max x, y, z, yaw', np.abs(phi).max(axis=0), expected, 4)


@pytest.mark.parametrize('name', STARTS)
def test_rk4_at_one_millisecond_follows_the_line_too(helix, name):
    """The compiled integrator at its default step adds no drift of its own above 1e-10."""
    motion = helix.rollout(State(0.0, STARTS[name], scara_450.START_VELOCITY), 20.0)
    line = motion.phi[0] + motion.t[:, None] * motion.phi_rate[0]
    assert np.abs(motion.phi - line).max() < DRIFT


def test_other_robots_follow_the_line_from_random_starts():
    """The law holds for any rows: random inconsistent starts of two robots over 2 s."""
    for name, rows, state in (('two_link', 'line', cases.line_start()),
                              ('parallel_2dof', 'line', cases.parallel_start())):
        plant = cases.plant(name, rows, 'baumgarte')
        rng = np.random.default_rng(4)
        for _ in range(5):
            # so small that the path stays far from singular poses
            q = state.q + rng.uniform(-0.01, 0.01, len(state.q))
            v = state.v + rng.uniform(-0.01, 0.01, len(state.q))
            motion = plant.rollout(State(0.0, q, v), 2.0)
            line = motion.phi[0] + motion.t[:, None] * motion.phi_rate[0]
            assert np.abs(motion.phi - line).max() < DRIFT, (name, q, v)


def test_kind_none_is_baumgarte_with_gains_zero():
    """Gain 0 as a run-time parameter is the bare equation, to the last bit of the step."""
    one = cases.plant('two_link', 'line').rollout(cases.line_start(), 1.0)
    two = cases.plant('two_link', 'line', 'baumgarte').rollout(cases.line_start(), 1.0)
    assert np.abs(one.q - two.q).max() < 1e-14


@pytest.mark.parametrize('name, start, columns', [
    ('exact_minus_ode45_default', 'exact_minus', 3),
    ('exact_plus_ode45_default_xy', 'exact_plus', 2),
    ('elbow_plus_literal_ode45_default_xy', 'elbow_plus_literal', 2),
    ('elbow_minus_literal_ode45_default_xy', 'elbow_minus_literal', 2)])
def test_matlabs_defaults_add_the_printed_errors(helix, name, start, columns):
    """A loose adaptive integrator drifts far beyond the line: the table's ode45 row."""
    x = np.concatenate([STARTS[start], scara_450.START_VELOCITY])
    t, states = ode45(cases.rates(helix), x, 20.0)
    phi = np.abs(cases.errors(helix, t, states)).max(axis=0)
    cases.assert_printed(name, phi[:columns], LOW_ORDER[name], 3)


@pytest.mark.parametrize('name, start, step, implicit', [
    ('exact_minus_euler_7p3ms', 'exact_minus', 7.3e-3, False),
    ('exact_minus_euler_7p0ms_xy', 'exact_minus', 7.0e-3, False),
    ('exact_minus_euler_7p5ms_xy', 'exact_minus', 7.5e-3, False),
    ('exact_plus_euler_7ms_xy', 'exact_plus', 7.0e-3, False),
    ('exact_minus_semi_implicit_10ms', 'exact_minus', 1e-2, True),
    ('exact_plus_semi_implicit_7ms_xy', 'exact_plus', 7e-3, True),
    ('exact_plus_semi_implicit_10ms_xy', 'exact_plus', 1e-2, True)])
def test_eulers_add_the_printed_errors(helix, name, start, step, implicit):
    """Low-order integrators, written here in Python, reproduce the paper's x and y headline."""
    q, v, phi = STARTS[start].copy(), scara_450.START_VELOCITY.copy(), []
    for k in range(int(20.0 / step + 1e-9) + 1):
        state = State(k * step, q, v)
        phi.append(helix.constraint_rows(state)[0])
        a = helix.derivative(state)[1]
        q, v = (q + step * (v + step * a) if implicit else q + step * v), v + step * a
    expected = LOW_ORDER[name]
    digits = 2 if implicit else 3
    cases.assert_printed(name, np.abs(phi).max(axis=0)[:len(expected)], expected, digits)
