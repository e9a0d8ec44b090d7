# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A run of a study has the bits of simulate(), whatever varies and whoever is beside it."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from robodyn_ros import simulate
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import make_study
from robodyn_ros.sweeping.together import Together

CASES = {
    'plant': ('scara_helix', {}, {
        'dynamics.payload.mass': {'values': [0, 1.5]}, 'dynamics.gravity.z': {'normal': [-9.8, 1]},
        'dynamics.payload.centre.x': {'uniform': [-0.1, 0.1]}}),
    'gains': ('scara_helix', {}, {
        'controller.natural_frequency': {'log_uniform': [10, 60]},
        'controller.damping': {'uniform': [0.6, 1.4]}, 'controller.ki': {'values': [0, 500.0]},
        'controller.model.payload.mass': {'uniform': [0.0, 2.0]}}),
    'starts': ('scara_helix', {}, {
        'dynamics.initial_position.joint_1': {'uniform': [0.50, 0.57]},
        'dynamics.initial_velocity.joint_2': {'uniform': [-0.1, 0.1]},
        'dynamics.payload.mass': {'values': [0, 2.0]}}),
    'noise': ('scara_helix', {'dynamics.noise.velocity': 1e-4}, {
        'dynamics.noise.position': {'values': [0.0, 1e-5]},
        'dynamics.noise.seed': {'values': [3, 4, 5]}}),
    'structure': ('scara_helix', {}, {
        'trajectory.parameters.radius': {'values': [0.04, 0.05]},
        'controller.kind': {'values': ['computed_torque', 'robust']},
        'dynamics.payload.mass': {'uniform': [0, 1]}}),
    'robust': ('scara_via_points', {}, {
        'controller.rho': {'uniform': [1.0, 20.0]}, 'controller.epsilon': {'uniform': [0.05, 1.0]},
        'dynamics.friction_scale': {'values': [0.5, 1.0]}}),
    'closed chain': ('parallel_line', {}, {
        'dynamics.payload.mass': {'values': [0.2, 0.5]}, 'controller.kp': {'uniform': [80, 120]}}),
    'constrained': ('scara_helix_constrained', {}, {
        'dynamics.payload.mass': {'values': [1.0, 2.0]}}),
}


@pytest.mark.parametrize('name', CASES)
def test_rows_have_the_bits_of_simulate(name):
    """Largest numbers are equal, mean squares to rounding, as they are summed otherwise."""
    scenario, changes, axes = CASES[name]
    study = make_study({'scenario': scenario, 'set': changes, 'duration': 0.1, 'axes': axes,
                        'draws': 3})
    runner = Runner(study)
    rows = runner.rows(np.arange(study.count))
    assert all(rows['finished']), [reason for reason in rows['reason'] if reason][:1]
    for k in np.random.default_rng(1).permutation(study.count)[:4].tolist():
        result = simulate(runner.scenario(rows, k))
        assert rows['error_max'][k] == np.abs(result.error).max()
        assert rows['effort_max'][k] == np.abs(result.tau).max()
        assert rows['violation_max'][k] == result.violation.max()
        assert rows['time'][k] == result.t[-1]
        assert rows['error_rms'][k] == pytest.approx(math.sqrt(np.mean(result.error ** 2)), 1e-12)
        assert rows['tool_error_max'][k] == pytest.approx(result.tool_error.max(), 1e-12)
        work = np.abs(result.tau * result.v)[:-1].sum() * np.diff(result.t)[0]
        assert rows['energy'][k] == pytest.approx(work, 1e-9, 1e-12)
        beyond = {one.joint for one in result.robot.limits.passed_by(result.motion)}
        assert rows['limits_passed'][k] == len(beyond)


MIXED = {
    'gains': ({}, {'controller.natural_frequency.joint_1': {'values': [20, 0.0, 30.0]},
                   'controller.damping': {'normal': [0.5, 0.5]},
                   'controller.model.friction_scale': {'normal': [0.3, 0.3]}}),
    'kp': ({'controller.natural_frequency': [], 'controller.kp': 400.0, 'controller.kd': 40.0}, {
        'controller.kp.joint_2': {'normal': [300.0, 300.0]},
        'controller.kd': {'values': [40.0, 30, [40.0, 40.0, 40.0, 50.0]]}}),
    'inertia': ({'dynamics.payload.inertia': [0.01, 0.01, 0.01, 0, 0, 0]}, {
        'dynamics.payload.inertia.xx': {'uniform': [-0.001, 0.03]},
        'dynamics.gravity.z': {'values': [-9.81, 1.0e12]}}),
    'starts': ({'controller.blend_time': 0.02}, {
        # as the motion begins, beside it, and too far away
        'dynamics.initial_position.joint_1': {'values': [0.5367501772287113, 0.54, 2.0]},
        'dynamics.initial_velocity.joint_2': {'values': [0.0, 0.05]},
        'dynamics.friction_scale': {'normal': [0.5, 0.5]}}),
    'noise': ({'dynamics.noise.velocity': 1e-4}, {
        'dynamics.noise.position': {'values': [0.0, 1e-5]},
        'dynamics.noise.seed': {'values': [3, 2 ** 62]},
        'dynamics.initial_position.joint_1': {'uniform': [0.50, 0.57]}}),
}
"""Axes that are columns, with values among them that a run cannot have, or must look at alone."""


