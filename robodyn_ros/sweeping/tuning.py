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

Every candidate is run at all points of the study's axes. Where the metric has a gradient by the
settings, the best of a first generation go down along it (descent.py); else the search is scipy's
differential evolution, which takes a whole generation at a time, that all workers share. Both are
the same again with the study's seed. So what was tried is kept in a file, and a search that was
cut off goes through the same candidates, of which the known ones cost nothing.
"""
from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any, Callable, Mapping

import numpy as np

from robodyn_ros.errors import RecordingError, RobodynError, ScenarioError, UnknownNameError
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.scenario.writing import scenario_text
from robodyn_ros.sweeping.axes import Axis, axis, sobol
from robodyn_ros.sweeping.bundle import fingerprint, packed
from robodyn_ros.sweeping.copies import lock
from robodyn_ros.sweeping.descent import descend, Slopes
from robodyn_ros.sweeping.gradients import Gradients
from robodyn_ros.sweeping.metrics import METRICS, TRUTHS
from robodyn_ros.sweeping.plan import refuse_too_many
from robodyn_ros.sweeping.runs import Runner
from robodyn_ros.sweeping.slopes import SLOPES
from robodyn_ros.sweeping.study import Study, user_parts
from robodyn_ros.sweeping.sweep import chunks_of, computing, ready_study
from robodyn_ros.sweeping.workers import Chunk, Found

SMALLEST, LARGEST = 8, 40
"""Candidates of a generation."""
FAILED, BEYOND = 1e12, 1e6
"""What a failed run, and what a limit that is passed, weighs against the metric."""
GRADIENT = 8
"""Runs that the gradient of a run counts as. Measured: as long as 4 to 14 runs side by side for
the first one of a candidate, 2 to 5 for the next."""
WORST = 4
"""Runs of a candidate that may take turns in being its worst; others are not looked at."""
ASIDE = 1e-5
"""Part of an axis to a candidate aside, where such ones cost less than a gradient."""
DESCENTS = 5
"""Candidates to go down from, at most; what is left of the budget then is an evolution's."""
Progress = Callable[[int, float], None]
"""Called with what is spent of the budget, and the best value so far."""


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
    runs: dict[str, list[list[float]]] = field(default_factory=dict)
    """The runs, and their weights, that make each of these numbers; none where all alike do."""
    worst: list[list[float]] = field(default_factory=list)
    """The worst runs and their metrics, where the value is that of the worst."""


@dataclass(frozen=True)
class Tuned:
    """What a search found."""

    scenario: Scenario
    before: Tried
    after: Tried
    tried: int
    spent: int
    """Of the budget [candidates]: those tried, and what gradients cost."""
    method: str
    """Gradient or evolution."""
    why: str
    """Why it was an evolution."""


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
    if Path(robot).suffix and os.path.exists(robot):
        robot = str(Path(robot).resolve())
    private = path.with_name(f'.{path.name}.{os.getpid()}')
    try:
        private.write_text(scenario_text(scenario, robot, about))
        os.replace(private, path)
    finally:
        private.unlink(missing_ok=True)
    search.journal.path.unlink(missing_ok=True)
    return Tuned(scenario, before, best, len(search.known), search.spent,
                 'evolution' if search.evolved else 'gradient', search.evolved)


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


def _columns_of(runner: Runner, chunk: Chunk, found: Found) -> Mapping[str, Any]:
    """Return the rows of a chunk of which some, or all, may have no more than a reason."""
    if isinstance(found, str):
        return runner.failed(np.arange(chunk[1], chunk[2]), found)
    if not isinstance(found, list):
        return found
    parts = [_columns_of(runner, *piece) for piece in found]
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}


