# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Mistakes in making and running a plant are one sentence each; a divergence keeps what it had."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import Plant, RobodynError, State
from robodyn_ros.errors import (ConstraintError, SimulationError, SizeError, StateError,
                                UnknownNameError)

START = State(0.0, np.array([0.5, -0.9]), np.zeros(2))


@pytest.mark.parametrize('options, error, words', [
    ({'integrator': 'rk5'}, UnknownNameError, "unknown integrator 'rk5'.*rk4"),
    ({'solver': 'qr'}, UnknownNameError, "unknown solver 'qr'.*auto, cholesky, rank"),
    ({'step': 0.0}, StateError, 'step .* two_link is 0.0; expected a positive'),
    ({'step': -1e-3}, StateError, 'is -0.001; expected a positive'),
    ({'step': float('nan')}, StateError, 'is nan'),
    ({'step': float('inf')}, StateError, 'is inf'),
    ({'control_period': 0}, StateError, 'control_period is 0; expected 1 or more'),
])
def test_wrong_options_are_told(options, error, words):
    """Names list what there is, numbers say what is expected."""
    with pytest.raises(error, match=words):
        Plant(cases.robot('two_link'), **options)


@pytest.fixture(scope='module')
def line():
    """Return the two-link arm on its line."""
    return cases.plant('two_link', 'line')


@pytest.mark.parametrize('state, tau, error, words', [
    (START._replace(q=[0.1]), None, SizeError, r'q of two_link.*\(2,\).*joint_1, joint_2'),
    (START._replace(v=[0.1, 0.2, 0.3]), None, SizeError, 'v of two_link'),
    (START._replace(q=[[0.1, 0.2]]), None, SizeError, r'\(2,\) each'),
    (START._replace(q=[np.nan, 0.0]), None, StateError, "not finite at joint 'joint_1'"),
    (START._replace(v=[0.0, np.inf]), None, StateError, "v of two_link.*'joint_2'"),
    (START._replace(q=['a', 'b']), None, StateError, 'expected 2 numbers'),
    (START._replace(t=np.nan), None, StateError, 'time of the state is nan'),
    (START, [1.0], SizeError, 'tau of two_link'),
    (START, [1.0, np.nan], StateError, "tau of two_link.*'joint_2'"),
])
def test_wrong_states_and_torques_are_told(line, state, tau, error, words):
    """Sizes and NaN, in every call that takes a state."""
    calls = [lambda: line.observe(state, tau), lambda: line.rollout(state, 0.1, tau=tau),
             lambda: line.advance(state, tau), lambda: line.derivative(state, tau)]
    if tau is None:
        calls.append(lambda: line.constraint_rows(state))
    for call in calls:
        with pytest.raises(error, match=words):
            call()


@pytest.mark.parametrize('call, error, words', [
    (lambda p: p.rollout(START), StateError, 'either duration or steps'),
    (lambda p: p.rollout(START, 1.0, steps=5), StateError, 'either duration or steps'),
    (lambda p: p.rollout(START, -1.0), StateError, 'duration is -1.0; expected finite seconds'),
    (lambda p: p.rollout(START, float('nan')), StateError, 'duration is nan'),
    (lambda p: p.rollout(START, float('inf')), StateError, 'duration is inf'),
    (lambda p: p.rollout(START, 1.0, every=0), StateError, 'every is 0'),
    (lambda p: p.rollouts([START], 1.0, parameters=[{}, {}]), SizeError, 'expected 1, got 2'),
    (lambda p: p.observe(START, parameters={'paylod.mass': 1.0}), UnknownNameError,
     "unknown parameter 'paylod.mass'.*payload.mass"),
    (lambda p: p.observe(START, parameters={'payload.mass': -1.0}), StateError, 'negative'),
    (lambda p: p.observe(START, parameters={'gravity.z': float('nan')}), StateError, 'gravity.z'),
    (lambda p: p.observe(START, parameters={'gravity.z': 'down'}), StateError, "'down'"),
])
def test_wrong_calls_are_told(line, call, error, words):
    """Durations, recording and parameters."""
    with pytest.raises(error, match=words):
        call(line)


def test_a_diverging_integration_keeps_everything_until_then():
    """Euler with absurd gains: the error has the recorded part and the last good state."""
    plant = cases.plant('two_link', 'line', integrator='euler', step=1e-3)
    stiff = cases.plant('two_link', 'line', 'baumgarte', step=0.1)
    with pytest.raises(SimulationError, match='two_link left the finite numbers after t = .*'
                                              'smaller step') as caught:
        stiff.rollout(cases.line_start(), 60.0, parameters=cases.gains(900.0, 1e6))
    partial, state = caught.value.partial, caught.value.state
    assert 1 < len(partial.t) < 601
    assert np.isfinite(partial.q).all() and np.isfinite(partial.v).all()
    assert state.t == partial.t[-1]
    assert np.array_equal(state.q, partial.q[-1]) and np.array_equal(state.v, partial.v[-1])
    # what was recorded is what a shorter run records, to the bit
    count = len(partial.t) - 1
    again = stiff.rollout(cases.line_start(), steps=count - 1,
                          parameters=cases.gains(900.0, 1e6))
    assert np.array_equal(again.q, partial.q[:-1])
    # and the plant still works
    assert np.isfinite(stiff.rollout(cases.line_start(), 1.0).q).all()
    assert np.isfinite(plant.advance(cases.line_start()).q).all()


def test_divergence_between_records_and_without_recording():
    """The last good state is told also when it was not recorded."""
    stiff = cases.plant('two_link', 'line', 'baumgarte', step=0.1)
    gains = cases.gains(900.0, 1e6)
    with pytest.raises(SimulationError) as full:
        stiff.rollout(cases.line_start(), 60.0, parameters=gains)
    with pytest.raises(SimulationError) as some:
        stiff.rollout(cases.line_start(), 60.0, parameters=gains, every=7)
    with pytest.raises(SimulationError) as none:
        stiff.advance(cases.line_start(), steps=600, parameters=gains)
    assert none.value.partial is None
    for caught in (some, none):
        assert caught.value.state.t == full.value.state.t
        assert np.array_equal(caught.value.state.q, full.value.state.q)
    kept = some.value.partial
    assert np.array_equal(kept.q, full.value.partial.q[::7])


def test_many_rollouts_report_the_one_that_failed():
    """An error in one of many rollouts reaches the caller."""
    stiff = cases.plant('two_link', 'line', 'baumgarte', step=0.1)
    with pytest.raises(SimulationError):
        stiff.rollouts([cases.line_start()] * 3, 60.0, workers=2,
                       parameters=[{}, cases.gains(900.0, 1e6), {}])


def test_a_path_that_leaves_the_reach_stops_a_projected_run():
    """Projection that cannot converge says where, which rows, and keeps the record."""
    plant = cases.plant('two_link', 'line', 'projection')
    values = {'line.end_y': 1.5}
    with pytest.raises(RobodynError, match=r'two_link.*\(line\.x, line\.z\).*t = ') as caught:
        plant.rollout(cases.line_start(), 5.0, parameters=values)
    assert isinstance(caught.value, (ConstraintError, SimulationError))
    partial = caught.value.partial
    assert 100 < len(partial.t) < 5000 and np.abs(partial.phi).max() < 1e-12
