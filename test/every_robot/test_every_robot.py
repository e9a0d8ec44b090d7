# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Every robot of example-robot-data that has a base to stand on runs as it is: make robots."""

import json
import subprocess
import sys

import pytest
from robodyn_ros.robots.mass_check import mass_report
from robodyn_ros.robots.robot import load_robot
from robots.public import public_urdfs

pytestmark = [pytest.mark.every_robot, pytest.mark.dds]
LEGGED_OR_FLYING = (
    'a1', 'alex', 'anymal', 'b1', 'bolt', 'borinot', 'centauro', 'g1', 'go1', 'go2', 'hector',
    'hextilt', 'human', 'hyq', 'icub', 'iris', 'laikago', 'pr2', 'quadruped', 'romeo', 'simple_',
    'solo', 'talos_full', 'talos_reduced', 'tiago')
"""Beginnings of files and folders of robots whose base is not fixed."""


def arms():
    """Return the files of robots with a fixed base that can be simulated."""
    found = []
    for path in public_urdfs():
        if any(part.startswith(LEGGED_OR_FLYING) for part in (path.name, path.parts[-3])) \
                and path.name != 'talos_left_arm.urdf' or path.name == 'ur3.urdf':
            continue
        found.append(path)
    return found


@pytest.mark.parametrize('path', arms(), ids=lambda path: path.stem)
def test_it_runs_as_it_is(path):
    """In lockstep, to the last bit as simulated, within its tolerance."""
    robot = load_robot(path)
    if not robot.n or not mass_report(robot).sound:
        pytest.skip(f'{path.name} has no mass matrix to simulate with')
    done = subprocess.run([sys.executable, '-m', 'robodyn_ros.commands.main', '--quiet', 'run',
                           str(path), '--fast', '--duration', '1', '--json'],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts['healthy'] and facts['difference_from_simulate'] == 0.0
