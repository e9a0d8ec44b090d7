# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The closed parallel robot of paper 002 in motion: closure, tracking, energy and forces."""

import numpy as np
from oracles import parallel_2dof, udwadia_kalaba
from plant import cases
import pytest
from robodyn_ros import assemble_start, State

TARGET = cases.TARGETS['002']
FORWARD = TARGET['forward_rk4']


def largest_errors(t, x):
    """Return the largest closure and tracking errors by the oracle's formulas [m]."""
    angles = [parallel_2dof.absolute_angles(state[:6]) for state in x]
    return [max(np.abs(parallel_2dof.closure_position(q)).max() for q in angles),
            max(np.abs(parallel_2dof.servo_position(q, s)).max() for s, q in zip(t, angles))]


def runge_kutta(rates, x, step, duration, after=None):
    """Integrate with RK4 written in Python; after(t, x) may correct each new state."""
    states = [x]
    for k in range(round(duration / step)):
        t = k * step
        k1 = rates(t, x)
        k2 = rates(t + step / 2.0, x + step / 2.0 * k1)
        k3 = rates(t + step / 2.0, x + step / 2.0 * k2)
        x = x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rates(t + step, x + step * k3))
        if after:
            x = after(t + step, x)
        states.append(x)
    return step * np.arange(len(states)), np.array(states)


def motors(t, x, gains, closure_gains):
    """
    Return the joint torques of the three motors that keep O on its line; passive joints get 0.

    tau = (A_t P M^-1 S^T)^+ (b_t - A_t qdd0) with servo gains in b_t: the closed chain's own
    acceleration qdd0 comes from the closure rows, P projects onto what they allow.
    """
    q, v = parallel_2dof.absolute_angles(x[:6]), parallel_2dof.absolute_angles(x[6:])
    M, A, S = parallel_2dof.mass_matrix(q), parallel_2dof.closure_jacobian(q), parallel_2dof.MOTORS
    servo, phi = parallel_2dof.servo_jacobian(q), parallel_2dof.servo_position(q, t)
    b = udwadia_kalaba.baumgarte(parallel_2dof.closure_bias(q, v),
                                 parallel_2dof.closure_position(q), A @ v, *closure_gains)
    wanted = udwadia_kalaba.baumgarte(parallel_2dof.servo_bias(q, v, t), phi,
                                      servo @ v - parallel_2dof.line(t)[1], *gains)
    _, inverse = udwadia_kalaba.mass_roots(M)
    own = udwadia_kalaba.constrained_motion(M, -parallel_2dof.bias_force(q, v), A, b).acceleration
    allowed = np.eye(6) - inverse @ np.linalg.pinv(A @ inverse) @ A
    torque = np.zeros(6)
    reach = servo @ allowed @ np.linalg.solve(M, S.T)
    torque[::2] = np.linalg.pinv(reach) @ (wanted - servo @ own)
    return torque


def driven(gains=(0.0, 0.0), closure_gains=(0.0, 0.0)):
    """Return x' of the closed chain (our plant) driven by those motors."""
    plant = cases.plant('parallel_2dof', 'closure', 'baumgarte')

    def rates(t, x):
        return np.concatenate(plant.derivative(
            State(t, x[:6], x[6:]), motors(t, x, gains, closure_gains),
            cases.gains(*closure_gains)))
    return rates


def start():
    """Return the resting start on the line as one vector."""
    state = cases.parallel_start()
    return np.concatenate([state.q, state.v])


@pytest.mark.parametrize('step, name', [(0.01, 'h_0p01'), (0.002, 'h_0p002')])
def test_six_rows_keep_closure_and_line_to_the_printed_error(step, name):
    """Closure and line as six rows, compiled RK4, 4 s."""
    plant = cases.plant('parallel_2dof', 'line', 'baumgarte', step=step)
    motion = plant.rollout(cases.parallel_start(), 4.0)
    reached = largest_errors(motion.t, motion.q)
    cases.assert_printed('closure, tracking', reached, FORWARD[name], 2)
    cases.assert_close('phi', np.abs(motion.phi).max(), max(reached), 1e-15)


@pytest.mark.parametrize('step, name', [(0.01, 'h_0p01'), (0.002, 'h_0p002')])
def test_motors_alone_reach_the_same_errors(step, name):
    """Direct dynamics: closure rows only, line kept by three torques, passive joints free."""
    t, x = runge_kutta(driven(), start(), step, 4.0 if step == 0.01 else 2.0)
    reached = largest_errors(t, x)
    if step == 0.01:
        cases.assert_printed('closure, tracking', reached, FORWARD[name], 2)
    else:  # half the run, to save time: errors have not yet grown to the printed ones
        assert max(reached) < FORWARD[name][0]
    plant = cases.plant('parallel_2dof', 'line', 'baumgarte', step=step)
    held = plant.rollout(cases.parallel_start(), t[-1])
    cases.assert_close('motion', x[:, :6], held.q, 1e-11)


