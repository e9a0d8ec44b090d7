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
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
import math
from typing import Any, Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from robodyn_ros.errors import RobodynError, ScenarioError
from robodyn_ros.plant.inputs import one_input
from robodyn_ros.plant.measurement import measure, Runs
from robodyn_ros.plant.model import LANES
from robodyn_ros.robots.robot import check_limits
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.settings import listed_fields
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.sweeping.metrics import chosen_metrics, measured_columns, user_metric
from robodyn_ros.sweeping.study import SEED, STARTS, Study
from robodyn_ros.sweeping.table import encoded, schema_of
from robodyn_ros.sweeping.together import followed, NOISE, Prepared, Together

KEPT = 8
"""Simulations that are kept for later runs of the same structure."""
MOST_INSTANTS = 1 << 15
"""Control instants of runs that are measured together where each reads what is its own."""
MOST_LAWS = 1000
"""Control laws whose parameters are kept for runs that differ in the plant only."""
LARGEST_FREED = 4_000_000
"""
Numbers of an array whose end makes glibc keep what smaller ones leave, for the next chunk: its
threshold follows what was freed (mallopt(3), M_MMAP_THRESHOLD). Elsewhere it does nothing.
"""
PLANT = ('gravity', 'friction_scale', 'payload.mass', 'payload.centre', 'payload.inertia')
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
        self._together: WeakKeyDictionary[Simulation, Together] = WeakKeyDictionary()
        self._law_values: dict[Any, dict[str, float]] = {}
        np.empty(LARGEST_FREED)  # never touched; else every chunk has its pages zeroed anew

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
        return {name: values if isinstance(values, list) else values.tolist()
                for name, values in self.columns(runs).items()}

    def columns(self, runs: np.ndarray) -> dict[str, Any]:
        """Return the same: lists of reasons and of values that are no floats, else arrays."""
        columns, all_of_them = self.failed(runs, ''), np.arange(len(runs))
        groups: dict[tuple, list[int]] = {}
        if self._structural or self._from_zero:
            for k in all_of_them.tolist():
                groups.setdefault(self._structure(columns, k), []).append(k)
        for structure, places in groups.items():
            self._group(structure, np.array(places), columns)
        if not groups:
            self._group((), all_of_them, columns)
        if any(columns['reason']):
            columns['reason'] = [reason and self.study.told(reason)
                                 for reason in columns['reason']]
        return columns

    def encoded(self, runs: np.ndarray) -> Any:
        """Return the same as they travel and are kept, see table.py."""
        return encoded(self.columns(runs), self.schema)

    @cached_property
    def schema(self) -> Any:
        """Return the columns of the study's table."""
        kinds = {one.name: one.kinds for one in self.study.axes}
        return schema_of({**kinds, SEED: {int}} if self.study.settings.repetitions > 1 else kinds,
                         self.metrics)

    def of(self, candidates: Sequence[Mapping[str, Any]]) -> Runner:
        """Return this runner, for other candidates of tune."""
        if tuple(candidates) != self.study.candidates:
            self.study = self.study.trying(candidates)
        return self

    def compile(self) -> None:  # noqa: A003  what it does
        """Compile what all runs share, but no code of a user: that might end this process."""
        if self.study.user_code:
            return
        some = np.array([0, self.study.count - 1])
        columns = self.failed(some, '')
        for k in range(len(some)):
            with suppress(RobodynError):  # of this run; it will be a row
                self._group(self._structure(columns, k), np.array([k]), columns, 0)

    def failed(self, runs: np.ndarray, reason: str) -> dict[str, list[Any]]:
        """Return rows of runs of which nothing is known but why."""
        columns: dict[str, Any] = {'run': runs, **self.study.points.values(runs)}
        count = len(runs)
        if self.study.settings.repetitions > 1:
            first = self.study.scenario.dynamics.noise.seed
            columns[SEED] = (first + self.study.points.repetition(runs)).tolist()
        for name in self.metrics:
            columns[name] = np.full(count, math.nan)
        return columns | {'finished': np.zeros(count, bool), 'time': np.zeros(count),
                          'reason': [reason] * count}

    def _structure(self, columns: dict[str, Any], k: int) -> tuple:
        """Return what two runs must agree in to share a simulation."""
        return (*(columns[name][k] for name in self._structural),
                *(bool(columns[name][k]) for name in self._from_zero))

    def scenario(self, columns: dict[str, Any], k: int) -> Scenario:
        """Return the scenario of the run in row k."""
        names = [one.name for one in self.study.axes]
        if self.study.settings.repetitions > 1:
            names.append(SEED)
        values = {name: columns[name][k] for name in names}
        return self.study.at({name: value.item() if isinstance(value, np.generic) else value
                              for name, value in values.items()})

    def _group(self, structure: tuple, places: np.ndarray, columns: dict[str, Any],
               steps: int | None = None) -> None:
        """Run those that share a simulation, to their end or for so many steps."""
        ready, refused = self._simulation(structure, columns, places)
        if ready is None:
            return
        steps = ready.periods * ready.period if steps is None else steps
        # what runs read of their own is there for a few of them at a time
        some = LANES * max(1, MOST_INSTANTS // LANES // max(1, ready.periods)) \
            if self._each_begins(ready) else len(places)
        for first in range(refused, len(places), some):
            self._measure(ready, places[first:first + some], columns, steps)

    def _simulation(self, structure: tuple, columns: dict[str, Any],
                    places: np.ndarray) -> tuple[Simulation | None, int]:
        """Return the simulation that runs share, and how many of the first ones refuse it."""
        ready, refused = self._kept.pop(structure, None), 0
        while ready is None and refused < len(places):
            try:
                ready = Simulation(self.scenario(columns, places[refused]))
            except RobodynError as error:  # of this run; another may do
                columns['reason'][places[refused]] = str(error)
                refused += 1
        if ready is not None:
            self._kept[structure] = ready
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return ready, refused

    def _each_begins(self, ready: Simulation) -> bool:
        """Tell whether a run may begin elsewhere, or read something else, than the others."""
        return self._begins or bool(ready.plant.row_names)

    def _tool(self, ready: Simulation) -> str:
        """Return the frame whose distance is measured, if one is."""
        return ready.robot.tool_frame(ready.scenario.trajectory.frame) if any(
            name.startswith('tool_') for name in self.metrics) else ''

    def _shared(self, ready: Simulation) -> Together:
        """Return what makes columns of the runs of a simulation."""
        if ready not in self._together:
            self._together[ready] = Together(
                self.study, self._run_time, self._bounds, ready,
                self._by_itself(ready, self._vector(ready, ready.scenario)), self._tool(ready))
        return self._together[ready]

    def _by_itself(self, one: Simulation, vector: np.ndarray) -> Prepared:
        """Return what a run is measured with that is the only one."""
        law = one.law_rows if one.law_rows is not None else np.zeros((0, 0))
        targets = np.zeros((0, 0)) if one.reference is None else followed(
            one, one.reference, self._tool(one))
        return Prepared(vector[None], one_input(one.robot, one.assembly.state, None)[None],
                        law, targets)

    def _measure(self, ready: Simulation, places: np.ndarray, columns: dict[str, Any],
                 steps: int) -> None:
        kept, runs = self._prepared(ready, places, columns)
        if not kept.size:
            return
        tolerance = self.study.settings.settle_tolerance or ready.scenario.tolerance
        found = measure(ready.plant.model, Runs(
            runs.starts, runs.vectors, steps, ready.period, runs.reference, runs.targets,
            tolerance), self._tool(ready))
        good = np.ones(len(kept), bool)
        for at, error in found.reasons.items():
            columns['reason'][kept[at]], good[at] = str(error), False
        columns['time'][kept], columns['finished'][kept] = found.ended, good
        where, which = (slice(None),) * 2 if good.sum() == len(columns['run']) \
            else (kept[good], good)
        for name, values in measured_columns(
                found, ready.robot.limits, steps * ready.plant.step_size,
                ready.reference is not None).items():
            if name in self.metrics:
                columns[name][where] = values[which]
        if self._own and steps:
            for at in np.flatnonzero(good).tolist():
                self._measure_own(ready, int(kept[at]), columns)

    def _measure_own(self, ready: Simulation, k: int, columns: dict[str, Any]) -> None:
        """Measure a run by the functions of a user, which see it whole."""
        one, vector = self._alone(ready, columns, k)
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
        try:
            return self._alone(self._kept[structure], columns, 0)
        except RobodynError as error:
            raise ScenarioError(f'{self.study.place}: {error}') from None

    def elsewhere(self, one: Simulation, run: int, name: str, value: float) -> np.ndarray:
        """Return the run-time parameters of a run at another value of one axis."""
        columns = self.failed(np.array([run]), '')
        columns[name][0] = value
        return self._vector(one, self.scenario(columns, 0))

    # --- run-time parameters ----------------------------------------------------------------

    def _prepared(self, ready: Simulation, places: np.ndarray, columns: dict[str, Any]
                  ) -> tuple[np.ndarray, Prepared]:
        """Return which runs are not refused, and what they are measured with."""
        together, begins = self._shared(ready), self._each_begins(ready)
        good, runs = together.prepared(columns, places, begins)
        for at in np.flatnonzero(~good).tolist():
            try:
                one, vector = self._alone(ready, columns, places[at])
            except RobodynError as error:
                columns['reason'][places[at]] = str(error)
                continue
            good[at], runs.vectors[at] = True, vector
            if begins:
                alone = self._by_itself(one, vector)
                runs.starts[at] = alone.starts[0]
                for mine, all_of_them in ((alone.reference, runs.reference),
                                          (alone.targets, runs.targets)):
                    if all_of_them.ndim == 3:
                        all_of_them[at] = mine
        if good.all():
            return places, runs
        return places[good], Prepared(
            runs.vectors[good], runs.starts[good],
            *(part[good] if part.ndim == 3 else part for part in (runs.reference, runs.targets)))

    def _alone(self, ready: Simulation, columns: dict[str, Any], k: int
               ) -> tuple[Simulation, np.ndarray]:
        """Return the simulation of a run, begun as it begins, and its run-time parameters."""
        scenario = self.scenario(columns, k)
        one = ready.begun_from(scenario) if self._each_begins(ready) else ready
        return one, self._vector(one, scenario)

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
