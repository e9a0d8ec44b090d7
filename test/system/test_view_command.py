# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn view` begins or says why not, and ends on a signal, whatever it is doing."""

from importlib.util import find_spec
import signal
import subprocess
import sys

import pytest
from system.graph import PATIENCE

pytestmark = [pytest.mark.dds, pytest.mark.skipif(
    find_spec('viser') is None, reason='the extra "view" is not installed')]
VIEW = [sys.executable, '-m', 'robodyn_ros.commands.main', 'view']
STUCK = """
import sys, time
from robodyn_ros.nodes.common.process import run_node
def make():
    print('the page is being made', file=sys.stderr, flush=True)
    time.sleep(1e6)
sys.exit(run_node(make, []))
"""


@pytest.mark.parametrize('arguments, words', [
    (['--host', 'nowhere.invalid', '--port', '0'], "cannot be served on host 'nowhere.invalid'"),
    (['--host', '192.0.2.1'], "cannot be served on host '192.0.2.1', port 8080 (Cannot assign"),
    (['--host', ''], "cannot be served on host ''"),
    (['--namespace', 'bad name'], "--namespace is 'bad name'; expected a ROS name such as"),
    (['--port', '70000'], '--port is 70000; expected 0')])
def test_a_mistake_is_one_sentence(arguments, words):
    """Exit code 2 and no riddle of rcl."""
    done = subprocess.run([*VIEW, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and done.stderr.startswith('robodyn: ') and words in done.stderr
    assert done.stderr.count('\n') == 1


HEAVY = """<robot name="heavy"><link name="base"/><link name="arm"><inertial>
<origin xyz="1 0 0"/><mass value="1000"/><inertia ixx="0" iyy="-9000" izz="0"/></inertial></link>
<joint name="lift" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-0.1" upper="0.1" effort="1" velocity="1"/></joint></robot>"""


def test_a_robot_whose_masses_make_no_sense_is_shown(tmp_path):
    """Nothing can hold or simulate it; its joints move all the same."""
    (tmp_path / 'heavy.urdf').write_text(HEAVY)
    with subprocess.Popen([*VIEW, str(tmp_path / 'heavy.urdf'), '--port', '0'],
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            told = []
            for line in process.stderr:
                told.append(line)
                if 'the page is' in line:
                    break
            assert 'effort limits are ignored' in ''.join(told)
            assert 'no mass, or a negative one' in ''.join(told)
            assert 'Traceback' not in ''.join(told)
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


@pytest.mark.parametrize('command', [[*VIEW, '--port', '0'], [sys.executable, '-c', STUCK]],
                         ids=['serving', 'starting'])
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(command, number):
    """While it serves, and while it is still being made."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert any('the page is' in line for line in process.stderr)
            process.send_signal(number)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
