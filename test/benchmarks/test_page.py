# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The benchmark page comes from recorded numbers alone, and says where we lose."""

import json

from benchmarks import everything, scenarios
from benchmarks.__main__ import main
from benchmarks.children import ROOT
from benchmarks.figures import write_figures
from benchmarks.losses import losses
from benchmarks.machine import describe
from benchmarks.markdown import number, table
from benchmarks.page import page_of, SECTIONS
import pytest

RECORDED = ROOT / 'docs' / 'benchmarks' / 'results.json'


@pytest.fixture(scope='module')
def results():
    """Return the numbers that were recorded with the sources."""
    return json.loads(RECORDED.read_text(encoding='utf-8'))


def test_the_page_is_what_the_numbers_say(results):
    """Nobody has edited docs/benchmarks.md by hand."""
    assert (ROOT / 'docs' / 'benchmarks.md').read_text(encoding='utf-8') == page_of(results)


def test_every_part_was_measured(results):
    """The recorded run is a full one, and every part has a section."""
    assert set(results['parts']) == set(everything.PARTS) == set(SECTIONS)
    assert {part['effort'] for part in results['parts'].values()} == {'full'}


def test_a_page_without_measuring(tmp_path, results, capsys):
    """`--only none` writes page and figures from results.json."""
    pytest.importorskip('matplotlib')
    folder = tmp_path / 'benchmarks'
    folder.mkdir()
    (folder / everything.RESULTS).write_text(json.dumps(results), encoding='utf-8')
    words = ['--quiet', 'all', '--only', 'none', '--folder', str(tmp_path)]
    assert main(words) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / 'benchmarks.md')
    drawn = {path.name for path in folder.glob('*.png')}
    text = (tmp_path / 'benchmarks.md').read_text(encoding='utf-8')
    assert drawn and all(f'(benchmarks/{name})' in text for name in drawn)


def test_only_one_part_is_measured_anew(tmp_path, monkeypatch, capsys):
    """What was recorded before stays, what is asked for is measured and dated."""
    monkeypatch.setitem(everything.PARTS, 'startup', lambda sizes, bars: {'ours': {
        'cold_s': 4.0, 'warm_s': 1.0, 'warm_quartiles_s': [0.9, 1.1], 'size_MB': 400.0}})
    folder = tmp_path / 'benchmarks'
    folder.mkdir()
    elsewhere = {**describe(), 'processor': 'another one'}
    (folder / everything.RESULTS).write_text(json.dumps({'parts': {'loops': {
        'date': 'before', 'load': 0.5, 'effort': 'full', 'machine': elsewhere,
        'found': {'scenarios': []}}}}))
    words = ['--quiet', 'all', '--only', 'startup', '--no-figures', '--folder',
             str(tmp_path)]
    assert main(words) == 0
    kept = everything.read(folder / everything.RESULTS)['parts']
    assert kept['loops']['date'] == 'before' and kept['startup']['found']['ours']['warm_s'] == 1.0
    text = (tmp_path / 'benchmarks.md').read_text()
    assert '## Start-up and size' in text
    assert 'loops: another one' in text and f'startup: {describe()["processor"]}' in text


def test_losses_are_found_in_the_numbers():
    """A ratio below one is a loss, one above is none; a slow start is one too."""
    entry = {'robot': 'r', 'work': 'forward dynamics, one call a state', 'unit': 'state',
             'peers': {'a': {'ratio': 0.5}, 'b': {'ratio': 3.0}, 'c': {'cannot': 'no'}}}
    parts = {'engines': {'found': [entry]},
             'startup': {'found': {'ours': {'cold_s': 4.0, 'warm_s': 1.0, 'size_MB': 10.0},
                                   'a': {'cold_s': 1.0, 'warm_s': 2.0, 'size_MB': 20.0}}}}
    said = losses(parts)
    assert len(said) == 2 and 'a takes 0.5' in said[0] and 'b takes' not in said[0]
    assert said[1].startswith('- The first start')
    assert losses({}) == ['Nowhere in this run.']


def point(engine, violation, energy, time):
    """Return a point of accuracy against cost."""
    return {'engine': engine, 'setting': 's', 'step_s': 1e-3, 'violation': violation,
            'energy_error_J': energy, 'us_per_simulated_s': time}


def solved(percent, time, peer):
    """Return an arm of the test of inverse kinematics."""
    return {'arm': 'a', 'solvers': {
        'ours': {'solved_percent': percent, 'mean_us': time, 'p99_us': 90.0, 'many_us': 9.0,
                 'many_solved_percent': percent},
        'other': {'solved_percent': peer, 'mean_us': 300.0, 'p99_us': 999.0},
        'none': {'cannot': 'not installed'}}}


