# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Plant and controller side by side agree with simulate() under noise and delay, to the bit."""

import numpy as np
from robodyn_ros import load_scenario, simulate
from robodyn_ros.nodes.controller.controller_runner import ControllerRunner
from robodyn_ros.nodes.dynamics.plant_runner import PlantRunner
from robodyn_ros.nodes.dynamics.sensor import Sensor
from robodyn_ros.scenario.simulation import Simulation

NOISY = ['dynamics.noise.position=1e-5', 'dynamics.noise.velocity=1e-4', 'dynamics.noise.seed=7',
         'controller.delay=2', 'duration=0.3']
NANO, PERIOD = 1_000_000_000, 1_000_000


def test_runners_repeat_a_noisy_delayed_simulation():
    """Every state and torque of 0.3 s."""
    scenario = load_scenario('scara_helix', NOISY)
    plain = Simulation(load_scenario('scara_helix', ['duration=0.3']))
    run = Simulation(scenario, with_control=False)
    plant = PlantRunner(run.plant, run.assembly.state, run.period, run.parameters, delay=2)
    controller = ControllerRunner(plain.robot, plain.control)
    controller.accept(NANO, run.desired.points(run.reference, 1e-3), None)
    sensor = Sensor(scenario.dynamics.noise, scenario.duration, scenario.controller.period, 4)
    expected = simulate(scenario)
    for k in range(len(expected.t) - 1):
        assert np.array_equal(plant.q, expected.q[k]) and np.array_equal(plant.v, expected.v[k])
        measured = sensor.measured(k, plant.q, plant.v)
        assert not np.array_equal(measured[0], plant.q)
        plant.command(controller.answer(NANO + k * PERIOD, *measured).tau)
        assert np.array_equal(plant.tau, expected.tau[k])
        plant.advance()


def test_a_perfect_sensor_reads_the_state():
    """Without noise the arrays themselves are returned."""
    sensor = Sensor(load_scenario('scara_helix').dynamics.noise, 1.0, 1e-3, 4)
    q, v = np.ones(4), np.zeros(4)
    assert sensor.measured(3, q, v) == (q, v)
