# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The sources pass ament_flake8 as ROS runs it: 99 columns, single quotes, import order."""

from house import python_files
import pytest

ament_flake8 = pytest.importorskip('ament_flake8.main', reason='ament_flake8 is not installed')


def test_sources(tmp_path, monkeypatch):
    """No complaint about any Python file."""
    monkeypatch.chdir(tmp_path)     # it walks all of the current folder, and .venv is in ours
    code, complaints = ament_flake8.main_with_errors(argv=list(map(str, python_files())))
    assert code == 0, '\n'.join(complaints)
