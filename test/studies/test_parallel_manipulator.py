# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Paper 002: direct and inverse dynamics, motors alone, and a closure that drags."""


def test_every_number_of_the_reference_is_reproduced(judged, targets):
    """Angles, plain forces, motor torques, pins, singular values, accuracy: all rows hold."""
    judged(list(targets['angle_range_deg_absolute'].values()), targets['plain_force_min'],
           targets['plain_force_max'], targets['plain_passive_to_active_rms'],
           targets['plain_active_part_only_tip_acceleration_error'],
           targets['motor_torque_range'], targets['pin_force_max'],
           targets['motor_torque_rms']['sampled_801_points_both_ends'],
           list(targets['smallest_singular_value'].values()),
           targets['max_cond_closure_and_servo'])
    forward = targets['forward_rk4']
    judged(forward['h_0p01'], forward['h_0p002'], forward['h_0p01_baumgarte_20_100'],
           forward['h_0p01_projection'][1])
    judged(targets['nonideal']['change_closure_only'], targets['nonideal']['energy_ratio_1p5s'])


def test_rounding_stays_rounding(study, targets):
    """What is zero in theory stays under the bounds of the reference, or a few roundings more."""
    value = {row.quantity: row.ours for row in study.rows}
    assert value['torque left on passive joints [N m]'] < 1e-15
    assert value['motors and pins balance the motion, largest rest [N m]'] \
        < 10.0 * targets['bound_force_balance']
    assert value['two formulas for the motors, largest difference [N m]'] \
        < 10.0 * targets['bound_two_torque_formulas']
    free = targets['free_motion']
    assert value['free motion, relative energy drift in 1.5 s [-]'] \
        < free['bound_relative_energy_drift']
    assert value['free motion, closure error [m]'] < free['bound_closure']


def test_rows_are_told_apart_and_carry_units(study):
    """No quantity stands twice, each ends with its unit in brackets."""
    names = [row.quantity for row in study.rows]
    assert len(set(names)) == len(names)
    assert all(name.endswith(']') and '[' in name for name in names)


def test_the_plain_equation_loads_the_passive_joints(study):
    """Their torques are not near zero, whatever the paper says."""
    ratio, = (row.ours for row in study.rows if 'passive over active' in row.quantity)
    assert ratio > 0.2


def test_figures(drawn):
    """Figures 3 to 16 of the paper in five, and one of ours, with units."""
    drawn()
