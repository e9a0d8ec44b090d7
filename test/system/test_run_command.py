# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn run`: the nodes in one process do what simulate() does, and say how it went."""

import json
import os
import subprocess
import sys

import pytest
from robodyn_ros.scenario import scenario_names

pytestmark = pytest.mark.dds
SAME = 1e-9
"""Largest difference of a joint position from simulate() in lockstep, as the design promises."""


def robodyn(*arguments):
    """Run the command in a process of its own."""
    return subprocess.run([sys.executable, '-m', 'robodyn_ros.cli', '--quiet', *arguments],
                          capture_output=True, text=True, timeout=300, env=os.environ)


@pytest.mark.parametrize('scenario', scenario_names())
def test_every_scenario_repeats_simulate_in_lockstep(scenario):
    """Half a second of each: healthy, exit code 0, and the positions of simulate()."""
    done = robodyn('run', scenario, '--fast', '--duration', '0.5', '--json')
    assert done.returncode == 0, done.stderr[-2000:]
    facts = json.loads(done.stdout)
    assert facts['healthy'] and facts['simulated_s'] == pytest.approx(0.5)
    assert facts['difference_from_simulate'] < SAME


def test_a_run_outside_its_tolerance_is_not_healthy():
    """The exit code tells: a payload the controller does not know, and a tight tolerance."""
    done = robodyn('run', 'scara_via_points', '--fast', '--duration', '0.3', '--json',
                   '--set', 'controller.kind=computed_torque', '--set', 'tolerance=1e-6')
    assert done.returncode == 1 and not json.loads(done.stdout)['healthy']


def test_paced_by_the_wall_clock_it_follows_too():
    """Free mode, at half of real time: within the scenario's tolerance."""
    done = robodyn('run', 'scara_helix', '--duration', '1', '--rate', '0.5', '--json')
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)['simulated_s'] == pytest.approx(1.0)


@pytest.mark.parametrize('arguments, words', [
    (['nonsense'], 'unknown scenario'), (['scara_helix', '--rate', '-1'], '--rate is -1.0'),
    (['scara_helix', '--set', 'dynamics.payload.mass=heavy'], 'expected a finite number')])
def test_a_mistake_is_one_sentence(arguments, words):
    """No traceback, exit code 2."""
    done = robodyn('run', *arguments)
    assert done.returncode == 2 and words in done.stderr and 'Traceback' not in done.stderr
