# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Three processes in lockstep do exactly what simulate() does, again and again."""

import hashlib

import numpy as np
import pytest
from robodyn_ros import load_scenario, simulate
from system.graph import Listener, nodes, stamp

pytestmark = pytest.mark.dds
PERIOD, START = 1_000_000, 1_000_000_000
WINDOW = range(START + 3000 * PERIOD, START + 3300 * PERIOD, PERIOD)
"""Stamps that are compared [ns]: by then the listener hears everybody for sure."""
SAME = 1e-9
"""Largest difference of a state or torque from simulate(), as the design promises."""


def lockstep_run(scenario):
    """Return the states and commands of a run in three processes, in the window of stamps."""
    listener = Listener()
    try:
        with nodes(scenario, 'dynamics', 'controller', 'trajectory',
                   dynamics={'mode': 'lockstep'}):
            listener.wait(lambda: listener.states
                          and stamp(listener.states[-1]) > WINDOW[-1] + 20 * PERIOD)
    finally:
        listener.close()
    states = {stamp(m): m for m in listener.states}
    commands = {stamp(m): m for m in listener.commands}
    return [states[k] for k in WINDOW], [commands[k] for k in WINDOW]


@pytest.mark.parametrize('scenario', ['scara_helix', 'parallel_line'])
def test_three_processes_agree_with_simulate(scenario):
    """Every state, and the torque that answers it, is that of simulate() to 1e-9."""
    states, commands = lockstep_run(scenario)
    result = simulate(load_scenario(scenario), duration=4.0)
    place = [(k - START) // PERIOD for k in WINDOW]
    q = np.array([m.position for m in states])
    v = np.array([m.velocity for m in states])
    tau = np.array([m.effort for m in commands])
    assert np.abs(q - result.q[place]).max() < SAME
    assert np.abs(v - result.v[place]).max() < SAME
    assert np.abs(tau - result.tau[place]).max() < SAME


def test_two_runs_are_the_same_to_the_last_bit():
    """The streams of joint states of two runs have one hash."""
    hashes = set()
    for _ in range(2):
        states, _ = lockstep_run('scara_helix')
        text = b''.join(bytes(m.position) + bytes(m.velocity) + bytes(m.effort) for m in states)
        hashes.add(hashlib.sha256(text).hexdigest())
    assert len(hashes) == 1
