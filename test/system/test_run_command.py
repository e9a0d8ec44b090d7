# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn run`: the nodes in one process do what simulate() does, and say how it went."""

import argparse
import json
import os
import subprocess
import sys

import pytest
from robodyn_ros import load_robot
from robodyn_ros.commands.run import add_arguments, rewritten
from robodyn_ros.scenario.loading import scenario_names

pytestmark = pytest.mark.dds


def robodyn(*arguments):
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, '-m', 'robodyn_ros.commands.main', '--quiet', *arguments],
        capture_output=True, text=True, timeout=300, env=os.environ)


@pytest.mark.parametrize('scenario', scenario_names())
def test_every_scenario_repeats_simulate_in_lockstep(scenario):
    """Half a second of each: healthy, exit code 0, and the positions of simulate()."""
    done = robodyn('run', scenario, '--fast', '--duration', '0.5', '--json')
    assert done.returncode == 0, done.stderr[-2000:]
    facts = json.loads(done.stdout)
    assert facts['healthy'] and facts['simulated_s'] == pytest.approx(0.5)
    assert facts['difference_from_simulate'] == 0.0


OWN = """
from robodyn_ros import Control
from robodyn_ros.tracing import sin

def strong(robot, settings) -> Control:
    def law(t, q, v, reference, values):
        return [1e4 * sin(3.0 * t) - 2.0 * x - w for x, w in zip(q, v)]
    return Control(law, 0, {})
"""
ALONE = """
/**:
  ros__parameters: {robot: two_link, duration: 0.4}
dynamics:
  ros__parameters: {step: 0.0005}
controller:
  ros__parameters: {kind: 'own_law:strong', period: 0.002}
"""


def test_a_law_without_a_trajectory_runs_to_its_end_with_limited_efforts(tmp_path):
    """Its time is simulate()'s, its torques are cut to the motors' as simulate() cuts them."""
    (tmp_path / 'own_law.py').write_text(OWN)
    (tmp_path / 'alone.yaml').write_text(ALONE)
    scenario = str(tmp_path / 'alone.yaml')
    done = robodyn('run', scenario, '--fast', '--json', '--set', 'trajectory.ignore_limits=true')
    assert done.returncode == 0, done.stderr[-2000:]
    facts = json.loads(done.stdout)
    assert facts['difference_from_simulate'] == 0.0 and facts['simulated_s'] == pytest.approx(0.4)
    told = json.loads(robodyn('simulate', scenario, '--json').stdout)
    limits = load_robot('two_link').limits.effort
    assert told['torque_max'] == limits.tolist()
    assert {one['joint'] for one in told['effort_limited']} == {'joint_1', 'joint_2'}


ARM = """<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:arg name="prefix" default=""/><link name="base"/><link name="$(arg prefix)arm"><inertial>
<mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<joint name="$(arg prefix)joint" type="continuous"><parent link="base"/>
<child link="$(arg prefix)arm"/></joint></robot>"""


def test_arguments_of_a_xacro_file_are_no_rules_for_ros(tmp_path):
    """prefix:=left_ looks like a remapping of a topic, which it must not become."""
    (tmp_path / 'arm.xacro').write_text(ARM)
    done = robodyn('run', str(tmp_path / 'arm.xacro'), '--xacro', 'prefix:=left_', '--fast',
                   '--duration', '0.1', '--json')
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)['healthy'] and 'remap' not in done.stderr


def test_a_trajectory_that_is_refused_ends_the_run_with_its_reason():
    """Nothing hangs: a start too far from the arm is refused by simulate and by the nodes."""
    done = robodyn('run', 'scara_helix', '--fast', '--set',
                   'dynamics.initial_position=[0.0,0.0,0.0,0.0]')
    assert done.returncode == 2 and 'controller.start_tolerance' in done.stderr


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
    (['scara_helix', '--rate', '1e9'], '--rate is 1000000000.0; expected 0.001 .. 1000'),
    (['scara_helix', '--rate', '0.0005'], '--rate is 0.0005; expected 0.001 .. 1000'),
    (['scara_helix', '--rate', '2', '--fast'], 'give one or the other'),
    (['scara_helix', '--record', ''], "--record is ''; expected the name of a file"),
    (['scara_helix', '--fast', '--duration', '0.0005'], '--duration is 0.0005 s; expected 0.001'),
    (['scara_helix', '--port', '8081'], '--port is 8081, but there is no page; give --view too'),
    (['scara_helix', '--view', '70000'], '--port is 70000; expected 0'),
    (['--view', 'scara_helixx'], "unknown scenario 'scara_helixx'"),
    (['scara_helix', '--set', 'dynamics.payload.mass=heavy'], 'expected a finite number')])
def test_a_mistake_is_one_sentence(arguments, words):
    """No traceback, exit code 2."""
    done = robodyn('run', *arguments)
    assert done.returncode == 2 and words in done.stderr and 'Traceback' not in done.stderr


@pytest.mark.parametrize('words, port', [
    ('--fast --view scara_helix', None), ('--view scara_helix --fast', None),
    ('scara_helix --view', None), ('scara_helix --view 8081', 8081),
    ('--view 8081 scara_helix', 8081), ('--view=8081 scara_helix', 8081),
    ('--view --port 8081 scara_helix', 8081)])
def test_view_takes_a_port_and_leaves_the_scenario(words, port):
    """The name of a scenario after --view is no port."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    read = parser.parse_args(rewritten(words.split()))
    assert (read.scenario, read.view, read.port) == ('scara_helix', True, port)


def test_the_bounds_of_the_rate_are_in_the_help():
    """Before anybody has to find them out."""
    assert '0.001 .. 1000' in ' '.join(robodyn('run', '--help').stdout.split())