def test_torques_of_smallest_norm_drive_the_path():
    """The oracle's minimum-norm torques, fed forward, keep O on the line; printed ranges."""
    def tau(t):
        q, v = parallel_2dof.path_position(t), parallel_2dof.path_velocity(t)
        force = np.zeros(6)
        force[::2] = parallel_2dof.motor_torques(q, v, parallel_2dof.path_acceleration(t))
        return force
    plant = cases.plant('parallel_2dof', 'closure', 'baumgarte')
    t, x = runge_kutta(cases.rates(plant, tau), start(), 0.01, 4.0)
    assert max(largest_errors(t, x)) < 2.5e-8
    torques = np.array([tau(s)[::2] for s in np.linspace(0.0, 4.0, 801)])
    for motor, (low, high) in enumerate(TARGET['motor_torque_range']):
        ours = [torques[:, motor].min(), torques[:, motor].max()]
        assert np.abs(np.subtract(ours, [low, high])).max() < 5.1e-5, (motor, ours)
    for s in np.linspace(0.0, 4.0, 41):  # our plant's acceleration under them is the path's
        a = plant.observe(cases.parallel_start(t=s), tau(s)).a[0]
        wanted = parallel_2dof.path_acceleration(s)
        cases.assert_close('a', parallel_2dof.absolute_angles(a), wanted, 1e-12, s)


def test_baumgarte_on_closure_and_servo():
    """Gains (20, 100) on all six rows, and on the closed chain with servo motors: same errors."""
    wanted = FORWARD['h_0p01_baumgarte_20_100']
    plant = cases.plant('parallel_2dof', 'line', 'baumgarte', step=0.01)
    motion = plant.rollout(cases.parallel_start(), 4.0, parameters=cases.gains(20.0, 100.0))
    cases.assert_printed('six rows', largest_errors(motion.t, motion.q), wanted, 2)
    t, x = runge_kutta(driven((20.0, 100.0), (20.0, 100.0)), start(), 0.01, 4.0)
    cases.assert_printed('motors', largest_errors(t, x), wanted, 2)


def test_projection_of_the_closure():
    """The chain closes to rounding while servo motors track to the printed error."""
    closed = cases.plant('parallel_2dof', 'closure', 'projection')

    def after(t, x):
        state = assemble_start(closed, State(t, x[:6], x[6:])).state
        return np.concatenate([state.q, state.v])
    t, x = runge_kutta(driven((20.0, 100.0)), start(), 0.01, 4.0, after)
    closure, tracking = largest_errors(t, x)
    # the bound is of rounding level: the order of magnitude counts
    assert closure < 10.0 * FORWARD['h_0p01_projection'][0]
    cases.assert_printed('tracking', tracking, FORWARD['h_0p01_projection'][1], 2)


@pytest.mark.parametrize('kind', ['baumgarte', 'projection'])
def test_free_motion_keeps_energy_and_closure(kind):
    """No torque: relative energy drift and closure over 1.5 s stay at the printed bounds."""
    plant = cases.plant('parallel_2dof', 'closure', kind)
    wanted = TARGET['free_motion']
    motion = plant.rollout(cases.parallel_start(wanted['tip_velocity']), wanted['duration'])
    energy = plant.robot.energy(motion.q, motion.v)[0]
    assert np.abs(energy / energy[0] - 1.0).max() < wanted['bound_relative_energy_drift']
    assert motion.violation.max() < wanted['bound_closure']
    assert np.abs(motion.q - motion.q[0]).max() > 0.1, 'it moved'


def test_plain_forces_load_the_passive_joints_too():
    """Qc of all six rows over 4 s: printed ranges, closed form, and the passive/active ratio."""
    plant = cases.plant('parallel_2dof', 'line', 'baumgarte')
    force = []
    for t in np.linspace(0.0, 4.0, 801):
        state = cases.parallel_start(t=t)
        seen = plant.observe(state)
        force.append(parallel_2dof.absolute_force(seen.constraint_force[0]))
        closed = parallel_2dof.plain_constraint_force(
            parallel_2dof.path_position(t), parallel_2dof.path_velocity(t), t)
        cases.assert_close('Qc', force[-1], closed, 1e-13, state)
    force = np.array(force)
    for ours, wanted in ((force.min(axis=0), TARGET['plain_force_min']),
                         (force.max(axis=0), TARGET['plain_force_max'])):
        assert np.abs(ours - wanted).max() < 5.1e-5, (ours, wanted)
    ratio = np.sqrt(np.mean(force[:, 1::2] ** 2) / np.mean(force[:, ::2] ** 2))
    cases.assert_printed('passive to active', ratio, TARGET['plain_passive_to_active_rms'], 2)
