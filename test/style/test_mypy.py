# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The types of the package fit together (mypy, configured in setup.cfg)."""

from house import PACKAGE, ROOT
import pytest

api = pytest.importorskip('mypy.api', reason='mypy is not installed')
CONFIGURED = ['--config-file', str(ROOT / 'setup.cfg')]


def test_package(monkeypatch):
    """No complaint about the package and its benchmarks."""
    monkeypatch.chdir(ROOT)     # for short names in the complaints, and one cache
    said, trouble, code = api.run([*CONFIGURED, str(PACKAGE), str(ROOT / 'benchmarks')])
    assert code == 0, said + trouble


@pytest.mark.parametrize('source', [
    'def f():\n    return 1 + "one"\n',
    'def f(x: int = None) -> None:\n    pass\n',
])
def test_a_breach_is_found(tmp_path, monkeypatch, source):
    """A function without types is looked into, and None is not an int."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'bad.py').write_text(source)
    said, _, code = api.run([*CONFIGURED, 'bad.py'])
    assert code == 1, said
