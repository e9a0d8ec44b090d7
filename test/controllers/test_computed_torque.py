# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque with a perfect model: the error obeys e'' + kd e' + kp e = 0, joint by joint."""

from controllers.cases import closed_loop, error_solution, gain_parameters, robot, sine
import numpy as np
from oracles import control_laws
from plant import cases as plants
import pytest
from robodyn_ros import computed_torque, Parameters, RobodynError, State

ROBOTS = ('two_link', 'scara_450', 'scara_1000', 'irb120')
SMOOTH = {'friction_scale': 0.0, 'controller.model.friction_scale': 0.0}


@pytest.mark.parametrize('name', ROBOTS)
def test_error_equation_holds_at_every_state(name):
    """At the continuous level: the plant's acceleration under the law's torque, to 1e-9."""
    r, rng = robot(name), np.random.default_rng(11)
    for state in plants.random_states(r.n, 5, 12):
        kp, kd = rng.uniform(1.0, 900.0, r.n), rng.uniform(0.5, 60.0, r.n)
        mass = rng.uniform(0.0, 3.0)
        control = computed_torque(r, kp=kp, kd=kd, saturate=False, model=r.parameters._replace(
            payload_mass=mass, friction_scale=1.0), friction_velocity='measured')
        wanted = rng.normal(size=3 * r.n)
        tau = control.law(state.t, state.q, state.v, wanted, control.parameters)
        _, a = closed_loop(name).derivative(state, tau, {'payload.mass': mass})
        e, rate = wanted[:r.n] - state.q, wanted[r.n:2 * r.n] - state.v
        rest = (wanted[2 * r.n:] - a) + kd * rate + kp * e
        assert np.abs(rest).max() <= 1e-9 * max(1.0, np.abs(kp * e).max()), (state, rest)


@pytest.mark.parametrize('name', ROBOTS)
def test_law_is_the_papers_formula(name):
    """The torque is M (a_d + kd e' + kp e) + h, with the compiled M and h."""
    r, rng = robot(name), np.random.default_rng(13)
    kp, kd = rng.uniform(1.0, 400.0, r.n), rng.uniform(0.5, 40.0, r.n)
    control = computed_torque(r, kp=kp, kd=kd, saturate=False, friction_velocity='measured')
    q, v = rng.uniform(-1.0, 1.0, (2, r.n))
    wanted = rng.normal(size=(3, r.n))
    M, h = r.dynamics(q, v)
    theirs = control_laws.computed_torque(M, h, wanted[2], wanted[0] - q, wanted[1] - v, kp, kd)
    ours = control.law(0.0, q, v, wanted.ravel(), control.parameters)
    plants.assert_close('tau', ours, theirs, 1e-12)


@pytest.mark.parametrize('name', ROBOTS)
def test_sampled_loop_tends_to_the_closed_form(name):
    """
    The loop with a held torque follows the solution of the error equation.

    Holding costs an error of first order in the period T: x(T) is within 2 %, and 2 x(T/2) - x(T),
    which has no such term, 30 times nearer. Gains and starts are random.
    """
    r, rng = robot(name), np.random.default_rng(17)
    for _ in range(3):
        omega, damping = rng.uniform(3.0, 12.0, r.n), rng.uniform(0.4, 1.6, r.n)
        kp, kd = omega ** 2, 2.0 * damping * omega
        e, rate = rng.uniform(-0.05, 0.05, (2, r.n))
        found = []
        for step in (4e-4, 2e-4):
            reference = sine(name, 1.0, step)
            start = State(0.0, reference.q[0] - e, reference.v[0] - rate)
            motion = closed_loop(name, step).rollout(
                start, 1.0, reference=reference.rows(), every=round(0.02 / step),
                parameters={**SMOOTH, **gain_parameters(name, kp, kd)})
            found.append(reference.q[::round(0.02 / step)] - motion.q)
        exact = np.stack([error_solution(*x, motion.t) for x in zip(kp, kd, e, rate)], axis=1)
        size = np.abs(exact).max()
        assert np.abs(found[1] - exact).max() <= 0.02 * size
        assert np.abs(2.0 * found[1] - found[0] - exact).max() <= 6e-4 * size


def test_unknown_payload_leaves_a_static_error():
    """An unknown load leaves kp M^ e = g - g^; 1.557 mm for paper 004's 5 kg and kp 900."""
    reference = sine('scara_1000', 3.0, 1e-3, size=0.0)
    motion = closed_loop('scara_1000').rollout(
        State(0.0, reference.q[0], reference.v[0]), 3.0, reference=reference.rows(),
        parameters={'payload.mass': 5.0, 'controller.model.friction_scale': 1.0})
    r = robot('scara_1000')
    M = r.mass_matrix(motion.q[-1])
    static = np.linalg.solve(M, [0.0, 0.0, -5.0 * 9.81, 0.0]) / 900.0
    plants.assert_close('static error', reference.q[-1] - motion.q[-1], static, 1e-9)
    assert static[2] == pytest.approx(-1.557e-3, abs=2e-6)


def test_passive_joints_are_refused():
    """A law that drives every joint is no law for a closed chain; it says what is."""
    with pytest.raises(RobodynError, match='passive joints.*use constraint_following'):
        computed_torque(robot('parallel_2dof'), kp=1.0, kd=1.0)


def test_model_is_the_controllers_own():
    """The law's payload is its own parameter: the plant's changes nothing in the torque."""
    r = robot('two_link')
    light = computed_torque(r, kp=1.0, kd=1.0)
    heavy = computed_torque(r, kp=1.0, kd=1.0, model=Parameters(payload_mass=2.0))
    state = (0.0, [0.3, 0.4], [0.1, 0.2], [0.0] * 6)
    moved = np.subtract(heavy.law(*state, heavy.parameters), light.law(*state, light.parameters))
    assert np.abs(moved).min() > 1e-3
    renamed = {**light.parameters, 'model.payload.mass': 2.0, 'model.friction_scale': 1.0}
    assert light.law(*state, renamed) == heavy.law(*state, heavy.parameters)
