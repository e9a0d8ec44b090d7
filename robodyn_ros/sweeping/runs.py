# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Runs of a study, by their numbers: what one worker does.

Runs that differ in run-time parameters, starts and noise only share one simulation: its code is
compiled once, and sixteen of them go side by side. What else an axis may change (a path, a step,
a law) gives a simulation of its own. The row of a run depends on the study and its number only,
not on who is beside it.
"""
from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
import math
from typing import Any, Iterator, Sequence

import numpy as np

from robodyn_ros.errors import RobodynError, ScenarioError
from robodyn_ros.plant.inputs import one_input
from robodyn_ros.plant.measurement import measure, Runs
from robodyn_ros.robots.robot import check_limits
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.settings import listed_fields
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.sweeping.metrics import chosen_metrics, measured_columns, user_metric
from robodyn_ros.sweeping.study import SEED, STARTS, Study

KEPT = 8
"""Simulations that are kept for later runs of the same structure."""
MOST_LAWS = 1000
"""Control laws whose parameters are kept for runs that differ in the plant only."""
PLANT = ('gravity', 'friction_scale', 'payload.mass', 'payload.centre', 'payload.inertia')
NOISE = ('dynamics.noise.position', 'dynamics.noise.velocity', SEED)
STABILISATION = ('dynamics.stabilisation.alpha', 'dynamics.stabilisation.beta')
_GAINS = ('kp', 'kd', 'natural_frequency', 'damping')
LAWS: dict[str, tuple[str, ...]] = {
    'none': (),
    'computed_torque': (*_GAINS, 'ki', *(f'model.{name}' for name in PLANT)),
    'robust': (*_GAINS, 'ki', 'rho', 'epsilon', *(f'model.{name}' for name in PLANT)),
    # where an adaptive law starts to learn is part of its code
    'adaptive': (*_GAINS, 'adaptation'),
    'constraint_following': ('kp', 'kd', 'natural_frequency', 'damping', 'epsilon', 'leakage',
                             *(f'model.{name}' for name in PLANT)),
}
"""Settings of the package's laws that are run-time parameters of their code."""
FROM_ZERO = ('controller.ki', 'dynamics.noise.position', 'dynamics.noise.velocity')
"""Settings whose code is another when they are empty or zero."""
PLAIN = {'dynamics.friction_scale': 'friction_scale', 'dynamics.payload.mass': 'payload.mass',
         **{f'dynamics.{group}.{axis}': f'{group}.{axis}'
            for group in ('gravity', 'payload.centre') for axis in 'xyz'}}
"""Axes that are one run-time parameter of the plant as they are, and what that is called."""


