# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Where things are in this repository, for the tests that look after it."""

import fnmatch
import os
from pathlib import Path
import runpy
import sys
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / 'robodyn_ros'


def ignored(name, root=ROOT):
    """Tell if .gitignore counts a file or folder of this name as generated."""
    patterns = [line.strip().strip('/') for line in (root / '.gitignore').read_text().splitlines()]
    return any(fnmatch.fnmatch(name, p) for p in patterns if p and not p.startswith('#'))


def top_level(root=ROOT):
    """List the names at the top of the repository which are nobody's by-product."""
    return sorted(p.name for p in root.iterdir() if p.name != '.git' and not ignored(p.name))


def files(*patterns, root=ROOT):
    """List the files of the repository that match one of the patterns, generated ones left out."""
    found = []
    for name in top_level(root):
        top = root / name
        for path in [top] if top.is_file() else sorted(top.rglob('*')):
            parts = path.relative_to(root).parts
            if path.is_file() and not any(ignored(part, root) for part in parts):
                if any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns):
                    found.append(path)
    return found


def python_files(root=ROOT):
    """List every Python source of the repository."""
    return files('*.py', root=root)


def setup_arguments():
    """Return what setup.py tells setuptools."""
    here = os.getcwd()
    os.chdir(ROOT)
    try:
        with mock.patch('setuptools.setup') as setup:
            runpy.run_path('setup.py')
    finally:
        os.chdir(here)
    return setup.call_args.kwargs


def clean_environment(**changes):
    """
    Copy the environment without what this Python, or a make around it, left for its children.

    The ROS wheels start Python twice and leave a library path and a mark, which must not reach
    the Python of another environment.
    """
    left = {'MAKEFLAGS', 'MAKELEVEL', 'MFLAGS'}
    if '_ROS_WHEELS_BOOTSTRAP_COMPLETE' in os.environ:
        left |= {'_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'LD_LIBRARY_PATH'}
    env = {name: value for name, value in os.environ.items() if name not in left}
    env['PATH'] = os.pathsep.join([str(Path(sys.executable).parent), env.get('PATH', os.defpath)])
    env.update(changes)
    return env
