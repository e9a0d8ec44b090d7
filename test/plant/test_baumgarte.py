# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Baumgarte's method on the SCARA's helix: the tables of paper 000."""

import numpy as np
from oracles import scara_450
from plant import cases
from plant.ode45 import ode45
import pytest
from robodyn_ros import State

TARGET = cases.TARGETS['000']
TABLE = TARGET['baumgarte']
STARTS = {'exact_minus': scara_450.path_position(0.0, -1),
          'elbow_minus_literal': scara_450.START_ELBOW_MINUS,
          'elbow_plus_literal': scara_450.START_ELBOW_PLUS}
PAPER = cases.gains(TABLE['alpha'], TABLE['beta'])


def run(name, gains, step=1e-3):
    """Return 20 s from a start with the printed velocities."""
    plant = cases.plant('scara_450', 'helix', 'baumgarte', step=step)
    start = State(0.0, STARTS[name], scara_450.START_VELOCITY)
    return plant.rollout(start, 20.0, parameters=gains)


@pytest.mark.parametrize('name', STARTS)
def test_the_papers_gains_give_the_printed_errors(name):
    """0.5 and 200: largest errors over 20 s and over the last 5 s."""
    motion, wanted = run(name, PAPER), TABLE[name]
    cases.assert_printed('max', np.abs(motion.phi).max(axis=0), wanted['max'], 3)
    late = np.abs(motion.phi[motion.t >= 15.0]).max(axis=0)
    # printed with two digits, the first number of the literal starts with three
    cases.assert_printed('last 5 s', late, wanted['max_last_5s'], 2)


@pytest.mark.parametrize('name', STARTS)
def test_the_papers_gains_give_the_printed_forces(name):
    """0.5 and 200: ranges of the constraint force on each joint."""
    force = run(name, PAPER).constraint_force
    for joint, (low, high) in enumerate(TABLE[name]['Qc_range']):
        digits = {4.9017: 5, 4.90: 3}.get(low, 3 if name == 'exact_minus' else 2)
        if low == -high:  # printed as +-
            cases.assert_printed('Qc of joint 3', np.abs(force[:, joint]).max(), high, 2)
            continue
        for ours, wanted in ((force[:, joint].min(), low), (force[:, joint].max(), high)):
            shown = digits + (1 if abs(wanted) >= 10.0 and digits == 2 else 0)
            cases.assert_printed(f'Qc of joint {joint + 1}', ours, wanted, shown)


def test_errors_decay_inside_the_known_envelope():
    """
    Each row rings as phi'' + 0.5 phi' + 200 phi = 0 says: its closed form, at all samples.

    phi = e^(-alpha t/2) (phi_0 cos w t + (phi'_0 + alpha phi_0/2)/w sin w t) with
    w^2 = beta - alpha^2/4.
    """
    motion = run('elbow_minus_literal', PAPER)
    alpha, beta, t = 0.5, 200.0, motion.t[:, None]
    w = np.sqrt(beta - alpha ** 2 / 4.0)
    phi_0, rate_0 = motion.phi[0], motion.phi_rate[0]
    closed = np.exp(-alpha * t / 2.0) * (
        phi_0 * np.cos(w * t) + (rate_0 + alpha * phi_0 / 2.0) / w * np.sin(w * t))
    # RK4 at 1 ms turns a mode of 14 rad/s by 1e-9 rad per second too little
    assert np.abs(motion.phi - closed).max() < 1e-9


@pytest.mark.parametrize('row', TARGET['critical_baumgarte_elbow_minus_literal'],
                         ids=lambda row: f'{row["alpha"]:g} {row["beta"]:g}')
def test_better_gains_remove_the_error_and_cost_the_printed_torque(row):
    """Critical damping: rounding-level errors in the last 5 s, peaks of joints 1 and 2."""
    motion = run('elbow_minus_literal', cases.gains(row['alpha'], row['beta']), step=2e-4)
    # The table's 1e-15 is the equation's; RK4 adds h^4 of the motion and 5000 roundings a second.
    assert np.abs(motion.phi[motion.t >= 15.0]).max() < 1e-13
    peaks = np.abs(motion.constraint_force[:, :2]).max(axis=0)
    for ours, wanted in zip(peaks, row['peak_torque_12']):
        digits = 3 if wanted >= 100.0 or 12.0 < wanted < 13.0 else 2
        cases.assert_printed('peak', ours, wanted, digits)


def test_matlabs_defaults_give_the_printed_errors_and_steps():
    """The ode45 run of the stabilised helix takes 258 steps."""
    plant = cases.plant('scara_450', 'helix', 'baumgarte')
    x = np.concatenate([STARTS['exact_minus'], scara_450.START_VELOCITY])
    t, states = ode45(cases.rates(plant, parameters=PAPER), x, 20.0)
    wanted = TABLE['exact_minus_ode45_default']
    assert (len(t) - 1) // 4 == wanted['steps']
    phi = np.abs(cases.errors(plant, t, states)).max(axis=0)
    cases.assert_printed('max', phi[:3], wanted['max_xyz'], 2)


def test_forces_on_the_exact_path_are_the_theoretical_ones():
    """Qc of both elbows on the helix, 20 s, against the printed ranges and the closed form."""
    plant = cases.plant('scara_450', 'helix', 'baumgarte')
    for elbow, name in ((-1, 'elbow_minus'), (1, 'elbow_plus')):
        states = [cases.helix_start(elbow, t) for t in np.linspace(0.0, 20.0, 2001)]
        force = np.array([plant.observe(s).constraint_force[0] for s in states])
        for s, ours in zip(states[::20], force[::20]):
            a = scara_450.path_acceleration(s.t, elbow)
            closed = scara_450.mass_matrix(s.q) @ a + scara_450.bias_force(s.q, s.v)
            cases.assert_close('Qc', ours, closed, 1e-12, s)
        for joint, wanted in enumerate(TARGET['path_constraint_force_range'][name]):
            ours = [force[:, joint].min(), force[:, joint].max()]
            assert np.abs(np.subtract(ours, wanted)).max() < 5.1e-5, (name, joint, ours)
