# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn simulate`: its file outlives failures, limits are told, durations are what they say."""

import json
import os

import numpy as np
import pytest
from robodyn_ros import load_robot, load_scenario, simulate, Simulation
from robodyn_ros.commands.main import main
from robodyn_ros.scenario import result

FAILS = ['--set', 'controller.natural_frequency=[1e7]', '--set', 'controller.saturate=false',
         '--set', 'dynamics.limit_efforts=false']
"""Makes scara_helix leave the finite numbers after some milliseconds."""
SHORT = ['--quiet', 'simulate', 'scara_helix', '--duration', '0.05']


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def samples(path):
    """Return how many samples a result has."""
    with np.load(path) as file:
        return len(file['t'])


def test_a_failed_run_spares_the_earlier_file(here, capsys):
    """What it got to lies beside it, and a line says where; so too the second time."""
    assert main([*SHORT, '--output', 'keep.npz']) == 0
    before = (here / 'keep.npz').read_bytes()
    for _ in range(2):
        assert main([*SHORT, '--output', 'keep.npz', *FAILS]) == 2
        assert 'are in keep_broken_off.npz' in capsys.readouterr().err
        assert (here / 'keep.npz').read_bytes() == before
    assert sorted(os.listdir()) == ['keep.npz', 'keep_broken_off.npz']
    assert 0 < samples('keep_broken_off.npz') < samples('keep.npz') == 51


def test_a_failed_run_keeps_what_it_got_to_where_nothing_was(here, capsys):
    """Under the name that was asked for."""
    assert main([*SHORT, '--output', 'new.npz', *FAILS]) == 2
    assert 'are in new.npz' in capsys.readouterr().err
    assert os.listdir() == ['new.npz'] and 0 < samples('new.npz') < 51


@pytest.mark.parametrize('earlier', [b'earlier', None])
def test_an_interrupted_run_leaves_things_as_they_were(here, monkeypatch, earlier):
    """Neither an empty file nor a private one; while it simulates and while it writes."""
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    if earlier is not None:
        (here / 'run.npz').write_bytes(earlier)
    for owner, name in ((Simulation, 'run'), (result.np, 'savez')):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, interrupted)
            assert main([*SHORT, '--output', 'run.npz']) == 130
        assert os.listdir() == ([] if earlier is None else ['run.npz'])
        assert earlier is None or (here / 'run.npz').read_bytes() == earlier


def test_a_link_stays_a_link(here):
    """The file it points to is replaced, with the rights a new file has."""
    (here / 'there').mkdir()
    os.symlink('there/run.npz', 'link.npz')
    assert main([*SHORT, '--output', 'link.npz']) == 0
    assert os.path.islink('link.npz') and samples('there/run.npz') == 51
    (here / 'plain').touch()
    assert (here / 'there' / 'run.npz').stat().st_mode == (here / 'plain').stat().st_mode


@pytest.mark.parametrize('output, words', [
    ('foo.txt', "--output is 'foo.txt'; arrays are written as NPZ"), ('', "--output is ''"),
    ('no/x.npz', "--output 'no/x.npz' cannot be written (No such file"),
    ('folder.npz', "--output 'folder.npz' cannot be written (Is a directory)")])
def test_a_place_that_will_not_do_is_told_before_the_work(here, capsys, output, words):
    """One sentence, and nothing is left."""
    (here / 'folder.npz').mkdir()
    assert main([*SHORT, '--output', output]) == 2
    assert words in capsys.readouterr().err and os.listdir() == ['folder.npz']


def test_joints_beyond_their_limits_are_named(capsys):
    """Which, how far and when first, in words and as JSON; from the start, if it lies there."""
    change = ['dynamics.initial_position=[9, 0, 0, 0]', '--set', 'controller.start_tolerance=10']
    assert main([*SHORT, '--set', *change, '--set', 'tolerance=1e9']) == 0
    said = capsys.readouterr().out
    assert 'WARNING: position of joint_1 reached 9 rad' in said and 'first at 0 s' in said
    assert 'robodyn run would hold the arm at 0 s' in said
    main([*SHORT, '--set', *change, '--set', 'trajectory.ignore_limits=true'])
    said = capsys.readouterr().out
    assert 'allowed: position of joint_1' in said and 'would hold' not in said
    main([*SHORT, '--set', *change, '--json'])
    first = json.loads(capsys.readouterr().out)['beyond_limits'][0]
    upper = load_robot('scara_450').limits.upper[0]
    assert first['joint'] == 'joint_1' and first['kind'] == 'position' and first['unit'] == 'rad'
    assert first['upper'] == upper and first['excess'] == pytest.approx(first['farthest'] - upper)


def test_the_moment_and_the_excess_are_those_of_the_motion():
    """Positions and velocities, revolute and prismatic; within the limits nothing is said."""
    result = simulate(load_scenario('scara_helix'), 0.05)
    robot, motion = result.robot, result.motion
    assert robot.limits.passed_by(motion) == []
    q, v = motion.q.copy(), motion.v.copy()
    q[20:, 3] = robot.limits.lower[3] - 0.25
    v[30:40, 1] = -robot.limits.velocity[1] - 2.0
    turn, slide = robot.limits.passed_by(motion._replace(q=q, v=v))
    assert (turn.joint, turn.kind, turn.unit) == ('joint_2', 'velocity', 'rad/s')
    assert (slide.joint, slide.kind, slide.unit) == ('joint_4', 'position', 'm')
    assert (turn.first, slide.first) == (motion.t[30], motion.t[20])
    assert (turn.excess, slide.excess) == pytest.approx((2.0, 0.25))
    assert (turn.farthest, slide.farthest) == (v[30, 1], q[20, 3])


@pytest.mark.parametrize('duration', ['0.0005', '0', '-1', 'nan', 'inf', '1e300'])
def test_a_duration_no_run_can_have_is_refused(capsys, duration):
    """In one sentence of readable length."""
    assert main(['simulate', 'scara_helix', '--duration', duration]) == 2
    said = capsys.readouterr().err
    assert '--duration is ' in said and 'expected' in said and len(said) < 120


def test_a_duration_between_two_periods_is_told(capsys, caplog):
    """What was asked for and what it becomes; a whole number of periods needs no word."""
    assert main([*SHORT[:-1], '0.0104', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['simulated_s'] == pytest.approx(0.01)
    assert '--duration is 0.0104 s; the run lasts 0.01 s' in caplog.text
    caplog.clear()
    assert main([*SHORT[:-1], '0.3']) == 0
    assert 'duration' not in caplog.text


def test_a_run_beyond_memory_is_one_sentence(monkeypatch, capsys):
    """No traceback; the way out is named."""
    def too_much(_):
        raise MemoryError

    monkeypatch.setattr(Simulation, 'run', too_much)
    assert main(SHORT) == 2
    assert 'does not fit into memory; shorten its duration' in capsys.readouterr().err


@pytest.mark.parametrize('words', [['--quiet', 'simulate', 'scara_helix'],
                                   ['simulate', '--quiet', 'scara_helix'],
                                   ['simulate', 'scara_helix', '--quiet']])
def test_quiet_goes_before_and_after_the_verb(words, monkeypatch):
    """As it comes to mind."""
    levels = []
    monkeypatch.setattr('logging.basicConfig', lambda level, **_: levels.append(level))
    assert main([*words, '--duration', '0.01']) == 0 and main(['list', '--quiet']) == 0
    assert main(['simulate', 'scara_helix', '--duration', '0.01']) == 0
    assert levels == [30, 30, 20]
