# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The constrained acceleration and force are those of Udwadia and Kalaba, on random states.

M a + h = tau + Qc, A a = b and Qc in the range of A^T have one solution (a, Qc); the tests check
each of the three, and the solution itself against the oracle's M^1/2 pseudo-inverse and KKT forms.
"""

import numpy as np
from oracles import udwadia_kalaba
from plant import cases
import pytest

# A, M, h are exact; solving loses a few digits where rows or masses are badly conditioned.
EXACT = 1e-10
# Fourth-order differences, step 1e-3; fifth derivatives are of order 1e2 to 1e3.
STEP, DIFFERENCE = 1e-3, 1e-7
COUNT = 40

INDEPENDENT = [
    ('scara_450', 'helix', 'baumgarte', 'auto'), ('two_link', 'line', 'none', 'auto'),
    ('parallel_2dof', 'closure', 'projection', 'auto'), ('irb120', 'ball', 'projection', 'auto'),
    ('scara_1000', 'cylinder', 'projection', 'auto')]
DEPENDENT = [
    ('scara_450', 'helix twice', 'none', 'auto'), ('two_link', 'line mixed', 'none', 'auto'),
    ('parallel_2dof', 'closure twice', 'none', 'rank')]


def sample(case, count=COUNT):
    """Yield (plant, state, tau, observation, M, Q, A) for random states and torques."""
    name, rows, kind, solver = case
    plant = cases.plant(name, rows, kind, solver=solver)
    rng = np.random.default_rng(7)
    for state in cases.random_states(plant.robot.n, count, seed=len(name) + len(rows)):
        tau = rng.uniform(-3.0, 3.0, plant.robot.n)
        M, h = plant.robot.dynamics(state.q, state.v)
        A = plant.constraint_rows(state)[2]
        yield plant, state, tau, plant.observe(state, tau), M, tau - h, A


def right_side(plant, state):
    """Return b = -(d/dt) of the rows' rates along q' = v, v' = 0, by fourth-order differences."""
    def rate(s):
        return plant.constraint_rows(
            state._replace(t=state.t + s, q=state.q + s * state.v))[1]
    h = STEP
    return -(8.0 * (rate(h) - rate(-h)) - (rate(2 * h) - rate(-2 * h))) / (12.0 * h)


def null_space(A):
    """Return the directions w (k, n) that the rows allow, A w = 0."""
    _, singular, vectors = np.linalg.svd(A)
    return vectors[np.sum(singular > 1e-10 * singular[0]):]


@pytest.mark.parametrize('case', INDEPENDENT + DEPENDENT, ids=' '.join)
def test_acceleration_satisfies_the_rows(case):
    """A a = b, b from differences of the rows along the motion."""
    for plant, state, _, seen, _, _, A in sample(case):
        cases.assert_close('A a', A @ seen.a[0], right_side(plant, state), DIFFERENCE, state)


@pytest.mark.parametrize('case', INDEPENDENT + DEPENDENT, ids=' '.join)
def test_force_and_acceleration_satisfy_newton(case):
    """M a + h = tau + Qc; observe and derivative tell the same a."""
    for plant, state, tau, seen, M, Q, _ in sample(case):
        scale = max(1.0, np.abs(seen.constraint_force[0]).max())
        cases.assert_close('M a - Q', (M @ seen.a[0] - Q) / scale,
                           seen.constraint_force[0] / scale, EXACT, state)
        cases.assert_close('a', plant.derivative(state, tau)[1], seen.a[0], 1e-13, state)


@pytest.mark.parametrize('case', INDEPENDENT + DEPENDENT, ids=' '.join)
def test_ideal_constraints_do_no_virtual_work(case):
    """w.Qc = 0 for every w with A w = 0, and the multipliers reproduce Qc = A^T lambda."""
    for _, state, _, seen, _, _, A in sample(case):
        force = seen.constraint_force[0]
        cases.assert_close('A^T lambda', A.T @ seen.multipliers[0], force, EXACT, state)
        cases.assert_close('w.Qc', null_space(A) @ force / max(1.0, np.abs(force).max()),
                           np.zeros(len(null_space(A))), EXACT, state)


@pytest.mark.parametrize('case', INDEPENDENT + DEPENDENT, ids=' '.join)
def test_solution_is_the_pseudo_inverse_form(case):
    """
    Force and acceleration are those of Qc = M^1/2 (A M^-1/2)^+ (b - A M^-1 Q), whatever the rank.

    b = A a here (its correctness has a test of its own), so the whole comparison is exact.
    """
    for _, state, _, seen, M, Q, A in sample(case):
        motion = udwadia_kalaba.constrained_motion(M, Q, A, A @ seen.a[0])
        cases.assert_close('a', seen.a[0], motion.acceleration, EXACT, state)
        cases.assert_close('Qc', seen.constraint_force[0], motion.constraint_force, EXACT, state)


@pytest.mark.parametrize('case', INDEPENDENT, ids=' '.join)
def test_solution_is_the_kkt_solution_where_that_exists(case):
    """[[M, -A^T], [A, 0]] [a; lambda] = [Q; b] gives a, Qc and the multipliers."""
    for _, state, _, seen, M, Q, A in sample(case):
        singular = np.linalg.svd(A, compute_uv=False)
        if singular[-1] < 1e-3 * singular[0]:
            continue  # the KKT matrix is nearly singular: nothing to compare with
        kkt = udwadia_kalaba.kkt_solution(M, Q, A, A @ seen.a[0])
        cases.assert_close('a', seen.a[0], kkt.acceleration, EXACT, state)
        cases.assert_close('Qc', seen.constraint_force[0], kkt.constraint_force, EXACT, state)
        cases.assert_close('lambda', seen.multipliers[0], kkt.multipliers, EXACT, state)


def test_baumgarte_adds_its_two_terms():
    """A a = b - alpha phi' - beta phi, for random gains given at run time."""
    rng = np.random.default_rng(3)
    for plant, state, tau, bare, _, _, A in sample(INDEPENDENT[0]):
        alpha, beta = rng.uniform(0.0, 50.0), rng.uniform(0.0, 900.0)
        seen = plant.observe(state, tau, cases.gains(alpha, beta))
        phi, rate, _ = plant.constraint_rows(state)
        expected = udwadia_kalaba.baumgarte(A @ bare.a[0], phi, rate, alpha, beta)
        cases.assert_close('A a', A @ seen.a[0], expected, EXACT, (state, alpha, beta))


def test_velocity_correction_moves_positions_with_rates_that_fit_the_rows():
    """Positions move with v + M^-1/2 B^+ (c - A v), a is as without correction (paper 001)."""
    plant = cases.plant('two_link', 'line', 'velocity_correction')
    bare = cases.plant('two_link', 'line')
    for state in cases.random_states(2, COUNT, seed=5):
        rates, a = plant.derivative(state)
        _, rate, A = plant.constraint_rows(state)
        M = plant.robot.mass_matrix(state.q)
        change = udwadia_kalaba.velocity_correction(M, A, A @ state.v - rate, state.v)
        cases.assert_close("q'", rates, state.v + change, EXACT, state)
        cases.assert_close('a', a, bare.derivative(state)[1], EXACT, state)