class _Journal:
    """What a search has tried, a line each, while it is not complete."""

    def __init__(self, path: Path, digest: str):
        """Open it, with what an earlier search has left; that of another one is refused."""
        self.path = path
        self._file = open(path, 'a+b')
        self.read: dict[str, Tried] = {}
        self.slopes: dict[str, dict[str, float]] = {}
        """Derivatives of runs by the settings, by what they are of."""
        try:  # until this process ends, however it does
            lock(self._file)
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
                found = json.loads(line)
                if 'slopes' in found:
                    self.slopes[found['slopes']] = found['by']
                else:
                    one = Tried(**found)
                    self.read[_key(one.values)] = one
            except (ValueError, TypeError, KeyError):
                break
            end += len(line) + 1
        self._file.truncate(end)

    def _write(self, line: str) -> None:
        self._file.write(line.encode() + b'\n')
        self._file.flush()

    def add(self, one: Tried) -> None:
        """Keep a candidate."""
        self._write(json.dumps(asdict(one)))

    def keep(self, name: str, slopes: dict[str, float]) -> None:
        """Keep derivatives."""
        self.slopes[name] = slopes
        self._write(json.dumps({'slopes': name, 'by': slopes}))

    def __enter__(self) -> _Journal:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the file."""
        self._file.close()


class _Spent(Exception):
    """The budget is used up."""


class _Search:
    """Descents or differential evolution in the unit cube, with a memory on disk."""

    def __init__(self, study: Study, journal: Path, progress: Progress):
        chosen = study.settings.tune
        self.study, self._progress = study, progress
        self.axes: list[Axis] = [axis(name, given, study.place)
                                 for name, given in chosen.parameters.items()]
        self.base = {one.name: self._present(one) for one in self.axes}
        metrics = {chosen.minimise, *chosen.limits, *study.settings.metrics}
        self.study = Study(replace(study.settings, metrics=tuple(sorted(metrics))),
                           study.scenario, study.place)
        self.known: dict[str, Tried] = {}
        self.spent = 0
        """Of the budget [candidates]."""
        self.evolved = ''
        """Why the search was an evolution, nothing where it went down along gradients."""
        self._slopes_counted: set[str] = set()
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
        chosen, width = self.study.settings.tune, len(self.axes)
        self._computer, self._runner = computer, runner
        self._gradients = Gradients(runner, self.axes)
        self._evaluate([self.base])
        self.evolved = self._no_gradients()
        size = max(5, min(max(chosen.budget // 10, SMALLEST), LARGEST, chosen.budget))
        start = sobol(width, self.study.settings.seed).random_base2(
            (size - 1).bit_length())[:size]
        try:
            if not self.evolved:
                start = self._descend(start)
            self._evolve(start)
        except _Spent:
            pass
        return min(self.known.values(), key=lambda one: one.cost)

    def _no_gradients(self) -> str:
        """Return why gradients are not used."""
        chosen = self.study.settings.tune
        if chosen.method == 'evolution':
            return 'as asked for'
        self._runner.study = self.study.trying([self._values(np.full(len(self.axes), 0.5))])
        why = self._gradients.missing(chosen.minimise)
        if why and chosen.method == 'gradient':
            raise ScenarioError(f'{self.study.place}: tune.method is gradient, but {why}; choose '
                                'auto or evolution')
        return why

    # --- by evolution -----------------------------------------------------------------------

    def _evolve(self, start: np.ndarray) -> None:
        from scipy.optimize import differential_evolution
        budget, width = self.study.settings.tune.budget, len(self.axes)

        def costs(shares: np.ndarray) -> np.ndarray:
            return np.array([one.cost for one in self._judge(shares.T.reshape(-1, width))])
        differential_evolution(
            costs, [(0.0, 1.0)] * width, init=start, seed=self.study.settings.seed,
            maxiter=max(1, budget // len(start)), tol=0.0, atol=1e-12, polish=False,
            vectorized=True, updating='deferred')

    # --- along gradients --------------------------------------------------------------------

    def _descend(self, start: np.ndarray) -> np.ndarray:
        """Go down from the best of some candidates; returns those and where it arrived."""
        chosen = self.study.settings.tune
        smooth = {name: most for name, most in chosen.limits.items() if name in SLOPES}
        walls = {name: most for name, most in chosen.limits.items() if name not in SLOPES}
        tried = self._judge(start)
        order = sorted(range(len(start)), key=lambda k: tried[k].cost)
        ends = list(start)
        for place, k in enumerate(order[:DESCENTS]):
            if tried[k].failed:
                break
            been: list[np.ndarray] = []

            def at(x: np.ndarray) -> Tried:
                been.append(x.copy())
                return self._judge(x[None])[0]
            try:
                descend(Slopes(at, self._slope), start[k], chosen.minimise, smooth, walls)
            except RobodynError:
                continue  # there is no derivative on this way
            ends[order[-1 - place]] = min(been, key=lambda x: self._judge(x[None])[0].cost)
        return np.array(ends)

    def _slope(self, x: np.ndarray, metric: str, rank: int) -> np.ndarray:
        """Return the derivatives of a metric by the shares; that of one of the worst runs."""
        one, = self._judge(x[None])
        runs = one.runs[metric] or [[k, 1.0 / self._each] for k in range(self._each)]
        if metric == self.study.settings.tune.minimise and one.worst:
            runs = [[one.worst[rank][0], 1.0]]
        cost = -(-GRADIENT // self._each)  # of a run
        if cost * len(runs) >= len(self.axes):  # a candidate aside along each setting costs less
            aside = x + np.diag(np.where(x > 0.5, -ASIDE, ASIDE))
            moved = self._judge(aside)
            return np.array([(self._metric(other, metric, runs) - self._metric(one, metric, runs))
                             / h for other, h in zip(moved, np.diag(aside - x))])
        total = np.zeros(len(self.axes))
        for run, weight in runs:
            found = self._of_run(metric, one, int(run), cost)
            total += weight * np.array([found[a.name] * a.slope(s)
                                        for a, s in zip(self.axes, x.tolist())])
        return total

    def _metric(self, one: Tried, name: str, runs: list[list[float]]) -> float:
        if name != self.study.settings.tune.minimise:
            return one.limits[name]
        return dict(map(tuple, one.worst)).get(runs[0][0], one.value)  # type: ignore

    def _of_run(self, metric: str, one: Tried, run: int, cost: int) -> dict[str, float]:
        """Return the derivatives of a run's metric by the settings; keep them on disk."""
        name = _key({'metric': metric, 'run': run, **one.values})
        if name not in self._slopes_counted:
            self._spend(cost)
            self._slopes_counted.add(name)
        if name not in self.journal.slopes:
            self._runner.study = self.study.trying([one.values])
            self.journal.keep(name, self._gradients.of(metric, one.values, run))
        return self.journal.slopes[name]

    # --- candidates -------------------------------------------------------------------------

    def _values(self, shares: np.ndarray) -> dict[str, Any]:
        return {one.name: one.at(x) for one, x in zip(self.axes, shares.tolist())}

    def _spend(self, cost: int) -> None:
        if self.spent + cost > self.study.settings.tune.budget:
            raise _Spent
        self.spent += cost

    def _judge(self, shares: np.ndarray) -> list[Tried]:
        """Return how candidates did (k, width); the last ones are cut where the budget ends."""
        candidates = [self._values(row) for row in shares]
        fresh = {key for key in map(_key, candidates) if key not in self.known}
        left = self.study.settings.tune.budget - self.spent
        if len(fresh) <= left:
            return self._evaluate(candidates)
        some = list({_key(one): one for one in candidates if _key(one) in fresh}.values())[:left]
        if some:
            self._evaluate(some)
        raise _Spent

    def _evaluate(self, candidates: list[dict[str, Any]]) -> list[Tried]:
        """Run candidates that are not known yet; keep every one on disk."""
        new = {_key(one): one for one in candidates if _key(one) not in self.known}
        self._spend(len(new))
        for key in new:
            if key in self._old:
                self.known[key] = self._old[key]
        fresh = [one for key, one in new.items() if key not in self._old]
        self._each = self.study.trying([self.base]).count
        if fresh:
            trial = self.study.trying(fresh)
            each = self._each
            columns: dict[str, np.ndarray] = {
                name: np.full(trial.count, math.nan) for name in self._names()}
            ended = np.zeros(trial.count, bool)
            for chunk, found in self._computer.rows(packed(trial), chunks_of(trial)):
                self._runner.study = trial
                rows = _columns_of(self._runner, chunk, found)
                for name in columns:
                    columns[name][chunk[1]:chunk[2]] = rows[name]
                ended[chunk[1]:chunk[2]] = rows['finished']
            for k, values in enumerate(fresh):
                part = slice(k * each, (k + 1) * each)
                judged = self._judged(values, {name: column[part] for name, column
                                               in columns.items()}, ended[part])
                self.known[_key(values)] = judged
                self.journal.add(judged)
        self._progress(self.spent, min(one.cost for one in self.known.values()))
        return [self.known[_key(one)] for one in candidates]

    def _names(self) -> list[str]:
        chosen = self.study.settings.tune
        return list(dict.fromkeys([chosen.minimise, *chosen.limits]))

    def _judged(self, values: dict[str, Any], columns: Mapping[str, np.ndarray],
                ended: np.ndarray) -> Tried:
        """Put the runs of a candidate together."""
        chosen, failed = self.study.settings.tune, int((~ended).sum())
        filled = {name: np.nan_to_num(columns[name], nan=math.inf) for name in chosen.limits}
        limits = {name: float(column.max()) for name, column in filled.items()}
        runs = {name: [[int(column.argmax()), 1.0]] for name, column in filled.items()}
        if failed == len(ended):
            return Tried(values, math.inf, limits, failed, FAILED, runs)
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
        runs[chosen.minimise] = self._decisive(good, np.flatnonzero(ended))
        numbers = np.flatnonzero(ended)
        order = (-good).argsort(kind='stable')[:WORST] if chosen.over == 'worst' else []
        worst = [[int(numbers[k]), float(good[k])] for k in order]
        return Tried(values, value, limits, failed, cost, runs, worst)

    def _decisive(self, good: np.ndarray, numbers: np.ndarray) -> list[list[float]]:
        """Return the runs that make the value, with their weights; none where all do alike."""
        chosen = self.study.settings.tune
        if chosen.over == 'mean':
            return []
        if chosen.over == 'worst':
            return [[int(numbers[good.argmax()]), 1.0]]
        place = chosen.quantile * (len(good) - 1)  # between two neighbours, as numpy's quantile
        below = min(int(place), max(len(good) - 2, 0))
        order = numbers[good.argsort(kind='stable')]
        return [[int(order[below + k]), weight] for k, weight in
                ((0, 1.0 - (place - below)), (1, place - below)) if weight > 0.0]