def exported(over_ours, time, peer):
    """Return a function of exported C."""
    return {'robot': 'r', 'work': 'inverse dynamics', 'over_ours': over_ours, 'us': time,
            'file_kB': 100.0, 'casadi': {'ratio': peer}}


LOST = {
    'engines': [{'robot': 'r', 'work': 'RK4 step, one call a step', 'unit': 'step',
                 'peers': {'mujoco': {'ratio': 11.0}}}],
    'by_hand': [{'plant': 'free', 'peers': {'C': {'ours_over_theirs': 1.1}}}],
    'accuracy': {'duration_s': 20.0, 'task': [point('ours', 1e-3, 1e-3, 1.0),
                                              point('mujoco', 1e-4, 1e-2, 9.0)]},
    'chains': [{'joints': 8, 'ratio': 4.0, 'compile_cpu_s': 5.0}],
    'limits': {'rows': [{'size': 2, 'ratio': 8.0}], 'rollouts': [{'size': 1, 'ratio': 9.0}]},
    'loops': {'scenarios': [{'scenario': 'x', 'processes': {'ratio': 0.9}}]},
    'reach': [solved(99.95, 20.0, peer=99.99)],
    'export': [exported(1.2, 0.2, 2.0)],
    'sweep': {'efficiency': 0.5, 'overhead': -0.4}}
WON = {
    'engines': [{'robot': 'r', 'work': 'RK4 step', 'unit': 'step',
                 'peers': {'mujoco': {'ratio': 13.0}, 'drake': {'ratio': 1.5}}}],
    'by_hand': [{'plant': 'free', 'peers': {'C': {'ours_over_theirs': 0.9}}}],
    'accuracy': {'duration_s': 20.0, 'task': [point('ours', 1e-5, 1e-3, 1.0),
                                              point('mujoco', 1e-4, 1e-2, 9.0)]},
    'chains': [{'joints': 8, 'ratio': 14.0, 'compile_cpu_s': 5.0}],
    'limits': {'rows': [{'size': 2, 'ratio': 18.0}]},
    'loops': {'scenarios': [{'scenario': 'x', 'processes': {'ratio': 1.1}},
                            {'scenario': 'y', 'processes': None}]},
    'reach': [solved(99.95, 20.0, peer=99.0)],
    'export': [exported(1.05, 0.2, 2.0), {'cannot': 'there is no C compiler'}],
    'sweep': {'efficiency': 0.95, 'overhead': -0.4}}


@pytest.mark.parametrize('part', LOST)
def test_every_part_can_lose(part):
    """A peer ahead, or an aim not met, is a bullet in each part; otherwise there is none."""
    assert losses({part: {'found': LOST[part]}})[0].startswith('- ')
    assert losses({part: {'found': WON[part]}}) == ['Nowhere in this run.']


def test_a_hole_in_the_measurements_is_drawn(tmp_path):
    """A figure needs neither peers nor ROS."""
    pytest.importorskip('matplotlib')
    found = {'engines': {'found': [{'robot': 'r', 'work': 'w', 'peers': {}}]},
             'loops': {'found': {'scenarios': [
                 {'scenario': 's', 'without_ros': {'speed': 10.0}, 'processes': None}]}}}
    assert len(write_figures(found, tmp_path)) == 2


def test_tables_and_numbers():
    """Three digits, no exponents, a dash for nothing."""
    assert [number(x) for x in (None, 0.1234, 12345.6)] == ['–', '0.123', '12346']
    assert table(['a', 'b'], [['1', '2']]) == ['| a | b |', '|---|---|', '| 1 | 2 |']
    assert table(['a'], [['x |\n y']])[-1] == '| x / y |'


def test_a_loop_without_ros_has_a_speed():
    """Simulated seconds per second of one compiled call."""
    speed = scenarios.without_ros('scara_helix', 3)
    assert 0.0 < speed.lower <= speed.median <= speed.upper


def test_aims_of_exported_c_that_are_not_met_are_losses():
    """Too slow, or slower than CasADi's."""
    for entry in (exported(1.0, 0.4, 2.0), exported(1.0, 0.2, 0.9)):
        assert len(losses({'export': {'found': [entry]}})) == 1


def test_aims_of_inverse_kinematics_that_are_not_met_are_losses():
    """Fewer poses than we want, or more time a pose."""
    for entry in (solved(99.8, 20.0, 0.0), solved(99.95, 51.0, 0.0)):
        assert len(losses({'reach': {'found': [entry]}})) == 1
