# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark gives well-formed rows; how fast they are decides nothing here."""

import ast
import json
import math
import os
import subprocess
import sys

from benchmarks import cases, engine, startup
from benchmarks.__main__ import main
from benchmarks.children import ROOT
from benchmarks.progress import ProgressBars
from benchmarks.row import Row
from benchmarks.sizes import QUICK
from benchmarks.timing import interleave, summarise
import pytest

TINY = QUICK.reduced(repeats=2, steps=20)
PROMISED = [('scara_450.servo.rk4', 'mujoco'), ('parallel_2dof.closure.rk4', 'mujoco'),
            ('irb120.terms', 'pinocchio')]


@pytest.fixture(scope='module')
def rows(tmp_path_factory):
    """Return what the command prints as JSON, run far from the checkout."""
    words = ['engine', '--json', '--quick', '--repeats', '2', '--steps', '20']
    done = subprocess.run([sys.executable, '-m', 'benchmarks', *words],
                          cwd=tmp_path_factory.mktemp('elsewhere'), capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': str(ROOT)}, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def well_formed(row):
    """Check the fields every row has."""
    assert row['name'] and row['ours_us'] > 0.0
    if row['peer'] is None:
        assert row['peer_us'] is None and row['ratio'] is None
    else:
        assert math.isclose(row['ratio'], row['peer_us'] / row['ours_us'], rel_tol=1e-12)


@pytest.mark.slow
def test_json_has_the_promised_rows_first(rows):
    """Three names are fixed, and projection keeps its word."""
    pytest.importorskip('mujoco')
    pytest.importorskip('pinocchio')
    assert [(row['name'], row['peer']) for row in rows[:3]] == PROMISED
    projected = rows[3]
    assert projected['name'] == 'parallel_2dof.closure.projection.rk4'
    assert projected['violation'] < 1e-12


@pytest.mark.slow
def test_every_part_gives_rows_and_a_table(rows, capsys):
    """Growth, allocation, rollouts and start-up give rows too."""
    starts = {'growth': 'chain_', 'allocation': 'scara_450.servo.allocation',
              'rollouts': 'scara_450.rollouts.', 'startup': 'startup.'}
    parts = {part: [Row(row['name'], row['ours_us'], row['peer'], row['peer_us'], details=row)
                    for row in rows if row['name'].startswith(start)]
             for part, start in starts.items()}
    for row in rows:
        well_formed(row)
    assert all(parts.values())
    chain = parts['growth'][0].details
    assert chain['joints'] == 2 and chain['operations'] > 50 and chain['compile_s'] > 0.0
    assert chain['cache_kB'] > 0.0 and chain['memory_MB'] > 0.0
    engine.print_tables(parts)
    assert 'No allocation per step' in capsys.readouterr().out


def test_startup_rows(monkeypatch):
    """A row per robot with the first and the middle of the later starts."""
    lives = iter([9.0, 1.0, 3.0, 2.0])
    monkeypatch.setattr(startup, 'run_fresh',
                        lambda *_: {'process_s': next(lives), 'compile_s': 5.0,
                                    'compile_cpu_s': 4.0})
    rows = startup.measure(TINY._replace(robots=('two_link',), startups=3), ProgressBars())
    assert [row.name for row in rows] == ['startup.two_link']
    assert rows[0].ours_us == 2e6 and rows[0].details['first_s'] == 9.0
    well_formed(rows[0].as_json())


def test_missing_peers_are_named_once(monkeypatch):
    """Without the extra, the rows that need it are left out with a remedy."""
    said = []
    monkeypatch.setattr(cases, 'find', lambda name: None)
    bars = ProgressBars()
    monkeypatch.setattr(bars, 'say', said.append)
    assert cases.measure(TINY, bars) == []
    assert len(said) == 2 and all('pip install "robodyn_ros[bench]"' in text for text in said)


def test_contenders_take_turns():
    """Both run equally often and alternately, after a warm-up."""
    order = []
    clock = iter(range(1000))
    tasks = {'a': lambda: order.append('a'), 'b': lambda: order.append('b')}
    timings = interleave(tasks, {'a': 1, 'b': 2}, 3, clock=lambda: float(next(clock)))
    turns = [name for k, name in enumerate(order) if k == 0 or order[k - 1] != name]
    assert turns[-6:] == ['a', 'b'] * 3
    assert timings['a'].repeats == timings['b'].repeats == 3


def test_median_and_quartiles():
    """One slow outlier does not move the result."""
    timing = summarise([1.0, 2.0, 3.0, 4.0, 1000.0])
    assert (timing.lower, timing.median, timing.upper) == (2.0, 3.0, 4.0)


def test_ratio_is_peer_over_ours():
    """Twice the time of ours is a ratio of two; no peer, no ratio."""
    assert Row('x', 2.0, 'mujoco', 4.0).ratio == 2.0
    assert Row('x', 2.0).ratio is None


@pytest.mark.parametrize('words', [('engine', '--repeats', '0'), ('engine', '--only', 'nothing'),
                                   ('everything',)])
def test_bad_options_are_refused(words):
    """The parser says what is wrong."""
    with pytest.raises(SystemExit):
        main(words)


def test_a_mistake_is_one_sentence(capsys):
    """No traceback; exit code 2, nothing on stdout."""
    assert main(['--quiet', 'ros', '--turns', '0']) == 2
    out, complaint = capsys.readouterr()
    assert not out and complaint.count('\n') == 1
    assert complaint.startswith('benchmarks: ') and '--turns is 0' in complaint


def test_the_installed_package_does_not_need_the_benchmarks():
    """They lie beside it in a checkout only."""
    for path in (ROOT / 'robodyn_ros').rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            names = [node.module or ''] if isinstance(node, ast.ImportFrom) else [
                item.name for item in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split('.')[0] == 'benchmarks' for name in names), path
