# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn check-driver` passes a good driver and names what is wrong with a broken one."""

import contextlib
import json
import os
import subprocess
import sys
import threading

import pytest
from robodyn_ros import load_robot
from robodyn_ros.commands.main import main
from robodyn_ros.nodes.driver_check.node import DriverCheck, observe, Plan
from sensor_msgs.msg import JointState
from system.driver_process import driver
from system.graph import PATIENCE

pytestmark = pytest.mark.dds
CALL = """
import argparse, sys
from robodyn_ros.commands.check_driver import add_arguments, run
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
    """A controller that still runs is found, be it late, and the arm stays with it."""
    rival = listener.node.create_publisher(JointState, 'joint_commands', 10)
    with driver():
        code, checks, _ = check(*PUSH)
    assert code == 1 and checks['other commands']['verdict'] == 'FAIL'
    assert checks['sign of effort']['verdict'] == 'not asked'
    listener.node.destroy_publisher(rival)


@contextlib.contextmanager
def hidden_rival(monkeypatch, listener):
    """Offer to send commands some times a second, of which the graph does not tell."""
    made = listener.node.create_publisher(JointState, 'joint_commands', 10)
    ended = threading.Event()

    def command():
        while not ended.wait(0.02):
            made.publish(JointState(name=['joint_1'], effort=[0.0]))

    monkeypatch.setattr(DriverCheck, 'count_publishers', lambda *_: 0)
    sender = threading.Thread(target=command)
    try:
        yield sender.start
    finally:
        ended.set()
        if sender.ident is not None:
            sender.join()
        listener.node.destroy_publisher(made)


@pytest.mark.parametrize('late', [False, True])
def test_commands_are_heard_that_the_graph_does_not_tell_of(monkeypatch, listener, late):
    """Discovery may miss a controller: its commands count, also those after the warning."""
    with driver(), hidden_rival(monkeypatch, listener) as begin:
        if not late:
            begin()
        warned = []
        seen = observe(load_robot('scara_450'), Plan(
            seconds=0.5, joint='joint_1', effort=0.5, warning=PATIENCE if late else 0.0),
            lambda: warned.append(begin() if late else None))
    assert seen.strange > 0 and seen.commanded and not seen.joint
    assert bool(warned) == late
    listener.wait(lambda: len(listener.commands) >= seen.strange)
    assert {len(message.effort) for message in listener.commands} == {1}  # nothing was pushed


@pytest.mark.parametrize('arguments, words', [
    (['scara_450', '--states-topic', 'bad topic'], "--states-topic is 'bad topic'; expected"),
    (['scara_450', '--commands-topic', ''], "--commands-topic is ''; expected a ROS name"),
    (['parallel_2dof', '--joint', 'joint_2', '--effort', '1'], 'passive in parallel_2dof'),
    (['scara_450', '--joint', 'joint_1', '--effort', '0'], '--effort is 0; expected a small'),
    (['scara_450', '--joint', 'joint_1', '--effort', 'inf'], '--effort is inf; expected a small'),
    (['scara_450', '--joint', 'joint_1', '--effort', '1e4'], 'is the most for a check')])
def test_a_mistake_is_one_sentence(capsys, arguments, words):
    """Exit code 2, before anything is listened to."""
    assert main(['check-driver', *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count('\n') == 1
