# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How fast simulated time runs, and when that is worth a warning."""

from robodyn_ros.nodes.dynamics.pace import PaceMeter


def test_a_pace_below_the_asked_one_is_told_but_not_in_the_first_report():
    """At the very start a machine compiles and joins the graph."""
    meter = PaceMeter()
    assert meter.report(0.1, 10.0, 1.0) == '' and meter.factor == 0.0
    told = meter.report(0.7, 11.0, 1.0)
    assert told == 'runs at 0.60 times real time, 1 was asked for'
    assert abs(meter.factor - 0.6) < 1e-12
    assert meter.report(1.7, 12.0, 1.0) == '' and abs(meter.factor - 1.0) < 1e-12


def test_small_differences_and_faster_runs_are_no_reason():
    """A report comes some milliseconds early or late."""
    meter = PaceMeter()
    meter.report(0.0, 0.0, 2.0)
    assert meter.report(1.96, 1.0, 2.0) == ''
    assert meter.report(9.0, 2.0, 2.0) == ''


def test_a_pause_and_another_pace_excuse_one_report():
    """Part of that second nothing ran, or something else was asked for."""
    meter = PaceMeter()
    meter.report(0.0, 0.0, 1.0)
    meter.excuse()
    assert meter.report(0.2, 1.0, 1.0) == ''
    assert meter.report(0.4, 2.0, 1.0) != ''
    assert meter.report(1.4, 3.0, 4.0) == ''
    assert meter.report(2.4, 4.0, 4.0) == 'runs at 1.00 times real time, 4 was asked for'


def test_without_an_asked_pace_the_factor_is_told_all_the_same():
    """Lockstep goes as fast as it can, or waits."""
    meter = PaceMeter()
    meter.report(0.0, 0.0, 0.0)
    assert meter.report(0.0, 1.0, 0.0) == ''
    assert meter.report(7.0, 2.0, 0.0) == '' and meter.factor == 7.0
