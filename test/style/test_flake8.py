# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The sources pass ament_flake8 as ROS runs it: 99 columns, single quotes, import order."""

from house import python_files
import pytest

ament_flake8 = pytest.importorskip('ament_flake8.main', reason='ament_flake8 is not installed')


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Leave the repository: ament_flake8 walks all of the current folder, and .venv is in it."""
    monkeypatch.chdir(tmp_path)


def test_sources():
    """No complaint about any Python file."""
    code, complaints = ament_flake8.main_with_errors(argv=list(map(str, python_files())))
    assert code == 0, '\n'.join(complaints)


@pytest.mark.parametrize('code, source', [
    ('E501', f'x = 1  # {"long " * 20}\n'),
    ('F401', 'import os\n'),
    ('Q000', 'x = "double"\n'),
    ('I100', 'import sys\nimport os\n\nprint(os, sys)\n'),
    ('A001', 'input = 1\n'),
    ('C408', 'x = dict()\n'),
    ('B901', 'try:\n    x = 1\nexcept:\n    x = 2\n'),
    ('D400', 'def f():\n    """No full stop"""\n'),
    ('CNL100', 'class A:\n    x = 1\n    def f(self):\n        pass\n'),
])
def test_plugins_are_awake(tmp_path, code, source):
    """Each plug-in finds its breach; one that is missing would find nothing, in silence."""
    bad = tmp_path / 'bad.py'
    bad.write_text(source)
    _, complaints = ament_flake8.main_with_errors(argv=[str(bad)])
    assert any(code in complaint for complaint in complaints), complaints
