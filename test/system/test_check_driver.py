# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn check-driver` passes a good driver and names what is wrong with a broken one."""

import json
import os
import subprocess
import sys

import pytest
from sensor_msgs.msg import JointState
from system.driver_process import driver
from system.graph import PATIENCE

pytestmark = pytest.mark.dds
CALL = """
import argparse, sys
from robodyn_ros.driver_check_command import add_arguments, run
parser = argparse.ArgumentParser()
add_arguments(parser)
sys.exit(run(parser.parse_args()))
"""
PUSH = ['--joint', 'joint_1', '--effort', '0.5', '--yes']


def check(*arguments):
    """Run the verb against whatever is on the graph; returns its exit code, checks and stderr."""
    done = subprocess.run(
        [sys.executable, '-c', CALL, 'scara_450', '--json', '--rate', '20', '--seconds', '0.5',
         *arguments], capture_output=True, text=True, timeout=PATIENCE, env=os.environ)
    assert done.stdout, done.stderr[-2000:]
    checks = {row['check']: row for row in json.loads(done.stdout)['checks']}
    return done.returncode, checks, done.stderr


@pytest.mark.parametrize('arguments, options', [
    ([], []), (['--array-commands'], ['--command-format', 'float64_multi_array',
                                      '--commands-topic', 'effort_controller/commands'])],
                         ids=['joint_state', 'float64_multi_array'])
def test_a_good_driver_passes(arguments, options):
    """Every check, with a push of one joint that is announced beforehand."""
    with driver(*arguments):
        code, checks, said = check(*PUSH, *options)
    assert code == 0, checks
    assert checks['sign of effort']['verdict'] == checks['staleness']['verdict'] == 'pass'
    assert 'joint_1' in said and '+0.5' in said


@pytest.mark.parametrize('fault, failing, options', [
    ('names', 'joint names', []), ('velocity', 'velocity', []), ('stamps', 'stamps', []),
    ('best_effort', 'quality of service', []), ('sign', 'sign of effort', PUSH),
    ('silent', 'staleness', PUSH)])
def test_a_broken_driver_is_found(fault, failing, options):
    """Exactly the check of the fault fails, and the exit code is 1."""
    with driver('--fault', fault):
        code, checks, _ = check(*options)
    failed = [name for name, row in checks.items() if row['verdict'] == 'FAIL']
    assert code == 1 and failed == [failing]


def test_without_effort_nothing_is_sent_and_a_wrong_type_is_found():
    """A driver that reads arrays does not read JointState; the sign was not asked for."""
    with driver('--array-commands'):
        code, checks, said = check()
    assert code == 1 and checks['commands are read']['verdict'] == 'FAIL'
    assert checks['sign of effort']['verdict'] == 'not asked' and 'pushed' not in said


def test_nothing_is_pushed_while_somebody_else_commands(listener):
    """A controller that still runs is found, and the arm stays with it."""
    rival = listener.node.create_publisher(JointState, 'joint_commands', 10)
    with driver():
        code, checks, said = check(*PUSH)
    assert code == 1 and checks['other commands']['verdict'] == 'FAIL'
    assert checks['sign of effort']['verdict'] == 'not asked' and '+0.5' not in said
    listener.node.destroy_publisher(rival)
