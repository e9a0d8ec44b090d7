# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The repository has the shape the papers say, and setup.py tells the truth about it."""

import ast
from pathlib import Path
import re
import runpy
from xml.etree import ElementTree

from house import files, PACKAGE, python_files, ROOT, top_level
import pytest
import setuptools

TOP_LEVEL = set("""
    package.xml setup.py setup.cfg resource
    robodyn_ros launch config urdf rviz test docs benchmarks
    README.md LICENSE CHANGELOG.rst CONTRIBUTING.md Makefile .ci .github .gitignore
""".split())
SHARED = ('launch', 'config', 'urdf', 'rviz')
VERSION = ElementTree.parse(ROOT / 'package.xml').findtext('version')


@pytest.fixture
def described(monkeypatch):
    """Return what setup.py tells setuptools."""
    told = {}
    monkeypatch.setattr(setuptools, 'setup', told.update)
    monkeypatch.chdir(ROOT)
    runpy.run_path('setup.py')
    return told


def strangers(root):
    """List what does not belong at the top of the repository."""
    return sorted(set(top_level(root)) - TOP_LEVEL)


def test_top_level():
    """Nothing lies about."""
    assert strangers(ROOT) == []


def test_a_stranger_is_found(tmp_path):
    """A new file at the top is reported, what .gitignore names is not."""
    (tmp_path / '.gitignore').write_text('/build/\n*.egg-info/\n')
    for name in ('build', 'robodyn_ros.egg-info', 'setup.py', 'notes.txt'):
        (tmp_path / name).touch()
    assert strangers(tmp_path) == ['notes.txt']


def test_version_has_one_home(described):
    """Only package.xml has the number; the changelog speaks of it or of what is to come."""
    assert described['version'] == VERSION
    assert versions_written(python_files()) == []
    changes = (ROOT / 'CHANGELOG.rst').read_text()
    newest = re.search(r'^(Forthcoming|\d+\.\d+\.\d+)', changes, re.MULTILINE).group()
    assert newest in ('Forthcoming', VERSION)


def versions_written(paths):
    """List the files that give a literal to `__version__` or to `version=`."""
    found = []
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [t.id for t in getattr(node, 'targets', []) if isinstance(t, ast.Name)]
            given = '__version__' in names or getattr(node, 'arg', None) == 'version'
            if given and isinstance(node.value, ast.Constant):
                found.append(path.name)
    return found


def test_a_second_version_is_found(tmp_path):
    """A number written out is found, one that is read is not."""
    sources = {'a.py': '__version__ = "0.1.0"', 'b.py': 'setup(version="1")',
               'c.py': '__version__ = version("x")'}
    for name, source in sources.items():
        (tmp_path / name).write_text(source)
    assert versions_written(sorted(tmp_path.iterdir())) == ['a.py', 'b.py']


def missing_scripts(scripts, root):
    """List the console scripts whose module or function is not there."""
    missing = []
    for script in scripts:
        _, module, function = re.fullmatch(r'(\w+) = ([\w.]+):(\w+)', script).groups()
        path = root / Path(*module.split('.')).with_suffix('.py')
        body = ast.parse(path.read_text()).body if path.is_file() else []
        if function not in [getattr(node, 'name', None) for node in body]:
            missing.append(script)
    return missing


def test_console_scripts(described):
    """Each command that will be installed has its function."""
    assert missing_scripts(described['entry_points']['console_scripts'], ROOT) == []


def test_a_missing_script_is_found(tmp_path):
    """No module, or no function in it."""
    (tmp_path / 'here.py').write_text('def main():\n    pass\n')
    scripts = ['a = here:main', 'b = here:run', 'c = there.too:main']
    assert missing_scripts(scripts, tmp_path) == scripts[1:]


def test_data_files(described):
    """Every file of the shared folders is installed, with the index marker and the manifest."""
    installed = dict(described['data_files'])
    assert installed['share/ament_index/resource_index/packages'] == ['resource/robodyn_ros']
    assert installed['share/robodyn_ros'] == ['package.xml']
    for folder in SHARED:
        there = [str(path.relative_to(ROOT)) for path in files('*')
                 if path.relative_to(ROOT).parts[0] == folder]
        assert installed[f'share/robodyn_ros/{folder}'] == there


def test_every_folder_is_a_package(described):
    """A folder without __init__.py would be left out of the installed package."""
    folders = {path.parent for path in python_files() if PACKAGE in path.parents}
    names = {'.'.join(folder.relative_to(ROOT).parts) for folder in folders}
    assert names == set(described['packages'])


def test_extras_are_complete(described):
    """Tests can draw, look and record, and have both engines that answers are compared with."""
    extras = described['extras_require']
    assert set(extras['view']) <= set(extras['test'])
    engines = {line for line in extras['bench'] if re.match('mujoco|pin>', line)}
    assert len(engines) == 2 and engines <= set(extras['test'])
    wheels = [w for name in ('ros', 'ros_test') for w in extras[name]]
    assert all(re.fullmatch(r'ros-jazzy-[a-z0-9-]+==[\d.]+', wheel) for wheel in wheels)
