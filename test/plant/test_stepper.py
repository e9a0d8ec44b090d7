# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion in arrays of its own has the bits of Plant.advance, fallbacks and errors included."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import joint_combination, Plant, State
from robodyn_ros.errors import RobodynError, StateError
from robodyn_ros.types import Control

CASES = [('scara_450', 'helix', 'none'), ('irb120', 'ball', 'projection'),
         ('parallel_2dof', 'closure', 'none'), ('two_link', '', 'none')]


def same(motion, state):
    """Tell whether the motion is at a state, to the last bit."""
    return (motion.t == state.t and np.array_equal(motion.q, state.q)
            and np.array_equal(motion.v, state.v))


@pytest.mark.parametrize('name, rows, kind', CASES)
@pytest.mark.parametrize('steps', [1, 7])
def test_the_bits_of_advance(name, rows, kind, steps):
    """With a torque that changes, from a start that is not at zero."""
    plant = cases.plant(name, rows, kind)
    rng = np.random.default_rng(3)
    start = cases.random_states(plant.robot.n, 1, seed=4)[0]._replace(t=0.125)
    motion, now = plant.in_place(start, steps), start
    for k in range(1, 6):
        tau = rng.normal(size=plant.robot.n)
        motion.tau[:] = tau
        motion.step()
        now = plant.advance(now, tau, steps=steps)._replace(t=start.t + k * steps * 1e-3)
        assert same(motion, now), k
    motion.reset(start)
    assert same(motion, start) and not motion.tau.any()


def test_what_is_assigned_moves_the_plant():
    """An array, a list or a number in the place of q, v, tau or x is copied, not put aside."""
    plant = cases.plant('scara_450')
    one, two = (plant.in_place(cases.helix_start()) for _ in range(2))
    views = one.q, one.v, one.tau, one.x
    one.tau, two.tau[:] = [5.0, 4.0, 3.0, 2.0], [5.0, 4.0, 3.0, 2.0]
    one.q, two.q[:] = np.full(4, 0.3), 0.3
    one.v, two.v[:] = 0.1, 0.1
    one.tau += 1.0
    two.tau[:] += 1.0
    one.step(), two.step()
    assert same(one, two.state) and one.tau.tolist() == [6.0, 5.0, 4.0, 3.0]
    assert all(a is b for a, b in zip(views, (one.q, one.v, one.tau, one.x)))
    one.x = np.arange(8.0)
    assert one.q.tolist() == [0.0, 1.0, 2.0, 3.0] and one.v.tolist() == [4.0, 5.0, 6.0, 7.0]


@pytest.mark.parametrize('wrong', [[1.0, 2.0], 'up', None, np.zeros((2, 4))], ids=str)
def test_what_cannot_be_assigned_is_told(wrong):
    """One sentence with the name, what was given and how many numbers are wanted."""
    motion = cases.plant('scara_450').in_place(cases.helix_start())
    with pytest.raises(StateError, match='tau of a motion of scara_450 is .*expected 4 numbers'):
        motion.tau = wrong
    assert not motion.tau.any()


def test_payload_while_it_moves():
    """Other parameters take effect with the next call, and back."""
    plant = cases.plant('scara_450', 'helix')
    motion = plant.in_place(cases.helix_start())
    now = cases.helix_start()
    for payload in (None, {'payload.mass': 2.0}, {'payload.mass': 0.0}):
        motion.use(payload)
        motion.step()
        now = plant.advance(now, parameters=payload)
        assert same(motion, now._replace(t=motion.t)), payload


def test_rows_that_become_dependent_are_solved_all_the_same():
    """The plant's own fallback finishes the call."""
    twice = [joint_combination({'joint_1': size}, name=f'row_{k}')
             for k, size in enumerate((1.0, 2.0))]
    plant = Plant(cases.robot('scara_450'), twice)
    start = State(0.0, [0.0, 0.5, 0.0, 0.1], [0.0, 1.0, 0.0, 0.0])
    motion = plant.in_place(start, steps=3)
    motion.step(), motion.step()
    assert same(motion, plant.advance(start, steps=6)._replace(t=motion.t))
    assert motion.t == 6e-3


def test_the_last_good_state_stays_when_nothing_helps():
    """A motion that leaves the numbers raises as advance does, and can be reset."""
    plant = cases.plant('two_link')
    motion = plant.in_place(State(0.0, [0.0, 0.0], [0.0, 0.0]), steps=50)
    motion.tau[:] = 1e150
    with pytest.raises(RobodynError):
        motion.step()
    assert np.isfinite(motion.q).all() and np.isfinite(motion.v).all() and motion.t < 50e-3
    motion.reset(State(0.0, [0.0, 0.0], [0.0, 0.0]))
    motion.step()
    assert motion.t == 50e-3


@pytest.mark.parametrize('steps', [0, -1, 1.5, 'a', None])
def test_a_call_takes_steps(steps):
    """None, or parts of one, are refused."""
    with pytest.raises(StateError, match='whole number'):
        cases.plant('two_link').in_place(State(0.0, [0.0, 0.0], [0.0, 0.0]), steps)


def test_a_compiled_law_is_for_rollouts():
    """It wants a reference, which a step has not."""
    law = Control(lambda t, q, v, reference, parameters: [0.0 * x for x in q], 0, {})
    plant = Plant(cases.robot('two_link'), control=law)
    with pytest.raises(StateError, match='rollout'):
        plant.in_place(State(0.0, [0.0, 0.0], [0.0, 0.0]))
