# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The regulator along a motion, beside scipy and beside the recursion period by period."""

import numpy as np
import pytest
from robodyn_ros.controllers.riccati import discretised, gain, gains_along, one_period, settled
from scipy.linalg import expm, solve_discrete_are

SIZES = [(2, 1), (4, 2), (8, 4), (14, 7)]
"""States and inputs."""


def system(states, inputs, knots=6):
    """Return second-order systems that drift from knot to knot, and weights."""
    rng = np.random.default_rng(states)
    A, B = np.zeros((knots, states, states)), np.zeros((knots, states, inputs))
    A[:, :inputs, inputs:] = np.eye(inputs)
    ends = rng.normal(size=(2, inputs, states)) * 30.0
    share = np.linspace(0.0, 1.0, knots)[:, None, None]
    A[:, inputs:] = ends[0] + share * (ends[1] - ends[0])
    B[:, inputs:] = rng.normal(size=(inputs, inputs)) + 3.0 * np.eye(inputs)
    return A, B, np.diag(rng.uniform(1.0, 1e4, states)), np.diag(rng.uniform(1e-4, 1.0, inputs))


@pytest.mark.parametrize('states, inputs', SIZES)
@pytest.mark.parametrize('period', [1e-3, 0.05, 2.0])
def test_between_instants_the_input_is_held(states, inputs, period):
    """The exponential of A and B together, as scipy computes it, also where it is large."""
    A, B, _, _ = system(states, inputs)
    for k, (found_a, found_b) in enumerate(zip(*discretised(A, B, period))):
        whole = expm(np.block([[A[k], B[k]], [np.zeros((inputs, states + inputs))]]) * period)
        size = np.abs(whole).max()
        assert np.abs(found_a - whole[:states, :states]).max() < 1e-11 * size
        assert np.abs(found_b - whole[:states, states:]).max() < 1e-11 * size


@pytest.mark.parametrize('states, inputs', SIZES)
def test_what_goes_on_for_ever_solves_the_algebraic_equation(states, inputs):
    """The map of ever more periods ends where scipy's solution is."""
    A, B, Q, R = system(states, inputs)
    A, B = discretised(A, B, 1e-3)
    for k, found in enumerate(settled(one_period(A, B, Q, R))):
        P = solve_discrete_are(A[k], B[k], Q, R)
        assert np.abs(found - P).max() < 1e-9 * np.abs(P).max()


@pytest.mark.parametrize('states, inputs', SIZES)
@pytest.mark.parametrize('periods', [1, 2, 7, 50])
def test_composed_periods_are_the_recursion(states, inputs, periods):
    """K at every knot, as found by going back one period after the other."""
    A, B, Q, R = system(states, inputs)
    A, B = discretised(A, B, 2e-3)
    found = gains_along(A, B, Q, R, periods)
    P = solve_discrete_are(A[-1], B[-1], Q, R)
    K = gain(A[-1], B[-1], R, P)
    assert np.abs(found[-1] - K).max() < 1e-9 * np.abs(K).max()
    for k in range(len(A) - 2, -1, -1):
        for _ in range(periods):
            K = np.linalg.solve(R + B[k].T @ P @ B[k], B[k].T @ P @ A[k])
            P = Q + A[k].T @ P @ (A[k] - B[k] @ K)
        assert np.abs(found[k] - K).max() < 1e-9 * np.abs(K).max(), k
