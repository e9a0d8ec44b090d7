# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is collected does not depend on the pytest plugins of a ROS 2 installation."""

import subprocess
import sys

from house import clean_environment, ROOT

EAGER = '''
import pytest


def pytest_pycollect_makemodule(module_path, parent):
    """Import the file, as launch_testing does; it skips itself."""
    pytest.skip('Pinocchio is not installed', allow_module_level=True)
'''
"""A plugin that looks at every file before pytest does."""


def test_a_file_that_skips_itself_takes_no_other_with_it(tmp_path):
    """With launch_testing's plugin, a whole folder was left out without a word."""
    (tmp_path / 'eager.py').write_text(EAGER)
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', '--collect-only', '-q',
         '-p', 'eager', 'test/tracing'], cwd=ROOT, capture_output=True, text=True, timeout=200,
        env=clean_environment(PYTHONPATH=str(tmp_path)))
    assert 'test/tracing/test_folding.py::' in done.stdout, done.stdout
