# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Rows that cannot be kept are told with time, place, row and amount, however they are held."""

from functools import cache
import logging

import numpy as np
from plant import cases
import pytest
from robodyn_ros import constraint, follow, Plant, stabilisation, State
from robodyn_ros.errors import ConstraintError
from robodyn_ros.plant import rollout
from robodyn_ros.plant.model import LANES
from robodyn_ros.tracing import maximum

ON = State(0.0, np.array([0.2, 0.5]), np.zeros(2))
BESIDE = ON._replace(q=np.array([0.3, 0.5]))
KINDS = ('none', 'velocity_correction', 'projection', 'baumgarte')


@constraint
def first(robot, q, t, *, speed=0.0):
    """Hold the first joint at 0.2 rad, or move it."""
    return [q[0] - 0.2 - speed * t]


@constraint
def second(robot, q, t, *, offset=0.0, speed=0.0, late=0.0):
    """Say the same three times as large, or something else."""
    return [3.0 * (q[0] - 0.2 - offset - speed * t - late * maximum(t - 0.05, 0.0) ** 3)]


@cache
def plant(kind):
    """Return the arm whose first joint two rows want to have."""
    return Plant(cases.robot('two_link'), [first, second], stabilisation=stabilisation(
        kind, **({'alpha': 20.0, 'beta': 100.0} if kind == 'baumgarte' else {})))


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('parameters', [{'second.offset': 0.1}, {'second.speed': 1.0}], ids=str)
def test_rows_that_contradict_each_other_stop_every_run(kind, parameters):
    """One joint at two places, or at two speeds: no call goes on as if nothing were wrong."""
    arm = plant(kind)
    arm.agreed = False  # whatever an earlier test found out
    for call in (lambda: arm.rollout(ON, 0.1, parameters=parameters),
                 lambda: arm.rollouts([ON], 0.1, parameters=[parameters]),
                 lambda: arm.advance(ON, parameters=parameters),
                 lambda: arm.advance(ON, parameters=parameters),
                 lambda: arm.in_place(ON, parameters=parameters).step()):
        with pytest.raises(ConstraintError, match=r'two_link.*\(first, second\).*contradict'
                           ) as caught:
            call()
        said = str(caught.value)
        assert 't = 0 s, q = [0.2, 0.5]' in said and 'stays off by' in said, said
        assert 'finite numbers' not in said and '\n' not in said
        assert caught.value.state.t == 0.0 and np.array_equal(caught.value.state.q, ON.q)


@pytest.mark.parametrize('kind, parameters, words', [
    ('none', {'second.offset': 0.1}, "('first' stays off by 0.05|'second' stays off by 0.15);"),
    ('none', {'second.speed': 1.0}, "('first' stays off by 0.5|'second' .* by 1.5) per second;"),
    ('projection', {'second.offset': 0.1}, "'(first|second)' stays off by 0.0"),
    ('baumgarte', {'second.offset': 0.1}, "('first' stays off by 0.05|'second' .* by 0.15);")])
def test_how_far_rows_are_off_is_told(kind, parameters, words):
    """Half the distance of the two places, half the difference of the two speeds."""
    with pytest.raises(ConstraintError, match=words):
        plant(kind).rollout(ON, 0.1, parameters=parameters)


@pytest.mark.parametrize('kind', KINDS)
def test_dependent_rows_that_agree_run_on(kind, caplog):
    """The same row three times as large is no contradiction, on it or beside it."""
    with caplog.at_level(logging.WARNING, 'robodyn_ros'):
        assert plant(kind).rollout(ON, 0.01).violation.max() < 1e-12
    assert not caplog.messages
    assert np.isfinite(plant(kind).rollout(BESIDE, 0.01).q).all()
    assert np.isfinite(plant(kind).advance(BESIDE).q).all()


def test_rows_that_begin_to_contradict_stop_a_projected_run_there():
    """From t = 0.05 s on the second row leaves the first: the record until then is kept."""
    with pytest.raises(ConstraintError, match=r'\(first, second\).*contradict') as caught:
        plant('projection').rollout(ON, 0.1, parameters={'second.late': 1e6})
    assert 0.04 < caught.value.state.t < 0.06
    assert caught.value.partial.t[-1] == caught.value.state.t


@pytest.mark.parametrize('kind, axes, words', [
    ('none', 'x', r"row 'follow\.x' of two_link is singular at t = 0 s, q = \[0\.0, 0\.0\]"),
    ('projection', 'x', r"row 'follow\.x' of two_link is singular at t = 0 s.*no joint"),
    ('none', 'x z', r'\(follow\.x, follow\.z\) are singular at t = 0 s.*lose a direction')])
def test_a_singular_place_is_not_called_a_contradiction(kind, axes, words):
    """A stretched arm cannot go further out: that is the place, not the rows."""
    arm = Plant(cases.robot('two_link'), [follow(
        'tool0', lambda t: [1.0 + t * t, 0.0 * t][:len(axes.split())], axes)], stabilisation=kind)
    stretched = State(0.0, np.zeros(2), np.zeros(2))
    for call in (lambda: arm.rollout(stretched, 0.1), lambda: arm.derivative(stretched)):
        with pytest.raises(ConstraintError, match=words) as caught:
            call()
        assert 'contradict' not in str(caught.value)


@pytest.mark.parametrize('kind, expected', [
    ('none', "'second' by 0.3 and 'second' by 7.5 per second; stabilisation 'none'"),
    ('velocity_correction', "'second' by 0.3; stabilisation 'velocity_correction'"),
    ('baumgarte', ''), ('projection', '')])
def test_a_start_off_its_rows_is_warned_of_once(kind, expected, caplog):
    """Unless the stabilisation brings it back; looking at a state says nothing."""
    arm, moving = plant.__wrapped__(kind), {'first.speed': 2.5, 'second.speed': 2.5}
    with caplog.at_level(logging.WARNING, 'robodyn_ros'):
        arm.observe(BESIDE, parameters=moving)
        assert not caplog.messages
        for _ in range(2):
            arm.rollout(BESIDE, 0.01, parameters=moving)
    assert len(caplog.messages) == (1 if expected else 0), caplog.messages
    if expected:
        said, = caplog.messages
        assert 'two_link starts off its constraint rows at t = 0 s, q = [0.3, 0.5]' in said
        assert expected in said


def test_runs_side_by_side_are_warned_of_too(monkeypatch, caplog):
    """The worst start of a group is the one that is told."""
    monkeypatch.setattr(rollout, 'WORTH_STEPS', 1)
    arm = Plant(cases.robot('scara_450'), [first])
    starts = [State(0.0, np.array([0.2 + 0.01 * k, 0.5, 0.0, 0.1]), np.zeros(4))
              for k in range(LANES)]
    with caplog.at_level(logging.WARNING, 'robodyn_ros'):
        arm.rollouts(starts, steps=2)
    said, = caplog.messages
    assert f"'first' by {0.01 * (LANES - 1):.3g};" in said
