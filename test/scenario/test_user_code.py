# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A user's modules beside a scenario's file, and scenarios that are made in Python."""

import dataclasses
import sys

import numpy as np
import pytest
from robodyn_ros import load_scenario, RobodynError, Scenario, Simulation
from robodyn_ros.scenario.schema import (ControllerSettings, DynamicsSettings, NoiseSettings,
                                         PayloadSettings)

PARTS = """
from robodyn_ros import constraint, Control, controller, trajectory

@constraint
def elbow_is_straight(robot, q, t):
    return [q[1]]

@controller
def drive(robot, settings):
    return Control(lambda t, q, v, reference, values: [values['kp']] * robot.n, 0,
                   {'kp': settings.kp[0]})

@trajectory
class Swing:
    def sample(self, times):
        import beside_later
        return beside_later.swing(times)
"""
LATER = """
import numpy as np
from robodyn_ros import Trajectory

def swing(t):
    rest = np.zeros((len(t), 2))
    return Trajectory(t, rest, rest, rest)
"""
TEXT = """
/**:
  ros__parameters: {robot: two_link, duration: 0.01}
dynamics:
  ros__parameters: {constraints: ['beside:elbow_is_straight']}
controller:
  ros__parameters: {kind: 'beside:drive', kp: 3.0}
trajectory:
  ros__parameters: {kind: 'beside:Swing'}
"""


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Return a scenario with its parts beside it; the current folder is another one."""
    for name, text in (('beside.py', PARTS), ('beside_later.py', LATER), ('mine.yaml', TEXT)):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    return tmp_path / 'mine.yaml'


def test_modules_beside_the_file_are_found(path):
    """Constraint, law and trajectory, the last of which imports one more when it is asked."""
    run = Simulation(path)
    assert run.plant.row_names == ('elbow_is_straight',)
    assert run.control.parameters == {'kp': 3.0} and not run.reference.q.any()


def test_loading_changes_nothing_else(path):
    """The scenario knows its folder; Python's search path is as it was."""
    before = list(sys.path)
    scenario = load_scenario(path)
    assert scenario.folder == str(path.parent) and sys.path == before
    with pytest.raises(RobodynError, match='beside.* cannot be imported'):
        Simulation(dataclasses.replace(scenario, folder=''))


def test_the_folder_is_no_setting(path):
    """A file that gives one is refused, and the complaint does not offer it."""
    with pytest.raises(RobodynError, match="unknown key 'folder'") as caught:
        load_scenario(path, ['folder=/tmp'])
    assert 'folder' not in str(caught.value).partition('use one of')[2]


@pytest.mark.parametrize('changes, words', [
    ({'duration': -1.0}, 'made: duration is -1.0; expected at least'),
    ({'duration': 'long'}, "made: duration is 'long'; expected a finite number"),
    ({'controller': ControllerSettings(delay=-1)}, 'controller.delay is -1; expected 0 .. 100000'),
    ({'controller': ControllerSettings(delay=1.5)}, 'controller.delay is 1.5; expected a whole'),
    ({'dynamics': DynamicsSettings(integrator='rk5')}, "integrator is 'rk5'; expected one of"),
    ({'dynamics': DynamicsSettings(noise=NoiseSettings(seed=-1))}, 'dynamics.noise.seed is -1'),
    ({'dynamics': DynamicsSettings(payload=PayloadSettings(mass=-1.0))}, 'payload.mass is -1.0'),
    ({'dynamics': 3}, 'made: dynamics is 3; expected a group of settings'),
])
def test_a_scenario_made_in_python_is_checked_like_a_file(changes, words):
    """Types and bounds, by the same sentences."""
    with pytest.raises(RobodynError, match=words):
        Simulation(dataclasses.replace(Scenario('made', 'two_link'), **changes))


def test_a_scenario_made_in_python_may_hold_numbers_of_numpy():
    """And lists where a file would have them, or one number for a list of one."""
    run = Simulation(Scenario(
        'made', 'two_link', duration=np.float64(0.01), dynamics=DynamicsSettings(
            initial_position=[0.1, np.float32(0.5)], noise=NoiseSettings(seed=np.int64(3)))))
    assert run.assembly.state.q.tolist() == [0.1, 0.5] and run.scenario.dynamics.noise.seed == 3
