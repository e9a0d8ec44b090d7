# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run a scenario without ROS: plant, controller and reference closed-loop in one compiled call.

    result = simulate('scara_helix', duration=20.0)
    result.t, result.q, result.tau, result.error, result.violation, result.tool, ...
"""
from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Mapping

import numpy as np

from robodyn_ros.checks import expect, number
from robodyn_ros.errors import ScenarioError
from robodyn_ros.mechanics.parameters import NAMES
from robodyn_ros.plant.assembly import assemble_start, Assembly
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.loading import changed, load_scenario
from robodyn_ros.scenario.noise import measurement_noise
from robodyn_ros.scenario.periods import period_ns, periods_in, steps_in
from robodyn_ros.scenario.result import Result
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.settings import checked
from robodyn_ros.trajectories.joint_plan import JointPlan, Points, scheduled
from robodyn_ros.types import Control, Rollout, State, Trajectory


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
        self.scenario = scenario = checked(scenario, scenario.name)
        self.robot = robot = wiring.robot_of(scenario)
        dynamics, controller = scenario.dynamics, scenario.controller
        self.period = steps_in(controller.period, dynamics.step)
        """Integration steps between control instants."""
        self.periods = periods_in(scenario.duration, controller.period)
        """Control periods of the run."""
        self.duration = self.periods * controller.period
        self.desired = DesiredMotion(scenario.trajectory, scenario.folder, self.duration,
                                     scenario.repeat)
        self.wanted = self.desired.reference(
            wiring.model_robot(robot, controller.model), self.duration, controller.period,
            wiring.parameters_of(robot, controller.model),
            wiring.constraints_of(dynamics, scenario.folder))
        """The same before a law begins it from where the arm is."""
        self.followed: Points | None = None
        """Its points as they would be sent, where a law follows them."""
        self.control = self._control(self.wanted) if with_control else None
        self.plant = wiring.plant_of(robot, dynamics, self.desired.task, self.control, self.period,
                                     scenario.folder)
        self._begin()

    def _begin(self) -> None:
        """Settle the plant's values, where the run starts and what its law reads."""
        values = wiring.parameters_of(self.robot, self.scenario.dynamics).flat()
        self.parameters: Mapping[str, float] = dict(zip(NAMES, values))  # type: ignore[arg-type]
        self.reference = self.wanted
        """The motion that is wanted, at every control instant; with a law, as it is followed."""
        self.assembly = self._start()
        self.law_rows = self._seen_by_the_law() if self.control is not None else None
        """What the law reads at each control instant."""

    def begun_from(self, scenario: Scenario) -> Simulation:
        """
        Return the same simulation with another payload, start or noise; nothing is traced again.

        :param scenario: as this one's, but for gravity, friction_scale, payload, initial_position,
            initial_velocity and the sizes and seed of noise in its section dynamics
        """
        other = copy(self)
        other.scenario = scenario
        other._begin()
        return other

    def _control(self, reference: Trajectory | None) -> Control | None:
        settings, scenario = self.scenario.controller, self.scenario
        control = wiring.control_of(self.robot, settings, scenario.trajectory, scenario.folder)
        if control is None:
            return None
        if control.reference_size and reference is None:
            raise ScenarioError(f'the controller {settings.kind!r} follows a trajectory, but the '
                                'scenario has none; set trajectory.kind')
        noise = scenario.dynamics.noise
        control = control._replace(noisy=noise.position > 0.0 or noise.velocity > 0.0)
        return wiring.limited(self.robot, control) if scenario.dynamics.limit_efforts else control

    def _seen_by_the_law(self) -> np.ndarray | None:
        """Return what the law reads at each control instant: the plan's state, then noise."""
        settings, start, n = self.scenario.controller, self.assembly.state, self.robot.n
        assert self.control is not None
        noise = measurement_noise(self.scenario.dynamics.noise, self.periods + 1, n)
        parts = []
        if self.control.reference_size and self.reference is not None:
            state = np.concatenate([start.q, start.v])
            state = np.concatenate([state if noise is None else state + noise[0], np.zeros(n)])
            instants = np.arange(self.periods + 1) * period_ns(settings.period)
            if self.followed is None:
                points = self.desired.points(self.reference, settings.period)
                self.followed = scheduled(points, self.control.schedule, start.q)
            plan = JointPlan(0, self.followed).begun(0, state, settings.blend_time)
            if settings.blend_time > 0.0:
                wiring.check_start(plan, self.robot, settings)
            rows = plan.samples(instants)
            self.reference = Trajectory(self.reference.t, *np.split(rows, 3, axis=1))
            parts += [rows, plan.all_scheduled(instants)]
        if noise is not None:
            parts.append(noise)
        return np.concatenate(parts, axis=1) if parts else None

    def _start(self) -> Assembly:
        """Return the plant's start: the scenario's, else the reference's first; assembled."""
        settings, robot = self.scenario.dynamics, self.robot
        q, v = np.zeros(robot.n), np.zeros(robot.n)
        if settings.initial_position:
            q = robot.array('dynamics.initial_position', settings.initial_position)
        elif self.reference is not None:
            q, v = self.reference.q[0], self.reference.v[0]
        if settings.initial_velocity:
            v = robot.array('dynamics.initial_velocity', settings.initial_velocity)
        start = State(0.0, q, v)
        if not settings.assemble:
            return Assembly(start, np.zeros(robot.n), np.zeros(robot.n), float('nan'))
        return assemble_start(self.plant, start, parameters=self.parameters)

    def run(self, parameters: Mapping[str, float] | None = None) -> Result:
        """
        Integrate and record at every control instant.

        :param parameters: other run-time parameters, as in the scenario, such as
            'dynamics.payload.mass', or as the plant calls them, 'payload.mass'
        """
        changed = {name.removeprefix('dynamics.'): value
                   for name, value in (parameters or {}).items()}
        return self.result(self.plant.rollout(
            self.assembly.state, steps=self.periods * self.period, reference=self.law_rows,
            every=self.period, parameters={**self.parameters, **changed}))

    def result(self, motion: Rollout) -> Result:
        """Put what was wanted beside a motion, which may have broken off before its end."""
        reference = self.reference
        if reference is not None:
            reference = Trajectory(*(part[:len(motion.t)] for part in reference))
        return Result(self.scenario, self.robot, motion, reference, self.plant.row_names,
                      self.assembly, self.desired)


def simulate(scenario: Scenario | str | Path, duration: float | None = None,
             set: Mapping[str, Any] | None = None) -> Result:  # noqa: A002  as --set of the verb
    """
    Run a scenario, given by name or path if you like; see Result for every array.

    :param set: changes of it, such as {'dynamics.payload.mass': 5.0}, as --set of the verb
    """
    changes = {} if set is None else dict(expect(
        Mapping, 'set', set,  # type: ignore[type-abstract]
        "changes by name, such as {'dynamics.payload.mass': 5.0}"))
    if isinstance(scenario, (str, Path)):
        scenario = load_scenario(scenario, changes)
    elif changes:
        scenario = changed(scenario, changes)
    return Simulation(scenario, duration).run()
