# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The package's launch files under launch_testing.

Where launch is not installed, importing this skips the importing test file with one reason.
"""
import os
from pathlib import Path
import sys
import tempfile

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
from house import ROOT
import pytest
from robodyn_ros.share import share_folder

REASON = 'needs launch, launch_ros and launch_testing of a ROS 2 installation: no wheels exist'


def needed(name):
    """Import a module; 'launch.actions' and the like, as 'launch' on PyPI is something else."""
    return pytest.importorskip(name, reason=REASON)


actions, sources = needed('launch.actions'), needed('launch.launch_description_sources')
needed('launch_ros.actions')
testing, asserts = needed('launch_testing'), needed('launch_testing.asserts')
ready = needed('launch_testing.actions').ReadyToTest
LaunchDescription = needed('launch').LaunchDescription

_made = tempfile.TemporaryDirectory(prefix='robodyn_prefix_')


def provide_executables(names=('dynamics_node', 'controller_node', 'trajectory_node')):
    """Put a prefix before the others where pip, not colcon, installed: it fills bin/ alone."""
    try:
        place = Path(get_package_prefix('robodyn_ros')) / 'lib/robodyn_ros'
    except PackageNotFoundError:
        place = Path('/nowhere')
    if all((place / name).exists() for name in names):
        return
    for file in ('share/ament_index/resource_index/packages/robodyn_ros',
                 *(f'lib/robodyn_ros/{name}' for name in names)):
        path = Path(_made.name) / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!{sys.executable}\nimport sys\nfrom robodyn_ros import programs\n'
                        f'sys.exit(programs.{path.name}())\n')
        path.chmod(0o755)
    os.environ['AMENT_PREFIX_PATH'] = os.pathsep.join(
        [_made.name, os.environ.get('AMENT_PREFIX_PATH', '')])


def launch_file(name, **arguments):
    """Include a launch file of the package, without the frames: their node may be missing."""
    provide_executables()
    path = share_folder('launch') / f'{name}.launch.py'
    given = {'publish_frames': 'false', **arguments}
    return actions.IncludeLaunchDescription(
        sources.PythonLaunchDescriptionSource(str(path)), launch_arguments=given.items())


def stand_in_driver(*arguments):
    """Start the stand-in driver of test/system."""
    return actions.ExecuteProcess(
        cmd=[sys.executable, '-m', 'system.stand_in_driver', *arguments],
        cwd=str(ROOT / 'test'), output='screen')


def description(*parts):
    """Return what is launched; the tests start at once and wait on conditions themselves."""
    return LaunchDescription([*parts, ready()])
