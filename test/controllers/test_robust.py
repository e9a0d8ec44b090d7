# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Robust control: the theorem's bound, the Lyapunov weights, and what the term is inside its layer.

With e the error, xi = (e, e'), H = [[0, 1], [-kp, -kd]], H^T Q + Q H = -P and z = Q12 e + Q22 e',
the closed loop is xi' = H xi + (0, eta - w) with eta = (1 - M^-1 M^) y - M^-1 (h^ - h). For
V = xi^T Q xi and |eta| <= rho:

    V' = -xi^T P xi + 2 z.(eta - w) <= -xi^T P xi                 for |z| >= epsilon
    V' <= -xi^T P xi + 2 rho (|z| - |z|^2 / epsilon)              inside, at most rho epsilon / 2

so V' <= -kappa V + rho epsilon / 2 with kappa = min(P) / max eig Q, that is

    V(t) <= V* + (V(0) - V*) exp(-kappa t),     V* = rho epsilon / (2 kappa)     (ultimate bound)
"""

from controllers.cases import closed_loop, gain_parameters, robot, sine
import numpy as np
from oracles import control_laws
import pytest
from robodyn_ros import Parameters, RobodynError, robust, State
from robodyn_ros.controllers.robust import lyapunov_weights, rho_from_bounds
from scipy.linalg import solve_continuous_lyapunov

NAME = 'scara_1000'
MODEL = Parameters(payload_mass=2.5)
CORNERS = [Parameters(payload_mass=m, friction_scale=f) for m in (0.0, 5.0) for f in (0.5, 1.5)]
LOAD = {'controller.model.payload.mass': 2.5, 'controller.model.friction_scale': 1.0}


def settings(kp, kd, p, rho, epsilon):
    """Return run-time parameters of the robust loop with equal gains on all joints."""
    q12, q22 = lyapunov_weights(kp, kd, p)
    joints = robot(NAME).joints
    return {**LOAD, **gain_parameters(NAME, [kp] * 4, [kd] * 4), 'controller.rho': rho,
            'controller.epsilon': epsilon,
            **{f'controller.q12.{j}': q12 for j in joints},
            **{f'controller.q22.{j}': q22 for j in joints}}


def uncertainty(plant, motion, reference, kp, kd, w):
    """Return |eta| (k,) along a motion of a plant with these parameters."""
    r = robot(NAME)
    M, h = r.dynamics(motion.q, motion.v, plant)
    M_hat, h_hat = r.dynamics(motion.q, motion.v, MODEL)
    e, rate = reference.q - motion.q, reference.v - motion.v
    y = reference.a + kd * rate + kp * e + w
    eta = y - np.linalg.solve(M, (M_hat @ y[..., None])[..., 0][..., None]
                              + (h_hat - h)[..., None])[..., 0]
    return np.linalg.norm(eta, axis=1)


def test_error_stays_inside_the_bound_for_random_plants():
    """Payload 0..5 kg, friction 0.5..1.5 of the model's: V under its bound, |eta| under rho."""
    rng, period = np.random.default_rng(5), 2e-4
    reference = sine(NAME, 2.0, period, size=0.4, rate=3.0)
    for _ in range(6):
        omega, damping = rng.uniform(3.0, 6.0), rng.uniform(0.8, 1.5)
        kp, kd, p = omega ** 2, 2.0 * damping * omega, tuple(rng.uniform(0.5, 3.0, 2))
        epsilon = rng.uniform(0.01, 0.05)
        e, rate = rng.uniform(-0.03, 0.03, (2, 4))
        correction = 2.0 * np.linalg.norm(kp * e + kd * rate) + 1.0
        rho = 1.2 * rho_from_bounds(robot(NAME), reference.q, reference.v, reference.a,
                                    model=MODEL, plants=CORNERS, correction=correction)
        plant = Parameters(payload_mass=rng.uniform(0.0, 5.0),
                           friction_scale=rng.uniform(0.5, 1.5))
        motion = closed_loop(NAME, period).rollout(
            State(0.0, reference.q[0] - e, reference.v[0] - rate), 2.0,
            reference=reference.rows(), parameters={
                **settings(kp, kd, p, rho, epsilon), 'payload.mass': plant.payload_mass,
                'friction_scale': plant.friction_scale})
        Q = control_laws.lyapunov_scalar(kp, kd, *p)
        e, rate = reference.q - motion.q, reference.v - motion.v
        V = (Q[0, 0] * e ** 2 + 2.0 * Q[0, 1] * e * rate + Q[1, 1] * rate ** 2).sum(axis=1)
        kappa = min(p) / np.linalg.eigvalsh(Q).max()
        ultimate = rho * epsilon / (2.0 * kappa)
        bound = ultimate + (V[0] - ultimate) * np.exp(-kappa * motion.t)
        w = np.array([control_laws.robust_term(x, y, Q, rho, epsilon) for x, y in zip(e, rate)])
        assert uncertainty(plant, motion, reference, kp, kd, w).max() <= rho
        # holding the torque for 0.2 ms is no part of the theorem: 1 % of room
        assert np.all(V <= 1.01 * bound), (plant, kp, kd, p, rho, epsilon)
        assert V[-1] < ultimate


def test_bound_would_be_broken_without_the_term():
    """The same loop with rho 0 leaves the ultimate bound: the term does something."""
    period, kp, kd, p, epsilon = 2e-4, 9.0, 6.0, (1.0, 1.0), 0.002
    reference = sine(NAME, 2.0, period, size=0.4, rate=3.0)
    rho = 1.2 * rho_from_bounds(robot(NAME), reference.q, reference.v, reference.a, model=MODEL,
                                plants=CORNERS, correction=1.0)
    Q = control_laws.lyapunov_scalar(kp, kd, *p)
    ultimate = rho * epsilon * np.linalg.eigvalsh(Q).max() / (2.0 * min(p))
    worst = {}
    for size in (0.0, rho):
        motion = closed_loop(NAME, period).rollout(
            State(0.0, reference.q[0], reference.v[0]), 2.0, reference=reference.rows(),
            parameters={**settings(kp, kd, p, size, epsilon), 'payload.mass': 5.0})
        e, rate = reference.q - motion.q, reference.v - motion.v
        worst[size] = (Q[0, 0] * e ** 2 + 2.0 * Q[0, 1] * e * rate + Q[1, 1] * rate ** 2
                       ).sum(axis=1).max()
    assert worst[rho] < ultimate < worst[0.0]


def test_inside_the_layer_the_term_is_more_pd_gain():
    """With rho 70, epsilon 0.06, P = diag(18000, 100): the torque of kp 12566.7, kd 1226.7."""
    r, rng = robot(NAME), np.random.default_rng(7)
    ours = robust(r, kp=900.0, kd=60.0, rho=70.0, epsilon=0.06, p=(18000.0, 100.0))
    plain = robust(r, kp=900.0 + 70.0 / 0.06 * 10.0, kd=60.0 + 70.0 / 0.06, rho=0.0, epsilon=1.0)
    for _ in range(20):
        q, v = rng.uniform(-0.5, 0.5, (2, 4))
        wanted = [*(q + rng.uniform(-1e-3, 1e-3, 4)), *(v + rng.uniform(-1e-3, 1e-3, 4)), *q]
        a, b = (x.law(0.0, q, v, wanted, x.parameters) for x in (ours, plain))
        assert np.abs(np.subtract(a, b)).max() <= 1e-12 * np.abs(b).max()


def test_outside_the_layer_the_term_has_the_length_rho():
    """M^^-1 (tau - tau of rho 0) is rho z / |z|, whatever the error."""
    r, rng = robot(NAME), np.random.default_rng(8)
    ours = robust(r, kp=100.0, kd=20.0, rho=7.0, epsilon=0.01, p=(50.0, 5.0), saturate=False)
    q12, q22 = lyapunov_weights(100.0, 20.0, (50.0, 5.0))
    for _ in range(10):
        q, v, e, rate, a = rng.uniform(-1.0, 1.0, (5, 4))
        wanted = [*(q + e), *(v + rate), *a]
        on = ours.law(0.0, q, v, wanted, ours.parameters)
        off = ours.law(0.0, q, v, wanted, {**ours.parameters, 'rho': 0.0})
        w = np.linalg.solve(r.mass_matrix(q), np.subtract(on, off))
        z = q12 * e + q22 * rate
        assert np.abs(w - 7.0 * z / np.linalg.norm(z)).max() <= 1e-11


@pytest.mark.parametrize('kp, kd, p', [(900.0, 60.0, (18000.0, 100.0)), (900.0, 60.0, (1.0, 1.0)),
                                       (3.7, 0.9, (2.0, 5.0)), (1e4, 12.0, (0.1, 40.0))])
def test_lyapunov_weights_are_the_closed_form_and_scipys(kp, kd, p):
    """Q12 = p1 / (2 kp), Q22 = (p2 + 2 Q12) / (2 kd); and the whole (8, 8) equation holds."""
    q12, q22 = lyapunov_weights(kp, kd, p)
    Q = control_laws.lyapunov_scalar(kp, kd, *p)
    assert (q12, q22) == (pytest.approx(Q[0, 1], rel=1e-12), pytest.approx(Q[1, 1], rel=1e-12))
    H = np.kron(np.array([[0.0, 1.0], [-kp, -kd]]), np.eye(4))
    whole = solve_continuous_lyapunov(H.T, -np.kron(np.diag(p), np.eye(4)))
    assert np.allclose(whole[4:, :4], q12 * np.eye(4), rtol=1e-9, atol=1e-9 * q12)
    assert np.allclose(whole[4:, 4:], q22 * np.eye(4), rtol=1e-9, atol=1e-9 * q22)


def test_identity_weights_are_pure_damping():
    """Q = I (a public solution) gives z = e': a static error gets no help. No Lyapunov matrix."""
    r = robot(NAME)
    ours = robust(r, kp=900.0, kd=60.0, rho=70.0, epsilon=0.06, weights=[(0.0, 1.0)] * 4)
    q, still = np.array([0.1, 0.2, 0.6, 0.3]), np.zeros(4)
    wanted = [*(q + 0.01), *still, *still]
    assert ours.law(0.0, q, still, wanted, ours.parameters) \
        == ours.law(0.0, q, still, wanted, {**ours.parameters, 'rho': 0.0})
    H = np.array([[0.0, 1.0], [-900.0, -60.0]])
    assert np.linalg.eigvalsh(-(H.T + H)) == pytest.approx([-841.0, 961.0], abs=0.5)


def test_bounds_that_cannot_be_met_are_refused():
    """A model too far from the plants has no rho; it says what to change."""
    r = robot(NAME)
    at = np.zeros((1, 4))
    with pytest.raises(RobodynError, match='too far from the plants.*nearer to the middle'):
        rho_from_bounds(r, at, at, at, model=Parameters(payload_mass=100.0),
                        plants=[Parameters()])
    for wrong, words in (({'rho': -1.0, 'epsilon': 0.1}, 'rho of robust control is -1.0'),
                         ({'rho': 1.0, 'epsilon': 0.0}, 'epsilon of robust control is 0.0')):
        with pytest.raises(RobodynError, match=words):
            robust(r, kp=1.0, kd=1.0, **wrong)
    with pytest.raises(RobodynError, match='positive gains and p'):
        robust(r, kp=1.0, kd=0.0, rho=1.0, epsilon=0.1)
    with pytest.raises(RobodynError, match='passive joints'):
        robust(robot('parallel_2dof'), kp=1.0, kd=1.0, rho=1.0, epsilon=0.1)


def test_rho_is_zero_for_the_model_itself_and_grows_with_the_doubt():
    """No uncertainty needs no term; more payload in doubt needs a larger one."""
    reference = sine(NAME, 1.0, 0.01, size=0.4)
    motion = (reference.q, reference.v, reference.a)
    sizes = [rho_from_bounds(robot(NAME), *motion, model=MODEL, correction=1.0, plants=[
        Parameters(payload_mass=2.5 - m), Parameters(payload_mass=2.5 + m)])
        for m in (0.0, 1.0, 2.0)]
    assert sizes[0] < 1e-9 and sizes[0] < sizes[1] < sizes[2]


def test_rho_outweighs_the_uncertainty_it_causes_itself():
    """The term is part of y: rho = alpha (max |a| + correction + rho) + max |M^-1 (h^ - h)|."""
    r, motion = robot(NAME), sine(NAME, 1.0, 0.05, size=0.4)
    rho = rho_from_bounds(r, motion.q, motion.v, motion.a, model=MODEL, plants=CORNERS,
                          correction=2.0)
    alpha = bias = 0.0
    for plant in CORNERS:
        for q, v in zip(motion.q, motion.v):
            (M, h), (M_hat, h_hat) = r.dynamics(q, v, plant), r.dynamics(q, v, MODEL)
            alpha = max(alpha, np.linalg.svd(np.eye(4) - np.linalg.inv(M) @ M_hat)[1][0])
            bias = max(bias, np.linalg.norm(np.linalg.inv(M) @ (h_hat - h)))
    largest = np.linalg.norm(motion.a, axis=1).max()
    assert rho == pytest.approx(alpha * (largest + 2.0 + rho) + bias, rel=1e-9)
    assert 0.0 < alpha < 1.0 and bias > 0.0
