# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends every program with 0 or 130 and without a traceback, whatever it is doing."""

from concurrent.futures import ThreadPoolExecutor
import contextlib
import os
from pathlib import Path
import random
import signal
import subprocess
import sys
import time

from house import ROOT
import pytest
from robodyn_ros import interruption
from robodyn_ros.interruption import INTERRUPTION
from system.graph import PATIENCE

pytestmark = [pytest.mark.dds, pytest.mark.skipif(
    not Path('/proc/self/status').exists(), reason='asks Linux which signals a process takes')]
SCENARIO = ['--ros-args', '-p', 'scenario:=scara_helix']
PYTHON = sys.executable
PROGRAMS = {
    **{name: [PYTHON, '-m', f'robodyn_ros.nodes.{name}.node', *SCENARIO]
       for name in ('dynamics', 'controller', 'trajectory')},
    'recorder': [PYTHON, '-m', 'robodyn_ros.nodes.recorder.node'],
    **{f'robodyn {words}': [PYTHON, '-m', 'robodyn_ros.commands.main', *words.split()]
       for words in ('run scara_helix', 'run scara_helix --record run.mcap', 'view --port 0',
                     'simulate scara_helix', 'check-driver scara_450')},
    # as setuptools writes a console script
    **{f'{name} installed': [PYTHON, '-c', f'import sys\nfrom robodyn_ros.programs import {name}\n'
                             f'sys.exit({name}())', *arguments]
       for name, arguments in (('dynamics_node', SCENARIO),
                               ('robodyn', ['reproduce', '000', '--output', 'study']))},
}
LONGEST_DELAY = 3.0
"""Imports, compilation and the first second of the run come within it [s]."""
LOST_IN_C = """
import ctypes, sys, time
from robodyn_ros import interruption
from robodyn_ros.interruption import INTERRUPTION
@ctypes.CFUNCTYPE(None)
def called_by_c():
    print('here', file=sys.stderr, flush=True)
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        time.sleep(0.01)
try:
    with INTERRUPTION.heard():
        called_by_c()
        time.sleep(60.0)
        print('never', file=sys.stderr)
except KeyboardInterrupt:
    print('ended', file=sys.stderr)
"""

BETWEEN_IMPORTS = """
import signal, sys, time
from robodyn_ros import interruption
interruption.begin(7)
print('here', file=sys.stderr, flush=True)
while not signal.sigpending():
    time.sleep(0.01)
import wave
print('never', file=sys.stderr, flush=True)
"""


def takes_signals(process):
    """Return whether the program has begun: from then on SIGTERM waits, or has a handler."""
    try:
        lines = Path(f'/proc/{process.pid}/status').read_text().splitlines()
    except OSError:
        return True
    masks = dict(line.split(':', 1) for line in lines if line.startswith(('SigBlk', 'SigCgt')))
    return any(int(mask, 16) >> (signal.SIGTERM - 1) & 1 for mask in masks.values())


def interrupted(case):
    """Interrupt a program as a terminal does, the whole group; returns a complaint or nothing."""
    name, delay, times, gap, folder = case
    # a folder of its own has no compiled programs: it compiles
    environment = {**os.environ, 'ROBODYN_CACHE_DIR': str(folder / 'cache')}
    environment.pop('_ROS_WHEELS_BOOTSTRAP_COMPLETE', None)  # started as from a shell
    with open(folder / 'stderr', 'w+') as log:
        process = subprocess.Popen(PROGRAMS[name], cwd=folder, env=environment, stderr=log,
                                   stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            while not takes_signals(process) and process.poll() is None:
                time.sleep(0.005)
            time.sleep(delay)  # any moment will do: there is nothing to wait for
            for k in range(times):
                time.sleep(gap if k else 0.0)
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGINT)
            code = process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
        log.seek(0)
        text = log.read()
    good = code in (0, 130) and 'Traceback' not in text
    return None if good else f'{name} after {delay:.3f} s, {times} times: {code}\n{text[-2000:]}'


@pytest.mark.slow
def test_ctrl_c_at_any_moment(tmp_path):
    """Random moments from a seed, once and twice; each program at least once."""
    chance = random.Random(13)
    cases = []
    for k, name in enumerate(sorted(PROGRAMS)):
        (tmp_path / str(k)).mkdir()
        cases.append((name, chance.uniform(0.0, LONGEST_DELAY), 1 + k % 2,
                      chance.choice((0.0, 0.01, 0.1)), tmp_path / str(k)))
    with ThreadPoolExecutor(2) as pool:
        complaints = [complaint for complaint in pool.map(interrupted, cases) if complaint]
    assert not complaints, '\n\n'.join(complaints)


def test_an_interruption_is_not_lost_in_c_code():
    """A compiler calls Python from C, which cannot pass the exception on: it is raised again."""
    with subprocess.Popen([PYTHON, '-c', LOST_IN_C], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr.readline() == 'here\n'
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == 'ended\n'
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


def test_a_program_ends_between_the_imports_before_it_begins():
    """They may take longer than launch waits before it kills."""
    with subprocess.Popen([PYTHON, '-c', BETWEEN_IMPORTS], stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            assert process.stderr.readline() == 'here\n'
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == ''
            assert process.wait(PATIENCE) == 7
        finally:
            process.kill()


def test_what_is_held_back_comes_at_the_end_of_the_block():
    """Once, however many came, and none afterwards."""
    steps = []
    with pytest.raises(KeyboardInterrupt), INTERRUPTION.heard():
        with INTERRUPTION.held():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)
            steps.append('whole')
        steps.append('never')
    assert steps == ['whole']


TORN = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    TORN = False
except KeyboardInterrupt:  # as modules in C do that clear what they did not expect
    TORN = True
"""


@pytest.mark.parametrize('longest', [60.0, -1.0])
def test_an_import_is_not_torn_apart(longest, monkeypatch, tmp_path):
    """The signal counts when it is through, or if it lasts too long."""
    monkeypatch.setattr(interruption, 'LONGEST_IMPORT', longest)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / 'torn.py').write_text(TORN)
    monkeypatch.delitem(sys.modules, 'torn', raising=False)
    steps = []
    with contextlib.suppress(KeyboardInterrupt), INTERRUPTION.heard():
        import torn
        steps.append(torn.TORN)
        while not torn.TORN:
            time.sleep(0.01)
    assert steps == [longest < 0.0] and INTERRUPTION.came


def test_only_the_first_signal_interrupts():
    """What cleans up after it is not torn apart by the second."""
    cleaned = False
    with INTERRUPTION.heard():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            os.kill(os.getpid(), signal.SIGINT)
            cleaned = True
    assert cleaned


def test_little_is_imported_before_signals_can_wait():
    """Ctrl-C while that is imported is a traceback: no file of the standard library but a few."""
    heavy = ('importlib.metadata', 'email', 'zipfile', 'pathlib', 'inspect', 'numpy')
    code = (f'import sys; sys.path[:0] = [{str(ROOT)!r}]; from robodyn_ros import programs; '
            f'print([name for name in {heavy!r} if name in sys.modules])')
    told = subprocess.run([sys.executable, '-S', '-c', code], capture_output=True, text=True,
                          check=True).stdout
    assert told.strip() == '[]'
