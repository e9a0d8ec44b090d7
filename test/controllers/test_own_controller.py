# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A user's own control law, named by its import path, is compiled like ours."""

import sys

import numpy as np
import pytest
from robodyn_ros import load_robot, load_scenario, RobodynError, simulate
from robodyn_ros.scenario.schema import ControllerSettings
from robodyn_ros.scenario.wiring import control_of

SOURCE = '''
from robodyn_ros import Control

def pd(robot, settings):
    """PD on each joint, with a gain of its own as run-time parameter."""
    def law(t, q, v, reference, values):
        n = robot.n
        return [values['kp'] * (reference[k] - q[k]) + values['kd'] * (reference[n + k] - v[k])
                for k in range(n)]
    return Control(law, 3 * robot.n, {'kp': settings.kp[0], 'kd': settings.kd[0]})

def nothing(robot, settings):
    return None

number = 3.0
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return the name of a module with a user's controllers, in the current folder."""
    (tmp_path / 'my_controller.py').write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    yield 'my_controller'
    sys.modules.pop('my_controller', None)


def test_own_law_drives_the_plant(module):
    """The recorded torque is the law's, computed here once more from the recorded motion."""
    scenario = load_scenario('two_link_line', [
        f'controller.kind={module}:pd', 'controller.kp=300', 'controller.kd=30',
        'dynamics.constraints=[]', 'dynamics.stabilisation.kind=none', 'duration=0.5'])
    result = simulate(scenario)
    wanted = result.reference
    theirs = 300.0 * (wanted.q - result.q) + 30.0 * (wanted.v - result.v)
    assert np.abs(result.tau[:-1] - theirs[:-1]).max() <= 1e-11 * np.abs(theirs).max()
    assert np.abs(result.tau).max() > 1.0


def test_settings_reach_the_own_law(module):
    """The controller's section is handed over; the delay is the loop's business."""
    settings = ControllerSettings(kind=f'{module}:pd', kp=(7.0,), kd=(2.0,), delay=3)
    control = control_of(load_robot('two_link'), settings, [])
    assert control.parameters == {'kp': 7.0, 'kd': 2.0} and control.delay == 3


@pytest.mark.parametrize('name, words', [
    ('my_controller:pdd', "controller.kind is 'my_controller:pdd': my_controller has no 'pdd'"),
    ('my_controler:pd', 'module cannot be imported.*ModuleNotFoundError'),
    ('my_controller:nothing', 'returned None; expected a Control'),
    ('my_controller:number', "controller.kind is 'my_controller:number': it is 3.0; expected"),
    ('pid', "unknown controller 'pid'.*computed_torque, constraint_following, lqr, none, robust"),
])
def test_wrong_paths_are_refused_in_one_sentence(module, name, words):
    """Each names the setting, the path and what is wrong with it."""
    with pytest.raises(RobodynError, match=words):
        control_of(load_robot('two_link'), ControllerSettings(kind=name), [])
