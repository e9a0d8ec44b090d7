# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks ros` measures and cleans up; how fast it all is decides no test."""

import json
from pathlib import Path
import signal
import subprocess
import sys
import time

from benchmarks.children import ROOT
from benchmarks.ros import cycles, Turn
import pytest
from system.graph import PATIENCE

pytestmark = pytest.mark.dds
COMMAND = [sys.executable, '-m', 'benchmarks', 'ros', '--json']


def children(pid):
    """Return the processes that a process has started and that still run."""
    path = Path(f'/proc/{pid}/task/{pid}/children')
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def test_a_short_run_gives_every_number():
    """Lockstep and free, ours and bare, CPU and memory of each node."""
    for turns in (2, 4, 8):  # on a busy machine a turn may be too short to be timed
        done = subprocess.run([*COMMAND, '--turns', str(turns), '--seconds', '1',
                               '--points', '2000'], cwd=ROOT,
                              capture_output=True, text=True, timeout=3 * PATIENCE)
        if 'is the machine busy' not in done.stderr:
            break
    assert done.returncode == 0, done.stderr[-2000:]
    facts = json.loads(done.stdout)
    assert facts['lockstep']['ratio'] > 0.0 and 1 <= facts['lockstep']['turns'] <= turns
    assert facts['free']['ours']['states'] > 0 and facts['free']['p99_ratio'] > 0.0
    assert facts['long_trajectories'][0]['longest_gap_ms'] > 0.0
    assert set(facts['free']['ours']['nodes']) == {'dynamics', 'controller', 'trajectory'}
    for side in ('ours', 'bare'):
        for node in facts['free'][side]['nodes'].values():
            assert node['memory_mb'] > 10.0


def test_a_run_that_is_ended_leaves_no_process_behind():
    """SIGTERM in the middle ends the nodes too."""
    bench = subprocess.Popen(COMMAND, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE
    while len(children(bench.pid)) < 3:
        assert time.monotonic() < deadline and bench.poll() is None
        time.sleep(0.05)
    started = children(bench.pid)
    bench.send_signal(signal.SIGTERM)
    bench.communicate(timeout=PATIENCE)
    assert not [pid for pid in started if Path(f'/proc/{pid}').exists()]


def test_cycles_are_counted_from_the_clock_inside_a_turn():
    """A hundred simulated milliseconds in 50 ms of wall time are 2000 cycles a second."""
    clock = [(10 ** 9 + k * 20_000_000, 5_000_000 + k * 10_000_000) for k in range(10)]
    turn = Turn(0, 100_000_000, 0.03)
    assert cycles([turn], clock) == [(pytest.approx(2000.0), pytest.approx(0.03 / 2000.0))]
    assert cycles([Turn(0, 1, 0.0)], clock) == [None]
