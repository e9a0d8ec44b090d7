# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What setup.py tells about the package is true, and the version has one home."""

import ast
from pathlib import Path
import re
from xml.etree import ElementTree

from house import files, PACKAGE, python_files, ROOT, setup_arguments
import pytest

SHARED = ('launch', 'config', 'urdf', 'rviz')
VERSION = ElementTree.parse(ROOT / 'package.xml').findtext('version')


@pytest.fixture(scope='module')
def described():
    """Return what setup.py tells setuptools."""
    return setup_arguments()


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
            if given and isinstance(getattr(node, 'value', None), ast.Constant):
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


@pytest.mark.parametrize('extra', ['ros', 'ros_test'])
def test_the_wheels_of_both_distributions_are_the_same_packages(described, extra):
    """Each is pinned, and what Jazzy has Kilted has too."""
    packages = []
    for distribution, name in [('jazzy', extra), ('kilted', f'{extra}_kilted')]:
        pinned = [wheel.partition('==') for wheel in described['extras_require'][name]]
        assert all(version for _, _, version in pinned)
        packages.append([name.replace(f'ros-{distribution}-', 'ros-') for name, _, _ in pinned])
    assert packages[0] == packages[1]


def test_extras_contain_one_another(described):
    """What `make nodes` installed serves `make test`, and both can show a run as `make demo`."""
    extras = {name: set(lines) for name, lines in described['extras_require'].items()}
    assert extras['view'] < extras['node_test'] < extras['test']
