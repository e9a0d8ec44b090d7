# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Gradients of rollouts against forward sensitivities, and differences of whole rollouts."""

import os
import subprocess
import sys

import numpy as np
from plant.cases import gains, line_start, parallel_start, plant, random_states, robot
import pytest
from robodyn_ros import Control, Plant, State
from robodyn_ros.errors import ConstraintError, RobodynError, TracingError
from robodyn_ros.tracing import sin, tanh

CLOSE = 1e-9


def effort(t, q, v, tau, reference):
    """Penalise torque, speed, place and time together."""
    return sum(((x - 0.1 * t) * (x - 0.1 * t) + y * y * z for x, y, z in zip(q, v, tau)), 0.0) \
        + sum((u * u * sin(t) for u in tau), 0.0)


def rest(t, q, v):
    """Penalise where it ends, and how fast."""
    return sum((x * x * x + y * y * t for x, y in zip(q, v)), 0.0)


CASES = {
    # robot, rows, stabilisation, integrator
    'free arm': ('irb120', '', 'none', 'rk4'),
    'two rows, friction solved for': ('irb120', 'ball', 'baumgarte', 'implicit_friction'),
    'closed chain and a line': ('parallel_2dof', 'line', 'velocity_correction', 'taylor'),
    'closed chain, non-ideal': ('parallel_2dof', 'drag', 'velocity_correction', 'heun'),
    'closed chain, projected': ('parallel_2dof', 'line', 'projection', 'rk4'),
    'helix, projected, of one stage': ('scara_450', 'helix', 'projection', 'taylor'),
    'two rows, projected, friction solved for': ('irb120', 'ball', 'projection',
                                                 'implicit_friction'),
    'closed chain, Baumgarte': ('parallel_2dof', 'closure', 'baumgarte', 'semi_implicit_euler'),
    'closed chain, closed twice': ('parallel_2dof', 'closure twice', 'velocity_correction', 'rk4'),
    'helix twice': ('scara_450', 'helix twice', 'baumgarte', 'implicit_friction'),
    'more rows than joints': ('two_link', 'line mixed', 'velocity_correction', 'taylor'),
}


@pytest.mark.parametrize('name', CASES)
def test_adjoint_is_forward_sensitivity(name):
    """By start and torque, against the product of every step's exact A and B."""
    of, steps, h = plant(*CASES[name][:3], 1e-3, CASES[name][3]), 40, 1e-3
    n = of.robot.n
    parameters = gains(20.0, 100.0) if CASES[name][2] == 'baumgarte' else {}
    parameters |= {'payload.mass': 0.4} if name == 'free arm' else {}
    start = parallel_start() if 'closed' in name else random_states(n, 1, 61, 0.6, 0.5)[0]
    tau = np.random.default_rng(62).normal(size=n)
    found = of.rollout_gradient(start, steps=steps, stage=effort, terminal=rest, tau=tau,
                                parameters=parameters)
    motion = of.rollout(start, steps=steps, tau=tau, parameters=parameters)
    assert found.rollout.q.tobytes() == motion.q.tobytes()
    linear = of.linearised(State(motion.t, motion.q, motion.v), motion.tau, parameters)
    by, total, cost = np.eye(2 * n, 3 * n), np.zeros(3 * n), 0.0  # of the state by start, torque

    def slope(function, z):
        moves = 1e-30j * np.eye(len(z))
        return np.array([function(z + move).imag / 1e-30 for move in moves])
    for k in range(steps):
        t = motion.t[k]

        def stage(z, t=t):
            q, v, u = np.split(z, 3)
            return complex(np.sum((q - 0.1 * t) ** 2 + v * v * u) + np.sum(u * u) * np.sin(t))
        z = np.concatenate([motion.q[k], motion.v[k], tau])
        cost += h * stage(z).real
        rise = h * slope(stage, z)
        total += rise[:2 * n] @ by
        total[2 * n:] += rise[2 * n:]
        by = linear.A_step[k] @ by
        by[:, 2 * n:] += linear.B_step[k]

    def end(z):
        q, v = np.split(z, 2)
        return complex(np.sum(q ** 3 + v * v * motion.t[-1]))
    z = np.concatenate([motion.q[-1], motion.v[-1]])
    total += slope(end, z) @ by
    cost += end(z).real
    ours = np.concatenate([found.q, found.v, found.tau])
    assert abs(found.cost - cost) <= 1e-12 * abs(cost)
    assert np.abs(ours - total).max() <= 1e-11 * np.abs(total).max()


