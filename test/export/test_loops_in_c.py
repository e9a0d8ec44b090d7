# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Exported interpolation, law and plant in a closed loop are `simulate`, to the last bit.

Two seconds of every scenario here; `make bits` compares a million steps with every compiler.
"""

import sys

from export.closed_loop import ClosedLoop
from export.compilers import VARIANTS
from identification.cases import arm, other, recording
import numpy as np
import pytest
from robodyn_ros import scenario_names
from robodyn_ros.codegen.loops.integrators import IMPLICIT, INTEGRATORS
from robodyn_ros.identification.identify import identify
from robodyn_ros.identification.model_file import identified_text

MEMORY = ['controller.ki=40', 'controller.observer=20', 'dynamics.payload.mass=0.5']
CASES = {**{name: (name, []) for name in scenario_names()}, 'memory': ('scara_helix', MEMORY),
         'lqr': ('irb120_sine', ['controller.kind=lqr'])}
EVERYWHERE = ('gcc -O0', 'clang -O3', 'gcc -O2, aarch64')
HERE = ('gcc -O3, no options', 'clang -O3, no options', 'gcc -O2, software fma',
        'clang -O2, aarch64', 'gcc -O2, aarch64, software fma')
OWN_LAW = """
from robodyn_ros import Control, controller
from robodyn_ros.tracing import atan2, clip, tanh, where

@controller
def own(robot, settings):
    def law(t, q, v, reference, values, memory):
        error = [d - x for d, x in zip(reference, q)]
        rate = [d - x for d, x in zip(reference[robot.n:], v)]
        total = [clip(z + 0.01 * e, -1.0, 1.0) for z, e in zip(memory, error)]
        return [where(e < 0.0, values['low'], values['high']) * e + w + atan2(z, 1.0) + tanh(t)
                for e, w, z in zip(error, rate, total)], total
    return Control(law, 3 * robot.n, {'low': 30.0, 'high': 33.0}, memory=(0.0,) * robot.n)
"""
OWN_ROWS = """
from robodyn_ros import constraint
from robodyn_ros.tracing import cos, sin

@constraint
def lifted(robot, q, t):
    return [q[0] + 0.5 * q[1] - 0.2 * sin(t), q[3] - 0.1 * cos(q[1])]
"""


@pytest.fixture(scope='module')
def loops(tmp_path_factory):
    """Return what makes a scenario's loop once, with two runs: its own, and another."""
    made = {}

    def loop_of(case, *more):
        key = case, more
        if key not in made:
            name, changes = CASES.get(case, (case, []))
            loop = ClosedLoop(name, ['duration=2.0', *changes, *more],
                              tmp_path_factory.mktemp('c'))
            made[key] = loop, list(loop.runs(2 * loop.steps))
        return made[key]
    return loop_of


def compare(loop, runs, name):
    """Compare runs with the program of a variant; skip where there is no such compiler."""
    variant = VARIANTS[name]
    missing = variant.missing()
    if missing:
        pytest.skip(missing)
    program = loop.compiled(variant)
    for run in runs:
        assert not loop.differences(variant, program, run)


@pytest.mark.slow
@pytest.mark.parametrize('case, variant', [
    *((case, variant) for case in CASES for variant in EVERYWHERE),
    *(('scara_helix', variant) for variant in HERE),
    ('irb120_sine', 'gcc -O2, software fma'), ('parallel_line', 'gcc -O3, no options')])
def test_a_closed_loop_in_c_is_simulate(loops, case, variant):
    """With the scenario's own parameters and with others, which are other code."""
    compare(*loops(case), variant)


@pytest.mark.parametrize('case, change', [
    *(('two_link_line', f'dynamics.integrator={name}') for name in INTEGRATORS
      if name not in ('rk4', IMPLICIT)),
    ('irb120_sine', f'dynamics.integrator={IMPLICIT}'),
    ('two_link_line', 'dynamics.stabilisation={kind: baumgarte, alpha: 20.0, beta: 100.0}'),
    ('scara_helix', 'dynamics.limit_efforts=false'), ('scara_helix', 'controller.period=0.002')])
def test_every_way_to_step(loops, case, change):
    """Integrators, stabilisations, several steps to a control instant."""
    compare(*loops(case, change, 'duration=0.4'), 'gcc -O2')


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """Return a folder in which a user's modules are found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    return tmp_path


def test_a_users_own_law_with_memory(beside, loops):
    """Of functions of the C library too, which are those that simulate calls here."""
    (beside / 'own_law_loop.py').write_text(OWN_LAW)
    compare(*loops('scara_helix', 'controller.kind=own_law_loop:own', 'duration=0.5'), 'gcc -O2')


@pytest.mark.parametrize('case, changes', [
    ('scara_via_points', ('controller.kind=adaptive', 'controller.adaptation=[3000.0, 10.0]',
                          'dynamics.payload.mass=5.0', 'duration=0.5')),
    ('parallel_line', ('controller.adaptation=[4000.0]', 'controller.epsilon=2e-3',
                       'duration=0.3'))])
def test_laws_that_learn(case, changes, loops):
    """The adaptive law, and the one that learns on a closed chain."""
    compare(*loops(case, *changes), 'gcc -O2')


def test_a_users_own_constraint(beside, loops):
    """Rows of a function of q and t alone; the engine differentiated them."""
    (beside / 'own_rows_loop.py').write_text(OWN_ROWS)
    compare(*loops('scara_helix', 'dynamics.constraints=["own_rows_loop:lifted"]',
                   'dynamics.stabilisation.kind=projection', 'controller.kind=none',
                   'trajectory.kind=none', 'dynamics.initial_position=[0.1, -0.2, 0.1, 0.1]',
                   'duration=0.5'), 'gcc -O2')


def test_an_identified_model(beside, loops):
    """A URDF as `robodyn identify` writes it: inertials, friction and rotors of the fit."""
    robot = arm()
    found = identify(robot, [recording(other(robot, 7)[0], 7, noise=0.05)])
    path = beside / 'arm_identified.urdf'
    path.write_text(identified_text(robot, found.chosen, found.fit.theta, found.fit.velocity,
                                    'identified'))
    text = path.read_text()
    assert '<rotor' in text and '<robodyn>' in text
    loop, runs = loops(
        'irb120_sine', f'robot={path}', 'controller.natural_frequency=[15.0]',
        'trajectory.parameters.amplitude=[0.4, 0.5, 0.3]', 'duration=0.5')
    assert loop.simulation.robot.n == 3 and np.isfinite(runs[1][1]).all()
    compare(loop, runs, 'gcc -O2')
