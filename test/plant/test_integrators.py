# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Orders of the integrators; one step, a rollout and a repeated rollout are the same bits."""

import hashlib
import os
import subprocess
import sys

from house import ROOT
import numpy as np
from plant import cases
import pytest
from robodyn_ros import State
from robodyn_ros.errors import StateError
from robodyn_ros.plant.inputs import step_count
from robodyn_ros.plant.verification import integrate_accurately


@pytest.mark.parametrize('integrator, order, step', [
    ('rk4', 4, 0.02), ('heun', 2, 0.005), ('euler', 1, 0.001),
    ('semi_implicit_euler', 1, 0.001), ('taylor', 1, 0.001)])
def test_halving_the_step_divides_the_error_by_two_to_the_order(integrator, order, step):
    """A moving two-link arm over 1 s against DOP853: the error's slope is the order."""
    start = cases.line_start(1.0)
    start = State(0.3, start.q + 0.1, start.v - 0.1)
    exact, _ = integrate_accurately(cases.plant('two_link', 'line'), start, np.array([1.3]))
    errors = []
    for part in (1, 2, 4):
        plant = cases.plant('two_link', 'line', step=step / part, integrator=integrator)
        end = plant.rollout(start, 1.0, every=round(part / step)).end
        errors.append(np.abs(end.q - exact[0]).max())
    measured = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.abs(measured - order).max() < 0.2, (integrator, errors, measured)


def same(one, two):
    """Tell if two rollouts are the same bits in every field."""
    return all(np.array_equal(a, b) for a, b in zip(one, two))


@pytest.fixture(scope='module')
def helix():
    """Return a plant with rows, projection and four joints."""
    return cases.plant('scara_450', 'helix', 'projection')


def test_single_steps_are_the_rollout(helix):
    """Advancing one step at a time gives the bits of the rollout, at the rollout's times."""
    start = cases.helix_start()
    motion = helix.rollout(start, steps=50)
    state = start
    for k in range(50):
        # the clock of a rollout is t0 + k h, not a running sum
        state = helix.advance(state._replace(t=motion.t[k]))
        assert np.array_equal(state.q, motion.q[k + 1]), k
        assert np.array_equal(state.v, motion.v[k + 1]), k
    end = helix.advance(start, steps=50)
    assert np.array_equal(end.q, motion.q[-1]) and end.t == motion.t[-1]
    seen = helix.observe(State(motion.t[7], motion.q[7], motion.v[7]))
    assert all(np.array_equal(a[0], b[7]) for a, b in zip(seen, motion))


def test_a_rollout_repeated_is_the_same_bits(helix):
    """Nothing is left over from an earlier call, with other parameters in between."""
    start = cases.helix_start()
    first = helix.rollout(start, 1.0)
    helix.rollout(start, 0.1, parameters={'helix.radius': 0.0499, 'payload.mass': 2.0})
    assert same(first, helix.rollout(start, 1.0))


@pytest.mark.parametrize('every', [2, 3, 7, 100, 1000])
def test_recording_less_often_is_taking_every_so_many_samples(helix, every):
    """Recording does not touch the motion; the start is always there."""
    full, some = (helix.rollout(cases.helix_start(), steps=1000, every=k) for k in (1, every))
    assert len(some.t) == 1000 // every + 1
    assert all(np.array_equal(a, b[::every]) for a, b in zip(some, full))


def test_steps_and_duration_say_the_same(helix):
    """A duration is a whole number of steps, but for rounding; none give the start alone."""
    start = cases.helix_start()
    assert same(helix.rollout(start, 0.1 + 0.2), helix.rollout(start, steps=300))
    assert len(helix.rollout(start, 0.0).t) == 1
    late = helix.rollout(cases.helix_start(t=3.0), steps=10)
    cases.assert_close('t', late.t, 3.0 + 1e-3 * np.arange(11), 1e-15)


@pytest.mark.parametrize('duration, near', [
    (0.0015, '0.001 or 0.002'), (0.0304, '0.03 or 0.031'), (1e-4, '0 or 0.001'),
    (20.00002, '20 or 20.001')])
def test_a_part_of_a_step_is_refused_with_the_durations_next_to_it(helix, duration, near):
    """No run is longer or shorter than was asked for."""
    for call in (helix.rollout, lambda s, d: helix.rollouts([s], d)):
        with pytest.raises(StateError, match=f'duration is {duration}; .*steps of 0.001 s: give '
                                             f'{near}, or steps'):
            call(cases.helix_start(), duration)


@pytest.mark.parametrize('count, step', [(20000, 1e-3), (7, 1e-7), (123457, 7.3e-3), (10, 1 / 3),
                                         (10 ** 12, 1e-6)])
def test_rounding_of_a_duration_is_no_part_of_a_step(count, step):
    """A product of steps, or their sum, is a whole number of them."""
    assert step_count(count * step, None, step) == count
    if count <= 20000:
        assert step_count(sum([step] * count), None, step) == count


def test_many_rollouts_are_single_ones_whatever_the_workers(helix):
    """One or two workers, any order of completion: the bits of single rollouts."""
    rng = np.random.default_rng(2)
    states = [State(0.0, cases.helix_start().q, cases.helix_start().v + rng.normal(0, 1e-3, 4))
              for _ in range(12)]
    changes = [{'payload.mass': m} for m in rng.uniform(0.0, 5.0, 12)]
    single = [helix.rollout(s, 0.5, parameters=c) for s, c in zip(states, changes)]
    for workers in (1, 2, 5):
        many = helix.rollouts(states, 0.5, parameters=changes, workers=workers)
        assert all(same(a, b) for a, b in zip(single, many)), workers


PROGRAM = """
import sys
sys.path.insert(0, 'test')
from plant import cases, test_integrators
print(test_integrators.fingerprint())
"""


def fingerprint():
    """Return a hash of all numbers of a rollout."""
    motion = cases.plant('scara_450', 'helix', 'projection').rollout(cases.helix_start(), 2.0)
    return hashlib.sha256(b''.join(np.ascontiguousarray(x).tobytes() for x in motion)).hexdigest()


def test_another_process_computes_the_same_bits():
    """A fresh interpreter, which loads the code from the cache, gives the same hash."""
    run = subprocess.run([sys.executable, '-c', PROGRAM], cwd=ROOT, capture_output=True,
                         text=True, env=dict(os.environ), timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split()[-1] == fingerprint()
