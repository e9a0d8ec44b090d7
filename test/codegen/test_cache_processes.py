# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The cache between processes: kept, shared while building, and the same without compiler."""

import json
from pathlib import Path
import signal
import subprocess
import sys

from house import clean_environment
import pytest
import robodyn_ros
from robodyn_ros.codegen import cache
from robodyn_ros.codegen.native import MachineCode

# Prints how often compiling was announced and M, h of an arm, to the last bit.
SCRIPT = """
import json, logging, sys
told = []
class Listen(logging.Handler):
    def emit(self, record):
        told.append((record.levelname, record.getMessage()))
log = logging.getLogger('robodyn_ros')
log.addHandler(Listen()); log.setLevel(logging.INFO)
from robodyn_ros.robots.robot import load_robot
robot = load_robot('two_link')
M, h = robot.dynamics([0.3, -1.1], [0.7, 0.2])
print(json.dumps({'compiled': sum('compiling' in m for _, m in told),
                  'warnings': [m for level, m in told if level == 'WARNING'],
                  'compiler': 'robodyn_ros.codegen.compiler' in sys.modules,
                  'numbers': [x.hex() for x in [*M.ravel().tolist(), *h.tolist()]]}))
"""


def start(folder, **environment):
    """Start a Python that uses the arm; returns the process."""
    root = str(Path(robodyn_ros.__file__).resolve().parent.parent)
    env = clean_environment(ROBODYN_CACHE_DIR=str(folder), PYTHONPATH=root, **environment)
    return subprocess.Popen([sys.executable, '-c', SCRIPT], env=env, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def result(process):
    """Wait for a process and return what it printed."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


@pytest.fixture(scope='module')
def several(tmp_path_factory):
    """Four processes that want the same program in an empty folder at once."""
    folder = tmp_path_factory.mktemp('programs')
    processes = [start(folder) for _ in range(4)]
    return folder, [result(process) for process in processes]


def test_one_of_several_processes_compiles(several):
    """All get the same right numbers, without a warning; exactly one folder stays."""
    folder, found = several
    assert all(one['numbers'] == found[0]['numbers'] for one in found), found
    assert all(one['warnings'] == [] for one in found)
    assert sum(one['compiled'] for one in found) == 1
    assert len(list(folder.iterdir())) == 1, list(folder.iterdir())
    assert not list(folder.glob('.building-*'))


def test_a_new_process_finds_the_program(several):
    """Nothing is compiled again."""
    folder, (first, *_) = several
    found = result(start(folder))
    # and the compiler is not even imported, which is most of a start
    assert found == {'compiled': 0, 'warnings': [], 'compiler': False,
                     'numbers': first['numbers']}


def test_without_compiler_the_numbers_are_the_same(several, tmp_path):
    """ROBODYN_INTERPRET=1 runs the same text as Python, to the last bit, and keeps no folder."""
    _, (first, *_) = several
    plain = result(start(tmp_path / 'programs', ROBODYN_INTERPRET='1'))
    assert plain['numbers'] == first['numbers'] and plain['warnings'] == []
    assert not (tmp_path / 'programs').exists()


def test_another_processor_gives_the_same_numbers(several, tmp_path):
    """Code for a processor without fused multiply-add or wide vectors, to the last bit."""
    _, (first, *_) = several
    plain = result(start(tmp_path / 'programs', ROBODYN_CPU_NAME='generic',
                         ROBODYN_CPU_FEATURES=''))
    assert plain['numbers'] == first['numbers'] and plain['compiled'] == 1
    # and code for one processor is not taken for another's
    other = result(start(tmp_path / 'programs'))
    assert other['numbers'] == first['numbers'] and other['compiled'] == 1


HOLDING = """
import sys, time
from robodyn_ros.codegen import cache
cache.load(sys.argv[1], lambda: print('holds', flush=True) or time.sleep(600))
"""


@pytest.mark.parametrize('ends', [True, False], ids=['killed', 'stopped'])
def test_a_process_that_stops_when_it_compiles_holds_nobody_up(ends, tmp_path, monkeypatch):
    """Killed, its lock goes with it; stopped, it is waited for so long and no longer."""
    holder = subprocess.Popen(
        [sys.executable, '-c', HOLDING, 'a program'], text=True, stdout=subprocess.PIPE,
        env=clean_environment(ROBODYN_CACHE_DIR=str(tmp_path / 'programs'), PYTHONPATH=str(
            Path(robodyn_ros.__file__).resolve().parent.parent)))
    try:
        assert holder.stdout.readline() == 'holds\n'
        holder.send_signal(signal.SIGKILL if ends else signal.SIGSTOP)
        if ends:
            holder.wait()
        monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path / 'programs'))
        monkeypatch.setattr(cache, 'WAITING', 600.0 if ends else 0.3)
        code, told = MachineCode((('f', 'p.f'),), (b'p.f',)), []
        assert cache.load('a program', lambda: told.append(1) or code) == code and told == [1]
        assert cache.load('a program', lambda: pytest.fail('is there')) == code
        assert bool(list((tmp_path / 'programs').glob('*.lock'))) is not ends  # still its own
    finally:
        holder.kill()
        holder.communicate()


TWO = """
from robodyn_ros.robots.robot import load_robot
for name in ('two_link', 'scara_450', 'irb120'):
    robot = load_robot(name)
    q = [0.1 * (k + 1) for k in range(robot.n)]
    print([x.hex() for x in robot.forward_dynamics(q, q, q).tolist()])
"""


def test_programs_of_one_process_share_no_symbol(tmp_path):
    """Loaded one after another from the cache, each keeps its own kernel (regression)."""
    root = str(Path(robodyn_ros.__file__).resolve().parent.parent)
    env = clean_environment(ROBODYN_CACHE_DIR=str(tmp_path), PYTHONPATH=root)
    first, second = (subprocess.run([sys.executable, '-c', TWO], env=env, text=True, check=True,
                                    capture_output=True).stdout for _ in range(2))
    assert first == second and first.count('\n') == 3
