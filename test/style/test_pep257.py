# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The docstrings pass ament_pep257 as ROS runs it."""

import logging

from house import python_files
import pytest

ament_pep257 = pytest.importorskip('ament_pep257.main', reason='ament_pep257 is not installed')
ament_pep257.log.setLevel(logging.WARNING)      # it names every file it reads


def complaints(paths, capsys):
    """Run the linter and return its complaints, one line each."""
    ament_pep257.main(argv=list(map(str, paths)))
    return capsys.readouterr().err.splitlines()


def test_docstrings(capsys):
    """No complaint about any Python file."""
    found = complaints(python_files(), capsys)
    assert not found, '\n'.join(found)


def test_a_breach_is_found(tmp_path, capsys):
    """A docstring without a full stop fails."""
    bad = tmp_path / 'bad.py'
    bad.write_text('def f():\n    """No full stop"""\n')
    assert 'D400' in complaints([bad], capsys)[0]
