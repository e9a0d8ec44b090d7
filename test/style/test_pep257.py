# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The docstrings pass ament_pep257 as ROS runs it."""

import logging

from house import python_files
import pytest

ament_pep257 = pytest.importorskip('ament_pep257.main', reason='ament_pep257 is not installed')
ament_pep257.log.setLevel(logging.WARNING)      # it names every file it reads


def test_docstrings(capsys):
    """No complaint about any Python file."""
    ament_pep257.main(argv=list(map(str, python_files())))
    assert capsys.readouterr().err == ''
