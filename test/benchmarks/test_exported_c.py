# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of exported C: every function has our bits, and its table a row for each."""

import shutil

from benchmarks import export
from benchmarks.page import page_of
from benchmarks.progress import ProgressBars
from benchmarks.sizes import QUICK
import pytest


@pytest.mark.skipif(shutil.which('gcc') is None, reason='there is no gcc')
def test_exported_functions_are_compared(monkeypatch):
    """An inverse dynamics, beside CasADi where it is installed, and a plant step."""
    monkeypatch.setattr(export, 'FUNCTIONS', export.FUNCTIONS[:1])
    monkeypatch.setattr(export, 'STEPS', ('two_link_line',))
    found = export.measure(QUICK.reduced(2, 50), ProgressBars())
    first, second = found
    assert first['us'] > 0.0 and first['worst_us'] >= first['most_us'] > 0.0
    assert 'ratio' in first['casadi'] or 'not installed' in first['casadi']['cannot']
    assert first['file_kB'] < 150.0 and second['over_ours'] > 0.0
    assert sum(line.startswith('| ') for line in export.lines_of(found)) >= 5
    part = {'machine': {'packages': {}, **dict.fromkeys(
        ('processor', 'cores', 'memory_GB', 'system', 'python', 'compiler', 'sources'), 'x')},
        'date': 'now', 'load': 0.0, 'effort': 'quick', 'found': found}
    assert '## Exported C' in page_of({'parts': {'export': part}})


def test_without_a_compiler_there_is_a_sentence(monkeypatch):
    """And no error."""
    monkeypatch.setattr(shutil, 'which', lambda name: None)
    found = export.measure(QUICK, ProgressBars())
    assert export.lines_of(found) == ['Not measured: there is no C compiler.']
