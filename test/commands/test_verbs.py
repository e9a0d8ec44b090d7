# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The verbs of `robodyn`: one convention, and none is imported before it is used."""

from importlib import import_module
import json
import subprocess
import sys

import pytest
from robodyn_ros.commands.main import main, VERBS


def module_of(verb):
    """Return the module of a verb."""
    return import_module(f'robodyn_ros.commands.{verb.replace("-", "_")}')


@pytest.mark.parametrize('verb', VERBS)
def test_help_is_the_docstring_of_the_module(verb, capsys):
    """With every option, --quiet among them."""
    with pytest.raises(SystemExit) as done:
        main([verb, '--help'])
    said = capsys.readouterr().out
    assert done.value.code == 0 and module_of(verb).__doc__.strip() in said and '--quiet' in said


def test_what_dds_writes_to_stdout_does_not_spoil_json():
    """Fast DDS writes its errors to the file descriptor, past Python: they go to stderr."""
    code = ('import os\nfrom robodyn_ros.commands.options import print_json, quiet_stdout\n'
            'print("before")\nwith quiet_stdout():\n    os.write(1, b"noise")\n'
            '    print("more")\nprint_json([1])\n')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert done.stdout == 'before\n[\n 1\n]\n' and done.stderr == 'noisemore\n'


def test_a_verb_is_imported_when_it_is_used():
    """What one verb needs does not slow another down; the compiler waits for what compiles."""
    code = ('import contextlib, io, json, sys\nfrom robodyn_ros.commands.main import main\n'
            "with contextlib.redirect_stdout(io.StringIO()):\n    main(['parameters', 'viewer'])\n"
            'print(json.dumps(sorted(sys.modules)))')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert {name for name in loaded if name.startswith('robodyn_ros.commands.')} \
        <= {f'robodyn_ros.commands.{name}' for name in ('main', 'parameters')}
    assert not loaded & {'robodyn_ros.codegen.compiler', 'llvmlite.binding', 'rclpy', 'matplotlib'}


def test_list_names_robots_and_scenarios(capsys):
    """In words and as JSON, the same ones."""
    assert main(['list']) == 0
    words = capsys.readouterr().out
    assert main(['list', '--json']) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts['robots']['parallel_2dof']['loops'] == 2
    assert facts['scenarios']['scara_helix']['robot'] == 'scara_450'
    assert all(name in words for kind in facts.values() for name in kind)


def test_source_prints_a_function_of_a_robot(capsys):
    """Straight-line code; an unknown frame is named."""
    assert main(['source', 'two_link', '--function', 'position tool0']) == 0
    said = capsys.readouterr().out
    assert 'def ' in said and compile(said, 'source', 'exec')
    assert main(['source', 'two_link', '--function', 'position nose']) == 2
    assert "unknown frame 'nose'" in capsys.readouterr().err
