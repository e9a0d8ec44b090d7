# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Names that look like markup, TeX or commands of a terminal are names, and nothing else."""

import json
import os
import subprocess
import sys

from house import clean_environment
import pytest
from robodyn_ros import RobodynError
from robodyn_ros.commands.main import main
from robodyn_ros.errors import printable, UnknownNameError

NAMES = ['[/b]', '[bold]', r'$\frac{$', '$x$', 'a&#10;b', '&#155;2J', 'a&lt;script&gt;b', '%s%n',
         '{0}', '_hidden', '&#8238;abc', '\u4e2d\u6587', '..', '&#x7f;', '$', 'x' * 300]
URDF = """<robot name="{name}"><link name="base"/><link name="{name}link">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="{name}" type="revolute"><parent link="base"/><child link="{name}link"/>
<axis xyz="0 1 0"/><origin xyz="0 0 0.5"/>
<limit effort="50" velocity="5" lower="-1" upper="1"/></joint></robot>"""


def write(folder, name):
    """Write a robot whose names are all of this kind; returns its path."""
    path = folder / 'arm.urdf'
    path.write_text(URDF.format(name=name))
    return path


def clean(text):
    """Tell whether a text commands no terminal: letters and ends of lines."""
    return all(line.replace('\t', ' ').isprintable() for line in text.splitlines())


@pytest.mark.parametrize('name', NAMES)
def test_names_in_tables_and_logs(name, tmp_path, capsys):
    """Of `check`, which prints them all; nothing is lost and nothing is a command."""
    path = write(tmp_path, name)
    code = main(['check', str(path)])
    out, err = capsys.readouterr()
    assert code in (0, 1, 2) and clean(out) and clean(err), (out, err)
    if name in ('[/b]', '[bold]', '{0}', '%s%n') and code != 2:
        assert name in out
    assert main(['check', str(path), '--json']) == code
    out = capsys.readouterr().out
    assert code == 2 or json.loads(out)['joints'][0]['name']


@pytest.mark.slow
def test_names_in_figures(tmp_path, capsys, monkeypatch):
    """A run of a robot with all of them, and its report: figures, page and summary."""
    monkeypatch.chdir(tmp_path)
    names = ['[/b]', '[bold]', r'$\frac{$', '$x$', '%s%n', 'a&lt;script&gt;b']
    links = ''.join(
        f'<link name="{name}{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        f'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="{name}" type="revolute">'
        f'<parent link="{"base" if not k else names[k - 1] + str(k - 1)}"/>'
        f'<child link="{name}{k}"/><axis xyz="0 0 1"/><origin xyz="0.1 0 0"/>'
        '<limit effort="500" velocity="50" lower="-9" upper="9"/></joint>'
        for k, name in enumerate(names))
    (tmp_path / 'arm.urdf').write_text(
        f'<robot name="[/b]$\\frac{{$&#155;2J"><link name="base"/>{links}</robot>')
    scenario = tmp_path / '[_b]$.yaml'
    scenario.write_text('/**:\n  ros__parameters: {robot: arm.urdf, duration: 0.05}\n'
                        'trajectory:\n  ros__parameters: {kind: joint_sine, parameters: '
                        '{amplitude: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1], rate: 1.0}}\n'
                        'controller:\n  ros__parameters: {kind: computed_torque, '
                        'natural_frequency: 10.0}\n')
    result = tmp_path / '[_b]$.npz'
    assert main(['simulate', str(scenario), '--output', str(result)]) in (0, 1)
    assert main(['report', str(result), '--output', str(tmp_path / 'report')]) == 0
    out, err = capsys.readouterr()
    assert clean(out) and clean(err), (out, err)
    page = (tmp_path / 'report' / 'index.html').read_text()
    assert '<script>' not in page and len(list((tmp_path / 'report').glob('*.png'))) >= 3


@pytest.mark.parametrize('name', ['new\nline', '\x1b[31mred', '\udcff', '\u202eabc', '\x00',
                                  '[/b]'])
def test_names_of_files_and_values_in_sentences(name):
    """Every error of this package is one line that any terminal and encoding can show."""
    for error in (RobodynError(f'{name}: is no file'), UnknownNameError(name, name, [name], name)):
        sentence = str(error)
        assert sentence.isprintable() and sentence.encode('utf-8')
    assert printable('plain text, \u4e2d\u6587') == 'plain text, \u4e2d\u6587'
    assert printable('a\nb\tc') == 'a b c'


def test_a_terminal_of_few_letters_is_enough(tmp_path):
    """Names that its encoding has not are written in others, and no traceback follows."""
    path = write(tmp_path, '\u4e2d\u6587')
    missing = os.fsdecode(b'/nowhere/\xff\x1b[2J.yaml')
    for words in (['check', str(path)], ['simulate', missing], ['report', missing]):
        done = subprocess.run(
            [sys.executable, '-m', 'robodyn_ros.commands.main', *words], timeout=120,
            env=clean_environment(PYTHONIOENCODING='ascii', LC_ALL='C'), capture_output=True)
        assert b'Traceback' not in done.stderr and b'\x1b' not in done.stderr, done.stderr
