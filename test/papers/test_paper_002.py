# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Paper 002's study: every number agrees, the figures can be drawn, what fails to agree is said."""

import pytest
from robodyn_ros.papers import paper_002

pytestmark = pytest.mark.slow


@pytest.fixture(scope='module')
def told():
    """Return what the study says while it runs."""
    return []


@pytest.fixture(scope='module')
def study(told):
    """Return the study, run once."""
    return paper_002.run(told.append)


def test_every_row_holds(study):
    """Ours agrees with the reference within each row's own tolerance."""
    wrong = [row for row in study.rows if not row.holds]
    assert not wrong, '\n'.join(map(str, wrong))
    assert study.holds and study.paper == '002'


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
        assert item.name.startswith('002_') and item.caption and canvas.axes
        for axes in canvas.axes:
            assert '[' in axes.get_ylabel(), item.name
            assert axes.lines
        assert '[' in canvas.axes[-1].get_xlabel(), item.name


def test_progress_is_told_and_remarks_are_sentences(study, told):
    """Longer work announces itself; remarks end with a full stop."""
    assert len(told) >= 3
    assert study.remarks and all(remark.endswith('.') for remark in study.remarks)


def test_what_the_paper_claims_and_does_not_hold_is_said(study):
    """Passive torques are not near zero in the plain equation; periods are not halved."""
    remarks = ' '.join(study.remarks)
    assert 'passive joints are close to zero' in remarks and 'half the period' in remarks
    ratio, = (row.ours for row in study.rows if 'passive over active' in row.quantity)
    assert ratio > 0.2
