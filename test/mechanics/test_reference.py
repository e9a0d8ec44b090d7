# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled code is the same mechanics called with floats; regrouping moves nothing that counts."""

from mechanics.cases import assert_same, FIVE, random_parameters, robot, states
from mechanics.random_urdf import random_urdf, with_rotors
import numpy as np
import pytest
from robodyn_ros.mechanics import energy, equations, kinematics, rigid_body
from robodyn_ros.mechanics.inertia import body_inertias
from robodyn_ros.mechanics.parameters import payload_inertia
from robodyn_ros.robots.robot import robot_from_text

STATES = 30


def reference(arm, parameters, q, v, a):
    """Return name -> flat numbers of everything the compiled robot offers, by floats."""
    M, h = equations.mass_and_bias(arm.tree, parameters, q, v)
    motion = kinematics.frame_motion(arm.tree, arm.tree.frames['tool0'], q, v)
    return {
        'M': np.ravel(M), 'h': h,
        'bias': np.ravel(equations.bias_parts(arm.tree, parameters, q, v)),
        'inverse': equations.inverse_dynamics(arm.tree, parameters, q, v, a),
        'forward': equations.forward_dynamics(arm.tree, parameters, q, v, a)[0],
        'energy': [energy.kinetic_energy(arm.tree, parameters, q, v),
                   energy.potential_energy(arm.tree, parameters, q)],
        'frame': np.concatenate([np.ravel(x) for x in (
            motion.pose.rotation, motion.pose.position, motion.linear, motion.angular,
            motion.linear_rate, motion.angular_rate,
            kinematics.frame_jacobian(arm.tree, arm.tree.frames['tool0'], q))]),
    }


def compiled(arm, parameters, q, v, a):
    """Return the same from the compiled robot, for many states at once."""
    M, h = arm.dynamics(q, v, parameters)
    frame = arm.frame('tool0', q, v)
    many = len(q)
    return {
        'M': M.reshape(many, -1), 'h': h,
        'bias': np.concatenate(arm.bias(q, v, parameters), axis=-1),
        'inverse': arm.inverse_dynamics(q, v, a, parameters),
        'forward': arm.forward_dynamics(q, v, a, parameters),
        'energy': np.stack(arm.energy(q, v, parameters), axis=-1),
        'frame': np.concatenate([x.reshape(many, -1) for x in frame], axis=-1),
    }


@pytest.mark.parametrize('name', FIVE)
def test_compiled_code_equals_the_float_reference(name):
    """All functions of the five robots, random states, payload, gravity and friction scale."""
    arm = robot(name)
    parameters = random_parameters(np.random.default_rng(71), friction_scale=1.7)
    q, v, a = states(arm.n, STATES, seed=72)
    found = compiled(arm, parameters, q, v, a)
    for k in range(STATES):
        expected = reference(arm, parameters, *(x[k].tolist() for x in (q, v, a)))
        for part, numbers in expected.items():
            assert_same(f'{part} of {name} at {q[k].tolist()}, {v[k].tolist()}, {a[k].tolist()}',
                        found[part][k], numbers)


@pytest.mark.parametrize('name', FIVE)
def test_one_state_and_many_give_the_same_bits(name):
    """A batch (k, n) is the single states (n,) one after another."""
    arm = robot(name)
    q, v, a = states(arm.n, 5, seed=73)
    batch = compiled(arm, None, q, v, a)
    for k in range(5):
        single = compiled(arm, None, q[k:k + 1], v[k:k + 1], a[k:k + 1])
        M, _ = arm.dynamics(q[k], v[k])
        assert np.array_equal(M.ravel(), batch['M'][k])
        for part in batch:
            assert np.array_equal(single[part][0], batch[part][k]), f'{part} of {name}'


def test_regrouped_inertias_give_the_same_equations():
    """M, h and tau of random trees with rotors and payload, with and without regrouping."""
    for number in range(60):
        rng = np.random.default_rng([74, number])
        text = random_urdf(rng, int(rng.integers(1, 8)))
        plain = robot_from_text(text)
        arm = robot_from_text(with_rotors(rng, text, plain.frames, plain.joints))
        parameters = random_parameters(rng)
        raw = body_inertias(arm.tree, payload_inertia(parameters))
        few = equations.inertias(arm.tree, parameters)
        q, v, a = (x[0].tolist() for x in states(arm.n, 1, seed=[75, number]))
        place = f'tree {number} at {q}, {v}, {a}\n{arm.urdf}\n'
        assert_same(f'M of {place}', rigid_body.mass_matrix(arm.tree, few, q),
                    rigid_body.mass_matrix(arm.tree, raw, q))
        for u in (a, [0.0] * arm.n):
            assert_same(f'tau of {place}', *(rigid_body.inverse_dynamics(
                arm.tree, inertias, q, v, u, parameters.gravity) for inertias in (few, raw)))


@pytest.mark.parametrize('name', ['scara_450', 'irb120', 'parallel_2dof'])
def test_regrouping_leaves_fewer_operations(name):
    """The reason for regrouping: most parameters of a serial arm are zero afterwards."""
    arm = robot(name)
    raw = body_inertias(arm.tree, payload_inertia(arm.parameters))
    few = equations.inertias(arm.tree, arm.parameters)

    def numbers(inertias):
        flat = [x for i in inertias for x in (i.mass, *i.moment, *np.ravel(i.tensor))]
        return sum(x != 0.0 for x in flat)

    assert numbers(few) < numbers(raw), name
