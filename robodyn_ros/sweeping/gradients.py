# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The gradient of a metric by the settings that tune may choose, exact, from one run backward.

    d metric / d setting = sum over run-time parameters  d metric / d p  dp / d setting

The first factor is that of Plant.rollout_gradient, the second that of the runner's own way from
settings to parameters: polynomials of degree two at most, of which three points know the slope.
"""
from __future__ import annotations

from functools import partial
from typing import Any, Mapping, Sequence

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.sweeping.axes import Axis
from robodyn_ros.sweeping.runs import NOISE, Runner
from robodyn_ros.sweeping.slopes import SLOPES, slopes_of
from robodyn_ros.sweeping.study import STARTS

APART = 1e-3
"""Between the three points, as a part of the axis."""


class Gradients:
    """Gradients of runs of candidates."""

    def __init__(self, runner: Runner, axes: Sequence[Axis]):
        """
        Compute nothing yet.

        :param runner: of a study with candidates
        :param axes: the settings of a candidate
        """
        self._runner, self._axes = runner, axes
        self._laws = all(one.name.startswith('controller.') for one in axes)
        self._known: tuple[Any, dict[str, np.ndarray]] = None, {}

    def missing(self, metric: str) -> str:
        """Return why there are none of a metric, nothing where there are."""
        runner, study = self._runner, self._runner.study
        if metric not in SLOPES:
            whose = "is a user's own" if is_import_path(metric) else 'is not smooth'
            return f'the metric {metric} {whose}'
        for one in study.axes:
            setting, tuned = study.setting_of(one.name)[0], one in self._axes
            if tuned and not one.drawn:
                return f'{one.name} takes single values'
            if runner.changes_code(one.name):
                return f'{one.name} changes the code of a run'
            if tuned and setting in (*STARTS, *NOISE):
                return f'{one.name} changes where a run starts, or its noise'
        try:
            simulation, vector = runner.one(0)
            self._run(simulation, vector, 0, metric)  # refused where a plant has no adjoint
            if simulation.plant.row_names and any(
                    study.setting_of(one.name)[0].startswith('dynamics.') for one in self._axes):
                return 'the start is put onto rows, which depends on settings of the plant'
            if simulation.reference is None:
                return 'there is no reference'
        except RobodynError as error:
            return str(error)
        return ''

    def _by(self, one: Simulation) -> list[str]:
        """Return the run-time parameters on which a candidate may have an influence."""
        names = one.plant.parameters.names
        return [name for name in names if name.startswith('controller.') or not self._laws]

    def _run(self, one: Simulation, vector: np.ndarray, steps: int, metric: str
             ) -> Mapping[str, float]:
        plant = one.plant
        return plant.rollout_gradient(
            one.assembly.state, steps=steps, by=self._by(one), reference=one.law_rows,
            parameters=dict(zip(plant.parameters.names, vector.tolist())),
            slopes=partial(slopes_of, metric, one) if steps else None).parameters

    def of(self, metric: str, values: Mapping[str, Any], run: int) -> dict[str, float]:
        """Return the derivatives of a run's metric by the settings of its candidate."""
        runner = self._runner
        one, vector = runner.one(run)
        names = one.plant.parameters.names
        found = self._run(one, vector, one.periods * one.period, metric)
        weights = np.array([found.get(name, 0.0) for name in names])
        ways = self._ways(one, vector, values, run)
        return {name: float(weights @ way) for name, way in ways.items()}

    def _ways(self, one: Simulation, vector: np.ndarray, values: Mapping[str, Any], run: int
              ) -> dict[str, np.ndarray]:
        """Return the derivatives of all run-time parameters by each setting."""
        of = values, id(one.plant)
        if self._laws and of == self._known[0]:  # the plant's parameters are not asked for
            return self._known[1]
        found = {}
        for axis in self._axes:
            low, high = axis.values
            span = high if axis.kind == 'normal' else high - low
            own = values[axis.name]
            h = APART * span * (-1.0 if own + 2.0 * APART * span > high else 1.0)
            near, far = (self._runner.elsewhere(one, run, axis.name, own + k * h) for k in (1, 2))
            found[axis.name] = (4.0 * near - far - 3.0 * vector) / (2.0 * h)
        self._known = of, found
        return found
