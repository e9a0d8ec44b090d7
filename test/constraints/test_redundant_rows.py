# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Dependent, doubled and too many rows are legal, and change nothing; contradictions are told."""

import logging

import numpy as np
from plant import cases
import pytest
from robodyn_ros import (assemble_start, constraint, joint_combination, Plant, robot_from_text,
                         State)
from robodyn_ros.errors import ConstraintError

# Two solvers, the same equation: only the order of operations differs.
SAME = 1e-12
# Random rows can be nearly dependent; the condition number multiplies the rounding.
ILL = 1e-10


def well_conditioned(A, limit=1e2):
    """Tell if the independent part of the rows is far from losing rank."""
    singular = np.linalg.svd(A, compute_uv=False)
    singular = singular[singular > 1e-10 * singular[0]]
    return singular[0] < limit * singular[-1]


def test_both_solvers_agree():
    """The straight-line and the rank-finding solver give the same a, Qc and multipliers."""
    straight, rank = (cases.plant('two_link', 'line', solver=s) for s in ('auto', 'rank'))
    compared = 0
    for state in cases.random_states(straight.robot.n, 400, seed=11):
        one, two = straight.observe(state), rank.observe(state)
        if well_conditioned(straight.constraint_rows(state)[2], 20.0):
            compared += 1
            for field in ('a', 'constraint_force', 'multipliers', 'phi', 'phi_rate'):
                cases.assert_close(field, getattr(one, field), getattr(two, field), SAME, state)
    assert compared > 50


@pytest.mark.parametrize('name, rows, doubled, solver', [
    ('scara_450', 'helix', 'helix twice', 'auto'),
    ('two_link', 'line', 'line mixed', 'auto'),
    ('parallel_2dof', 'closure', 'closure twice', 'rank')])
def test_doubling_rows_changes_neither_motion_nor_force(name, rows, doubled, solver):
    """A row that others already say changes neither a nor Qc, only how Qc is shared out."""
    kind = {'scara_450': 'baumgarte', 'parallel_2dof': 'projection'}.get(name, 'none')
    once = cases.plant(name, rows, kind)
    twice = cases.plant(name, doubled, solver=solver)
    assert len(twice.row_names) > len(once.row_names)
    for state in cases.random_states(once.robot.n, 100, seed=13):
        if well_conditioned(once.constraint_rows(state)[2]):
            one, two = once.observe(state), twice.observe(state)
            cases.assert_close('a', two.a, one.a, ILL, state)
            cases.assert_close('Qc', two.constraint_force, one.constraint_force, ILL, state)


def test_doubled_rows_run_as_far_as_single_ones():
    """Four seconds on the helix with eight rows of rank four end where four rows end."""
    start = cases.helix_start()
    one = cases.plant('scara_450', 'helix', 'baumgarte').rollout(start, 4.0, every=100)
    two = cases.plant('scara_450', 'helix twice').rollout(start, 4.0, every=100)
    cases.assert_close('q', two.q, one.q, 1e-11)
    cases.assert_close('Qc', two.constraint_force, one.constraint_force, 1e-9)


LINK = """<link name="{0}"><inertial><mass value="{1}"/>
<inertia ixx="{1}" iyy="{1}" izz="{1}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{2}" type="prismatic"><parent link="{3}"/><child link="{0}"/><axis xyz="{4}"/>
<limit lower="-9" upper="9" velocity="9" effort="9"/></joint>"""


def cart(mass):
    """Return a cart on a cart, in the horizontal plane: joints x and y."""
    return robot_from_text('<robot name="cart"><link name="base_link"/>'
                           + LINK.format('a', mass, 'x', 'base_link', '1 0 0')
                           + LINK.format('b', mass, 'y', 'a', '0 1 0') + '</robot>', 'cart')


@constraint
def meets(robot, q, t):
    """Hold x = t - 1/2 and, beside it, the same plus (t - 1/2) y: equal rows at t = 1/2."""
    x, y = q
    return [x - (t - 0.5), x - (t - 0.5) + (t - 0.5) * y]


CART_START = State(0.0, [-0.5, 0.0], [1.0, 0.0])


@pytest.fixture(scope='module')
def handed_over():
    """Return a plant whose rows are dependent at t = 1/2 only."""
    return Plant(cart(1.0), [meets], step=0.01)


