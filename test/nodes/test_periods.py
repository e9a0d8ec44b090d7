# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""For every control period and step, plant, controller and schedule repeat simulate()."""

import numpy as np
import pytest
from robodyn_ros import load_scenario, Simulation
from robodyn_ros.nodes.controller.controller_runner import ControlClock, ControllerRunner, Rules
from robodyn_ros.nodes.dynamics.node import FIRST_STAMP
from robodyn_ros.nodes.dynamics.plant_runner import PlantRunner
from robodyn_ros.nodes.trajectory.schedule import Schedule
from robodyn_ros.ros_time import NANO
from robodyn_ros.scenario.periods import period_ns, periods_in, steps_in
from robodyn_ros.scenario.wiring import control_of

PERIODS = 60
TOLD = [(0.003, 1), (0.006, 4), (0.0007, 1), (1.0 / 3000.0, 1), (1.0 / 3000.0, 3), (1e-3, 7),
        (1.0 / 70.0, 5)]
"""Periods that do not divide a second, or are no whole nanoseconds; steps of each."""
RANDOM = [(float(10.0 ** power), int(steps)) for power, steps in zip(
    np.random.default_rng(16).uniform(-4.0, -2.0, 8),
    np.random.default_rng(61).integers(1, 9, 8))]


def made(period, steps):
    """Return a scenario of that period, long enough, whose motion takes its whole time."""
    return load_scenario('scara_helix', {
        'duration': 3 * PERIODS * period, 'controller.period': period,
        'dynamics.step': period / steps, 'trajectory.ignore_limits': True,
        'trajectory.ramp': PERIODS * period / 2})


@pytest.mark.parametrize('period, steps', TOLD + RANDOM)
def test_the_nodes_parts_repeat_simulate_for_every_period(period, steps):
    """The start is where a schedule puts it on a clock that waits, the rest is the runners'."""
    scenario = made(period, steps)
    run = Simulation(scenario)
    result = run.run()
    nano, control = period_ns(period), control_of(run.robot, scenario.controller,
                                                  scenario.trajectory)
    schedule = Schedule(nano, nano, NANO // 3)
    schedule.state = FIRST_STAMP
    schedule.look(FIRST_STAMP, False, 0)
    start, = schedule.look(FIRST_STAMP, False, 0)
    assert start == FIRST_STAMP
    controller = ControllerRunner(
        run.robot, control, Rules(scenario.controller, limit_tolerance=None, longest_gap=1e3),
        ControlClock(nano, steps_in(period, scenario.dynamics.step), scenario.dynamics.step))
    plant = PlantRunner(Simulation(scenario, with_control=False).plant, run.assembly.state,
                        run.period, run.parameters, keep_limits=False)
    points = run.desired.points(Simulation(scenario, with_control=False).reference, period)
    assert (points.times % nano == 0).all()
    controller.accept(start, points, None)
    for k in range(PERIODS):
        answer = controller.answer(FIRST_STAMP + k * nano, plant.q.copy(), plant.v.copy())
        assert np.array_equal(plant.q, result.q[k]) and np.array_equal(plant.v, result.v[k]), k
        assert np.array_equal(answer.tau, result.tau[k]), k
        plant.command(answer.tau)
        plant.advance()


@pytest.mark.parametrize('period, steps', TOLD + RANDOM)
def test_a_start_on_a_running_clock_falls_on_a_state(period, steps):
    """Whatever the time is, and whatever way leads to the motion."""
    nano = period_ns(period)
    for now in np.random.default_rng(steps).integers(NANO, 10 ** 6 * NANO, 50).tolist():
        schedule = Schedule(periods_in(1.0, period) * nano, nano, NANO // 3)
        schedule.state = FIRST_STAMP + (now - FIRST_STAMP) // nano * nano
        schedule.look(now - 1, False, None)
        start, = schedule.look(now, False, 17 * nano)
        assert (start - FIRST_STAMP) % nano == 0
        assert NANO // 3 + 17 * nano <= start - now < NANO // 3 + 18 * nano
