# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Laws of mechanics that hold for every robot, whatever its numbers."""

from mechanics.cases import (assert_same, FIVE, frictionless, random_parameters, robot, states,
                             TREES)
from mechanics.random_urdf import random_urdf, with_rotors
import numpy as np
import pytest
from robodyn_ros.mechanics import energy, equations, kinematics
from robodyn_ros.mechanics.tree import ancestors
from robodyn_ros.robots.robot import robot_from_text
from robodyn_ros.tracing import directional, evaluate, Graph, inputs, jacobian

STATES = 50
DIFFERENCE = 1e-8  # fourth-order central differences, step 1e-3, of smooth functions
STEP = 1e-3


def difference(function):
    """Return d function(s) / ds at s = 0 by fourth-order central differences."""
    at = {k: function(k * STEP) for k in (-2, -1, 1, 2)}
    return (8.0 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12.0 * STEP)


@pytest.mark.parametrize('name', [*FIVE, *TREES])
def test_mass_matrix_is_symmetric_and_positive_definite(name):
    """M = M^T to the bit, and x^T M x > 0: its smallest eigenvalue is positive."""
    arm = robot(name)
    q, _, _ = states(arm.n, STATES, seed=81)
    for angles, M in zip(q, arm.mass_matrix(q)):
        assert np.array_equal(M, M.T), f'{name} at {angles.tolist()}'
        assert np.linalg.eigvalsh(M)[0] > 0.0, f'{name} at {angles.tolist()}: {M}'


@pytest.mark.parametrize('name', FIVE)
def test_inverse_dynamics_undoes_forward_dynamics(name):
    """Both orders: inverse(forward(tau)) = tau and forward(inverse(a)) = a; and tau = M a + h."""
    arm = robot(name)
    q, v, a = states(arm.n, STATES, seed=82)
    parameters = random_parameters(np.random.default_rng(83), friction_scale=1.0)
    tau = arm.inverse_dynamics(q, v, a, parameters)
    M, h = arm.dynamics(q, v, parameters)
    # solving loses digits with the condition of M, in either direction
    condition = max(np.linalg.cond(x) for x in M)
    loss = 1e-15 * condition + 1e-12
    for k in range(STATES):
        place = f'{name} at {q[k].tolist()}, {v[k].tolist()}'
        assert_same(f'M a + h of {place}', M[k] @ a[k] + h[k], tau[k])
        back = arm.forward_dynamics(q[k], v[k], tau[k], parameters)
        assert_same(f'a of {place}', back, a[k], loss)
        there = arm.inverse_dynamics(q[k], v[k], arm.forward_dynamics(
            q[k], v[k], a[k], parameters), parameters)
        assert_same(f'tau of {place}', there, a[k], loss, least=np.max(np.abs(h[k])))


def test_forward_dynamics_of_random_trees_is_the_dense_solution():
    """The sparse factorisation from leaf to base solves M a = tau - h as numpy does."""
    for number in range(60):
        rng = np.random.default_rng([84, number])
        arm = robot_from_text(random_urdf(rng, int(rng.integers(1, 9))))
        parameters = random_parameters(rng)
        q, v, tau = (x[0].tolist() for x in states(arm.n, 1, seed=[85, number]))
        found, margin = equations.forward_dynamics(arm.tree, parameters, q, v, tau)
        M, h = map(np.array, equations.mass_and_bias(arm.tree, parameters, q, v))
        expected = np.linalg.solve(M, np.array(tau) - h)
        assert margin > 0.0
        assert_same(f'a of tree {number} at {q}, {v}, {tau}\n{arm.urdf}\n', found, expected,
                    1e-15 * np.linalg.cond(M) + 1e-12)


@pytest.mark.parametrize('name', FIVE)
def test_power_is_the_change_of_energy(name):
    """d/dt (T + V) = v . (tau - friction) along the free motion under a torque."""
    arm = robot(name)
    q, v, tau = states(arm.n, STATES, seed=86, speed=1.0)
    a, friction = arm.forward_dynamics(q, v, tau), arm.bias(q, v).friction
    # a stiff acceleration makes the differences coarse: let the path keep its length
    scale = 1.0 / (1.0 + np.abs(a).max(axis=1, keepdims=True))
    rate = difference(lambda s: sum(arm.energy(
        q + s * scale * v + 0.5 * (s * scale) ** 2 * a, v + s * scale * a)))
    power = np.sum(v * (tau - friction), axis=1) * scale[:, 0]
    size = np.abs(v * tau).sum(axis=1) * scale[:, 0] + sum(map(np.abs, arm.energy(q, v)))
    worst = int(np.argmax(np.abs(rate - power) / size))
    assert np.all(np.abs(rate - power) <= DIFFERENCE * size), (
        f'{name} at {q[worst].tolist()}, {v[worst].tolist()}: {rate[worst]} != {power[worst]}')


