# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the running nodes, parameter files with mistakes, and the exit code."""

import signal
import subprocess
import sys

import pytest
from rcl_interfaces.srv import (
    DescribeParameters, GetParameters, ListParameters, SetParameters, SetParametersAtomically)
from rclpy.parameter import Parameter, parameter_value_to_python
from robodyn_ros.commands.parameters import rows
from robodyn_ros.scenario.settings import nested
from system.graph import nodes, PATIENCE, start, start_with, stop, written
import yaml

pytestmark = pytest.mark.dds
OF_RCLPY = ('use_sim_time', 'start_type_description_service')


def messages(values):
    """Return parameters as services take them."""
    return [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]


def change(listener, node, **values):
    """Set parameters one by one; returns the results."""
    names = {name.replace('__', '.'): value for name, value in values.items()}
    return listener.call(SetParameters, f'/{node}/set_parameters',
                         parameters=messages(names)).results


def test_parameters_say_what_they_are_and_change_only_as_a_whole(listener):
    """Description of each, read-only ones refuse, gains and payload change, bad sets do not."""
    with nodes('scara_helix', 'dynamics', 'controller', 'trajectory'):
        for node in ('dynamics', 'controller', 'trajectory'):
            names = [name for name in
                     listener.call(ListParameters, f'/{node}/list_parameters').result.names
                     if name not in OF_RCLPY and not name.startswith('qos_overrides.')]
            found = listener.call(DescribeParameters, f'/{node}/describe_parameters',
                                  names=names).descriptors
            assert len(found) == len(names) > 5
            documented = {row.name for row in rows(node)}
            assert documented <= set(names)
            assert all(name == 'scenario' or name.startswith(('hold.', 'parameters.'))
                       for name in set(names) - documented)
            bounds = {row.name: row.bounds for row in rows(node)}
            assert all(d.additional_constraints == bounds.get(d.name, '') for d in found)
            assert not [d.name for d in found if not d.description]
            fixed = {d.name for d in found if d.read_only}
            assert {'scenario', 'robot'} <= fixed and 'payload.mass' not in fixed
        assert not change(listener, 'dynamics', step=0.01)[0].successful
        assert not change(listener, 'controller', period=0.01)[0].successful
        assert not change(listener, 'trajectory', repeat=True)[0].successful
        listener.wait_until(1.8)
        assert change(listener, 'dynamics', payload__mass=1.0, friction_scale=0.5)[0].successful
        assert change(listener, 'controller', natural_frequency=[30.0])[0].successful
        assert change(listener, 'controller', model__payload__mass=1.0)[0].successful
        for bad in ([1.0, 2.0], [-5.0], ['fast'], 3):
            result = change(listener, 'controller', natural_frequency=bad)[0]
            assert result.successful == (bad == 3), (bad, result.reason)
            assert result.successful or 'natural_frequency' in result.reason
        whole = listener.call(
            SetParametersAtomically, '/dynamics/set_parameters_atomically',
            parameters=messages({'payload.mass': 2.0, 'friction_scale': -1.0})).result
        assert not whole.successful and 'friction_scale' in whole.reason
        mass = listener.call(GetParameters, '/dynamics/get_parameters', names=['payload.mass'])
        assert mass.values[0].double_value == 1.0
        listener.wait(lambda now=listener.now: listener.now > now + 10_000_000)


@pytest.mark.parametrize('node, text, words', [
    ('dynamics', '{stepp: 0.1}', "unknown parameter 'stepp'"),
    ('dynamics', '{step: fast}', 'expected a finite number'),
    ('dynamics', '{step: -0.001}', 'step'),
    ('dynamics', '{payload: {centre: [1.0]}}', 'expected 3 numbers'),
    ('dynamics', '{initial_position: [0.0, 1.0]}', 'initial_position'),
    ('dynamics', '{mode: fast}', 'free, lockstep'),
    ('dynamics', '{payload.centre: [1.0, two]}', "Couldn't parse params file"),
    ('controller', '{kp: [1.0, 2.0, 3.0]}', 'kp'),
    ('controller', '{kind: magic}', 'magic'),
    ('controller', '{command_format: twist}', 'joint_state, float64_multi_array'),
    ('trajectory', '{start_delay: soon}', 'start_delay'),
    ('trajectory', '{scenario: nonsense}', "unknown scenario 'nonsense'")])
def test_a_mistake_in_a_parameter_file_is_one_sentence(tmp_path, node, text, words):
    """Exit code 2, no traceback."""
    path = tmp_path / 'parameters.yaml'
    path.write_text(f'{node}:\n  ros__parameters: {text}\n')
    done = subprocess.run(
        [sys.executable, '-m', f'robodyn_ros.nodes.{node}.node', '--ros-args', '--params-file',
         str(path)], capture_output=True, text=True, timeout=100)
    said = done.stderr.strip()
    assert done.returncode == 2, said
    # rcl may log a line of its own before ours when it cannot read a file at all
    ours = [line for line in said.splitlines() if '[rcl]' not in line]
    assert words in said and 'Traceback' not in said and len(ours) == 1


