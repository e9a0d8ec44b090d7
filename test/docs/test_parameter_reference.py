# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The parameter reference in the docs is what the declarations say."""

from house import ROOT
import pytest
from robodyn_ros.commands.main import main
from robodyn_ros.commands.parameters import NODES, rows


def test_the_reference_is_up_to_date(capsys):
    """`robodyn parameters` prints docs/parameters.md, letter for letter."""
    assert main(['parameters']) == 0
    printed = capsys.readouterr().out
    assert (ROOT / 'docs' / 'parameters.md').read_text() == printed, \
        'run: robodyn parameters > docs/parameters.md'


@pytest.mark.parametrize('node', NODES)
def test_every_parameter_is_described(node):
    """A text that is more than a unit, and no unit for words."""
    for row in rows(node):
        assert len(row.text) > 4, row.name
        assert not (row.unit and row.kind == 'string'), row.name


def test_an_unknown_node_is_named(capsys):
    """One sentence with the nodes there are."""
    assert main(['parameters', 'dynamic']) == 2
    assert 'dynamics' in capsys.readouterr().err
