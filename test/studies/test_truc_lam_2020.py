# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Paper 003: the IRB 120's model, open loop, and computed torque with and without friction."""

from importlib.util import find_spec

import pytest


def test_every_number_of_the_reference_is_reproduced(judged, targets):
    """Model, peaks, settling times, errors with friction: all rows hold."""
    judged(targets['mass_diagonal_at_zero'], targets['gravity_at_zero'],
           targets['inverse_dynamics']['tau'], targets['peak_speed_deg'], targets['peak_torque'],
           targets['friction_peak_ratio_printed_prefactor'])
    smooth = targets['computed_torque_no_friction']
    judged(smooth['bound_simulation'], smooth['peak_error'], smooth['error_at_0p5s'],
           smooth['settling_to_1_percent'], smooth['settling_to_1e-3_rad'])
    rough = targets['computed_torque_friction_2_to_5s']
    judged(rough['rms'], rough['max'], rough['overall_rms'],
           rough['bound_with_exact_feed_forward'])


def test_open_loop_is_unstable_and_friction_loses_it(study, targets):
    """Errors of the right order of magnitude, growing 200 times a second; lost with friction."""
    value = {row.quantity: row.ours for row in study.rows}
    for second, size in zip((1, 2, 3), targets['open_loop']['no_friction_error_at_1_2_3s']):
        ours = 10.0 ** value[f'open loop without friction, error after {second} s [log10 rad]']
        assert size / 3.0 < ours < size * 3.0
    lost = targets['open_loop']['with_friction_joints_23_above_within_1s']
    for joint in (2, 3):
        assert -value[f'open loop with friction, -error of joint {joint} within 1 s [rad]'] > lost


def test_friction_is_what_disturbs_the_tracking(study):
    """Errors with friction are a hundred thousand times those with friction compensated."""
    value = {row.quantity: row.ours for row in study.rows}
    told = value['friction compensated, off 2 pi A t exp(-w t) [rad]']
    assert value['friction, rms error of all joints 2..5 s [rad]'] > 1e5 * told


def test_a_second_engine_judges_where_there_is_one(study):
    """With Pinocchio its three rows are there; without it a remark says so."""
    rows = [row for row in study.rows if 'Pinocchio' in row.quantity or 'engine' in row.quantity]
    there = find_spec('pinocchio') is not None
    assert len(rows) == (3 if there else 0)
    assert there != any('not installed' in remark for remark in study.remarks)


def test_rows_are_told_apart_and_carry_units(study):
    """No quantity stands twice, each ends with its unit in brackets."""
    names = [row.quantity for row in study.rows]
    assert len(set(names)) == len(names)
    assert all(name.endswith(']') and '[' in name for name in names)


def test_figures(drawn):
    """Figures 4b, 5a, 6, 8, 9 and 10, with units."""
    pytest.importorskip('pinocchio', reason='figure 4b needs Pinocchio')
    drawn()
