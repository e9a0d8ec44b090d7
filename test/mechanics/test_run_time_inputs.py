# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Payload, gravity and friction scale are inputs of the compiled code, not constants."""

import logging

from mechanics.cases import assert_same, FIVE, random_parameters, robot, states
from mechanics.peer import Peer
import numpy as np
from oracles import scara_1000
import pytest
from robodyn_ros.codegen import cache
from robodyn_ros.mechanics.parameters import NAMES, Parameters

LOADS = 20


@pytest.fixture(autouse=True)
def quiet(caplog):
    """Listen to what the package says."""
    caplog.set_level(logging.INFO, logger='robodyn_ros')
    return caplog


@pytest.mark.parametrize('name', FIVE)
def test_payload_is_a_body_at_the_tool(name):
    """M and h with a random payload and gravity are Pinocchio's with that body appended."""
    arm = robot(name)
    spin = scara_1000.rotor_mass_matrix() if name == 'scara_1000' else 0.0
    rng = np.random.default_rng(61)
    q, v, _ = states(arm.n, LOADS, seed=62)
    for k in range(LOADS):
        parameters = random_parameters(rng)
        M, h = arm.dynamics(q[k], v[k], parameters)
        theirs = Peer(arm, parameters).mass_and_bias(q[k], v[k])
        place = f'{name} at {q[k].tolist()}, {v[k].tolist()} with {parameters}'
        assert_same(f'M of {place}', M - spin, theirs[0])
        assert_same(f'h of {place}', h, theirs[1])


@pytest.mark.parametrize('name', FIVE)
def test_changing_them_compiles_nothing(name, tmp_path, monkeypatch, quiet):
    """After one evaluation, any payload, gravity and friction scale run the same program."""
    arm = robot(name)
    q, v, _ = states(arm.n, 3, seed=63)
    arm.dynamics(q, v)
    monkeypatch.setattr(cache, 'load', lambda *_: pytest.fail('a program was compiled'))
    quiet.clear()
    rng = np.random.default_rng(64)
    for _ in range(LOADS):
        arm.dynamics(q, v, random_parameters(rng, friction_scale=rng.uniform(0.0, 3.0)))
    assert 'compil' not in quiet.text


@pytest.mark.parametrize('name', FIVE)
def test_bias_is_affine_in_gravity_and_in_the_friction_scale(name):
    """Twice the gravity is twice the gravity torque; friction scale 0 is no friction."""
    arm = robot(name)
    q, v, _ = states(arm.n, 20, seed=65)
    none = Parameters(gravity=(0.0, 0.0, 0.0), friction_scale=0.0)
    rng = np.random.default_rng(66)
    gravity = rng.normal(size=3) * 9.0
    at_rest = arm.dynamics(q, v, none)[1]
    pulled = [arm.dynamics(q, v, none._replace(gravity=tuple(gravity * k)))[1] for k in (1.0, 2.0)]
    assert_same(f'gravity of {name}', pulled[1] - at_rest, 2.0 * (pulled[0] - at_rest), 1e-11)
    rubbed = [arm.dynamics(q, v, none._replace(friction_scale=k))[1] for k in (1.0, 2.5)]
    assert_same(f'friction of {name}', rubbed[1] - at_rest, 2.5 * (rubbed[0] - at_rest), 1e-11)


def test_flat_order_is_that_of_the_names():
    """from_flat undoes flat, and NAMES has one entry for each number."""
    numbers = [float(k) for k in range(len(NAMES))]
    parameters = Parameters.from_flat(numbers)
    assert parameters.flat() == numbers
    flat = dict(zip(NAMES, numbers))
    assert parameters.payload_mass == flat['payload.mass']
    assert parameters.gravity[1] == flat['gravity.y']
    assert parameters.payload_centre[2] == flat['payload.centre.z']
    assert parameters.payload_inertia[3] == flat['payload.inertia.xy']
    assert parameters.friction_scale == flat['friction_scale']
