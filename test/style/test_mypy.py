# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The types of package and benchmarks fit together (mypy, configured in setup.cfg)."""

from house import PACKAGE, ROOT
import pytest

api = pytest.importorskip('mypy.api', reason='mypy is not installed')


@pytest.mark.parametrize('folder', [PACKAGE.name, 'benchmarks'])
def test_types(folder, monkeypatch):
    """No complaint about any file of the folder."""
    monkeypatch.chdir(ROOT)     # for short names in the complaints, and one cache
    said, trouble, code = api.run(['--config-file', 'setup.cfg', folder])
    assert code == 0, said + trouble
