# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Paper 001: positions that follow corrected velocities drift by orders of magnitude less."""

import numpy as np
from oracles import two_link
from plant import cases
from plant.ode45 import ode23, ode45
import pytest
from robodyn_ros import State

TARGET = cases.TARGETS['001']
METHODS = {'standard': 'none', 'modified': 'velocity_correction'}
# Digits printed in each column: dq, dq, ratio, dv, dv, ratio, phi, phi.
DIGITS = {'ode45_rtol_1e-3': (3, 2, 2, 2, 2, 2, 2, 2),
          'ode45_rtol_1e-6_atol_1e-9': (3, 2, 2, 2, 2, 2, 2, 2),
          'rk4_0p05': (3, 2, 3, 2, 2, 3, 2, 2), 'rk4_0p01': (3, 2, 2, 2, 2, 2, 2, 2),
          'euler_0p001': (3, 2, 2, 2, 2, 2, 2, 2), 'heun_0p01': (3, 3, 2, 2, 2, 2, 2, 2)}
# Two ports of ode23 differ in where their steps fall, hence by some per cent in the errors.
PORT = 0.03
RUNS = {
    'ode45_rtol_1e-3': (ode45, 1e-3, 1e-6), 'ode45_rtol_1e-6_atol_1e-9': (ode45, 1e-6, 1e-9),
    'ode23_default': (ode23, 1e-3, 1e-6), 'rk4_0p05': ('rk4', 0.05), 'rk4_0p01': ('rk4', 0.01),
    'euler_0p001': ('euler', 1e-3), 'heun_0p01': ('heun', 1e-2)}


def integrated(kind, method, *options):
    """Return (plant, t, q, v) of 20 s with a compiled or an adaptive integrator."""
    start = cases.line_start()
    if isinstance(method, str):
        plant = cases.plant('two_link', 'line', kind, step=options[0], integrator=method)
        motion = plant.rollout(start, 20.0)
        return plant, motion.t, motion.q, motion.v
    plant = cases.plant('two_link', 'line', kind)
    t, x = method(cases.rates(plant), np.concatenate([start.q, start.v]), 20.0, *options)
    return plant, t, x[:, :2], x[:, 2:]


def largest_errors(kind, name):
    """Return max |q - path|, max |q' - path|, max |phi|, max |state v - path| over 20 s."""
    plant, t, q, v = integrated(kind, *RUNS[name])
    path = np.array([two_link.path_position(s) for s in t])
    speed = np.array([two_link.path_velocity(s) for s in t])
    moved = np.array([plant.derivative(State(*item))[0] for item in zip(t, q, v)])
    phi = [two_link.constraint_position(*item) for item in zip(q, t)]
    return [np.abs(x).max() for x in (q - path, moved - speed, phi, v - speed)]


@pytest.mark.parametrize('name', RUNS)
def test_table_of_errors(name):
    """Standard and modified scheme with the same integrator and step: the table's row."""
    (dq, dv, phi, _), (mq, mv, mphi, state) = (largest_errors(kind, name)
                                               for kind in METHODS.values())
    row = [dq, mq, dq / mq, dv, mv, dv / mv, phi, mphi]
    for k, (ours, wanted) in enumerate(zip(row, TARGET['errors'][name])):
        if name == 'ode23_default':
            assert abs(ours / wanted - 1.0) < PORT, (k, ours, wanted)
            continue
        cases.assert_printed(TARGET['errors']['columns'][k], ours, wanted, DIGITS[name][k])
    if name.startswith(('ode45', 'rk4')):
        assert dq > 10.0 * mq and dv > 10.0 * mv, 'the claim: one order of magnitude'
    if name == 'heun_0p01':
        # the honest limit: the state v, which is not what moves the arm, gets worse
        cases.assert_printed('state v', state, 1.4e-4, 2)


def test_standard_errors_grow_and_modified_ones_do_not():
    """With ode45 the standard scheme's error grows over the run as printed."""
    growth = TARGET['ode45_standard_growth']
    for kind in METHODS.values():
        _, t, q, _ = integrated(kind, *RUNS['ode45_rtol_1e-3'])
        off = np.abs(q - [two_link.path_position(s) for s in t]).max(axis=1)
        reached = [off[t <= end].max() for end in growth['t']]
        if kind == 'none':
            cases.assert_printed('max dq', reached, growth['max_dq'], 2)
        else:
            assert max(reached) < 2.5e-4


def test_inconsistent_starts_neither_drift_nor_decay():
    """From phi(0) != 0 the corrected positions keep phi(t) = phi(0) (facts, section 0)."""
    plant = cases.plant('two_link', 'line', 'velocity_correction')
    start = cases.line_start()
    rng = np.random.default_rng(6)
    for _ in range(5):
        q = start.q + rng.uniform(-0.02, 0.02, 2)
        v = start.v + rng.uniform(-0.02, 0.02, 2)
        motion = plant.rollout(State(0.0, q, v), 5.0)
        assert np.abs(motion.phi - motion.phi[0]).max() < 1e-10, (q, v)


def test_forces_on_the_line_are_the_theoretical_ones():
    """Constraint torques over a period: printed ranges and values, and the closed form."""
    plant = cases.plant('two_link', 'line')
    times = np.linspace(0.0, 5.0, 1001)
    force = []
    for t in times:
        state = cases.line_start(t)
        force.append(plant.observe(state).constraint_force[0])
        closed = (two_link.mass_matrix(state.q) @ two_link.path_acceleration(t)
                  + two_link.bias_force(state.q, state.v))
        cases.assert_close('Qc', force[-1], closed, 1e-12, state)
    force = np.array(force)
    for joint, wanted in enumerate(TARGET['constraint_torque_range']):
        ours = [force[:, joint].min(), force[:, joint].max()]
        assert np.abs(np.subtract(ours, wanted)).max() < 5.1e-3, ours
    for t, wanted in TARGET['constraint_torque_1'].items():
        assert abs(force[int(float(t) * 200.0), 0] - wanted) < 5.1e-4
