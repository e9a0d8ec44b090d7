# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Delay and sensor noise in the compiled loop, against the same loop written in Python.

One program serves all: noise off is noise of size zero in its columns, the delay is part of it.
"""

from functools import cache

import numpy as np
from plant.cases import plant, robot
import pytest
from robodyn_ros import computed_torque, load_scenario, simulate, Simulation, State
from robodyn_ros.scenario.wiring import control_of

PERIOD, STEPS, COUNT, DELAY = 0.01, 1, 60, 2


@cache
def simulation(*changes):
    """Return two_link on its line under computed torque, free, measured late and noisily."""
    return Simulation(load_scenario('two_link_line', [
        'dynamics.constraints=[]', 'dynamics.stabilisation.kind=none',
        'controller.kind=computed_torque', 'controller.natural_frequency=8.0',
        f'controller.delay={DELAY}', 'dynamics.noise.position=0.001',
        'dynamics.noise.velocity=0.02', 'dynamics.noise.seed=7', f'duration={COUNT * PERIOD}',
        *changes]))


def by_hand(run, delay, noise_q, noise_v):
    """Integrate the same loop in Python: torques are held, and arrive delay instants late."""
    arm, free = robot('two_link'), plant('two_link', step=PERIOD)
    law = computed_torque(arm, natural_frequency=8.0)
    wanted = run.reference.rows()
    state, waiting, motion, torques = run.assembly.state, [np.zeros(2)] * delay, [], []
    for k in range(COUNT):
        waiting.append(np.array(law.law(state.t, state.q + noise_q[k], state.v + noise_v[k],
                                        wanted[k], law.parameters)))
        torques.append(waiting.pop(0))
        motion.append(state.q)
        state = free.advance(State(k * PERIOD, state.q, state.v), torques[-1])
    return np.array([*motion, state.q]), np.array(torques)


def noise(seed):
    """Return the noise a seed stands for: positions first, then velocities."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, 0.001, (COUNT + 1, 2)), rng.normal(0.0, 0.02, (COUNT + 1, 2))


def test_delay_and_noise_are_those_of_the_loop_by_hand():
    """The torque computed from noisy measurements acts two instants later, zero until then."""
    run = simulation()
    result = run.run()
    q, tau = by_hand(run, DELAY, *noise(7))
    assert np.abs(result.tau[:-1] - tau).max() < 1e-9
    assert np.abs(result.q - q).max() < 1e-11
    assert not result.tau[:DELAY].any() and result.tau[DELAY].any()


def test_noise_is_repeatable_by_its_seed():
    """The same seed gives the same bits, another seed another run; the plant's state is clean."""
    once, again = (simulate(simulation().scenario) for _ in range(2))
    other = simulation('dynamics.noise.seed=8').run()
    assert np.array_equal(once.q, again.q) and np.array_equal(once.tau, again.tau)
    assert np.abs(other.q - once.q).max() > 1e-5
    assert np.abs(np.diff(once.q, axis=0)).max() < 0.05  # noise is measured, not suffered


def test_noise_has_the_size_asked_for():
    """Standard deviations of the columns fed to the law, over ten thousand instants."""
    rows = simulation('duration=100').law_rows[:, -4:]
    assert rows.std(axis=0) == pytest.approx([0.001, 0.001, 0.02, 0.02], rel=0.03)
    assert np.abs(rows.mean(axis=0)).max() < 1e-3


def test_delay_is_taken_from_the_settings():
    """Every kind of controller carries it; without one it is none."""
    for delay in (0, 3):
        scenario = load_scenario('scara_via_points', [f'controller.delay={delay}'])
        assert control_of(robot('scara_1000'), scenario.controller, []).delay == delay


def test_a_longer_delay_tracks_worse():
    """Late torques cost accuracy: by hand, for 0, 2 and 4 instants."""
    run, still = simulation(), np.zeros((COUNT + 1, 2))
    errors = [np.abs(by_hand(run, d, still, still)[0] - run.reference.q).max() for d in (0, 2, 4)]
    assert errors[0] < errors[1] < errors[2]
