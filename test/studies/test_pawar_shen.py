# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Paper 004: via points, inverse kinematics, inverse dynamics and the robust law under a load."""

import numpy as np
from oracles import scara_1000
from oracles.control_laws import computed_torque, lyapunov_scalar, robust_term
import pytest


def test_every_number_of_the_reference_is_reproduced(judged, targets):
    """The tables of path, inverse kinematics and control are complete, and all rows hold."""
    inversion, control = targets['clik_1ms_max_position_error'], targets['control']
    judged(*targets['via_point_distance_mm'].values(), inversion['taylor_2'], inversion['euler'],
           inversion['start_offset']['error'], control['max_uncertainty'], control['max_z'],
           [targets['path'][timing][1:] for timing in ('siciliano', 'fixed_arrival')],
           list(control['equivalent_gains'].values()))
    judged(*(control[name] for name in (
        'inverse_dynamics_load_unknown', 'robust_Q_identity', 'robust_P_identity',
        'robust_P_18000_100', 'robust_P_18000_100_eps_0p6',
        'inverse_dynamics_100_20_load_unknown', 'robust_P_18000_100_load_known_d3_and_tip')))


@pytest.mark.parametrize('name, rho, extra', [
    ('robust', 70.0, 0.0), ('equally stiff inverse dynamics', 0.0, 70.0 / 0.06)])
def test_first_torque_from_a_start_that_is_off(study, name, rho, extra):
    """The largest torque of the saturating comparison is the law's first one, in closed form."""
    start = scara_1000.inverse_kinematics(scara_1000.way_point_path(0.0)[0])
    error = 0.2 * np.array([0.05, -0.05, -0.05, 0.1])
    q, still = start - error, np.zeros(4)
    weights = lyapunov_scalar(900.0, 60.0, 18000.0, 100.0)
    wanted = scara_1000.clik_acceleration(start, still, 0.0, 900.0, 60.0) + robust_term(
        error, still, weights, rho, 0.06)
    torque = computed_torque(scara_1000.mass_matrix(q), scara_1000.nonlinear_terms(q, still),
                             wanted, error, still, 900.0 + extra * weights[1, 0], 0.0)
    ours = next(row.ours for row in study.rows
                if row.quantity == f'{name}, start 1 cm off: largest |u| of th1 [N m]')
    assert ours == pytest.approx(abs(torque[0]), rel=1e-9)


def test_robust_is_not_said_to_beat_inverse_dynamics(study):
    """At equal stiffness both laws move alike; saturated, the robust one is less precise."""
    ours = {row.quantity: row.ours for row in study.rows}
    stiff = ours['equally stiff inverse dynamics, load unknown: tip error [m]']
    assert ours['robust, load unknown: tip error [m]'] == pytest.approx(stiff, rel=1e-9)
    assert ours['robust, rho 1, load unknown: tip error [m]'] > 5.0 * stiff


def test_figures(drawn):
    """The paper's figures 4 to 10 and two of ours, with units."""
    drawn()