@pytest.mark.parametrize('name', FIVE)
def test_coriolis_forces_do_no_work_beyond_the_change_of_inertia(name):
    """v^T (Mdot - 2 C) v = 0: the power of C v is half that of the changing mass matrix."""
    arm = robot(name)
    q, v, _ = states(arm.n, STATES, seed=87)
    rate = difference(lambda s: np.einsum('ki,kij,kj->k', v, arm.mass_matrix(q + s * v), v))
    work = 2.0 * np.sum(v * arm.bias(q, v).coriolis, axis=1)
    size = np.einsum('ki,kij,kj->k', v, arm.mass_matrix(q), v) * (1.0 + np.abs(v).max(axis=1)) ** 5
    assert np.all(np.abs(rate - work) <= DIFFERENCE * size), f'{name}: {rate - work}'


@pytest.mark.parametrize('name', FIVE)
def test_kinetic_energy_is_half_v_m_v_and_parts_sum_to_the_bias(name):
    """T = v^T M v / 2, computed from velocities and not from M; h = C v + g + friction."""
    arm = robot(name)
    q, v, _ = states(arm.n, STATES, seed=88)
    M, h = arm.dynamics(q, v)
    assert_same(f'T of {name}', arm.energy(q, v)[0], 0.5 * np.einsum('ki,kij,kj->k', v, M, v))
    parts = arm.bias(q, v)
    assert_same(f'h of {name}', sum(parts), h)
    assert_same(f'C v of {name} at rest', arm.bias(q, 0.0 * v).coriolis, 0.0 * v)
    gravity = difference(lambda s: np.stack([
        arm.energy(q + s * e, v)[1] for e in np.eye(arm.n)], axis=-1))
    assert_same(f'g of {name}', gravity, parts.gravity, DIFFERENCE, least=1.0)


def test_equations_are_those_of_lagrange():
    """
    M = d2T/dv2 and h = d/dt dT/dv - dT/dq + dV/dq, differentiated from the energies.

    Random trees with rotors of any axis on any link, payload and gravity: the energies know
    nothing of Newton-Euler, and the derivatives are those of the recording.
    """
    for number in range(12):
        rng = np.random.default_rng([89, number])
        text = random_urdf(rng, int(rng.integers(2, 5)), 2)
        plain = robot_from_text(text)
        arm = robot_from_text(with_rotors(rng, text, plain.frames, plain.joints))
        parameters = random_parameters(rng)
        graph = Graph()
        q, v = inputs(graph, 'q', arm.n), inputs(graph, 'v', arm.n)
        T = energy.kinetic_energy(arm.tree, parameters, q, v)
        V = energy.potential_energy(arm.tree, parameters, q)
        momentum = jacobian([T], v)[0]
        M = [x for row in jacobian(momentum, v) for x in row]
        moving = directional(momentum, dict(zip(q, v)))
        h = [a - b + c for a, b, c in zip(moving, jacobian([T], q)[0], jacobian([V], q)[0])]
        at_q, at_v, _ = (x[0].tolist() for x in states(arm.n, 1, seed=[90, number]))
        values = dict(zip([*q, *v], [*at_q, *at_v]))
        place = f'tree {number} at {at_q}, {at_v}\n{arm.urdf}\n'
        ours = equations.mass_and_bias(arm.tree, parameters, at_q, at_v)
        assert_same(f'M of {place}', np.ravel(ours[0]), evaluate(M, values))
        assert_same(f'h of {place}', ours[1], evaluate(h, values), least=1.0)


def test_jacobian_and_drift_are_derivatives_of_the_position():
    """J = dp/dq and drift = d(J v)/dq v, differentiated from the recorded pose."""
    for number in range(25):
        rng = np.random.default_rng([91, number])
        arm = robot_from_text(random_urdf(rng, int(rng.integers(2, 7)), 2, chain=0.8))
        frame = max(arm.tree.frames.values(), key=lambda f: len(ancestors(arm.tree, f.body)))
        graph = Graph()
        q, v = inputs(graph, 'q', arm.n), inputs(graph, 'v', arm.n)
        position = list(kinematics.frame_pose(arm.tree, frame, q).position)
        J = jacobian(position, q)
        drift = directional(directional(position, dict(zip(q, v))), dict(zip(q, v)))
        at_q, at_v, _ = (x[0].tolist() for x in states(arm.n, 1, seed=[92, number]))
        values = dict(zip([*q, *v], [*at_q, *at_v]))
        motion = kinematics.frame_motion(arm.tree, frame, at_q, at_v)
        place = f'tree {number} at {at_q}, {at_v}\n{arm.urdf}\n'
        assert_same(f'J of {place}', np.ravel(kinematics.frame_jacobian(
            arm.tree, frame, at_q)[:3]), evaluate([x for row in J for x in row], values),
            least=1.0)
        assert_same(f'drift of {place}', motion.linear_rate, evaluate(drift, values), least=1.0)


def test_frictionless_is_friction_scale_zero():
    """Friction scale 0 takes the friction away and nothing else."""
    arm = robot('irb120')
    q, v, _ = states(arm.n, 10, seed=93)
    rubbed, smooth = arm.dynamics(q, v)[1], arm.dynamics(q, v, frictionless(arm))[1]
    assert_same('friction', rubbed - smooth, arm.bias(q, v).friction)
