# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A launch that cannot do what it was asked leaves no process behind."""

from ament_index_python.packages import get_package_prefix
import pytest
from system import launched

pytestmark = pytest.mark.dds
handlers = launched.needed('launch.event_handlers')
LaunchService = launched.needed('launch').LaunchService


def launch(name, **arguments):
    """Run a launch file to its end; returns its code, and exit codes by executable."""
    codes = {}

    def started(event, _):
        codes[event.process_name.rpartition('-')[0]] = None

    def ended(event, _):
        codes[event.process_name.rpartition('-')[0]] = event.returncode

    launched.needed('launch.logging').reset()  # an earlier test may have led it elsewhere
    service = LaunchService()
    service.include_launch_description(launched.LaunchDescription([
        launched.actions.RegisterEventHandler(handlers.OnProcessStart(on_start=started)),
        launched.actions.RegisterEventHandler(handlers.OnProcessExit(on_exit=ended)),
        launched.launch_file(name, **arguments)]))
    return service.run(), codes


@pytest.mark.parametrize('file', ['simulation', 'view', 'hardware'])
def test_what_is_missing_is_missed_before_anything_starts(file, monkeypatch, capfd):
    """The window is looked for in a prefix that has our executables only."""
    launched.provide_executables()
    monkeypatch.setenv('AMENT_PREFIX_PATH', get_package_prefix('robodyn_ros'))
    assert launch(file, launch_rviz='True') == (1, {})
    told = ''.join(capfd.readouterr())
    assert 'rviz2 is not installed' in told and 'launch_rviz:=false' in told


def test_a_node_that_dies_at_its_start_ends_the_launch(tmp_path):
    """The others get a signal and end as usual."""
    (tmp_path / 'wrong.yaml').write_text(
        'controller:\n  ros__parameters: {natural_frequency: [-3.0]}\n')
    code, codes = launch('simulation', params_file=str(tmp_path / 'wrong.yaml'))
    assert codes == {'dynamics_node': 0, 'trajectory_node': 0, 'controller_node': 2}
    assert code == 0  # launch counts its own errors only
