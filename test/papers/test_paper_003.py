# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Paper 003's study: every number agrees, the figures can be drawn, what fails to agree is said."""

import pytest
from robodyn_ros.papers import paper_003

pytestmark = pytest.mark.slow


@pytest.fixture(scope='module')
def told():
    """Return what the study says while it runs."""
    return []


@pytest.fixture(scope='module')
def study(told):
    """Return the study, run once."""
    return paper_003.run(told.append)


def test_every_row_holds(study):
    """Ours agrees with the reference within each row's own tolerance."""
    wrong = [row for row in study.rows if not row.holds]
    assert not wrong, '\n'.join(map(str, wrong))
    assert study.holds and study.paper == '003'


def test_rows_are_told_apart_and_carry_units(study):
    """No quantity stands twice, each ends with its unit in brackets."""
    names = [row.quantity for row in study.rows]
    assert len(set(names)) == len(names)
    assert all(name.endswith(']') and '[' in name for name in names)


def test_tolerances_are_small(study):
    """A row that compares does so to a quarter of its reference or closer, never to anything."""
    for row in study.rows:
        if not row.at_most and row.reference:
            assert row.tolerance <= 0.26 * abs(row.reference), row


def test_figures_have_labelled_axes(study):
    """Each figure draws onto an empty canvas; quantity and unit stand on every outer axis."""
    figure_module = pytest.importorskip('matplotlib.figure', reason='needs matplotlib')
    for item in study.figures:
        canvas = figure_module.Figure()
        item.draw(canvas)
        assert item.name.startswith('003_') and item.caption and canvas.axes
        for axes in canvas.axes:
            assert '[' in axes.get_ylabel(), item.name
            assert axes.lines
        assert '[' in canvas.axes[-1].get_xlabel(), item.name


def test_progress_is_told_and_remarks_are_sentences(study, told):
    """Longer work announces itself; remarks end with a full stop."""
    assert len(told) >= 3
    assert study.remarks and all(remark.endswith('.') for remark in study.remarks)


def test_friction_is_what_disturbs_the_tracking(study):
    """Errors with friction are a million times those with friction compensated."""
    value = {row.quantity: row.ours for row in study.rows}
    told = value['friction compensated, off 2 pi A t exp(-w t) [rad]']
    assert value['friction, rms error of all joints 2..5 s [rad]'] > 1e5 * told


def test_a_second_engine_judges_where_there_is_one(study):
    """With Pinocchio its rows are there; without it a remark says so."""
    rows = [row for row in study.rows if 'Pinocchio' in row.quantity]
    assert bool(rows) != any('not installed' in remark for remark in study.remarks)
