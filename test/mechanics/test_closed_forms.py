# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The compiled robots against the closed forms of the five papers and their golden vectors."""

from mechanics.cases import assert_same, frictionless, golden, robot, states
import numpy as np
from oracles import irb120, parallel_2dof, scara_1000, scara_450, two_link
import pytest

STATES = 200
TOOL = 1e-12  # lengths below 1 m: absolute


def parallel_mass(q):
    """Return M of paper 002 in the URDF's relative angles."""
    return parallel_2dof.relative_mass_matrix(
        parallel_2dof.mass_matrix(parallel_2dof.absolute_angles(q)))


def parallel_bias(q, v):
    """Return h of paper 002 on the relative angles."""
    return parallel_2dof.relative_force(parallel_2dof.bias_force(
        parallel_2dof.absolute_angles(q), parallel_2dof.absolute_angles(v)))


def parallel_tool(q):
    """Return the end of chain 1."""
    return [*parallel_2dof.tip_positions(parallel_2dof.absolute_angles(q))[0], 0.0]


def two_link_tool(q):
    """Return the tool of the vertical arm: the paper's y is our z."""
    x, y = two_link.tool_position(q)
    return [x, 0.0, y]


# name: (M, h without friction, tool position)
ORACLES = {
    'scara_450': (scara_450.mass_matrix, scara_450.bias_force,
                  lambda q: scara_450.tool_pose(q)[:3]),
    'two_link': (two_link.mass_matrix, two_link.bias_force, two_link_tool),
    'parallel_2dof': (parallel_mass, parallel_bias, parallel_tool),
    'irb120': (irb120.mass_matrix, irb120.bias_force, lambda q: irb120.tool_transform(q)[:3, 3]),
    'scara_1000': (scara_1000.mass_matrix, scara_1000.bias_force,
                   lambda q: scara_1000.tool_pose(q)[:3]),
}


@pytest.mark.parametrize('name', ORACLES)
def test_mass_bias_and_tool_are_those_of_the_paper(name):
    """M, h (rotors included, friction apart) and the tool position at 200 random states."""
    arm = robot(name)
    mass, bias, tool = ORACLES[name]
    q, v, _ = states(arm.n, STATES, seed=101)
    M, h = arm.dynamics(q, v, frictionless(arm))
    position = arm.frame('tool0', q, v).position
    for k in range(STATES):
        place = f'{name} at q = {q[k].tolist()}, v = {v[k].tolist()}'
        assert_same(f'M of {place}', M[k], mass(q[k]))
        assert_same(f'h of {place}', h[k], bias(q[k], v[k]))
        assert_same(f'tool of {place}', position[k], tool(q[k]), TOOL, least=1.0)


def test_scara_1000_with_payload_and_friction_is_that_of_the_paper():
    """Rotor coupling, a point payload at the tip and joint-side viscous friction (paper 004)."""
    arm = robot('scara_1000')
    q, v, _ = states(arm.n, STATES, seed=102)
    for mass in (0.0, scara_1000.PAYLOAD, 1.3):
        M, h = arm.dynamics(q, v, arm.parameters._replace(payload_mass=mass))
        for k in range(STATES):
            place = f'at q = {q[k].tolist()}, v = {v[k].tolist()} with {mass} kg'
            assert_same(f'M {place}', M[k], scara_1000.mass_matrix(q[k], mass))
            assert_same(f'h {place}', h[k], scara_1000.nonlinear_terms(q[k], v[k], mass))


def test_scara_1000_jacobian_and_drift_are_those_of_the_paper():
    """Rows x, y, z and yaw of J and of Jdot v."""
    arm = robot('scara_1000')
    q, v, _ = states(arm.n, STATES, seed=103)
    frame, rows = arm.frame('tool0', q, v), [0, 1, 2, 5]
    for k in range(STATES):
        place = f'at q = {q[k].tolist()}, v = {v[k].tolist()}'
        assert_same(f'J {place}', frame.jacobian[k][rows], scara_1000.tool_jacobian(q[k]))
        assert_same(f'drift {place}', frame.drift[k][rows],
                    scara_1000.tool_jacobian_rate(q[k], v[k]) @ v[k], least=1.0)


def test_irb120_gravity_is_the_printed_one():
    """Eqs. (16) and (17) of paper 003, which Pinocchio and Newton-Euler know nothing of."""
    arm = robot('irb120')
    q, v, _ = states(arm.n, STATES, seed=104)
    gravity = arm.bias(q, v).gravity
    for k in range(STATES):
        assert_same(f'g at q = {q[k].tolist()}', gravity[k], irb120.gravity_closed_form(q[k]))


