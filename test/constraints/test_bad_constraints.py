# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every mistake in a constraint is one sentence of a RobodynError, before anything is compiled."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import (Constraint, constraint, follow, joint_combination, knife_edge, loop,
                         non_ideal, Plant, RobodynError)
from robodyn_ros.constraints.constraint import POSITION, VELOCITY
from robodyn_ros.errors import ConstraintError, UnknownNameError
from robodyn_ros.tracing import where


def position(function):
    """Make a position constraint called own."""
    return Constraint('own', function, POSITION)


def branches(robot, q, t):
    """Compare traced values in an if."""
    return [q[0] if q[0] > 0.0 else q[1]]


def uses_min(robot, q, t):
    """Call the builtin min, which branches inside."""
    return [min(q[0], q[1])]


def raises(robot, q, t):
    """Fail as user code fails."""
    return [q[7]]


def divides(robot, q, t):
    """Fail on an ordinary number."""
    return [q[0] / (1 - 1)]


@pytest.mark.parametrize('function, words', [
    (branches, "'own'.*where"),
    (uses_min, "'own'.*where"),
    (raises, "'own' raised IndexError.*correct the function"),
    (divides, "'own'.*(ZeroDivisionError|divi)"),
    (lambda robot, q, t: [], r"'own' returned \[\]; expected a list"),
    (lambda robot, q, t: None, "'own' returned None; expected a list"),
    (lambda robot, q, t: 'ab', "'own' returned 'ab'; expected a list"),
    (lambda robot, q, t: [q[0], 'x'], "'own' returned .*expected a list of one number per row"),
    (lambda robot, q, t: [[q[0]]], "'own' returned .*expected a list of one number per row"),
    (lambda robot, q, t: [q[0] > 0.0], "'own' returned .*expected a list of one number per row"),
    (lambda robot, q, t: [q[0], 1.0], "row 'own.1' does not depend on any joint of two_link"),
    (lambda robot, q, t: [t * t], "row 'own' does not depend on any joint.*use q"),
    (lambda robot, q, t: [q[0] - q[0]], "row 'own' does not depend on any joint"),
    (lambda robot, q, t: [robot.position('tool9', q)[0]], "unknown frame 'tool9'.*tool0"),
    (lambda robot, q, t: [float(q[0])], "'own'"),
])
def test_a_users_mistake_is_told(function, words):
    """The message names the constraint and the remedy."""
    with pytest.raises(RobodynError, match=words):
        Plant(cases.robot('two_link'), [position(function)])


def test_what_a_branch_should_be():
    """The same as an if, written with where, is legal."""
    Plant(cases.robot('two_link'),
          [position(lambda robot, q, t: [where(q[0] > 0.0, q[0], q[1] * 2.0)])])


def test_numpys_functions_are_traced_too():
    """A user may write np.sin for a traced angle."""
    plant = Plant(cases.robot('two_link'), [position(lambda robot, q, t: [np.sin(q[0]) - 0.5])])
    phi, _, A = plant.constraint_rows(cases.State(0.0, [0.3, 0.0], [0.0, 0.0]))
    cases.assert_close('phi', [phi[0], A[0, 0]], [np.sin(0.3) - 0.5, np.cos(0.3)], 1e-15)


def test_a_number_alone_counts_as_one_row():
    """A user who returns one scalar has one row."""
    assert Plant(cases.robot('two_link'),
                 [position(lambda robot, q, t: q[0] * q[0])]).row_names == ('own',)


@pytest.mark.parametrize('function', [
    lambda robot, q, v, t: [v[0] * v[1]],
    lambda robot, q, v, t: [v[0] + v[1] * v[1] * q[0]],
])
def test_velocity_rows_must_be_linear(function):
    """A product of velocities is refused with the form that is legal."""
    with pytest.raises(ConstraintError, match="'own' is not linear in v; write it as A"):
        Plant(cases.robot('two_link'), [Constraint('own', function, VELOCITY)])


def test_velocity_rows_must_use_velocities():
    """Rows of positions only are no velocity rows."""
    with pytest.raises(ConstraintError, match="'own' does not depend on any joint.*v for vel"):
        Plant(cases.robot('two_link'),
              [Constraint('own', lambda robot, q, v, t: [q[0]], VELOCITY)])


@pytest.mark.parametrize('make, error, words', [
    (lambda: constraint(lambda robot, q: [q[0]]), ConstraintError, r'arguments \(robot, q\)'),
    (lambda: constraint(lambda a, b, c, d, e: [1]), ConstraintError, r'expected \(robot, q, t\)'),
    (lambda: non_ideal(lambda robot, q, t: [1]), ConstraintError, r'expected \(robot, q, v, t\)'),
    (lambda: loop('tip_1', 'tip_2', 'x w'), UnknownNameError, "unknown axis 'w'.*pitch"),
    (lambda: loop('tip_1', 'tip_2', 'x x'), ConstraintError, "'x x'; name each of"),
    (lambda: loop('tip_1', 'tip_2', ''), ConstraintError, 'at least one'),
    (lambda: knife_edge('tool0', (0.0, 0.0, 0.0)), ConstraintError, 'across.*zero'),
])
def test_mistakes_in_making_a_constraint_are_told(make, error, words):
    """Signatures, axes and directions are checked at once."""
    with pytest.raises(error, match=words):
        make()


def test_a_keyword_without_a_number_is_told():
    """Run-time parameters need a default that is a number."""
    def own(robot, q, t, *, radius='far'):
        return [q[0]]
    with pytest.raises(ConstraintError, match="'own'.*'radius'.*'far'; expected a finite number"):
        constraint(own)


@pytest.mark.parametrize('rows, error, words', [
    ([loop('tool0', 'nowhere')], UnknownNameError, "unknown frame 'nowhere'"),
    ([follow('nowhere', lambda t: [t, t, t])], UnknownNameError, "unknown frame 'nowhere'"),
    ([follow('tool0', lambda t: [t, t])], ConstraintError, "'follow' gives 2 values for 3 axes"),
    ([joint_combination({'joint_9': 1.0})], UnknownNameError, "unknown joint 'joint_9'"),
    ([joint_combination({'joint_1': 1.0}), joint_combination({'joint_2': 1.0})], ConstraintError,
     "two constraints are called 'joints'"),
    ([joint_combination({'joint_1': 1.0}, name='gravity')], ConstraintError, "'gravity'"),
    ([joint_combination({'joint_1': 1.0}, name='a.b')], ConstraintError, r"'a\.b'"),
    ([lambda robot, q, t: [q[0]]], RobodynError, 'constraint'),
])
def test_mistakes_in_using_constraints_are_told(rows, error, words):
    """Unknown frames and joints, sizes, double and reserved names."""
    with pytest.raises(error, match=words):
        Plant(cases.robot('two_link'), rows)
