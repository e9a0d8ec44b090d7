# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run a scenario without ROS: plant, controller and reference closed-loop in one compiled call.

    result = simulate('scara_helix', duration=20.0)
    result.t, result.q, result.tau, result.error, result.violation, result.tool, ...
"""
from __future__ import annotations

from dataclasses import replace
import math
from operator import attrgetter
from pathlib import Path
from typing import Mapping

import numpy as np

from robodyn_ros.checks import expect, number
from robodyn_ros.errors import ScenarioError
from robodyn_ros.mechanics.parameters import NAMES
from robodyn_ros.plant.assembly import assemble_start, Assembly
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.scenario.result import Result
from robodyn_ros.scenario.schema import NoiseSettings, Scenario
from robodyn_ros.tracing import Number
from robodyn_ros.types import Control, State


class Simulation:
    """A scenario made ready: traced parts and run-time values; run() may be called repeatedly."""

    def __init__(self, scenario: Scenario | str | Path, duration: float | None = None,
                 with_control: bool = True):
        """
        Build every part; programs are compiled on first use.

        :param scenario: may be given as load_scenario takes it, by name or path
        :param with_control: False leaves the control law out, for a plant driven from outside
        """
        if isinstance(scenario, (str, Path)):
            scenario = load_scenario(scenario)
        expect(Scenario, 'scenario', scenario, 'a Scenario, its name or the path of its file')
        if duration is not None:
            scenario = replace(scenario, duration=number('duration', duration, 'finite seconds'))
        refuse_negative(scenario)
        self.scenario, self.duration = scenario, scenario.duration
        self.robot = load_robot(scenario.robot)
        dynamics, controller = scenario.dynamics, scenario.controller
        self.period = whole_steps(controller.period, dynamics.step)
        self.duration = int(round(self.duration / controller.period)) * controller.period
        self.task = wiring.task_of(scenario.trajectory)
        self.reference = wiring.reference_of(self.robot, scenario.trajectory, self.duration,
                                            controller.period, controller.model)
        self.control = wiring.control_of(self.robot, controller, self.task) if with_control \
            else None
        noisy = dynamics.noise.position > 0.0 or dynamics.noise.velocity > 0.0
        if self.control is not None and noisy:
            self.control = with_noise(self.control, self.robot.n)
        self.plant = wiring.plant_of(self.robot, dynamics, self.task, self.control, self.period)
        values = wiring.parameters_of(self.robot, dynamics).flat()
        self.parameters: Mapping[str, float] = dict(zip(NAMES, values))  # type: ignore[arg-type]
        self.assembly = initial_state(self)
        self._rows = self._reference_rows(noisy)

    def _reference_rows(self, noisy: bool) -> np.ndarray | None:
        if self.control is None or self.control.reference_size == 0:
            return None
        n, count = self.robot.n, int(round(self.duration / self.scenario.controller.period)) + 1
        noise = self.scenario.dynamics.noise
        wanted = self.control.reference_size - (2 * n if noisy else 0)
        parts = []
        if wanted:
            if self.reference is None:
                raise ScenarioError(f'the controller {self.scenario.controller.kind!r} follows a '
                                    'trajectory, but the scenario has none; set trajectory.kind')
            parts.append(self.reference.rows())
        if noisy:
            parts.append(measurement_noise(noise, count, n))
        return np.concatenate(parts, axis=1)

    def run(self, parameters: Mapping[str, float] | None = None) -> Result:
        """Integrate and record at every control instant."""
        count = int(round(self.duration / self.scenario.controller.period))
        motion = self.plant.rollout(self.assembly.state, steps=count * self.period,
                                    reference=self._rows, every=self.period,
                                    parameters={**self.parameters, **(parameters or {})})
        return Result(self.scenario, self.robot, motion, self.reference, self.plant.row_names,
                      self.assembly)


def refuse_negative(scenario: Scenario) -> None:
    """Raise where a number that counts or measures something is below zero."""
    for key in ('duration', 'controller.delay', 'dynamics.noise.position',
                'dynamics.noise.velocity', 'dynamics.noise.seed'):
        value = attrgetter(key)(scenario)
        if not 0 <= value < math.inf:
            raise ScenarioError(f'{scenario.name}: {key} is {value}; expected a finite number '
                                'that is not negative')


def simulate(scenario: Scenario | str | Path, duration: float | None = None) -> Result:
    """Run a scenario, given by name or path if you like; see Result for every array."""
    return Simulation(scenario, duration).run()


def initial_state(run: Simulation) -> Assembly:
    """Start of the plant: as the scenario says, else the start of the reference; assembled."""
    settings, robot = run.scenario.dynamics, run.robot
    q = np.zeros(robot.n)
    v = np.zeros(robot.n)
    if settings.initial_position:
        q = robot.array('dynamics.initial_position', settings.initial_position)
    elif run.reference is not None:
        q, v = run.reference.q[0], run.reference.v[0]
    if settings.initial_velocity:
        v = robot.array('dynamics.initial_velocity', settings.initial_velocity)
    start = State(0.0, q, v)
    if not settings.assemble:
        return Assembly(start, np.zeros(robot.n), np.zeros(robot.n), float('nan'))
    return assemble_start(run.plant, start, parameters=run.parameters)


def measurement_noise(noise: NoiseSettings, count: int, n: int) -> np.ndarray:
    """Errors of measured positions and velocities, side by side (count, 2 n)."""
    random = np.random.default_rng(noise.seed)
    return np.hstack([random.normal(0.0, noise.position, (count, n)),
                      random.normal(0.0, noise.velocity, (count, n))])


def whole_steps(period: float, step: float) -> int:
    """Integration steps per control period; the period must be a whole number of them."""
    count = int(round(period / step)) if step > 0.0 else 0
    if count < 1 or abs(count * step - period) > 1e-9 * period:
        raise ScenarioError(f'controller.period is {period} s and dynamics.step {step} s; '
                            'expected the period to be a whole number of steps')
    return count


def with_noise(control: Control, n: int) -> Control:
    """Return the control law fed with a state plus noise from the last 2 n reference columns."""
    def law(t: Number, q: list, v: list, reference: list, values: Mapping) -> list:
        clean, noise = reference[:-2 * n], reference[-2 * n:]
        return list(control.law(t, [x + e for x, e in zip(q, noise[:n])],
                                [x + e for x, e in zip(v, noise[n:])], clean, values))

    return control._replace(law=law, reference_size=control.reference_size + 2 * n)