def test_rows_that_become_dependent_are_handed_over(handed_over, caplog):
    """The straight-line solver stops at the lost rank, the rank-finding one goes on from there."""
    with caplog.at_level(logging.INFO, 'robodyn_ros'):
        motion = handed_over.rollout(CART_START, 1.0)
    assert sum('dependent' in text for text in caplog.messages) == 1, caplog.messages
    assert len(motion.t) == 101
    cases.assert_close('x', motion.q[:, 0], motion.t - 0.5, 1e-12)
    cases.assert_close('y', motion.q[:, 1], np.zeros(101), 1e-12)
    for field in motion:
        assert np.isfinite(field).all()
    end = handed_over.advance(CART_START, steps=100)
    assert np.array_equal(end.q, motion.q[-1]) and np.array_equal(end.v, motion.v[-1])


def test_cholesky_alone_says_that_rows_are_dependent():
    """Without leave to find ranks the rollout stops with time, rows, remedy and what it has."""
    plant = Plant(cart(1.0), [meets], step=0.01, solver='cholesky')
    with pytest.raises(ConstraintError, match='dependent at t = 0.49 .*solver=') as caught:
        plant.rollout(CART_START, 1.0)
    partial, state = caught.value.partial, caught.value.state
    assert len(partial.t) == 50 and abs(partial.t[-1] - 0.49) < 1e-12
    assert state.t == partial.t[-1] and np.array_equal(state.q, partial.q[-1])
    for call in (plant.observe, plant.derivative):
        with pytest.raises(ConstraintError, match='dependent'):
            call(State(0.5, [0.0, 0.0], [1.0, 0.0]))


def test_a_single_observation_at_a_dependent_state_is_handed_over_too(handed_over):
    """Observe, which takes no step, finds the rank as a rollout does; so does a last sample."""
    seen = handed_over.observe(State(0.5, [0.0, 0.0], [1.0, 0.0]), [3.0, 4.0])
    cases.assert_close('Qc', seen.constraint_force, [[-3.0, 0.0]], 1e-14)
    cases.assert_close('lambda', seen.multipliers, [[-1.5, -1.5]], 1e-14)
    last = handed_over.rollout(State(0.0, [-0.5, 0.0], [1.0, 0.0]), 0.5)
    assert np.isfinite(last.multipliers).all()


def test_rows_in_any_unit_are_handed_over():
    """Equal rows in millimetres on a tiny mass are dependent, not contradictory."""
    rows = [joint_combination({'x': 1e3}, name=name) for name in ('a', 'b')]
    plant = Plant(cart(1e-6), rows, step=1e-4)
    seen = plant.observe(State(0.0, np.zeros(2), np.zeros(2)), [0.1, 0.0])
    cases.assert_close('Qc', seen.constraint_force, [[-0.1, 0.0]], SAME)
    cases.assert_close('lambda', seen.multipliers, [[-0.5e-4, -0.5e-4]], SAME)


def test_contradicting_rows_are_told():
    """Two rows that ask for different accelerations of one joint stop the plant, with names."""
    rows = [joint_combination({'x': 1.0}, lambda t: t * t, name='first'),
            joint_combination({'x': 1.0}, lambda t: -t * t, name='second')]
    plant = Plant(cart(1.0), rows, solver='rank')
    for call in (plant.observe, plant.derivative, lambda s: plant.rollout(s, steps=3)):
        with pytest.raises(ConstraintError, match='first, second.*contradict.*t = 0 s'):
            call(State(0.0, [0.3, 0.1], [0.0, 0.0]))


@pytest.mark.parametrize('offset', [1e-1, 1e-3])
def test_motion_through_the_neighbourhood_of_a_singularity(offset):
    """
    Passing a stretched arm at a distance keeps the rows, however ill-conditioned they get.

    The tool of two_link goes through the shoulder's surroundings; the exact motion is known from
    the rows alone, so the error is the integrator's.
    """
    plant = cases.plant('two_link', 'line', 'projection')
    # the line at x = offset: near y = 0 the arm folds onto the shoulder, |q2| near 180 deg
    values = {'line.start_x': offset, 'line.end_x': offset, 'line.start_y': -0.4,
              'line.end_y': 0.4, 'line.rate': np.pi}
    start = assemble_start(plant, State(0.0, np.radians([-30.0, -130.0]), np.zeros(2)),
                           parameters=values).state
    motion = plant.rollout(start, 2.0, parameters=values)
    assert motion.violation.max() < 1e-12
    assert np.abs(motion.phi_rate).max() < 1e-9