def test_scara_450_is_the_golden_one():
    """M, C v and the tool of golden vector 000."""
    g, arm = golden('000'), robot('scara_450')
    parts = arm.bias(g['q'], g['v'])
    frame = arm.frame('tool0', g['q'], g['v'])
    assert_same('M', arm.mass_matrix(g['q']), g['M'])
    assert_same('C v', parts.coriolis, g['C'] @ g['v'])
    assert_same('tool', frame.position, g['fk'][:3])
    assert_same('A', frame.jacobian[[0, 1, 5, 2]], g['A'])
    assert_same('yaw', arm.orientation('tool0', g['q'].tolist())[2], g['fk'][3])


def test_two_link_is_the_golden_one():
    """M, C v, G, the tool and the rows of the line of golden vector 001."""
    g, arm = golden('001'), robot('two_link')
    parts = arm.bias(g['q'], g['v'])
    frame = arm.frame('tool0', g['q'], g['v'])
    assert_same('M', arm.mass_matrix(g['q']), g['M'])
    assert_same('C v', parts.coriolis, g['C'] @ g['v'])
    assert_same('G', parts.gravity, g['G'])
    assert_same('tool', frame.position[[0, 2]], g['fk'])
    assert_same('A', frame.jacobian[[0, 2]], g['A'])


def test_parallel_2dof_is_the_golden_one():
    """M and the rows of the closures of golden vector 002, absolute and relative angles."""
    g, arm = golden('002'), robot('parallel_2dof')
    q, v = parallel_2dof.relative_angles(g['q']), parallel_2dof.relative_angles(g['v'])
    to_relative = parallel_2dof.TO_RELATIVE
    M = arm.mass_matrix(q)
    assert_same('M', to_relative.T @ M @ to_relative, g['M'])
    tips = [arm.frame(f'tip_{k}', q, v) for k in (1, 2, 3)]
    rows = [tips[0].jacobian[:2] - tip.jacobian[:2] for tip in tips[1:]]
    assert_same('A_s', np.vstack(rows) @ to_relative, g['A_s'])
    drift = [tips[0].drift[:2] - tip.drift[:2] for tip in tips[1:]]
    assert_same('b_s', -np.concatenate(drift), g['b_s'], least=1.0)
    for tip in tips:
        assert_same('p', tip.position[:2], g['p'])


def test_irb120_is_the_golden_one():
    """M, g, C v, tau and the tool of golden vector 003, and M, g at rest."""
    g, arm = golden('003'), robot('irb120')
    parts = arm.bias(g['q'], g['v'])
    assert_same('M', arm.mass_matrix(g['q']), g['M'])
    assert_same('g', parts.gravity, g['g'])
    assert_same('C v', parts.coriolis, g['Cv'])
    assert_same('tau', arm.inverse_dynamics(g['q'], g['v'], g['a'], frictionless(arm)), g['tau'])
    frame = arm.frame('tool0', g['q'])
    assert_same('T', np.column_stack([frame.rotation, frame.position]), g['T06'][:3])
    zero = np.zeros(6)
    assert_same('M0', arm.mass_matrix(zero), g['M0'])
    assert_same('g0', arm.bias(zero, zero).gravity, g['g0'])


def test_scara_1000_is_the_golden_one():
    """B and n with and without 5 kg, C v, the tool, J and Jdot v of golden vector 004."""
    g, arm = golden('004'), robot('scara_1000')
    q, v = g['q'], g['v']
    loaded = arm.parameters._replace(payload_mass=5.0)
    for mass, parameters in ((0, arm.parameters), (5, loaded)):
        M, h = arm.dynamics(q, v, parameters)
        assert_same(f'B with {mass} kg', M, g[f'B_mp{mass}'])
        assert_same(f'n with {mass} kg', h, g[f'n_mp{mass}'])
    assert_same('C v', arm.bias(q, v, loaded).coriolis, g['C_mp5'] @ v)
    frame, rows = arm.frame('tool0', q, v), [0, 1, 2, 5]
    assert_same('fk', [*frame.position, arm.orientation('tool0', q.tolist())[2]], g['fk'])
    assert_same('J', frame.jacobian[rows], g['J'])
    assert_same('Jdot v', frame.drift[rows], g['Jdot'] @ v, least=1.0)