PERIOD = 2


def remembering(t, q, v, reference, parameters, memory):
    """Pull to the reference with what was missed so far, saturated."""
    missed = [z + (r - x) * (PERIOD * 1e-3) for z, r, x in zip(memory, reference, q)]
    return [tanh(parameters['kp'] * (r - x) - parameters['kd'] * w + parameters['ki'] * z) * 9.0
            for r, x, w, z in zip(reference, q, v, missed)], missed


def tracking(t, q, v, tau, reference):
    """Squared error, and a little effort."""
    return sum(((x - r) * (x - r) for x, r in zip(q, reference)), 0.0) \
        + sum((u * u * 1e-3 for u in tau), 0.0)


@pytest.fixture(scope='module')
def driven():
    """Return a plant in a closed loop with everything a law may have."""
    law = Control(remembering, 4, {'kp': 6.0, 'kd': 1.5, 'ki': 2.0}, delay=3, noisy=True,
                  memory=(0.1, -0.2))
    return Plant(robot('two_link'), control=law, control_period=PERIOD)


BY = ('controller.kp', 'controller.kd', 'controller.ki', 'payload.mass', 'payload.centre.x',
      'payload.inertia.yy', 'gravity.z', 'friction_scale')
LADEN = {'payload.mass': 0.5, 'payload.centre.x': 0.05, 'payload.inertia.xx': 0.01,
         'payload.inertia.yy': 0.01, 'payload.inertia.zz': 0.01}


