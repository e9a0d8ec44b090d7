# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Tune: the parameters that make a metric small, under limits on others, over a sweep of the plant.

    tune:
      parameters:
        controller.natural_frequency: {log_uniform: [5, 80]}
        controller.damping: {uniform: [0.5, 1.5]}
      minimise: error_rms
      over: worst
      limits: {effort_share: 0.9}
      budget: 200

Every candidate is run at all points of the study's axes. The search is scipy's differential
evolution: it needs no gradient, takes a whole generation at a time, which all workers share, and
with its seed it is the same search again. So what was tried is kept in a file, and a search that
was cut off goes through the same candidates, of which the known ones cost nothing.
"""
from __future__ import annotations

from dataclasses import asdict, dataclass, replace
import json
import math
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np

from robodyn_ros.errors import RecordingError, RobodynError, ScenarioError, UnknownNameError
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.writing import scenario_text
from robodyn_ros.sweeping.axes import Axis, axis
from robodyn_ros.sweeping.bundle import packed
from robodyn_ros.sweeping.metrics import METRICS, TRUTHS
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import Study
from robodyn_ros.sweeping.sweep import chunks_of, computing, ready_study

SMALLEST, LARGEST = 8, 40
"""Candidates of a generation."""
FAILED, BEYOND = 1e12, 1e6
"""What a failed run, and what a limit that is passed, weighs against the metric."""
Progress = Callable[[int, float], None]
"""Called with the candidates tried, and the best value so far."""


@dataclass(frozen=True)
class Tried:
    """A candidate and how it did."""

    values: dict[str, Any]
    value: float
    """The metric, put together over all runs."""
    limits: dict[str, float]
    """The limited metrics, of the worst run."""
    failed: int
    cost: float
    """What is minimised: the value, and far above it whatever is not allowed."""


@dataclass(frozen=True)
class Tuned:
    """What a search found."""

    scenario: Scenario
    before: Tried
    after: Tried
    tried: int


def tune(study: Study | str | Path | Mapping[str, Any], output: str | Path | None = None, *,
         workers: int | None = None, cluster: str = '',
         progress: Progress = lambda tried, best: None) -> Tuned:
    """
    Look for the best parameters and write a scenario that has them.

    :param study: path of a study file with a section tune, or what it holds
    :param output: FILE.yaml to write, by default SCENARIO_tuned.yaml; beside it FILE.yaml.tried
        holds what was tried until the search is complete
    """
    ready = ready_study(study)
    _check(ready)
    path = Path(output) if output is not None else Path(f'{ready.scenario.name}_tuned.yaml')
    if path.exists():
        raise RecordingError(f'{path}: is there already; give another --output, or remove it')
    search = _Search(ready, path.with_name(path.name + '.tried'), progress)
    with computing(Runner(ready.trying([search.base])), workers, cluster) as computer:
        best = search.best(computer)
    before = search.known[_key(search.base)]
    scenario = ready.at(best.values)
    about = (f'Tuned by robodyn tune from the scenario {ready.scenario.name}: '
             f'{ready.settings.tune.minimise} {before.value:.4g} before, {best.value:.4g} after.')
    robot = scenario.robot
    if Path(robot).suffix and Path(robot).exists():
        robot = str(Path(robot).resolve())
    path.write_text(scenario_text(scenario, robot, about))
    search.journal.unlink(missing_ok=True)
    return Tuned(scenario, before, best, len(search.known))


def _check(study: Study) -> None:
    """Refuse a study that does not say what to look for."""
    chosen, place = study.settings.tune, study.place
    if not chosen.parameters or not chosen.minimise:
        raise ScenarioError(f'{place}: tune has no parameters or no metric to minimise; expected '
                            'both, such as tune: {parameters: {controller.damping: {uniform: '
                            '[0.5, 1.5]}}, minimise: error_rms}')
    for name in (chosen.minimise, *chosen.limits):
        if name not in METRICS and name not in study.settings.metrics:
            raise UnknownNameError('metric', name, METRICS, f'{place}, tune')


def _key(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True)


class _Search:
    """Differential evolution in the unit cube, with a memory on disk."""

    def __init__(self, study: Study, journal: Path, progress: Progress):
        chosen = study.settings.tune
        self.study, self.journal, self._progress = study, journal, progress
        self.axes: list[Axis] = [axis(name, given, study.place)
                                 for name, given in chosen.parameters.items()]
        self.base = {one.name: self._present(one) for one in self.axes}
        metrics = {chosen.minimise, *chosen.limits, *study.settings.metrics}
        self.study = Study(replace(study.settings, metrics=tuple(sorted(metrics))),
                           study.scenario, study.place)
        self.known: dict[str, Tried] = {}
        self._old: dict[str, Tried] = {}
        if journal.exists():
            self._old = self._read()

    def _present(self, one: Axis) -> Any:
        """Return the value the scenario has, or the middle where it has none of its own."""
        value = self.study.known.get(one.name)
        if isinstance(value, tuple):
            value = value[0] if len(set(value)) == 1 else None
        return one.at(0.5) if value is None or isinstance(value, bool) else value

    def _read(self) -> dict[str, Tried]:
        found = {}
        try:
            first, *lines = self.journal.read_text().splitlines()
            if first != self.study.digest:
                raise RecordingError(f'{self.journal}: holds what another search tried; give '
                                     'another --output, or remove it')
            for line in lines:
                one = Tried(**json.loads(line))
                found[_key(one.values)] = one
        except (ValueError, TypeError, OSError):
            pass  # the last line was cut off
        return found

    def best(self, computer: Any) -> Tried:
        """Search, and return the best of all that was tried."""
        from scipy.optimize import differential_evolution
        from scipy.stats import qmc
        budget, width = self.study.settings.tune.budget, len(self.axes)
        size = max(5, min(max(budget // 10, SMALLEST), LARGEST, budget))
        start = qmc.Sobol(width, seed=self.study.settings.seed).random_base2(
            (size - 1).bit_length())[:size]
        self.journal.write_text('\n'.join([self.study.digest, *(
            json.dumps(asdict(one)) for one in self._old.values())]) + '\n')
        self._evaluate(computer, [self.base])
        left = [budget - 1]

        def costs(shares: np.ndarray) -> np.ndarray:
            columns = shares.T.reshape(-1, width)
            candidates = [{one.name: one.at(float(x)) for one, x in zip(self.axes, row)}
                          for row in columns]
            if left[0] <= 0:
                raise StopIteration
            left[0] -= len(candidates)
            return np.array([one.cost for one in self._evaluate(computer, candidates)])

        try:
            differential_evolution(
                costs, [(0.0, 1.0)] * width, init=start, seed=self.study.settings.seed,
                maxiter=max(1, budget // size), tol=0.0, atol=1e-12, polish=False,
                vectorized=True, updating='deferred')
        except StopIteration:
            pass
        return min(self.known.values(), key=lambda one: one.cost)

    def _evaluate(self, computer: Any, candidates: list[dict[str, Any]]) -> list[Tried]:
        """Run candidates that are not known yet; keep every one on disk."""
        fresh = list({_key(one): one for one in candidates if _key(one) not in self.known
                      and _key(one) not in self._old}.values())
        for one in candidates:
            if _key(one) in self._old:
                self.known[_key(one)] = self._old[_key(one)]
        if fresh:
            trial = self.study.trying(fresh)
            each = trial.count // len(fresh)
            columns: dict[str, np.ndarray] = {
                name: np.full(trial.count, math.nan) for name in self._names()}
            ended = np.zeros(trial.count, bool)
            for chunk, found in computer.rows(packed(trial), chunks_of(trial.count)):
                if not isinstance(found, dict):
                    raise RobodynError(f'{self.study.place}: {found}')
                for name in columns:
                    columns[name][chunk[1]:chunk[2]] = found[name]
                ended[chunk[1]:chunk[2]] = found['finished']
            with open(self.journal, 'a') as file:
                for k, values in enumerate(fresh):
                    part = slice(k * each, (k + 1) * each)
                    judged = self._judged(values, {name: column[part] for name, column
                                                   in columns.items()}, ended[part])
                    self.known[_key(values)] = judged
                    file.write(json.dumps(asdict(judged)) + '\n')
        self._progress(len(self.known), min(one.cost for one in self.known.values()))
        return [self.known[_key(one)] for one in candidates]

    def _names(self) -> list[str]:
        chosen = self.study.settings.tune
        return list(dict.fromkeys([chosen.minimise, *chosen.limits]))

    def _judged(self, values: dict[str, Any], columns: Mapping[str, np.ndarray],
                ended: np.ndarray) -> Tried:
        """Put the runs of a candidate together."""
        chosen, failed = self.study.settings.tune, int((~ended).sum())
        limits = {name: float(np.nan_to_num(columns[name], nan=math.inf).max())
                  for name in chosen.limits}
        if failed == len(ended):
            return Tried(values, math.inf, limits, failed, FAILED)
        good = columns[chosen.minimise][ended]
        value = float(good.max() if chosen.over == 'worst' else good.mean()
                      if chosen.over == 'mean' else np.quantile(good, chosen.quantile))
        if chosen.minimise in TRUTHS or math.isnan(value):
            raise ScenarioError(f'{self.study.place}: tune cannot minimise {chosen.minimise}, '
                                'which is no number in these runs; choose another metric')
        beyond = sum(max(0.0, (limits[name] - most) / max(abs(most), 1e-12))
                     if math.isfinite(limits[name]) else 1.0
                     for name, most in chosen.limits.items())
        cost = value + BEYOND * beyond + FAILED * failed / len(ended)
        return Tried(values, value, limits, failed, cost)
