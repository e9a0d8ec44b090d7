# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Constraints that do work: w.Qc = w.C for every w the rows allow (paper 002)."""

import numpy as np
from oracles import parallel_2dof, udwadia_kalaba
from plant import cases
import pytest
from robodyn_ros import non_ideal, Plant, viscous_non_ideal
from robodyn_ros.errors import ConstraintError

EXACT = 1e-11
TARGET = cases.TARGETS['002']['nonideal']


def closed_states(count, seed):
    """Return closed, moving states of parallel_2dof at random points of its plane."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        q = parallel_2dof.inverse_kinematics(rng.uniform([0.21, 0.2], [0.37, 0.3]))
        v = parallel_2dof.motion_basis(q) @ rng.uniform(-0.3, 0.3, 2)
        yield cases.State(0.0, cases.relative(q), cases.relative(v)), q, v


@pytest.fixture(scope='module')
def dragging():
    """Return the parallel robot whose closure drags with C = -0.02 times absolute rates."""
    return cases.plant('parallel_2dof', 'drag')


def test_force_does_the_prescribed_virtual_work(dragging):
    """w.Qc = w.C with the drag and 0 without it; the rows hold all the same."""
    ideal = cases.plant('parallel_2dof', 'closure', 'projection')
    for state, q, v in closed_states(40, seed=1):
        allowed = parallel_2dof.motion_basis(q)
        for plant, prescribed in ((dragging, -0.02 * v), (ideal, 0.0 * v)):
            seen = plant.observe(state)
            force = parallel_2dof.absolute_force(seen.constraint_force[0])
            cases.assert_close('w.Qc', allowed.T @ force, allowed.T @ prescribed, 1e-13, state)
        a = parallel_2dof.absolute_angles(dragging.observe(state).a[0])
        cases.assert_close('A a', parallel_2dof.closure_jacobian(q) @ a,
                           parallel_2dof.closure_bias(q, v), 1e-13, state)


def test_force_is_the_papers_formula(dragging):
    """Qc = M^1/2 B^+ (b - A a) + M^1/2 (1 - B^+ B) M^-1/2 C, all in absolute angles."""
    for state, q, v in closed_states(40, seed=2):
        M, A = parallel_2dof.mass_matrix(q), parallel_2dof.closure_jacobian(q)
        motion = udwadia_kalaba.constrained_motion(
            M, -parallel_2dof.bias_force(q, v), A, parallel_2dof.closure_bias(q, v))
        expected = motion.constraint_force + udwadia_kalaba.nonideal_force(M, A, -0.02 * v)
        force = parallel_2dof.absolute_force(dragging.observe(state).constraint_force[0])
        cases.assert_close('Qc', force, expected, EXACT, state)


def test_golden_force_and_multipliers(dragging):
    """Qc of the golden state; the ideal part Qc - C is A^T lambda."""
    g = cases.golden('002')
    state = cases.State(g['t'], cases.relative(g['q']), cases.relative(g['v']))
    seen, A = dragging.observe(state), dragging.constraint_rows(state)[2]
    force = parallel_2dof.absolute_force(seen.constraint_force[0])
    cases.assert_close('Qc', force, g['Qc_nonideal_Dm002'], 1e-13)
    prescribed = parallel_2dof.relative_force(-0.02 * g['v'])
    cases.assert_close('A^T lambda', A.T @ seen.multipliers[0] + prescribed,
                       seen.constraint_force[0], 1e-13)


def test_the_change_of_the_force_is_the_printed_one(dragging):
    """At the golden state the drag changes Qc by 0.027 N m."""
    g = cases.golden('002')
    state = cases.State(g['t'], cases.relative(g['q']), cases.relative(g['v']))
    ideal = cases.plant('parallel_2dof', 'closure', 'projection').observe(state)
    change = dragging.observe(state).constraint_force - ideal.constraint_force
    largest = np.abs(parallel_2dof.absolute_force(change[0])).max()
    assert round(largest, 3) == TARGET['change_closure_only'], largest


def test_energy_decays_to_the_printed_fraction():
    """E(1.5 s) / E(0) = 0.222 with C = -0.02 v from a free motion of the tip."""
    plant = cases.plant('parallel_2dof', 'drag')
    start = cases.parallel_start((0.05, 0.03))
    end = plant.advance(start, steps=1500)
    before, after = (plant.robot.energy(s.q, s.v)[0] for s in (start, end))
    assert abs(after / before - TARGET['energy_ratio_1p5s']) < 5e-4, after / before


def test_non_ideal_force_has_no_effect_on_square_rows():
    """As many independent rows as joints leave no motion to brake; the rank solver knows too."""
    free = cases.plant('two_link', 'line')
    plant = Plant(cases.robot('two_link'), [*cases.ROWS['two_link', 'line'],
                                            viscous_non_ideal(0.5)], solver='rank')
    for state in cases.random_states(2, 30, seed=3):
        one, two = free.observe(state), plant.observe(state)
        cases.assert_close('a', two.a, one.a, 1e-9, state)
        cases.assert_close('Qc', two.constraint_force, one.constraint_force, 1e-9, state)


def test_a_non_ideal_force_of_the_wrong_size_is_told():
    """One force per joint is needed."""
    @non_ideal
    def short(robot, q, v, t):
        return [v[0]]
    with pytest.raises(ConstraintError, match="'short' returned 1 numbers.*per joint, 2"):
        Plant(cases.robot('two_link'), [short])