class Runner:
    """Computes rows of a study."""

    def __init__(self, study: Study):
        """Look at which axes share code; nothing is compiled yet."""
        self.study = study
        self.metrics = chosen_metrics(study.settings.metrics, study.place)
        folder = study.scenario.folder
        self._own = {name: user_metric(name, folder) for name in self.metrics
                     if is_import_path(name)}
        known = {item.name: item.bounds for item in listed_fields(study.scenario)}
        self._bounds = {one.name: known.get(study.setting_of(one.name)[0])
                        for one in study.axes}
        settings = {one.name: study.setting_of(one.name)[0] for one in study.axes}
        varies = [name for name in settings if not self._shares_code(settings[name])]
        if 'controller.kind' in varies:  # then no law's parameters are those of another
            varies = [name for name in settings if name in varies
                      or name.startswith('controller.')]
        self._structural = varies
        self._from_zero = [name for name, setting in settings.items()
                           if setting in FROM_ZERO and name not in varies]
        self._run_time = [name for name in settings if name not in varies]
        self._begins = study.settings.repetitions > 1 or any(
            settings[name] in (*STARTS, *NOISE) for name in self._run_time)
        self._laws = any(name.startswith('controller.') for name in self._run_time)
        self._judged = any(name.startswith('controller.model.') for name in self._run_time)
        self._kept: OrderedDict[tuple, Simulation] = OrderedDict()
        self._law_values: dict[Any, dict[str, float]] = {}

    def _shares_code(self, setting: str) -> bool:
        """Tell whether a setting is a value of the code, not a part of it."""
        section, _, name = setting.partition('.')
        if setting in (*STARTS, *NOISE, *STABILISATION):
            return True
        if section == 'dynamics':
            return name in PLANT
        return section == 'controller' and name in LAWS.get(self.study.scenario.controller.kind,
                                                            ())

    # --- rows -------------------------------------------------------------------------------

    def rows(self, runs: np.ndarray) -> dict[str, list[Any]]:
        """Return the rows of some runs, by column, in their order."""
        columns = self.failed(runs, '')
        groups: dict[tuple, list[int]] = {}
        for k in range(len(runs)):
            groups.setdefault(self._structure(columns, k), []).append(k)
        for structure, places in groups.items():
            self._group(structure, places, columns)
        columns['reason'] = [reason and self.study.told(reason) for reason in columns['reason']]
        return columns

    def failed(self, runs: np.ndarray, reason: str) -> dict[str, list[Any]]:
        """Return rows of runs of which nothing is known but why."""
        columns: dict[str, list[Any]] = {'run': runs.tolist(), **self.study.points.values(runs)}
        count = len(runs)
        if self.study.settings.repetitions > 1:
            first = self.study.scenario.dynamics.noise.seed
            columns[SEED] = (first + self.study.points.repetition(runs)).tolist()
        for name in self.metrics:
            columns[name] = [math.nan] * count
        return columns | {'finished': [False] * count, 'time': [0.0] * count,
                          'reason': [reason] * count}

    def _structure(self, columns: dict[str, list[Any]], k: int) -> tuple:
        """Return what two runs must agree in to share a simulation."""
        return (*(columns[name][k] for name in self._structural),
                *(bool(columns[name][k]) for name in self._from_zero))

    def scenario(self, columns: dict[str, list[Any]], k: int) -> Scenario:
        """Return the scenario of the run in row k."""
        names = [one.name for one in self.study.axes]
        if self.study.settings.repetitions > 1:
            names.append(SEED)
        return self.study.at({name: columns[name][k] for name in names})

    def _group(self, structure: tuple, places: list[int], columns: dict[str, list[Any]]) -> None:
        """Run those that share a simulation."""
        ready, left = self._kept.pop(structure, None), list(places)
        while ready is None and left:
            try:
                ready = Simulation(self.scenario(columns, left[0]))
            except RobodynError as error:  # of this run; another may do
                columns['reason'][left.pop(0)] = str(error)
        if ready is None:
            return
        self._kept[structure] = ready
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self._measure(ready, left, columns)

    def _measure(self, ready: Simulation, places: list[int],
                 columns: dict[str, list[Any]]) -> None:
        prepared = list(self._prepared(ready, places, columns))
        good = [one for one in prepared if one is not None]
        kept = [k for k, one in zip(places, prepared) if one is not None]
        if not good:
            return
        frame = ready.robot.tool_frame(ready.scenario.trajectory.frame)
        own = any(one.law_rows is not ready.law_rows for one, _ in good)
        tools = any(name.startswith('tool_') for name in self.metrics)

        def of(one: Simulation) -> tuple[np.ndarray, np.ndarray]:
            law = one.law_rows if one.law_rows is not None else np.zeros((0, 0))
            if one.reference is None:
                return law, np.zeros((0, 0))
            targets = one.reference.q
            if tools:
                wanted = one.desired.positions(one.robot, frame, one.reference)
                targets = np.concatenate([targets, wanted], axis=1)
            return law, targets

        if own:
            pairs = [of(one) for one, _ in good]
            reference, targets = (np.stack(parts) for parts in zip(*pairs))
        else:
            reference, targets = of(good[0][0])
        starts = np.array([one_input(ready.robot, one.assembly.state, None) for one, _ in good]) \
            if self._begins or ready.plant.row_names else np.tile(
                one_input(ready.robot, ready.assembly.state, None), (len(good), 1))
        tolerance = self.study.settings.settle_tolerance or ready.scenario.tolerance
        found = measure(ready.plant.model, Runs(
            starts, np.array([vector for _, vector in good]), ready.periods * ready.period,
            ready.period, reference, targets, tolerance), frame if tools else '')
        last = ready.periods * ready.period * ready.plant.step_size
        numbers = {name: values.tolist() for name, values in measured_columns(
            found, ready.robot.limits, last, ready.reference is not None).items()
            if name in self.metrics}
        for at, (k, ended) in enumerate(zip(kept, found.ended.tolist())):
            columns['time'][k] = ended
            error = found.reasons.get(at)
            if error is not None:
                columns['reason'][k] = str(error)
                continue
            columns['finished'][k] = True
            for name, values in numbers.items():
                columns[name][k] = float(values[at])
            if self._own:
                self._measure_own(*good[at], k, columns)

    def _measure_own(self, one: Simulation, vector: np.ndarray, k: int,
                     columns: dict[str, list[Any]]) -> None:
        """Measure a run by the functions of a user, which see it whole."""
        # `one` may be shared, and then has the scenario of whichever run was first
        result = replace(one.run(dict(zip(one.plant.parameters.names, vector.tolist()))),
                         scenario=self.scenario(columns, k))
        for name, function in self._own.items():
            try:
                columns[name][k] = function(result)
            except RobodynError as error:
                columns['reason'][k] = str(error)

    # --- for gradients ----------------------------------------------------------------------

    def changes_code(self, name: str) -> bool:
        """Tell whether the values of an axis are parts of the code."""
        return name in self._structural

    def one(self, run: int) -> tuple[Simulation, np.ndarray]:
        """Return the simulation of a run, begun as it begins, and its run-time parameters."""
        columns = self.failed(np.array([run]), '')
        structure = self._structure(columns, 0)
        if structure not in self._kept:
            self._kept[structure] = Simulation(self.scenario(columns, 0))
        prepared, = self._prepared(self._kept[structure], [0], columns)
        if prepared is None:
            raise ScenarioError(f'{self.study.place}: {columns["reason"][0]}')
        return prepared

    def elsewhere(self, one: Simulation, run: int, name: str, value: float) -> np.ndarray:
        """Return the run-time parameters of a run at another value of one axis."""
        columns = self.failed(np.array([run]), '')
        columns[name][0] = value
        return self._vector(one, self.scenario(columns, 0))

    # --- run-time parameters ----------------------------------------------------------------

    def _prepared(self, ready: Simulation, places: Sequence[int], columns: dict[str, list[Any]]
                  ) -> Iterator[tuple[Simulation, np.ndarray] | None]:
        """Yield the simulation and all run-time parameters of each run, None for one refused."""
        plain = all(name in PLAIN for name in self._run_time) and not self._begins \
            and not ready.plant.row_names
        own = self._vector(ready, ready.scenario)
        at = {name: ready.plant.parameters.names.index(PLAIN[name]) for name in self._run_time
              } if plain else {}
        for k in places:
            if plain and all(self._allowed(name, columns[name][k]) for name in at):
                vector = own.copy()
                for name, place in at.items():
                    vector[place] = columns[name][k]
                yield ready, vector
                continue
            try:
                scenario = self.scenario(columns, k)
                one = ready.begun_from(scenario) if self._begins or ready.plant.row_names \
                    else ready
                yield one, self._vector(one, scenario)
            except RobodynError as error:
                columns['reason'][k] = str(error)
                yield None

    def _allowed(self, name: str, value: Any) -> bool:
        bounds = self._bounds[name]
        return type(value) in (float, int) and math.isfinite(value) and (
            bounds is None or bounds.allow(value))

    def _vector(self, one: Simulation, scenario: Scenario) -> np.ndarray:
        """Return all run-time parameters of a scenario, in the order of the plant's table."""
        stable, model = scenario.dynamics.stabilisation, scenario.controller.model
        values = {f'stabilisation.{gain}': getattr(stable, gain) for gain in ('alpha', 'beta')
                  } if stable.kind == 'baumgarte' else {}
        values |= wiring.parameters_of(one.robot, scenario.dynamics).named()  # type: ignore
        if self._laws and one.control is not None:
            values |= self._law(one, scenario)
        if self._judged and one.wanted is not None and not scenario.trajectory.ignore_limits:
            check_limits(wiring.model_robot(one.robot, model), one.wanted,
                         wiring.parameters_of(one.robot, model))
        return one.plant.model.vector(values)

    def _law(self, one: Simulation, scenario: Scenario) -> dict[str, float]:
        """Return the run-time parameters of a control law; those of the last few are kept."""
        key = scenario.controller, id(one.plant)
        if key not in self._law_values:
            law = wiring.control_of(one.robot, scenario.controller, scenario.trajectory,
                                    scenario.folder)
            assert law is not None
            if len(self._law_values) >= MOST_LAWS:
                self._law_values.clear()
            self._law_values[key] = {f'controller.{name}': value
                                     for name, value in law.parameters.items()}
        return self._law_values[key]
