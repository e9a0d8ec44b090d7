# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""`robodyn report`: one folder with figures, numbers and a page that needs nothing else."""

import json
import re

import numpy as np
import pytest
from recording.encode import recorded
from robodyn_ros import load_robot
from robodyn_ros.commands.main import main
from robodyn_ros.report import drawing

ROBOT = load_robot('two_link')
T = np.linspace(0.0, 0.3, 31)
Q = np.stack([0.1 + T, 0.5 - T], axis=1)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def recording(here):
    """Return the name of a recording of three tenths of a second."""
    return str(recorded(here / 'run.mcap', ROBOT, T, Q).name)


def test_of_a_simulation(here, capsys):
    """Every figure, a summary that is the printed one, and a page with all pictures inside."""
    assert main(['--quiet', 'simulate', 'two_link_line', '--duration', '0.2', '--output',
                 'run.npz']) == 0
    capsys.readouterr()
    assert main(['report', 'run.npz', '--output', 'out', '--json']) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == json.loads((here / 'out' / 'summary.json').read_text())
    assert facts['scenario'] == 'two_link_line' and facts['robot'] == 'two_link'
    assert facts['samples'] > 10 and facts['duration_s'] == pytest.approx(0.2)
    assert 0.0 <= facts['joints']['joint_1']['error_rms'] <= facts['joints']['joint_1'][
        'error_max']
    names = {path.name for path in (here / 'out').iterdir()}
    assert names == {'joints.png', 'errors.png', 'torques.png', 'violation.png', 'tool_path.png',
                     'summary.json', 'index.html'}
    page = (here / 'out' / 'index.html').read_text()
    assert page.count('data:image/png;base64,') == 5
    assert not re.search(r'https?://|<link|<script|url\(', page)


def test_of_a_recording(here, recording, capsys):
    """The folder has the recording's name; what was not recorded is left out."""
    assert main(['report', recording]) == 0
    said = capsys.readouterr().out
    assert 'by_hand: two_link, 0.3 s, 31 samples' in said and 'in run_report' in said
    facts = json.loads((here / 'run_report' / 'summary.json').read_text())
    assert facts['tool_error_max_m'] is None and facts['violation_max'] is None
    assert facts['source_complete'] and facts['joints']['joint_2']['torque_max'] == 0.0
    assert not (here / 'run_report' / 'errors.png').exists()


def test_of_a_recording_that_was_cut_off(here, recording, capsys):
    """It is reported as far as it goes, and the page says so."""
    data = (here / recording).read_bytes()
    (here / recording).write_bytes(data[:-200])
    assert main(['report', recording]) == 0
    assert 'the end of the recording is missing' in capsys.readouterr().out
    assert 'The end of the recording is missing' in (
        here / 'run_report' / 'index.html').read_text()


def test_a_former_report_is_replaced_and_other_folders_are_not(here, recording, capsys):
    """Files of others stay, even in the folder of a report."""
    assert main(['report', recording, '--output', 'out']) == 0
    (here / 'out' / 'old.png').write_text('of a former report')
    (here / 'out' / 'notes.txt').write_text('mine')
    assert main(['report', recording, '--output', 'out']) == 0
    assert not (here / 'out' / 'old.png').exists() and (here / 'out' / 'notes.txt').exists()
    (here / 'mine').mkdir()
    (here / 'mine' / 'summary.json').write_text('[]')
    capsys.readouterr()
    assert main(['report', recording, '--output', 'mine']) == 2
    assert 'mine: is not empty and not a former report' in capsys.readouterr().err


@pytest.mark.parametrize('arguments, words', [
    (['nowhere.mcap'], 'nowhere.mcap: there is no such file'),
    (['text.mcap'], 'text.mcap: is not an MCAP file'),
    (['text.npz'], 'text.npz: cannot be read as NPZ'),
    (['run.mcap', '--robot', 'nobody'], "unknown robot 'nobody'"),
    (['run.mcap', '--robot', 'scara_450'], 'run.mcap: is of the robot two_link (joint_1, joint_2),'
     ' but --robot is scara_450 (joint_1, joint_2, joint_3, joint_4); leave --robot out'),
    (['run.mcap', '--output', 'text.mcap'], 'text.mcap: cannot be used as a folder'),
    (['run.mcap', '--output', 'text.mcap/out'], 'out: cannot be used as a folder')])
def test_a_mistake_is_one_sentence(here, recording, capsys, arguments, words):
    """Exit code 2, no traceback, nothing made."""
    for name in ('text.mcap', 'text.npz'):
        (here / name).write_text('text')
    before = sorted(here.iterdir())
    assert main(['report', *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and 'Traceback' not in said and sorted(here.iterdir()) == before


@pytest.mark.parametrize('missing, options', [('matplotlib', []), ('PIL', ['--animate', 'gif']),
                                              ('imageio_ffmpeg', ['--animate', 'mp4'])])
def test_a_missing_package_is_one_sentence(recording, monkeypatch, capsys, missing, options):
    """It is said before any work, with the remedy."""
    monkeypatch.setattr(drawing, 'find_spec', lambda name: None if name == missing else name)
    assert main(['report', recording, *options]) == 2
    said = capsys.readouterr().err
    assert f'need {missing}, which' in said and 'pip install "robodyn_ros[view]"' in said
