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
from typing import Any, Mapping, NamedTuple

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
from robodyn_ros.scenario.schema import NoiseSettings, Scenario
from robodyn_ros.scenario.settings import checked
from robodyn_ros.trajectories.joint_plan import JointPlan, Points, scheduled
from robodyn_ros.types import Control, Rollout, State, Trajectory


def _each(rows: np.ndarray, many: tuple[int, ...]) -> np.ndarray:
    """Return rows of each of many starts (..., i, r), which may be the same of all (i, r)."""
    return rows if rows.ndim == 2 + len(many) else np.broadcast_to(rows, (*many, *rows.shape))


class Led(NamedTuple):
    """What a law is led by, from one start or from many (...)."""

    plan: JointPlan | None
    """What it follows, if anything."""
    desired: Trajectory | None
    """The same at every control instant, q, v and a (..., i, n)."""
    law_rows: np.ndarray | None
    """All that the law reads at every control instant (..., i, r)."""


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
        self._bare: np.ndarray | None = None
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
        settings, start = self.scenario.controller, self.assembly.state
        led = self.led(start.q, start.v, self.noise(self.scenario.dynamics.noise))
        if led.plan is not None:
            if settings.blend_time > 0.0:
                wiring.check_start(led.plan, self.robot, settings)
            self.reference = led.desired
        return led.law_rows

    def noise(self, settings: NoiseSettings) -> np.ndarray | None:
        """Return errors of measurement at every control instant (i, 2 n); None where none are."""
        return measurement_noise(settings, self.periods + 1, self.robot.n)

    def led(self, q: np.ndarray, v: np.ndarray, noise: np.ndarray | None) -> Led:
        """
        Return what the law reads and follows from a start, or from many at once.

        :param q: where the arm is (..., n); :param v: and how fast it is
        :param noise: errors of measurement at each instant (..., i, 2 n)
        """
        settings, wanted, many = self.scenario.controller, self.wanted, q.shape[:-1]
        assert self.control is not None
        plan, parts = None, [] if noise is None else [noise]
        if self.control.reference_size and wanted is not None:
            state = np.concatenate([q, v], axis=-1)
            state = state if noise is None else state + noise[..., 0, :]
            instants = np.arange(self.periods + 1) * period_ns(settings.period)
            if self.followed is None:
                points = self.desired.points(wanted, settings.period)
                self.followed = scheduled(points, self.control.schedule, q)
                self._bare = JointPlan(0, self.followed).samples(instants)
            plan = JointPlan(0, self.followed).begun(
                0, np.concatenate([state, np.zeros_like(q)], axis=-1), settings.blend_time)
            rows = plan.samples(instants, self._bare)
            rows = _each(rows, many)
            wanted = Trajectory(wanted.t, *np.split(rows, 3, axis=-1))
            parts = [rows, plan.all_scheduled(instants), *parts]
        parts = [_each(part, many) for part in parts if part.shape[-1]]
        read = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1) if parts else None
        return Led(plan, wanted, read)

    def _start(self) -> Assembly:
        """Return the plant's start: the scenario's, else the reference's first; assembled."""
        settings, robot = self.scenario.dynamics, self.robot
        start = self.asked
        if not settings.assemble:
            return Assembly(start, np.zeros(robot.n), np.zeros(robot.n), float('nan'))
        return assemble_start(self.plant, start, parameters=self.parameters)

    @property
    def asked(self) -> State:
        """Return where the run would start without being assembled."""
        settings, robot = self.scenario.dynamics, self.robot
        q, v = np.zeros(robot.n), np.zeros(robot.n)
        if settings.initial_position:
            q = robot.array('dynamics.initial_position', settings.initial_position)
        elif self.wanted is not None:
            q, v = self.wanted.q[0], self.wanted.v[0]
        if settings.initial_velocity:
            v = robot.array('dynamics.initial_velocity', settings.initial_velocity)
        return State(0.0, q, v)

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