@pytest.mark.parametrize('name', MIXED)
def test_columns_of_numbers_are_the_scenarios_of_their_runs(name, monkeypatch):
    """What is filled in for all runs at once is what a scenario for each gives, reasons too."""
    changes, axes = MIXED[name]
    study = make_study({'scenario': 'scara_helix', 'set': changes, 'duration': 0.05,
                        'axes': axes, 'draws': 6})
    runs, seen, alone = np.arange(study.count), [], Runner._alone

    def counted(*given):
        seen.append(given[-1])
        return alone(*given)

    monkeypatch.setattr(Runner, '_alone', counted)
    whole = Runner(study).rows(runs)
    assert len(seen) < study.count, 'nothing was told of a column'
    assert name == 'noise' or seen, 'nothing had to be looked at alone'
    begun = Together.__init__

    def none(self, *given):
        begun(self, *given)
        self.possible = False

    monkeypatch.setattr(Together, '__init__', none)
    seen.clear()
    single = Runner(study).rows(runs)
    assert len(seen) > 0.5 * study.count
    assert repr(single) == repr(whole)


@pytest.mark.parametrize('name', ['gains', 'starts', 'noise', 'structure'])
def test_rows_do_not_depend_on_their_neighbours(name):
    """Alone, in another order, or together: every column is the same to the bit."""
    scenario, changes, axes = CASES[name]
    study = make_study({'scenario': scenario, 'set': changes, 'duration': 0.05, 'axes': axes,
                        'draws': 8})
    runner = Runner(study)
    whole = runner.rows(np.arange(study.count))
    order = np.random.default_rng(2).permutation(study.count)
    mixed = Runner(study).rows(order)
    alone = runner.rows(order[:1])
    for column, values in whole.items():
        assert [repr(values[k]) for k in order] == list(map(repr, mixed[column])), column
        assert repr(values[order[0]]) == repr(alone[column][0]), column


def test_a_run_that_fails_is_a_row_with_its_reason():
    """Its neighbours are as if it were not there."""
    study = make_study({
        'scenario': 'scara_helix', 'duration': 0.2, 'axes': {
            'dynamics.payload.mass': {'values': [1.0, 1e9, 2.0]},
            'dynamics.initial_position.joint_1': {'values': [0.5367501772287113, 2.0]}}})
    rows = Runner(study).rows(np.arange(study.count))
    assert rows['finished'] == [True, False, rows['finished'][2], False, True, False]
    assert 'joint_1' in rows['reason'][1] and math.isnan(rows['error_max'][1])
    good = make_study({'scenario': 'scara_helix', 'duration': 0.2, 'axes': {
        'dynamics.payload.mass': {'values': [1.0, 2.0]}}})
    assert Runner(good).rows(np.arange(2))['error_max'] == [rows['error_max'][0],
                                                            rows['error_max'][4]]


def test_settling(tmp_path):
    """The time from which on errors are within the tolerance, or none."""
    study = make_study({'scenario': 'scara_helix', 'duration': 2.0, 'settle_tolerance': 1e-3,
                        'set': {'dynamics.initial_position': [0.56, -0.958, 0.42, 0.0],
                                'controller.blend_time': 0.0},
                        'axes': {'controller.natural_frequency': {'values': [5.0, 20.0]}}})
    runner = Runner(study)
    rows = runner.rows(np.arange(2))
    for k in range(2):
        result = simulate(runner.scenario(rows, k))
        outside = result.t[np.abs(result.error).max(axis=1) > 1e-3]
        assert rows['settled'][k] == (outside[-1] < result.t[-1])
        assert rows['settling_time'][k] == outside[-1]
    assert rows['settling_time'][1] < rows['settling_time'][0]


def test_a_users_metric_sees_the_whole_run(tmp_path):
    """Named by its import path, beside the scenario; one that fails is a reason."""
    from robodyn_ros.share import share_folder
    (tmp_path / 'arm.yaml').write_text((share_folder('config') / 'scara_helix.yaml').read_text())
    (tmp_path / 'mine.py').write_text(
        'from robodyn_ros import metric\n\n\n@metric\ndef last(result):\n'
        '    return result.q[-1, 0]\n\n\n@metric\ndef bad(result):\n    return "words"\n\n\n'
        '@metric\ndef mass(result):\n    return result.scenario.dynamics.payload.mass\n')
    study = make_study({'scenario': 'arm.yaml', 'duration': 0.05,
                        'metrics': ['error_max', 'mine:last', 'mine:bad', 'mine:mass'],
                        'axes': {'dynamics.payload.mass': {'values': [0.0, 1.0]}}}, tmp_path)
    runner = Runner(study)
    rows = runner.rows(np.arange(2))
    assert rows['mine:last'][1] == simulate(runner.scenario(rows, 1)).q[-1, 0]
    assert 'mine:bad' in rows['reason'][0] and rows['finished'][0]
    assert rows['mine:mass'] == [0.0, 1.0]  # of this run, not of its neighbour


PLAIN = """import sys
import numpy as np
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import make_study
from robodyn_ros.sweeping.together import Together

study = make_study({'scenario': 'scara_helix', 'duration': 0.003, 'axes': {
    'dynamics.payload.mass': [0.0, 0.5, 1.0]}})
rows = Runner(study).rows(np.arange(3))
print(rows['finished'], [x.hex() for name in ('error_max', 'energy') for x in rows[name]])
"""


def test_without_a_compiler():
    """ROBODYN_INTERPRET=1 runs the same operations, and reads the same arrays, in plain Python."""
    told = [subprocess.run([sys.executable, '-c', PLAIN], capture_output=True, text=True,
                           check=True, timeout=300, env={**os.environ, **extra}).stdout
            for extra in ({}, {'ROBODYN_INTERPRET': '1'})]
    assert told[0] == told[1] and told[0].startswith('[True, True, True]')
