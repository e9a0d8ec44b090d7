# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A user's law is judged alike by simulate and by the controller: one sentence, no traceback."""

import pytest
from robodyn_ros import load_scenario, RobodynError, simulate
from robodyn_ros.share import share_folder

LAWS = """
from robodyn_ros import Control

def plain(robot, settings):
    def law(t, q, v, reference, parameters):
        return [d + 50.0 * (x - y) for d, x, y in zip(reference[2 * robot.n:], reference, q)]
    return Control(law, 3 * robot.n, {})

def free(robot, settings):
    return Control(lambda t, q, v, reference, parameters: [-5.0 * w for w in v], 0, {})

def failing(robot, settings):
    return Control(lambda *_: 1 / 0, 3 * robot.n, {})

def nothing(robot, settings):
    return Control(lambda *_: None, 3 * robot.n, {})

def words(robot, settings):
    return Control(lambda *_: ['much'] * robot.n, 3 * robot.n, {})

def narrow(robot, settings):
    return Control(lambda t, q, v, reference, parameters: [reference[0]] * robot.n, 1, {})

def number(robot, settings):
    return Control(7, 3 * robot.n, {})

def taken(robot, settings):
    def law(t, q, v, reference, parameters, memory):
        return [0.0] * robot.n, memory
    return Control(law, 3 * robot.n, {}, memory=[0.0] * robot.n, told={'status': 0})
"""


def scenario_with(tmp_path, law):
    """Write a scenario whose law is one of these; returns its path."""
    (tmp_path / 'strange_laws.py').write_text(LAWS)
    text = (share_folder('config') / 'scara_helix.yaml').read_text()
    path = tmp_path / f'{law}.yaml'
    path.write_text(text.replace('computed_torque', f"'strange_laws:{law}'").replace(
        '    natural_frequency: [20.0]\n', ''))
    return path


@pytest.mark.parametrize('law, told', [
    ('failing', 'the control law raised ZeroDivisionError'),
    ('nothing', 'the control law returned None'),
    ('words', "the control law returned ['much', 'much', 'much', 'much']; expected numbers"),
    ('narrow', 'reference_size is 1; expected 12, .* or 0'),
    ('number', 'law of the control is 7; expected a function')])
@pytest.mark.dds
def test_simulate_and_the_node_refuse_a_law_with_the_same_sentence(tmp_path, law, told):
    """Before anything is sent."""
    from system.graph import start, stop
    path = scenario_with(tmp_path, law)
    with pytest.raises(RobodynError, match=told.replace('[', r'\[')) as refused:
        simulate(path, 0.1)
    process = start(path, 'controller')
    process.wait(120)
    code, text = stop(process)
    assert code == 2 and f'robodyn: {refused.value}' in text and 'Traceback' not in text


@pytest.mark.dds
def test_a_law_may_not_tell_by_the_name_of_another_topic(tmp_path):
    """Two types on one topic are nobody's."""
    from system.graph import start, stop
    process = start(scenario_with(tmp_path, 'taken'), 'controller')
    process.wait(120)
    code, text = stop(process)
    assert code == 2 and "tells 'status', which is a topic" in text and 'Traceback' not in text


@pytest.mark.dds
@pytest.mark.parametrize('law', ['plain', 'free'])
def test_a_law_without_parameters_runs_in_the_nodes_as_in_simulate(tmp_path, law):
    """To the last bit, and a parameter that it does not have may be set."""
    from robodyn_ros.nodes.single_process import run_composed
    made = load_scenario(scenario_with(tmp_path, law), {
        'duration': 0.05, 'trajectory.ignore_limits': True})
    expected = simulate(made)
    status = run_composed(made, expected, expected.desired.in_space, 'lockstep', 1.0,
                          lambda status: None)
    assert status.difference == 0.0 and status.reason == ''
    assert status.simulated == pytest.approx(0.05)
