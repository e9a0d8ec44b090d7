# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Every process that runs tests has a DDS domain of its own and stays on this host.

Two sessions at once on one machine, or two workers of one session (pytest-xdist), then do not hear
each other (test/ground/test_isolation.py). A ROS_DOMAIN_ID that is already set is respected by a
session of one process. Tests that talk over DDS carry the mark `dds`.
"""

import contextlib
from importlib.util import find_spec
import os
from pathlib import Path
import sys

import pytest

# before numpy is imported, here and in processes that are started; as programs.py does
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
_session = contextlib.ExitStack()
_tiny, _one = 5e-324, 1.0


def pytest_configure(config):
    """Reserve a domain for as long as the process lasts, before anything imports rclpy."""
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # A venv with the ROS wheels is an ament prefix, but nothing says so by itself.
    if (Path(sys.prefix) / 'share' / 'ament_index').is_dir():
        os.environ.setdefault('AMENT_PREFIX_PATH', sys.prefix)
    if workers_of(config):
        return      # it runs no test itself, and its workers would inherit its domain
    alone = getattr(config, 'workerinput', {}).get('workercount', 1) == 1
    if alone and 'ROS_DOMAIN_ID' in os.environ:
        return
    os.environ.pop('ROS_DOMAIN_ID', None)
    if find_spec('domain_coordinator'):
        from domain_coordinator import domain_id
        os.environ['ROS_DOMAIN_ID'] = str(_session.enter_context(domain_id()))
        _session.callback(os.environ.pop, 'ROS_DOMAIN_ID')


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path, parent):
    """
    Keep launch_testing's plugin away from all files but the launch tests.

    It imports each file before pytest collects it; one that skips itself, for want of Pinocchio
    for instance, would then take its whole folder with it (with pytest 7 all folders).
    """
    if module_path.name == '__init__.py' or module_path.parent.name == 'launch' and _can_launch():
        return None
    return pytest.Module.from_parent(parent, path=module_path)


def _can_launch():
    """Tell if launch tests can be imported."""
    try:
        import system.launched  # noqa: F401
    except pytest.skip.Exception:
        return False
    return True


def workers_of(config):
    """Count the worker processes of pytest-xdist, none in a worker itself."""
    return 0 if hasattr(config, 'workerinput') else config.getoption('numprocesses', None) or 0


def pytest_unconfigure():
    """Give the domain back."""
    _session.close()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    """Blame the test that loads what is linked with -ffast-math, not one that suffers from it."""
    if _tiny * _one == 0.0:
        pytest.fail(f'since {item.nodeid}, or an earlier test, this process flushes subnormal '
                    'numbers to zero: load such a library in another process', pytrace=False)


def pytest_report_header(config):
    """Name the domain, to find the session with the ros2 tools."""
    if workers_of(config):
        return 'ROS_DOMAIN_ID: one for each worker'
    return f'ROS_DOMAIN_ID: {os.environ.get("ROS_DOMAIN_ID", "none, DDS tests are skipped")}'


def pytest_collection_modifyitems(config, items):
    """Skip what needs DDS where it is not to be had; give workers the long files first."""
    reason = None
    if not find_spec('rclpy'):
        reason = 'needs ROS 2 (rclpy): source one, or install the extra ros'
    elif 'ROS_DOMAIN_ID' not in os.environ:
        reason = 'needs domain_coordinator, or a ROS_DOMAIN_ID, to be alone on the network'
    if reason:
        for item in items:
            if item.get_closest_marker('dds'):
                item.add_marker(pytest.mark.skip(reason=reason))
    if config.pluginmanager.hasplugin('rerunfailures'):
        # nodes at 1 kHz hold the arm when the machine stalls, as they should; then look again
        for item in items:
            if item.get_closest_marker('dds'):
                item.add_marker(pytest.mark.flaky(reruns=2))
    if hasattr(config, 'workerinput'):
        long = {item.path for mark in ('dds', 'slow') for item in items
                if item.get_closest_marker(mark)}
        items.sort(key=lambda item: item.path not in long)      # else one worker ends much later
