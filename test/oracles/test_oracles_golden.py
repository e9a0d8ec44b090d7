# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every oracle against the golden vectors, and against the laws its equations must obey."""

import json
from pathlib import Path

import numpy as np
from oracles import (control_laws, irb120, parallel_2dof, scara_1000, scara_450, two_link,
                     udwadia_kalaba as uk)
import pytest

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'

# Golden vectors are full doubles from another program: only the order of operations differs.
RELATIVE = 1e-12
# Central differences of smooth functions, step 1e-6.
STEP, DIFFERENCE = 1e-6, 1e-7


def golden(paper: str) -> dict:
    """Return the golden vectors of a paper, lists as arrays."""
    data = json.loads((GOLDEN / f'{paper}.json').read_text())
    return {k: np.array(v) if isinstance(v, list) else v for k, v in data.items()}


TARGETS = json.loads((GOLDEN / 'targets.json').read_text())


def assert_same(name: str, ours, theirs, relative: float = RELATIVE) -> None:
    """Compare to a fraction of the largest entry (at least 1e-3 of a unit)."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    allowed = relative * max(np.max(np.abs(theirs)), 1e-3)
    worst = np.max(np.abs(ours - theirs))
    assert worst <= allowed, f'{name}: {ours} != {theirs}, off by {worst:.3e} > {allowed:.1e}'


def jacobian(function, q: np.ndarray) -> np.ndarray:
    """Return d function / d q by central differences."""
    return np.column_stack([
        (function(q + STEP * e) - function(q - STEP * e)) / (2.0 * STEP) for e in np.eye(len(q))])


# --- paper 000 -------------------------------------------------------------------------------


def test_scara_450_dynamics_are_the_golden_ones():
    g = golden('000')
    q, v = g['q'], g['v']
    lumped = [scara_450.ALPHA, scara_450.BETA, scara_450.GAMMA, scara_450.DELTA]
    assert_same('lumped', lumped, g['lumped'])
    assert_same('M', scara_450.mass_matrix(q), g['M'])
    assert_same('C', scara_450.coriolis_matrix(q, v), g['C'])
    assert_same('fk', scara_450.tool_pose(q), g['fk'])


def test_scara_450_constraints_are_the_golden_ones():
    g = golden('000')
    q, v, t = g['q'], g['v'], g['t']
    assert_same('A', scara_450.constraint_jacobian(q), g['A'])
    assert_same('b', scara_450.constraint_bias(q, v, t), g['b'])
    assert_same('phi', scara_450.constraint_position(q, t), g['phi'])
    assert_same('dphi', scara_450.constraint_rate(q, v, t), g['dphi'])


@pytest.mark.parametrize('stabilised', [False, True])
def test_scara_450_constrained_motion_is_the_golden_one(stabilised):
    g = golden('000')
    q, v, t = g['q'], g['v'], g['t']
    b, suffix = scara_450.constraint_bias(q, v, t), ''
    if stabilised:
        suffix = '_baumgarte_05_200'
        b = uk.baumgarte(
            b, scara_450.constraint_position(q, t), scara_450.constraint_rate(q, v, t),
            scara_450.BAUMGARTE_ALPHA, scara_450.BAUMGARTE_BETA)
    motion = uk.constrained_motion(
        scara_450.mass_matrix(q), -scara_450.bias_force(q, v),
        scara_450.constraint_jacobian(q), b)
    assert_same('qdd', motion.acceleration, g[f'qdd{suffix}'])
    assert_same('Qc', motion.constraint_force, g[f'Qc{suffix}'])


def test_scara_450_path_is_the_golden_one():
    g = golden('000')
    assert_same('q(0)', scara_450.path_position(0.0), g['q_path_t0_elbow_minus'])
    assert_same('q(1.7)', scara_450.path_position(1.7), g['q_path_t1p7_elbow_minus'])
    assert_same('v(1.7)', scara_450.path_velocity(1.7), g['v_path_t1p7_elbow_minus'])


@pytest.mark.parametrize('elbow, name', [(-1, 'elbow_minus'), (1, 'elbow_plus')])
def test_scara_450_path_needs_the_target_forces(elbow, name):
    forces = []
    for t in np.linspace(0.0, 20.0, 4001):
        q, v = scara_450.path_position(t, elbow), scara_450.path_velocity(t, elbow)
        a = scara_450.path_acceleration(t, elbow)
        forces.append(scara_450.mass_matrix(q) @ a + scara_450.bias_force(q, v))
    target = np.array(TARGETS['000']['path_constraint_force_range'][name])
    found = np.column_stack([np.min(forces, axis=0), np.max(forces, axis=0)])
    np.testing.assert_allclose(found, target, atol=6e-5)


def test_scara_450_exact_start_is_the_target():
    target = TARGETS['000']
    for elbow, name in ((-1, 'elbow_minus'), (1, 'elbow_plus')):
        q = scara_450.path_position(0.0, elbow)
        np.testing.assert_allclose(
            np.degrees(q[:3]), target['exact_start_deg'][name], atol=6e-5)
        np.testing.assert_allclose(
            scara_450.path_velocity(0.0, elbow), target['exact_start_velocity'], atol=6e-7)
        np.testing.assert_allclose(
            scara_450.constraint_rate(q, scara_450.START_VELOCITY, 0.0),
            target['printed_velocity_constraint_rate'][name], atol=6e-9)


def test_scara_450_printed_start_misses_the_helix_and_the_repairs_do_not():
    target = TARGETS['000']['literal_start_tool_xy']
    for start, name in ((scara_450.START_PRINTED, 'printed'),
                        (scara_450.START_ELBOW_PLUS, 'elbow_plus'),
                        (scara_450.START_ELBOW_MINUS, 'elbow_minus')):
        digits = 6e-5 if name == 'printed' else 6e-7
        np.testing.assert_allclose(scara_450.tool_pose(start)[:2], target[name], atol=digits)


# --- paper 001 -------------------------------------------------------------------------------


def test_two_link_is_the_golden_one():
    g = golden('001')
    q, v, t = g['q'], g['v'], g['t']
    M, A = two_link.mass_matrix(q), two_link.constraint_jacobian(q)
    b, c = two_link.constraint_bias(q, v, t), two_link.line(t)[1]
    assert_same('M', M, g['M'])
    assert_same('C', two_link.coriolis_matrix(q, v), g['C'])
    assert_same('G', two_link.gravity_vector(q), g['G'])
    assert_same('fk', two_link.tool_position(q), g['fk'])
    assert_same('A', A, g['A'])
    assert_same('b', b, g['b'])
    assert_same('c', c, g['c'])
    motion = uk.constrained_motion(M, -two_link.bias_force(q, v), A, b)
    assert_same('qdd', motion.acceleration, g['qdd'])
    assert_same('Qc', motion.constraint_force, g['Qc'])
    correction = uk.velocity_correction(M, A, c, v)
    assert_same('correction', correction, g['velocity_correction'])


def test_two_link_path_is_the_golden_one():
    g = golden('001')
    assert_same('q(0.8)', two_link.path_position(0.8), g['q_ref_0p8'])
    assert_same('v(0.8)', two_link.path_velocity(0.8), g['v_ref_0p8'])
    np.testing.assert_allclose(
        np.degrees(two_link.path_position(0.0)), TARGETS['001']['start_deg'], atol=1e-10)


def test_two_link_path_needs_the_target_torques():
    torques = []
    for t in np.linspace(0.0, 5.0, 5001):
        q, v = two_link.path_position(t), two_link.path_velocity(t)
        force = two_link.mass_matrix(q) @ two_link.path_acceleration(t)
        torques.append(force + two_link.bias_force(q, v))
    found = np.column_stack([np.min(torques, axis=0), np.max(torques, axis=0)])
    np.testing.assert_allclose(found, TARGETS['001']['constraint_torque_range'], atol=6e-3)
    assert torques[0][0] == pytest.approx(21.833, abs=6e-4)
    assert torques[2500][0] == pytest.approx(9.547, abs=6e-4)


# --- paper 002 -------------------------------------------------------------------------------


def test_parallel_path_is_the_golden_one():
    g = golden('002')
    t = g['t']
    assert_same('p', parallel_2dof.line(t)[0], g['p'])
    assert_same('q', parallel_2dof.path_position(t), g['q'])
    assert_same('v', parallel_2dof.path_velocity(t), g['v'])
    assert_same('acc', parallel_2dof.path_acceleration(t), g['acc'])


def test_parallel_dynamics_are_the_golden_ones():
    g = golden('002')
    q, v, t = g['q'], g['v'], g['t']
    M, A = parallel_2dof.mass_matrix(q), parallel_2dof.closure_jacobian(q)
    b, h = parallel_2dof.closure_bias(q, v), parallel_2dof.bias_force(q, v)
    assert_same('M', M, g['M'])
    assert_same('A_s', A, g['A_s'])
    assert_same('b_s', b, g['b_s'])
    assert_same('tau', parallel_2dof.motor_torques(q, v, g['acc']), g['tau_min_norm'])
    assert_same('Qc', parallel_2dof.plain_constraint_force(q, v, t), g['Qc_plain_6x6'])
    motion = uk.constrained_motion(M, -h, A, b)
    assert_same('qdd', motion.acceleration, g['qdd_direct_zero_torque'])


def test_parallel_nonideal_constraint_force_is_the_golden_one():
    g = golden('002')
    q, v = g['q'], g['v']
    M, A = parallel_2dof.mass_matrix(q), parallel_2dof.closure_jacobian(q)
    ideal = uk.constrained_motion(
        M, -parallel_2dof.bias_force(q, v), A, parallel_2dof.closure_bias(q, v))
    force = ideal.constraint_force + uk.nonideal_force(M, A, -0.02 * v)
    assert_same('Qc', force, g['Qc_nonideal_Dm002'])


def test_parallel_line_needs_the_target_torques():
    target = TARGETS['002']
    torques, plain = [], []
    for t in np.linspace(0.0, 4.0, 4001):
        q, v = parallel_2dof.path_position(t), parallel_2dof.path_velocity(t)
        a = parallel_2dof.path_acceleration(t)
        torques.append(parallel_2dof.motor_torques(q, v, a))
        plain.append(parallel_2dof.plain_constraint_force(q, v, t))
    found = np.column_stack([np.min(torques, axis=0), np.max(torques, axis=0)])
    np.testing.assert_allclose(found, target['motor_torque_range'], atol=6e-5)
    np.testing.assert_allclose(np.min(plain, axis=0), target['plain_force_min'], atol=6e-5)
    np.testing.assert_allclose(np.max(plain, axis=0), target['plain_force_max'], atol=6e-5)
    period = np.sqrt(np.mean(np.square(torques[:-1]), axis=0))
    np.testing.assert_allclose(period, target['motor_torque_rms']['continuous'], atol=6e-5)
    sampled = np.sqrt(np.mean(np.square(torques[::5]), axis=0))
    name = 'sampled_801_points_both_ends'
    np.testing.assert_allclose(sampled, target['motor_torque_rms'][name], atol=6e-5)


def test_parallel_motors_and_pins_balance_every_coordinate():
    for t in np.linspace(0.0, 2.0, 41):
        q, v = parallel_2dof.path_position(t), parallel_2dof.path_velocity(t)
        a = parallel_2dof.path_acceleration(t)
        torques = parallel_2dof.motor_torques(q, v, a)
        pins = parallel_2dof.pin_forces(q, v, a, torques)
        needed = parallel_2dof.mass_matrix(q) @ a + parallel_2dof.bias_force(q, v)
        given = parallel_2dof.MOTORS.T @ torques + parallel_2dof.closure_jacobian(q).T @ pins
        np.testing.assert_allclose(given, needed, atol=1e-14)


def test_parallel_third_motor_keeps_the_line_far_from_singular():
    target = TARGETS['002']['smallest_singular_value']
    choices = {
        'three_motors': [0, 1, 2], 'motors_12': [0, 1], 'motors_13': [0, 2], 'motors_23': [1, 2]}
    for name, motors in choices.items():
        smallest = min(
            np.linalg.svd(
                (parallel_2dof.MOTORS @ parallel_2dof.motion_basis(
                    parallel_2dof.path_position(t)))[motors])[1][-1]
            for t in np.linspace(0.0, 4.0, 401))
        assert smallest == pytest.approx(target[name], abs=6e-3)


def test_parallel_conversions_keep_energy_and_power():
    g = golden('002')
    q, v = g['q'], g['v']
    force = np.arange(1.0, 7.0)
    v_relative = parallel_2dof.relative_angles(v)
    M = parallel_2dof.mass_matrix(q)
    M_relative = parallel_2dof.relative_mass_matrix(M)
    np.testing.assert_allclose(parallel_2dof.absolute_angles(v_relative), v, atol=1e-15)
    assert v_relative @ M_relative @ v_relative == pytest.approx(v @ M @ v, rel=1e-14)
    relative = parallel_2dof.relative_force(force)
    assert relative @ v_relative == pytest.approx(force @ v, rel=1e-14)
    np.testing.assert_allclose(parallel_2dof.absolute_force(relative), force, atol=1e-14)


# --- paper 003 -------------------------------------------------------------------------------


def test_irb120_is_the_golden_one():
    g = golden('003')
    q, v = g['q'], g['v']
    scale = np.sqrt(np.outer(np.diag(g['M']), np.diag(g['M'])))
    assert_same('M', irb120.mass_matrix(q) / scale, g['M'] / scale)
    # Entry by entry: the wrist's torques are a millionth of the shoulder's.
    tight = {'rtol': RELATIVE, 'atol': 1e-15}
    np.testing.assert_allclose(irb120.gravity_vector(q), g['g'], **tight)
    np.testing.assert_allclose(irb120.coriolis_matrix(q, v) @ v, g['Cv'], **tight)
    np.testing.assert_allclose(irb120.inverse_dynamics(q, v, g['a']), g['tau'], **tight)
    assert_same('T06', irb120.tool_transform(q), g['T06'])
    assert_same('M0', irb120.mass_matrix(np.zeros(6)), g['M0'])
    assert_same('g0', irb120.gravity_vector(np.zeros(6)), g['g0'])


def test_irb120_printed_gravity_is_the_gradient_of_the_potential():
    rng = np.random.default_rng(3)
    for _ in range(50):
        q = rng.uniform(-np.pi, np.pi, 6)
        assert_same('g', irb120.gravity_closed_form(q), irb120.gravity_vector(q))


def test_irb120_friction_peaks_at_the_breakaway_torque():
    v = irb120.BREAKAWAY_VELOCITY
    dry = irb120.friction_torque(v, viscous=np.zeros(6))
    np.testing.assert_allclose(dry, irb120.BREAKAWAY, rtol=1e-7)
    np.testing.assert_allclose(irb120.friction_torque(-v), -irb120.friction_torque(v), rtol=1e-15)


def test_irb120_computed_torque_error_is_the_target():
    target = TARGETS['003']['computed_torque_no_friction']
    peaks = np.diag([irb120.computed_torque_error(1.0 / w) for w in irb120.NATURAL_FREQUENCY])
    np.testing.assert_allclose(peaks, target['peak_error'], atol=6e-4)
    np.testing.assert_allclose(
        irb120.computed_torque_error(0.5), target['error_at_0p5s'], rtol=0.03)


# --- paper 004 -------------------------------------------------------------------------------


@pytest.mark.parametrize('payload, suffix', [(0.0, '_mp0'), (5.0, '_mp5')])
def test_scara_1000_dynamics_are_the_golden_ones(payload, suffix):
    g = golden('004')
    q, v = g['q'], g['v']
    assert_same('B', scara_1000.mass_matrix(q, payload), g[f'B{suffix}'])
    assert_same('n', scara_1000.nonlinear_terms(q, v, payload), g[f'n{suffix}'])
    if payload:
        assert_same('C', scara_1000.coriolis_matrix(q, v, payload), g[f'C{suffix}'])


def test_scara_1000_kinematics_are_the_golden_ones():
    g = golden('004')
    q, v = g['q'], g['v']
    assert_same('fk', scara_1000.tool_pose(q), g['fk'])
    assert_same('J', scara_1000.tool_jacobian(q), g['J'])
    assert_same('Jdot', scara_1000.tool_jacobian_rate(q, v), g['Jdot'])
    assert_same('q', scara_1000.inverse_kinematics(g['fk']), q)


@pytest.mark.parametrize('mode', ['siciliano', 'fixed_arrival'])
def test_scara_1000_way_points_are_the_golden_ones(mode):
    for t, values in golden('004')[f'traj_{mode}'].items():
        for ours, theirs in zip(scara_1000.way_point_path(float(t), mode), values):
            assert_same(f'{mode} at {t}', ours, theirs)


def test_scara_1000_start_is_the_target():
    start = scara_1000.inverse_kinematics(scara_1000.way_point_path(0.0)[0])
    np.testing.assert_allclose(start, TARGETS['004']['start'], atol=6e-7)
    points = np.column_stack([scara_1000.WAY_POINTS[1:], np.zeros(4)])
    found = [scara_1000.inverse_kinematics(p) for p in points]
    np.testing.assert_allclose(found, TARGETS['004']['way_point_joints'], atol=6e-5)


def test_robust_law_solves_lyapunov_and_is_continuous_at_the_boundary():
    Q = control_laws.lyapunov_scalar(900.0, 60.0, 18000.0, 100.0)
    np.testing.assert_allclose(Q, [[1500.0, 10.0], [10.0, 1.0]], rtol=1e-14)
    H = np.array([[0.0, 1.0], [-900.0, -60.0]])
    np.testing.assert_allclose(H.T @ Q + Q @ H, -np.diag([18000.0, 100.0]), atol=1e-10)
    e = np.array([0.006, 0.0])
    inside = control_laws.robust_term(0.999999 * e, 0.0 * e, Q, 70.0, 0.06)
    outside = control_laws.robust_term(1.000001 * e, 0.0 * e, Q, 70.0, 0.06)
    assert np.linalg.norm(outside) == pytest.approx(70.0)
    np.testing.assert_allclose(inside, outside, rtol=2e-6)


# --- laws common to all robots ---------------------------------------------------------------

MODELS = {
    'scara_450': (4, scara_450.mass_matrix, scara_450.coriolis_matrix),
    'two_link': (2, two_link.mass_matrix, two_link.coriolis_matrix),
    'parallel_2dof': (6, parallel_2dof.mass_matrix, parallel_2dof.coriolis_matrix),
    'irb120': (6, irb120.mass_matrix, irb120.coriolis_matrix),
    'scara_1000': (4, scara_1000.mass_matrix, scara_1000.coriolis_matrix),
}


@pytest.mark.parametrize('name', MODELS)
def test_mass_matrix_is_symmetric_positive_definite(name):
    n, mass_matrix, _ = MODELS[name]
    rng = np.random.default_rng(1)
    for _ in range(100):
        M = mass_matrix(rng.uniform(-np.pi, np.pi, n))
        np.testing.assert_allclose(M, M.T, rtol=1e-13, atol=1e-16)
        assert np.linalg.eigvalsh(M)[0] > 0.0


@pytest.mark.parametrize('name', MODELS)
def test_mass_rate_minus_two_coriolis_is_skew(name):
    n, mass_matrix, coriolis_matrix = MODELS[name]
    rng = np.random.default_rng(2)
    for _ in range(20):
        q, v = rng.uniform(-np.pi, np.pi, n), rng.uniform(-1.0, 1.0, n)
        rate = (mass_matrix(q + STEP * v) - mass_matrix(q - STEP * v)) / (2.0 * STEP)
        skew = rate - 2.0 * coriolis_matrix(q, v)
        np.testing.assert_allclose(skew, -skew.T, atol=DIFFERENCE)


ROWS = {
    'scara_450': (
        4, lambda q: scara_450.constraint_position(q, 0.0), scara_450.constraint_jacobian),
    'two_link': (2, lambda q: two_link.constraint_position(q, 0.0), two_link.constraint_jacobian),
    'closure': (6, parallel_2dof.closure_position, parallel_2dof.closure_jacobian),
    'servo': (6, lambda q: parallel_2dof.servo_position(q, 0.0), parallel_2dof.servo_jacobian),
    'scara_1000': (4, scara_1000.tool_pose, scara_1000.tool_jacobian),
}


@pytest.mark.parametrize('name', ROWS)
def test_jacobian_is_the_derivative_of_the_position(name):
    n, position, analytic = ROWS[name]
    rng = np.random.default_rng(4)
    for _ in range(20):
        q = rng.uniform(-np.pi, np.pi, n)
        np.testing.assert_allclose(analytic(q), jacobian(position, q), atol=DIFFERENCE)


PATHS = {
    'scara_450_minus': (
        lambda t: scara_450.path_position(t, -1), lambda t: scara_450.path_velocity(t, -1),
        lambda t: scara_450.path_acceleration(t, -1)),
    'scara_450_plus': (
        lambda t: scara_450.path_position(t, 1), lambda t: scara_450.path_velocity(t, 1),
        lambda t: scara_450.path_acceleration(t, 1)),
    'two_link': (two_link.path_position, two_link.path_velocity, two_link.path_acceleration),
    'parallel_2dof': (
        parallel_2dof.path_position, parallel_2dof.path_velocity,
        parallel_2dof.path_acceleration),
    'irb120': tuple(lambda t, k=k: irb120.reference(t)[k] for k in range(3)),
}


@pytest.mark.parametrize('name', PATHS)
def test_path_velocity_and_acceleration_are_its_derivatives(name):
    position, velocity, acceleration = PATHS[name]
    for t in np.linspace(0.1, 4.9, 25):
        first = (position(t + STEP) - position(t - STEP)) / (2.0 * STEP)
        second = (velocity(t + STEP) - velocity(t - STEP)) / (2.0 * STEP)
        np.testing.assert_allclose(velocity(t), first, atol=DIFFERENCE)
        np.testing.assert_allclose(acceleration(t), second, atol=DIFFERENCE)


# --- laws of the Udwadia-Kalaba equation -----------------------------------------------------


def random_system(rng: np.random.Generator, n: int = 6, m: int = 3) -> tuple:
    """Return a random M (n, n), Q (n,), A (m, n), b (m,)."""
    root = rng.normal(size=(n, n))
    M = root @ root.T + np.eye(n)
    return M, rng.normal(size=n), rng.normal(size=(m, n)), rng.normal(size=m)


def test_pseudo_inverse_form_equals_kkt_for_independent_rows():
    rng = np.random.default_rng(5)
    for _ in range(50):
        M, Q, A, b = random_system(rng)
        ours, kkt = uk.constrained_motion(M, Q, A, b), uk.kkt_solution(M, Q, A, b)
        np.testing.assert_allclose(ours.acceleration, kkt.acceleration, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(
            ours.constraint_force, kkt.constraint_force, rtol=1e-9, atol=1e-9)


def test_repeated_row_changes_nothing():
    rng = np.random.default_rng(6)
    M, Q, A, b = random_system(rng)
    once = uk.constrained_motion(M, Q, A, b)
    twice = uk.constrained_motion(M, Q, np.vstack([A, A[:1]]), np.append(b, b[0]))
    np.testing.assert_allclose(twice.acceleration, once.acceleration, atol=1e-10)
    np.testing.assert_allclose(twice.constraint_force, once.constraint_force, atol=1e-10)


def test_nonideal_force_works_as_prescribed_and_leaves_the_rows_alone():
    rng = np.random.default_rng(7)
    M, _, A, _ = random_system(rng)
    C_ni = rng.normal(size=6)
    force = uk.nonideal_force(M, A, C_ni)
    free = np.linalg.svd(A)[2][3:]
    np.testing.assert_allclose(free @ force, free @ C_ni, atol=1e-12)
    np.testing.assert_allclose(A @ np.linalg.solve(M, force), 0.0, atol=1e-12)


def test_nonideal_force_vanishes_for_a_regular_square_matrix():
    rng = np.random.default_rng(8)
    M, _, A, _ = random_system(rng, n=4, m=4)
    np.testing.assert_allclose(uk.nonideal_force(M, A, np.ones(4)), 0.0, atol=1e-10)


def test_projection_and_velocity_correction_satisfy_the_rows():
    rng = np.random.default_rng(9)
    M, v, A, c = random_system(rng)
    projected = uk.project_velocity(M, A, c, v)
    np.testing.assert_allclose(A @ projected, c, atol=1e-12)
    np.testing.assert_allclose(v + uk.velocity_correction(M, A, c, v), projected, atol=1e-11)
    q = uk.project_position(
        scara_450.START_ELBOW_MINUS, lambda x: scara_450.constraint_position(x, 0.0),
        scara_450.constraint_jacobian, iterations=4)
    np.testing.assert_allclose(q, scara_450.path_position(0.0), atol=1e-14)
