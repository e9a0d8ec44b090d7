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
import fcntl
import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np

from robodyn_ros.errors import RecordingError, ScenarioError, UnknownNameError
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.scenario.writing import scenario_text
from robodyn_ros.sweeping.axes import Axis, axis
from robodyn_ros.sweeping.bundle import fingerprint, packed, user_parts
from robodyn_ros.sweeping.metrics import METRICS, TRUTHS
from robodyn_ros.sweeping.plan import refuse_too_many
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.study import Study
from robodyn_ros.sweeping.sweep import chunks_of, computing, ready_study, rows_of

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
    _check_place(path, ready)
    refuse_too_many(ready)
    search = _Search(ready, path.with_name(path.name + '.tried'), progress)
    runner = Runner(search.study.trying([search.base]))
    with search.journal, computing(runner, workers, cluster) as computer:
        best = search.best(computer, runner)
    before = search.known[_key(search.base)]
    scenario = ready.at(best.values)
    about = (f'Tuned by robodyn tune from the scenario {ready.scenario.name}: '
             f'{ready.settings.tune.minimise} {before.value:.4g} before, {best.value:.4g} after.')
    robot = scenario.robot
    if Path(robot).suffix and Path(robot).exists():
        robot = str(Path(robot).resolve())
    private = path.with_name(f'.{path.name}.{os.getpid()}')
    try:
        private.write_text(scenario_text(scenario, robot, about))
        os.replace(private, path)
    finally:
        private.unlink(missing_ok=True)
    search.journal.path.unlink(missing_ok=True)
    return Tuned(scenario, before, best, len(search.known))


def _check_place(path: Path, study: Study) -> None:
    """Refuse a place where the scenario could not be written, or would not run."""
    if path.exists():
        raise RecordingError(f'{path}: is there already; give another --output, or remove it')
    if path.suffix not in ('.yaml', '.yml'):
        raise RecordingError(f'--output is {str(path)!r}; a scenario is written as YAML: give a '
                             'name that ends in .yaml')
    scenario = study.scenario
    if any(map(is_import_path, user_parts(scenario))) and scenario.folder \
            and path.resolve().parent != Path(scenario.folder):
        raise RecordingError(f'--output is {str(path)!r}; the scenario names modules beside it, '
                             f'so it runs in {scenario.folder} only: give --output '
                             f'{Path(scenario.folder) / path.name}')


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


class _Journal:
    """What a search has tried, a line each, while it is not complete."""

    def __init__(self, path: Path, digest: str):
        """Open it, with what an earlier search has left; that of another one is refused."""
        self.path = path
        self._file = open(path, 'a+b')
        self.read: dict[str, Tried] = {}
        try:  # until this process ends, however it does
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._file.seek(0)
            self._read(digest)
        except OSError:
            self._file.close()
            raise RecordingError(f'{path}: another search writes to it; wait for that, or give '
                                 'another --output') from None
        except RecordingError:
            self._file.close()
            raise

    def _read(self, digest: str) -> None:
        first, *lines = self._file.read().split(b'\n')
        if first and first != digest.encode():
            raise RecordingError(f'{self.path}: holds what another search tried, or one of other '
                                 'versions; give another --output, or remove it')
        end = len(first) + 1
        if not lines:
            self._file.truncate(0)
            self._write(digest)
            return
        for line in lines[:-1]:  # behind the last end of a line is what was cut off
            try:
                one = Tried(**json.loads(line))
            except (ValueError, TypeError):
                break
            self.read[_key(one.values)] = one
            end += len(line) + 1
        self._file.truncate(end)

    def _write(self, line: str) -> None:
        self._file.write(line.encode() + b'\n')
        self._file.flush()

    def add(self, one: Tried) -> None:
        """Keep a candidate."""
        self._write(json.dumps(asdict(one)))

    def __enter__(self) -> _Journal:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the file."""
        self._file.close()


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
        self.journal = _Journal(journal, self._digest())
        self._old = self.journal.read

    def _digest(self) -> str:
        """Return all that decides how a candidate did."""
        chosen = self.study.settings.tune
        facts = [packed(self.study).digest, chosen.minimise, chosen.over, chosen.quantile,
                 dict(chosen.limits), fingerprint()]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def _present(self, one: Axis) -> Any:
        """Return the value the scenario has, or the middle where it has none of its own."""
        value = self.study.known.get(one.name)
        if isinstance(value, tuple):
            value = value[0] if len(set(value)) == 1 else None
        return one.at(0.5) if value is None or isinstance(value, bool) else value

    def best(self, computer: Any, runner: Runner) -> Tried:
        """Search, and return the best of all that was tried."""
        from scipy.optimize import differential_evolution
        from scipy.stats import qmc
        budget, width = self.study.settings.tune.budget, len(self.axes)
        size = max(5, min(max(budget // 10, SMALLEST), LARGEST, budget))
        start = qmc.Sobol(width, seed=self.study.settings.seed).random_base2(
            (size - 1).bit_length())[:size]
        self._computer, self._runner = computer, runner
        self._evaluate([self.base])
        left = [budget - 1]

        def costs(shares: np.ndarray) -> np.ndarray:
            columns = shares.T.reshape(-1, width)
            candidates = [{one.name: one.at(float(x)) for one, x in zip(self.axes, row)}
                          for row in columns]
            if left[0] <= 0:
                raise StopIteration
            some = candidates[:left[0]]  # the last generation is cut where the budget ends
            left[0] -= len(candidates)
            found = [one.cost for one in self._evaluate(some)]
            return np.array(found + [math.inf] * (len(candidates) - len(some)))

        try:
            differential_evolution(
                costs, [(0.0, 1.0)] * width, init=start, seed=self.study.settings.seed,
                maxiter=max(1, budget // size), tol=0.0, atol=1e-12, polish=False,
                vectorized=True, updating='deferred')
        except StopIteration:
            pass
        return min(self.known.values(), key=lambda one: one.cost)

    def _evaluate(self, candidates: list[dict[str, Any]]) -> list[Tried]:
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
            for chunk, found in self._computer.rows(packed(trial), chunks_of(trial.count)):
                self._runner.study = trial
                rows = rows_of(self._runner, chunk, found)
                for name in columns:
                    columns[name][chunk[1]:chunk[2]] = rows[name]
                ended[chunk[1]:chunk[2]] = rows['finished']
            for k, values in enumerate(fresh):
                part = slice(k * each, (k + 1) * each)
                judged = self._judged(values, {name: column[part] for name, column
                                               in columns.items()}, ended[part])
                self.known[_key(values)] = judged
                self.journal.add(judged)
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
