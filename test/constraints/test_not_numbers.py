# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Rows that are no numbers are told, never dropped in silence."""

import numpy as np
import pytest
from robodyn_ros import (assemble_start, constraint, load_robot, Plant, RobodynError,
                         robot_from_text, stabilisation, State)
from robodyn_ros.errors import ConstraintError, StateError
from robodyn_ros.tracing import sqrt

STILL = State(0.0, np.zeros(2), np.zeros(2))


@constraint
def undefined(robot, q, t):
    """Return a root that does not exist near q = 0."""
    return [sqrt(q[0] - 1.0)]


@pytest.mark.parametrize('kind', ['none', 'projection'])
@pytest.mark.parametrize('solver', ['auto', 'rank'])
def test_a_row_that_is_no_number_stops_the_run_and_is_named(kind, solver):
    """The arm does not move as if the row were not there."""
    plant = Plant(load_robot('two_link'), [undefined], solver=solver,
                  stabilisation=stabilisation(kind))
    with pytest.raises(ConstraintError, match="row 'undefined' of two_link is no finite number"):
        plant.rollout(STILL, 0.1)
    with pytest.raises(ConstraintError, match="row 'undefined' of two_link is no finite number"):
        assemble_start(plant, STILL)


def test_a_parameter_that_is_no_number_is_refused():
    """Defaults are finite, and so is every value given later."""
    with pytest.raises(ConstraintError, match='expected a finite number'):
        @constraint
        def bad(robot, q, t, *, radius=float('nan')):
            return [q[0] - radius]


@pytest.mark.parametrize('inertia', [(-1.0, 1.0, 1.0), (1.0, 1.0, 5.0)])
def test_a_payload_no_body_has_is_refused_at_run_time(inertia):
    """Principal moments are not negative and keep the triangle inequality."""
    arm = load_robot('two_link')
    names = (f'payload.inertia.{axis}' for axis in ('xx', 'yy', 'zz'))
    with pytest.raises(StateError, match='payload.inertia has the principal moment'):
        Plant(arm).rollout(STILL, 0.0, parameters=dict(zip(names, inertia)))
    with pytest.raises(StateError, match='payload.inertia has the principal moment'):
        arm.mass_matrix(STILL.q, arm.parameters._replace(payload_inertia=(*inertia, 0.0, 0.0,
                                                                          0.0)))


def test_steps_are_whole_and_forward():
    """A step back or half a step is refused."""
    plant = Plant(load_robot('two_link'))
    for steps in (-1, 2.5):
        with pytest.raises(StateError, match='expected a whole number'):
            plant.advance(STILL, steps=steps)
    with pytest.raises(RobodynError, match='do not fit into memory'):
        plant.rollout(STILL, 1e9)
    with pytest.raises(RobodynError, match='expected at most 1000000000000 steps'):
        plant.rollout(STILL, 1e13)


def test_a_robot_name_is_never_run_as_code():
    """Quotes, line ends and backslashes in a name stay text."""
    text = load_robot('two_link').urdf.replace(
        '<robot name="two_link"', '<robot name="a&quot;&quot;&quot; + x\\N{y} &quot;&quot;&quot;"')
    assert 'x\\N{y}' in text
    arm = robot_from_text(text)
    assert arm.mass_matrix(STILL.q) == pytest.approx(load_robot('two_link').mass_matrix(STILL.q))
