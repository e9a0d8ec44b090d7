# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Everything docs/tutorial.md shows is done, in order, in an empty folder."""

from importlib.util import find_spec
import json
import re
import shlex
import subprocess
import sys

from house import ROOT
import pytest
from robodyn_ros import load_scenario, simulate
from robodyn_ros.commands.main import main

BLOCK = re.compile(r'```(\w+)\n(.*?)```', re.S)
EXERCISE = re.compile(r'^\| `robodyn (simulate .*)` \| (\S+) mm \| (\d) \|$', re.M)
FILE = re.compile(r'(?:#|<!--) (\S+\.\w+)')
LONGEST = 300.0
"""Of a single command; it compiles first [s]."""


def test_the_exercise_shows_what_it_says(capsys):
    """Each command of the table gives its error, within the digits shown, and its exit code."""
    rows = EXERCISE.findall((ROOT / 'docs' / 'tutorial.md').read_text())
    assert len(rows) > 2
    for command, error, code in rows:
        assert main([*shlex.split(command), '--json']) == int(code), command
        facts = json.loads(capsys.readouterr().out)
        assert facts['tracking_error'] * 1e3 == pytest.approx(float(error), rel=0.1), command


@pytest.mark.dds
@pytest.mark.skipif(find_spec('rclpy') is None, reason='ROS 2 (rclpy) is missing')
def test_the_tutorial_works_as_written(tmp_path):
    """Files are saved, commands are run; each ends with exit code 0."""
    text = (ROOT / 'docs' / 'tutorial.md').read_text()
    commands = 0
    for kind, body in BLOCK.findall(text):
        if kind != 'console':
            (tmp_path / FILE.match(body).group(1)).write_text(body)
            continue
        for line in body.splitlines():
            verb, *arguments = shlex.split(line)
            assert verb == 'robodyn'
            done = subprocess.run([sys.executable, '-m', 'robodyn_ros.commands.main', *arguments],
                                  cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
            assert done.returncode == 0, f'{line}\n{done.stdout}\n{done.stderr}'
            commands += 1
    assert commands
    for name in ('helix_report', 'slope_report'):
        folder = tmp_path / name
        assert [*folder.glob('*.html')] and [*folder.glob('*.png')]
    summary = next((tmp_path / 'slope_report').glob('*.json'))
    assert json.loads(summary.read_text())
    slope = tmp_path / 'my_slope.yaml'
    for changes, beyond in ([], False), (['dynamics.initial_position=[0.8, -0.8, 1.4]'], True):
        result = simulate(load_scenario(slope, changes))
        assert bool(result.robot.limits.passed_by(result.motion)) == beyond
