# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The package is found from every folder, also from the one the clone lies in.

There a clone named robodyn_ros looks like a package without `__init__.py`, and Python takes such a
folder unless it finds a real package on its path.
"""

import os
import subprocess
import sys

from house import clean_environment, ROOT
import pytest

USE = 'import robodyn_ros; robodyn_ros.load_robot'


@pytest.fixture
def beside_the_clone(tmp_path):
    """Return a folder with nothing but the clone in it, under the name of the package."""
    (tmp_path / 'robodyn_ros').symlink_to(ROOT, target_is_directory=True)
    (tmp_path / 'test_use.py').write_text(f'def test_use():\n    {USE}\n')
    return tmp_path


def run(folder, *command):
    """Run a command there, with the package from where it is installed."""
    env = clean_environment()
    path = env.pop('PYTHONPATH', '').split(os.pathsep)
    # PYTHONPATH may name an install space; the checkout itself would answer the question
    if kept := [entry for entry in path if entry and os.path.realpath(entry) != str(ROOT)]:
        env['PYTHONPATH'] = os.pathsep.join(kept)
    return subprocess.run(command, cwd=folder, env=env, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.mark.parametrize('command', [
    pytest.param([sys.executable, '-c', USE], id='python -c'),
    pytest.param([sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', 'test_use.py'],
                 id='python -m pytest'),
    pytest.param([sys.executable, '-m', 'robodyn_ros.commands.main', '--help'], id='python -m'),
    pytest.param(['robodyn', '--help'], id='the command'),
])
def test_beside_the_clone(beside_the_clone, command):
    """A line of Python, a test and the command find the package."""
    done = run(beside_the_clone, *command)
    assert done.returncode == 0, done.stdout


def test_the_folder_would_be_taken(beside_the_clone):
    """Without an installed package Python does take the clone's folder: the trap is a real one."""
    done = run(beside_the_clone, sys.executable, '-S', '-c', 'import robodyn_ros; print("taken")')
    assert done.stdout == 'taken\n'
