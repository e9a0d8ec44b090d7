# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A start imports what it needs and no more: each name here once cost a tenth of one."""

from importlib import metadata
import subprocess
import sys

from house import clean_environment
import numpy as np
import pytest
from robodyn_ros.checks import numbers
from robodyn_ros.errors import ArgumentError

PLANT = """
import sys
from robodyn_ros import load_robot, Plant, State
import numpy as np
Plant(load_robot('two_link')).advance(State(0.0, np.zeros(2), np.zeros(2)))
"""
VERB = """
import gc, sys
from robodyn_ros.programs import robodyn
sys.argv[1:] = {arguments}
try:
    robodyn()
except SystemExit:
    pass
assert gc.isenabled() and gc.get_freeze_count()
"""
LEFT_OUT = [
    ('a plant', PLANT, ('urllib.request', 'http.client', 'scipy', 'rich', 'yaml', 'numpy.ma',
                        'importlib.metadata', 'robodyn_ros.codegen.compiler', 'multiprocessing')),
    ('the list of verbs', VERB.format(arguments=['--help']), (
        'numpy', 'rich', 'importlib.metadata', 'robodyn_ros.robots.robot')),
    ('a simulation', VERB.format(arguments=['simulate', 'two_link_line', '--json']), (
        'urllib.request', 'scipy', 'importlib.metadata', 'robodyn_ros.codegen.compiler')),
]


def modules_after(program):
    """Run a program in a fresh process, from the cache; returns what it imported."""
    command = [sys.executable, '-c', program + '\nprint(*sys.modules)']
    for _ in range(2):  # the first one may compile
        done = subprocess.run(command, env=clean_environment(), text=True, timeout=300,
                              capture_output=True, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize('what, program, left_out', LEFT_OUT, ids=[one for one, *_ in LEFT_OUT])
def test_what_a_start_does_not_need_is_not_imported(what, program, left_out):
    """Whoever adds an import to a start sees it here."""
    found = modules_after(program)
    assert 'robodyn_ros' in found
    assert not set(left_out).intersection(found)


def test_the_version_is_looked_up_when_asked():
    """And printed as before."""
    done = subprocess.run(['robodyn', '--version'], env=clean_environment(), text=True,
                          timeout=120, capture_output=True, check=True)
    assert done.stdout == metadata.version('robodyn_ros') + '\n' and not done.stderr


def test_masked_numbers_are_refused_all_the_same():
    """Numpy's part for them is imported by who makes them."""
    masked = np.ma.masked_array([1.0, 2.0], [False, True])
    with pytest.raises(ArgumentError, match='none of them masked'):
        numbers('q', masked, 'two numbers')
    assert numbers('q', np.ma.masked_array([1.0, 2.0]), 'two numbers').tolist() == [1.0, 2.0]
