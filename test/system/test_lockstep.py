# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Separate processes do exactly what simulate() does, again and again, however slow they are."""

import hashlib
import signal

import numpy as np
import pytest
from robodyn_ros import load_scenario, scenario_names, simulate
from robodyn_ros.nodes.dynamics.node import FIRST_STAMP
from robodyn_ros.scenario.periods import period_ns
from robodyn_ros.share import share_folder
from std_srvs.srv import SetBool
from system.graph import heard_graph, Listener, nodes, stamp

pytestmark = pytest.mark.dds
PERIODS = 400
"""Periods that are compared."""
SAME = 1e-9
"""Largest difference of a state or torque from simulate(), as the design promises."""
DRIVEN = [name for name in scenario_names() if load_scenario(name).controller.kind != 'none']
ALONE = [name for name in scenario_names() if name not in DRIVEN]


def arrays(messages, field):
    """Return a field of messages as an array, a row each."""
    return np.array([getattr(m, field) for m in messages])


def lockstep_run(scenario, disturb=lambda processes, listener: None):
    """Return the first states and commands of a run in three processes, disturbed or not."""
    period = period_ns(load_scenario(scenario).controller.period)
    window = range(FIRST_STAMP, FIRST_STAMP + PERIODS * period, period)
    listener = Listener()
    try:
        with heard_graph(listener, scenario, dynamics={'mode': 'lockstep'}) as processes:
            listener.wait(lambda: listener.now > FIRST_STAMP + 20 * period)
            disturb(processes, listener)
            listener.wait(lambda: listener.now > window[-1] + period)
            # the answer to the last state may come after the state that follows from it
            listener.wait(lambda: window[-1] in map(stamp, listener.commands))
    finally:
        listener.close()
    states = {stamp(m): m for m in listener.states}
    commands = {stamp(m): m for m in listener.commands}
    return [states[k] for k in window], [commands[k] for k in window]


def digest(states):
    """Return a hash of positions, velocities and efforts."""
    text = b''.join(bytes(m.position) + bytes(m.velocity) + bytes(m.effort) for m in states)
    return hashlib.sha256(text).hexdigest()


@pytest.mark.parametrize('scenario', DRIVEN)
def test_three_processes_agree_with_simulate(scenario):
    """Every state, and the torque that answers it, is that of simulate() to 1e-9."""
    states, commands = lockstep_run(scenario)
    made = load_scenario(scenario)
    result = simulate(made)
    assert np.abs(arrays(states, 'position') - result.q[:PERIODS]).max() < SAME
    assert np.abs(arrays(states, 'velocity') - result.v[:PERIODS]).max() < SAME
    assert np.abs(arrays(commands, 'effort') - result.tau[:PERIODS]).max() < SAME


@pytest.mark.parametrize('scenario', ALONE)
def test_a_plant_without_controller_agrees_with_simulate(listener, scenario):
    """Whatever is heard of a plant that its constraints alone move is what simulate() says."""
    made = load_scenario(scenario)
    period = int(made.controller.period * 1e9)
    with nodes(scenario, 'dynamics', 'trajectory'):
        listener.wait(lambda: len(listener.states) > PERIODS)
    heard = [m for m in listener.states if stamp(m) <= FIRST_STAMP + int(made.duration * 1e9)]
    place = [(stamp(m) - FIRST_STAMP) // period for m in heard]
    result = simulate(made)
    assert len(heard) > 100
    assert np.abs(arrays(heard, 'position') - result.q[place]).max() < SAME
    assert np.abs(arrays(heard, 'velocity') - result.v[place]).max() < SAME


@pytest.mark.parametrize('period', [0.003, 1.0 / 3000.0])
def test_periods_that_divide_no_second_agree_to_the_last_bit(tmp_path, period):
    """States and torques, also where a period is no whole number of nanoseconds."""
    text = (share_folder('config') / 'scara_helix.yaml').read_text()
    path = tmp_path / 'uneven.yaml'
    path.write_text(text.replace('period: 0.001', f'period: {period!r}').replace(
        'step: 0.001', f'step: {period!r}'))
    result = simulate(path)
    assert result.scenario.controller.period == result.scenario.dynamics.step == period
    states, commands = lockstep_run(str(path))
    assert np.array_equal(arrays(states, 'position'), result.q[:PERIODS])
    assert np.array_equal(arrays(states, 'velocity'), result.v[:PERIODS])
    assert np.array_equal(arrays(commands, 'effort'), result.tau[:PERIODS])


def stopped_in_turn(processes, listener):
    """Let the controller, then the plant sleep in the middle of the run."""
    plant, controller, _ = processes
    for process in (controller, plant):
        process.send_signal(signal.SIGSTOP)
        try:
            quiet = 0
            while quiet < 3:  # until nothing new comes: what was under way has arrived
                seen = listener.now
                listener.executor.spin_once(timeout_sec=0.15)
                quiet = quiet + 1 if listener.now == seen else 0
        finally:
            process.send_signal(signal.SIGCONT)
        listener.wait(lambda now=listener.now: listener.now > now)


def delayed_command(processes, listener):
    """Send an answer again, later than the controller's own, and one to a state long gone."""
    late = listener.commands[-10:]
    publisher = listener.publisher(type(late[0]), 'joint_commands')
    for message in [*late, *late]:
        message.effort = [9.0] * len(message.effort)
        publisher.publish(message)
        listener.wait(lambda now=listener.now: listener.now > now)


def test_runs_repeat_to_the_last_bit_also_when_slowed_or_delayed():
    """One hash for the states of two runs in peace, a slowed one and one with late commands."""
    hashes = {how: digest(lockstep_run('scara_helix', disturb)[0]) for how, disturb in (
        ('first', lambda *_: None), ('second', lambda *_: None), ('slowed', stopped_in_turn),
        ('late commands', delayed_command))}
    assert len(set(hashes.values())) == 1, hashes


def paused_for_a_while(processes, listener):
    """Pause until the state has been answered some times, and go on; twice."""
    for _ in range(2):
        listener.call(SetBool, '/dynamics/set_pause', data=True)
        now = listener.wait_for_standstill()
        listener.wait(lambda: sum(stamp(m) == now for m in listener.commands) > 3)
        listener.call(SetBool, '/dynamics/set_pause', data=False)
        listener.wait(lambda: listener.now > now)


def test_a_pause_changes_no_bit_of_a_delayed_loop(tmp_path):
    """However often the state was repeated and answered, one answer enters the delay."""
    text = (share_folder('config') / 'scara_helix.yaml').read_text()
    path = tmp_path / 'delayed.yaml'
    path.write_text(text.replace('controller:\n  ros__parameters:\n',
                                 'controller:\n  ros__parameters:\n    delay: 2\n'))
    made = load_scenario(path)
    assert made.controller.delay == 2
    states, _ = lockstep_run(str(path), paused_for_a_while)
    result = simulate(made)
    assert np.abs(arrays(states, 'position') - result.q[:PERIODS]).max() < SAME
    assert np.abs(arrays(states, 'velocity') - result.v[:PERIODS]).max() < SAME
