# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The ROS way: colcon builds the package and tests it, in a workspace of its own."""

import re
import shutil
import subprocess

from house import clean_environment, ROOT, top_level
import pytest

pytest.importorskip('colcon_core', reason='colcon is not installed')
pytest.importorskip('colcon_ros', reason='colcon-ros is not installed')
pytestmark = pytest.mark.slow

EXECUTABLES = ['controller_node', 'dynamics_node', 'recorder_node', 'robodyn', 'trajectory_node',
               'viewer_node']


class Workspace:
    """A colcon workspace with a copy of this package in src/."""

    def __init__(self, path):
        """Copy what a clone would hold."""
        self.path = path
        source = path / 'src' / 'robodyn_ros'
        source.mkdir(parents=True)
        for name in top_level():
            if (ROOT / name).is_dir():
                leave = shutil.ignore_patterns('__pycache__')
                shutil.copytree(ROOT / name, source / name, ignore=leave)
            else:
                shutil.copy(ROOT / name, source)
        self.install = path / 'install' / 'robodyn_ros'

    def run(self, *command):
        """Run a command in the workspace; return what it printed."""
        done = subprocess.run(command, cwd=self.path, env=clean_environment(), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope='module')
def built(tmp_path_factory):
    """Return a workspace after `colcon build`."""
    workspace = Workspace(tmp_path_factory.mktemp('workspace'))
    said = workspace.run('colcon', 'build', '--packages-select', 'robodyn_ros')
    assert '1 package finished' in said, said
    return workspace


def test_it_is_an_ament_python_package(built):
    """Only then colcon writes this hook; with a broken manifest it would take plain Python."""
    assert (built.install / 'share/robodyn_ros/hook/ament_prefix_path.sh').is_file()


def test_executables_are_where_ros2_run_looks(built):
    """In lib/<package>."""
    folder = built.install / 'lib' / 'robodyn_ros'
    assert sorted(path.name for path in folder.iterdir()) == EXECUTABLES


def test_share_files_are_installed(built):
    """The mark in the ament index, the manifest, and every file of the shared folders."""
    share = built.install / 'share'
    assert (share / 'ament_index/resource_index/packages/robodyn_ros').is_file()
    assert (share / 'robodyn_ros/package.xml').is_file()
    for folder in ('launch', 'config', 'urdf', 'rviz'):
        sources = sorted(path.name for path in (ROOT / folder).glob('*.*'))
        installed = sorted(path.name for path in (share / 'robodyn_ros' / folder).glob('*.*'))
        assert installed == sources


def test_the_built_command_runs(built):
    """From the install space, with the package of the install space."""
    setup = f'. {built.path}/install/local_setup.sh'
    where = 'python -c "import robodyn_ros; print(robodyn_ros.__file__)"'
    assert str(built.install) in built.run('sh', '-c', f'{setup} && {where}')
    said = built.run('sh', '-c', f'{setup} && {built.install}/lib/robodyn_ros/robodyn --help')
    assert 'robodyn' in said


def test_colcon_test(built):
    """It finds pytest and passes; one file stands for the rest, which is running right now."""
    built.run('colcon', 'test', '--packages-select', 'robodyn_ros', '--event-handlers',
              'console_direct+', '--return-code-on-test-failure',
              '--pytest-args', 'test/style/test_xml.py')
    summary = built.run('colcon', 'test-result', '--all').splitlines()[-1]
    tests, errors, failures, *_ = map(int, re.findall(r'\d+', summary))
    assert summary.startswith('Summary:') and tests > 5 and not errors + failures, summary