def dump(listener, node):
    """Return the parameters of a node by name, as `ros2 param dump` asks for them."""
    names = sorted(listener.call(ListParameters, f'/{node}/list_parameters').result.names)
    values = listener.call(GetParameters, f'/{node}/get_parameters', names=names).values
    plain = map(parameter_value_to_python, values)
    return {name: value if value is None or isinstance(value, (bool, int, float, str))
            else list(value) for name, value in zip(names, plain)}


@pytest.mark.parametrize('scenario, names', [
    ('scara_helix', ('dynamics', 'controller', 'trajectory', 'viewer', 'recorder')),
    ('scara_helix_constrained', ('dynamics', 'trajectory'))])
def test_dumped_parameters_load_again_and_are_the_same(listener, tmp_path, monkeypatch, scenario,
                                                       names):
    """Those of rclpy, empty lists, axes called y and read-only ones included."""
    monkeypatch.chdir(tmp_path)  # the recorder's file
    own = {'viewer': {'port': 0}, 'controller': {'model.payload.mass': 1.5},
           'dynamics': {'qos_overrides./joint_states.publisher.depth': 7}}
    first, files = {}, {}
    with nodes(scenario, *names, **own):
        for name in names:
            first[name] = dump(listener, name)
            files[name] = tmp_path / f'{name}.yaml'
            files[name].write_text(yaml.dump(
                {f'/{name}': {'ros__parameters': nested(first[name])}}, default_flow_style=False))
    assert first['dynamics']['gravity'] == []
    assert first['dynamics']['qos_overrides./joint_states.publisher.depth'] == 7
    again = []
    with nodes(scenario) as processes:
        for name in names:
            processes.append(start_with(name, '--params-file', str(files[name])))
        for name, process in zip(names, processes):
            listener.wait(lambda process=process: process.poll() is not None or any(
                found == name for found in listener.node.get_node_names()))
            assert process.poll() is None, written(process)
            again.append(dump(listener, name))
    assert again == [first[name] for name in names]


def test_time_outs_rates_and_reactions_change_while_running(listener):
    """What changed is what acts: silence ends in the reaction asked for last."""
    with nodes('scara_helix', 'dynamics', 'controller', 'trajectory') as graph:
        listener.wait(lambda: listener.commands)
        good = {'command_timeout': 0.2, 'on_timeout': 'damping', 'watch_rate': 20.0,
                'clock_rate': 100.0, 'trace_length': 10}
        assert all(result.successful for result in change(listener, 'dynamics', **good))
        assert all(result.successful for result in change(
            listener, 'controller', watch_rate=20.0, state_timeout=2.0))
        for name, bad in (('command_timeout', 0.0), ('on_timeout', 'pray'), ('clock_rate', 0.5),
                          ('watch_rate', 'often')):
            result = change(listener, 'dynamics', **{name: bad})[0]
            assert not result.successful and name in result.reason
        assert stop(graph.pop(1))[0] == 0
        listener.wait_for_report('no command in time: damping')
        assert change(listener, 'dynamics', on_timeout='hold')[0].successful
        listener.wait_for_report('no command in time: hold')


@pytest.mark.parametrize('how', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_every_node_with_exit_code_zero(listener, how):
    """In the middle of the motion, and without a complaint."""
    graph = [start('scara_helix', name) for name in ('dynamics', 'controller', 'trajectory')]
    try:
        listener.wait(lambda: len(listener.commands) > 50)
    finally:
        ends = [stop(process, how) for process in reversed(graph)]
    for code, text in ends:
        assert code == 0 and 'Traceback' not in text, text


def test_the_start_is_told_in_single_lines(listener):
    """Robot, joints, rates, topics, time-outs."""
    with nodes('parallel_line', 'dynamics') as graph:
        listener.wait(lambda: listener.states)
        text = written(graph[0])
    for words in ('robot ', 'joints ', 'a state every 1 ms', 'topics ', 'command time-out 0.1 s'):
        assert sum(words in line for line in text.splitlines()) >= 1, text


@pytest.mark.parametrize('count', [2, 6])
def test_a_law_of_the_wrong_length_ends_the_controller_with_one_sentence(
        tmp_path, monkeypatch, count):
    """Before it says a word to the arm."""
    (tmp_path / 'short_law.py').write_text(
        'from robodyn_ros.types import Control\n'
        'def make(robot, settings) -> Control:\n'
        f'    return Control(lambda t, q, v, reference, parameters: [t] * {count}, 0, {{}})\n')
    monkeypatch.chdir(tmp_path)
    node = start('scara_helix', 'controller', kind='short_law:make')
    assert node.wait(PATIENCE) == 2
    text = written(node)
    assert f'torques of the control law: expected 4, got {count}' in text
    assert 'Traceback' not in text