def test_closed_loop_with_memory_delay_and_noise(driven):
    """By gains, payload, gravity, friction, start, torque and reference, by differences."""
    steps, rng = 61, np.random.default_rng(63)
    state = State(0.2, np.array([0.3, -0.4]), np.array([0.5, 0.2]))
    reference = rng.normal(size=(31, 8)) * 0.05
    tau = np.array([0.7, -0.3])
    found = driven.rollout_gradient(state, steps=steps, stage=tracking, terminal=rest, by=BY,
                                    tau=tau, reference=reference, parameters=LADEN)

    def cost(q=state.q, v=state.v, tau=tau, reference=reference, **changes):
        motion = driven.rollout(State(0.2, q, v), steps=steps, tau=tau, reference=reference,
                                parameters={**LADEN, **changes})
        return sum(1e-3 * tracking(0.0, motion.q[k], motion.v[k], motion.tau[k],
                                   reference[k // PERIOD]) for k in range(steps)) + rest(
            motion.t[-1], motion.q[-1], motion.v[-1])

    def difference(function, h):
        return sum(c * (function(k * h) - function(-k * h))
                   for k, c in ((1, 45.0), (2, -9.0), (3, 1.0))) / (60.0 * h)
    assert abs(found.cost - cost()) < 1e-12
    table = driven.parameters
    for name in BY:
        own = {**dict(zip(table.names, table.defaults)), **LADEN}[name]
        slope = difference(lambda d: cost(**{name: own + d}), 2e-3 * max(0.3, abs(own)))
        assert abs(found.parameters[name] - slope) <= CLOSE * max(1.0, abs(slope)), name
    for what in ('q', 'v', 'tau'):
        given = {'q': state.q, 'v': state.v, 'tau': tau}[what]
        for k, move in enumerate(np.eye(2)):
            slope = difference(lambda d: cost(**{what: given + d * move}), 2e-3)
            assert abs(getattr(found, what)[k] - slope) <= CLOSE, what
    for place in ((0, 0), (7, 1), (12, 4), (30, 3), (20, 7)):
        move = np.zeros_like(reference)
        move[place] = 1.0
        slope = difference(lambda d: cost(reference=reference + d * move), 2e-3)
        assert abs(found.reference[place] - slope) <= CLOSE, place
    assert found.reference[:, 2:4].any() == np.False_  # the law does not read these


def test_parameters_of_rows_and_their_stabilisation():
    """A user's row with a parameter and Baumgarte's gains, off the rows; a desired motion."""
    of = plant('irb120', 'ball', 'baumgarte', 1e-3, 'implicit_friction')
    start, wanted = random_states(6, 1, 64, 0.6, 0.3)[0], np.zeros((30, 6))
    given = {**gains(20.0, 100.0), 'on_ball.radius': 0.4, 'gear.value': 0.1}
    by = list(given)

    def tracking_only(t, q, v, tau, r):
        return sum(((x - y) * (x - y) for x, y in zip(q, r)), 0.0)
    found = of.rollout_gradient(start, steps=30, stage=tracking_only, by=by, reference=wanted,
                                parameters=given)

    def cost(**changes):
        motion = of.rollout(start, steps=30, parameters={**given, **changes})
        return 1e-3 * np.sum(motion.q[:30] ** 2)
    assert abs(found.cost - cost()) < 1e-12
    for name, own in given.items():
        h = 2e-3 * own
        slope = sum(c * (cost(**{name: own + k * h}) - cost(**{name: own - k * h}))
                    for k, c in ((1, 45.0), (2, -9.0), (3, 1.0))) / (60.0 * h)
        assert abs(found.parameters[name] - slope) <= CLOSE * max(0.1, abs(slope)), name
    again = of.rollout_gradient(start, steps=30, stage=tracking_only, by=by, reference=wanted,
                                parameters=given)
    assert again.q.tobytes() == found.q.tobytes() and again.parameters == found.parameters
    assert np.allclose(found.reference, -2e-3 * (found.rollout.q[:30]), rtol=1e-12)


@pytest.mark.parametrize('name, rows, integrator, given', [
    ('parallel_2dof', 'closure', 'rk4', {
        'payload.mass': 0.5, 'payload.inertia.zz': 0.02, 'gravity.y': -3.0,
        'friction_scale': 1.0}),
    ('irb120', 'ball', 'implicit_friction', {
        'on_ball.radius': 0.4, 'gear.value': 0.1, 'payload.mass': 0.5, 'payload.centre.x': 0.05}),
])
def test_through_projections(name, rows, integrator, given):
    """Parameters of plant and rows, where each step ends on the rows, by differences."""
    of, steps = plant(name, rows, 'projection', 1e-3, integrator), 25
    start = parallel_start() if rows == 'closure' else random_states(6, 1, 64, 0.6, 0.3)[0]
    given = {'payload.inertia.xx': 0.02, 'payload.inertia.yy': 0.02, 'payload.inertia.zz': 0.02,
             **given}
    tau = np.random.default_rng(66).normal(size=of.robot.n)
    found = of.rollout_gradient(start, steps=steps, stage=effort, terminal=rest, tau=tau,
                                by=list(given), parameters=given)

    def cost(**changes):
        motion = of.rollout(start, steps=steps, tau=tau, parameters={**given, **changes})
        return sum(1e-3 * effort(motion.t[k], motion.q[k], motion.v[k], tau, None)
                   for k in range(steps)) + rest(motion.t[-1], motion.q[-1], motion.v[-1])

    assert abs(found.cost - cost()) < 1e-12
    for key, own in given.items():
        h = 2e-3 * abs(own)
        slope = sum(c * (cost(**{key: own + k * h}) - cost(**{key: own - k * h}))
                    for k, c in ((1, 45.0), (2, -9.0), (3, 1.0))) / (60.0 * h)
        assert abs(found.parameters[key] - slope) <= 5.0 * CLOSE * max(1.0, abs(slope)), key


@pytest.mark.parametrize('kind', ['velocity_correction', 'baumgarte'])
def test_rows_written_twice_change_no_gradient(kind):
    """The same motion by rows of full rank and by dependent ones, by payload and friction."""
    start, tau = parallel_start(), np.random.default_rng(67).normal(size=6)
    given = {'payload.mass': 0.5, 'payload.inertia.zz': 0.02, 'gravity.y': -3.0,
             'friction_scale': 1.0, 'payload.inertia.xx': 0.02, 'payload.inertia.yy': 0.02,
             **(gains(20.0, 100.0) if kind == 'baumgarte' else {})}
    once, twice = (plant('parallel_2dof', rows, kind).rollout_gradient(
        start, steps=25, stage=effort, terminal=rest, tau=tau, by=list(given), parameters=given)
        for rows in ('closure', 'closure twice'))
    for a, b in ((once.q, twice.q), (once.v, twice.v), (once.tau, twice.tau),
                 *((once.parameters[name], twice.parameters[name]) for name in given)):
        assert np.abs(a - b).max() <= 1e-9 * max(1e-3, np.abs(a).max())


def test_slopes_are_a_cost_of_the_whole_motion(driven):
    """A sum over steps, given as a stage and as slopes; others are refused."""
    steps, reference = 40, np.random.default_rng(65).normal(size=(20, 8)) * 0.05
    state = State(0.0, np.array([0.3, -0.4]), np.array([0.5, 0.2]))

    def stage(t, q, v, tau, r):
        return sum((x * x * y + u * u * 1e-3 for x, y, u in zip(q, v, tau)), 0.0)

    def slopes(motion):
        found = 1e-3 * np.concatenate([2.0 * motion.q * motion.v, motion.q ** 2,
                                       2e-3 * motion.tau], axis=1)
        found[-1] = 0.0
        return found
    one, other = (driven.rollout_gradient(state, steps=steps, by=BY, reference=reference, **given)
                  for given in ({'stage': stage}, {'slopes': slopes}))
    for a, b in ((one.q, other.q), (one.v, other.v), (one.tau, other.tau),
                 (list(one.parameters.values()), list(other.parameters.values()))):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-16)
    with pytest.raises(RobodynError, match=r'wrong size of slopes: expected \(41, 6\)'):
        driven.rollout_gradient(state, steps=steps, reference=reference,
                                slopes=lambda motion: motion.q)


def test_without_a_compiler_the_bits_are_the_same():
    """ROBODYN_INTERPRET=1 runs the same operations as plain Python."""
    code = ('import numpy as np; from robodyn_ros import *; '
            "p = Plant(load_robot('two_link'), control=Control(lambda t, q, v, r, p: "
            "[-p['k'] * x for x in q], 0, {'k': 3.0})); "
            'g = p.rollout_gradient(State(0.0, np.ones(2), np.zeros(2)), steps=5, by='
            "['controller.k', 'payload.mass'], terminal=lambda t, q, v: q[0] * q[0] + v[1]); "
            'print(g.cost.hex(), g.q.tobytes().hex(), [x.hex() for x in g.parameters.values()])')
    found = [subprocess.run([sys.executable, '-c', code], env={**os.environ, **extra}, check=True,
                            capture_output=True, text=True, timeout=120).stdout
             for extra in ({}, {'ROBODYN_INTERPRET': '1'})]
    assert found[0] == found[1] and len(found[0]) > 80


def test_nothing_to_do_and_refusals():
    """No steps, no cost; names, functions and plants that have no gradient."""
    of, state = plant('two_link'), State(0.0, np.array([0.3, 0.4]), np.zeros(2))
    none = of.rollout_gradient(state, steps=0, terminal=rest)
    assert np.allclose(none.q, 3.0 * state.q ** 2) and none.parameters == {}
    assert of.rollout_gradient(state, steps=3).cost == 0.0
    with pytest.raises(RobodynError, match="unknown parameter 'kp'"):
        of.rollout_gradient(state, steps=3, by='kp')
    with pytest.raises(RobodynError, match='each name once'):
        of.rollout_gradient(state, steps=3, by=['gravity.x', 'gravity.x'])
    with pytest.raises(TracingError, match='the stage cost returned'):
        of.rollout_gradient(state, steps=3, stage=lambda t, q, v, tau, r: [q[0]])
    with pytest.raises(TracingError, match='the terminal cost.*branch'):
        of.rollout_gradient(state, steps=3, terminal=lambda t, q, v: max(q))
    with pytest.raises(TracingError, match='raised IndexError'):
        of.rollout_gradient(state, steps=3, stage=lambda t, q, v, tau, r: r[0])
    with pytest.raises(RobodynError, match='one row per step'):
        of.rollout_gradient(state, steps=3, reference=np.zeros((2, 4)))
    for name, rows, start in (('two_link', 'line mixed', line_start(0.2)),
                              ('parallel_2dof', 'closure twice', parallel_start())):
        with pytest.raises(ConstraintError, match='projec.*choose another stabilisation'):
            plant(name, rows, 'projection').rollout_gradient(start, steps=1)
