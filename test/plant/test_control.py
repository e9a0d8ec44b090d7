# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A law compiled into the loop is the same loop written in Python, step by step."""

import numpy as np
from plant import cases
import pytest
from robodyn_ros import constraint, Control, Plant, RobodynError, State
from robodyn_ros.errors import SizeError
from robodyn_ros.mechanics import equations
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.tracing import sin

# Compiled or interpreted: the same operations, contracted or ordered differently.
SAME = 1e-12
STEPS = 400
ROBOT = cases.robot('two_link')


def law(t, q, v, reference, parameters):
    """Return computed torque with gains as run-time parameters, and a term of time."""
    wanted = [reference[2 * k + 1] * 0.5 + parameters['kp'] * (reference[2 * k] - q[k])
              - parameters['kd'] * v[k] for k in range(2)]
    tau = equations.inverse_dynamics(ROBOT.tree, Parameters(), q, v, wanted)
    return [x + sin(t * 3.0) * 0.2 for x in tau]


CONTROL = Control(law, 4, {'kp': 60.0, 'kd': 11.0})
START = State(0.5, np.array([0.4, -0.9]), np.array([0.1, 0.3]))


def references(count):
    """Return a reference row per control instant: q, a for each joint."""
    s = np.arange(count)[:, None]
    return np.hstack([np.sin(0.05 * s), 0.3 * np.cos(0.05 * s), -1.0 + 0.01 * s, 0.0 * s])


@pytest.fixture(scope='module', params=[1, 5])
def controlled(request):
    """Return a controlled free arm, its control period and a held-torque twin."""
    plant = Plant(ROBOT, step=1e-3, control=CONTROL, control_period=request.param)
    return plant, request.param, cases.plant('two_link')


def by_hand(free, period, gains, steps=STEPS, start=START):
    """Return states and torques of the loop written in Python."""
    rows, state = references(-(-steps // period)), start
    tau, states, torques = None, [], []
    for k in range(steps):
        state = state._replace(t=start.t + k * 1e-3)
        if k % period == 0:
            tau = np.array([float(x) for x in law(state.t, list(state.q), list(state.v),
                                                  list(rows[k // period]), gains)])
        states.append(state)
        torques.append(tau)
        state = free.advance(state, tau)
    return [*states, state], np.array(torques)


@pytest.mark.parametrize('gains', [{'kp': 60.0, 'kd': 11.0}, {'kp': 200.0, 'kd': 3.0}], ids=str)
def test_compiled_loop_is_the_loop_by_hand(controlled, gains):
    """States and torques agree at every step; the torque is held between control instants."""
    plant, period, free = controlled
    motion = plant.rollout(START, steps=STEPS, reference=references(-(-STEPS // period)),
                           parameters={f'controller.{k}': v for k, v in gains.items()})
    states, torques = by_hand(free, period, gains)
    cases.assert_close('tau', motion.tau[:-1], torques, 1e-10)
    cases.assert_close('q', motion.q, [s.q for s in states], SAME)
    cases.assert_close('v', motion.v, [s.v for s in states], 1e-11)
    held = motion.tau[:STEPS].reshape(-1, period, 2)
    assert np.array_equal(held, np.repeat(held[:, :1], period, axis=1))
    assert len(np.unique(motion.tau[:-1, 0])) == STEPS // period


def test_reference_rows_are_used_in_order_and_none_beyond(controlled):
    """Extra rows have no effect; another row k changes the motion from instant k on only."""
    plant, period, _ = controlled
    rows = references(STEPS // period + 7)
    one = plant.rollout(START, steps=STEPS, reference=rows)
    two = plant.rollout(START, steps=STEPS, reference=rows[:STEPS // period])
    assert np.array_equal(one.q, two.q)
    changed = rows.copy()
    changed[11, 0] += 0.5
    three = plant.rollout(START, steps=STEPS, reference=changed)
    same = np.all(one.tau == three.tau, axis=1)
    assert same[:11 * period].all() and not same[11 * period]


def test_recording_less_often_does_not_change_the_control(controlled):
    """Control instants and recording are independent."""
    plant, period, _ = controlled
    rows = references(STEPS)
    full = plant.rollout(START, steps=STEPS, reference=rows)
    some = plant.rollout(START, steps=STEPS, reference=rows, every=7)
    assert all(np.array_equal(a, b[::7]) for a, b in zip(some, full))


@constraint
def meets(robot, q, t):
    """Hold one joint by two rows that are the same at t = 0 only."""
    return [q[0] - t, q[0] - t + t * q[1]]


def test_a_hand_over_at_the_first_step_controls_once():
    """
    Rows dependent from the start: control as if ranks had been found at once.

    With a delay of 2 the torque given acts for two instants, then those computed two before.
    """
    def push(t, q, v, reference, parameters):
        return [t + 1.0, 2.0 - q[1]]
    control = Control(push, 0, {}, delay=2)
    start = State(0.0, [0.0, 0.0], [1.0, 0.0])
    one, two = (Plant(ROBOT, [meets], control=control, solver=solver).rollout(
        start, steps=30, tau=[5.0, 6.0]) for solver in ('auto', 'rank'))
    for ours, theirs in zip(one, two):
        assert np.array_equal(ours, theirs)
    late = np.column_stack([one.t + 1.0, 2.0 - one.q[:, 1]])[:-3]
    assert np.array_equal(one.tau[:-1], np.vstack([[[5.0, 6.0]] * 2, late]))


@pytest.mark.parametrize('shape', [(3, 4), (STEPS, 3), (STEPS * 4,), None], ids=str)
def test_a_reference_of_the_wrong_size_is_told(controlled, shape):
    """Too few rows, too narrow, flat or missing: the message has both sizes."""
    plant, _, _ = controlled
    reference = None if shape is None else np.zeros(shape)
    with pytest.raises(SizeError, match='reference.*4.*one row per control instant'):
        plant.rollout(START, steps=STEPS, reference=reference)


@pytest.mark.parametrize('bad, words', [
    (lambda t, q, v, r, p: [q[0]], 'torques of the control law.*expected 2, got 1'),
    (lambda t, q, v, r, p: q[0], 'control'),
    (lambda t, q, v, r, p: [q[0], v[7]], 'control.*IndexError'),
    (lambda t, q, v, r, p: [q[0] if v[0] > 0.0 else v[1], q[0]], 'control.*where'),
])
def test_a_law_that_is_no_law_is_told(bad, words):
    """Wrong number of torques, errors inside, branches: told when the plant is made."""
    with pytest.raises(RobodynError, match=words):
        Plant(ROBOT, control=Control(bad, 0, {}))
