# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A study: a scenario, the axes along which it is varied, and what is measured of every run.

    scenario: scara_via_points
    duration: 2.0
    axes:
      dynamics.payload.mass: {range: [0, 5], count: 11}
      controller.natural_frequency: {values: [10, 20, 40]}
      dynamics.friction_scale: {uniform: [0.5, 2.0]}
    sampling: sobol
    draws: 64

An axis is any setting of the scenario, as --set takes it, or one number of a list by its joint or
axis: dynamics.initial_position.joint_1, dynamics.gravity.z, dynamics.payload.centre.x.
"""
from __future__ import annotations

from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
import hashlib
import json
import os
from pathlib import Path
from typing import Any, Mapping, NamedTuple, Sequence

from robodyn_ros.checks import shown
from robodyn_ros.errors import ScenarioError, UnknownNameError
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario.loading import load_scenario, read_yaml, with_duration
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.settings import bounded, listed_fields, settings_from, with_value
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.scenario.user_code import is_import_path
from robodyn_ros.scenario.wiring import robot_of
from robodyn_ros.sweeping.axes import Axis, axis, Candidates, MOST_DRAWS, Points, SAMPLINGS
from robodyn_ros.types import State

STARTS = ('dynamics.initial_position', 'dynamics.initial_velocity')
SEED = 'dynamics.noise.seed'
XYZ = ('x', 'y', 'z')
ELEMENTS: dict[str, tuple[str, ...]] = {
    'dynamics.gravity': XYZ, 'dynamics.payload.centre': XYZ, 'dynamics.push.force': XYZ,
    'dynamics.push.torque': XYZ, 'controller.model.gravity': XYZ,
    'controller.model.payload.centre': XYZ}
"""What the numbers of a list are called, where they are not those of the joints."""
INERTIA = ('xx', 'yy', 'zz', 'xy', 'xz', 'yz')
ELEMENTS |= {f'{owner}.payload.inertia': INERTIA for owner in ('dynamics', 'controller.model')}


@dataclass(frozen=True)
class TuneSettings:
    """What `robodyn tune` looks for; see tuning.py."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Settings to choose and where to look, such as {log_uniform: [5, 100]}."""
    minimise: str = ''
    """Metric to make small."""
    over: str = bounded('worst', words=('worst', 'mean', 'quantile'))
    """How the runs of the axes are put together into one number."""
    quantile: float = bounded(0.95, least=0.0, most=1.0)
    """Share of the runs that are at least as good, where over is quantile."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Largest values of other metrics, of the worst run."""
    budget: int = bounded(200, least=1, most=1_000_000)
    """Candidates to try; the gradient of a run counts as eight runs."""
    method: str = bounded('auto', words=('auto', 'gradient', 'evolution'))
    """Along gradients, or by evolution; auto: gradients where there are some."""


@dataclass(frozen=True)
class StudySettings:
    """What a study file may hold."""

    scenario: str
    """Name of a scenario, or path of a file, seen from the study's folder first."""
    set: Mapping[str, Any] = field(default_factory=dict)  # noqa: A003  as --set
    """Changes of the scenario for all runs."""
    duration: float = bounded(0.0, least=0.0)
    """Seconds of motion; 0: the scenario's own."""
    axes: Mapping[str, Any] = field(default_factory=dict)
    """Settings that are varied, each with its values or distribution."""
    sampling: str = bounded('sobol', words=SAMPLINGS)
    """How axes with a distribution are drawn."""
    draws: int = bounded(64, least=1, most=MOST_DRAWS)
    """Draws of the axes with a distribution, at every place of the grid of the others."""
    seed: int = bounded(0, least=0)
    """Of the draws."""
    repetitions: int = bounded(1, least=1, most=1_000_000)
    """Runs of every point, each with other measurement noise."""
    metrics: tuple[str, ...] = ()
    """What is measured; empty: all there is. An import path module:function is a user's own."""
    settle_tolerance: float = bounded(0.0, least=0.0)
    """Error of the joints of a motion that has settled; 0: the scenario's tolerance."""
    tune: TuneSettings = field(default_factory=TuneSettings)


class Brought(NamedTuple):
    """A file that came to a worker with the study."""

    path: str
    """Where it is."""
    origin: str
    """Where it was."""


def robot_key(scenario: Scenario) -> str:
    """Return what tells the robots of a study apart."""
    return f'robot {scenario.robot} {json.dumps(dict(scenario.robot_arguments), default=str)}'


def table_key(scenario: Scenario) -> str:
    """Return what tells the tables of motions of a study apart."""
    return f'table {scenario.trajectory.parameters.get("path")}'


class Study:
    """A study made ready: its scenario and axes are checked, and no run has begun."""

    def __init__(self, settings: StudySettings, scenario: Scenario, place: str = 'the study',
                 candidates: Sequence[Mapping[str, Any]] = (),
                 brought: Mapping[str, Brought] | None = None):
        """
        Check every axis on the scenario, before anything runs.

        :param scenario: the one that is varied, with the changes and duration of the settings
        :param place: what complaints begin with
        :param candidates: of tune: values of further settings, with each of which all is run
        :param brought: of a worker: where files are that came with the study, by what they are
        """
        self.settings, self.place = settings, place
        self.brought = dict(brought or {})
        self.scenario = scenario
        self._axes = tuple(axis(name, given, place) for name, given in settings.axes.items())
        self.candidates = tuple(candidates)
        self._trial: Study | None = None
        further = tuple(axis(name, given, place) for name, given in settings.tune.parameters.items(
            )) if candidates else ()
        twice = {one.name for one in self._axes} & set(settings.tune.parameters)
        if twice:
            raise ScenarioError(f'{place}: {", ".join(sorted(twice))} is an axis and a parameter '
                                'of tune; expected one of them')
        self.axes = self._axes + further
        noise = scenario.dynamics.noise
        noisy = noise.position > 0.0 or noise.velocity > 0.0 or any(
            one.name.startswith('dynamics.noise.') for one in self.axes)
        if settings.repetitions > 1 and (not noisy or SEED in settings.axes):
            raise ScenarioError(f'{place}: repetitions is {settings.repetitions}; expected 1, as '
                                + (f'{SEED} is an axis' if noisy else 'nothing in a run is '
                                   'random: set dynamics.noise.position or velocity'))
        self.known = {item.name: item.value for item in listed_fields(scenario)}
        """Every setting of the scenario by name."""
        for one in self.axes:
            self._check(one)
        count = self.draws * settings.repetitions * max(1, len(candidates))
        for one in self._axes:
            count *= 1 if one.drawn else len(one.values)
        self.count = count
        """Runs."""

    @property
    def draws(self) -> int:
        """Draws at every place of the grid."""
        return self.settings.draws if any(one.drawn for one in self._axes) else 1

    @cached_property
    def points(self) -> Points | Candidates:
        """Return the values of every run."""
        chosen = self.settings
        points = Points(self._axes, chosen.sampling, chosen.draws, chosen.seed,
                        chosen.repetitions)
        return Candidates(points, self.candidates) if self.candidates else points

    def trying(self, candidates: Sequence[Mapping[str, Any]]) -> Study:
        """Return the same study with candidates of tune; what is known already is kept."""
        if self._trial is None:
            self._trial = Study(self.settings, self.scenario, self.place, candidates,
                                self.brought)
            self._trial.robot = self.robot  # it is not read again for every candidate
            self._trial._trial = self._trial
        made = copy(self._trial)
        made.__dict__.pop('points', None)
        made.candidates = tuple(candidates)
        made.count = self._trial.count // len(self._trial.candidates) * len(made.candidates)
        return made

    def _check(self, one: Axis) -> None:
        """Refuse an axis that is no setting, or has values that the setting cannot take."""
        setting, known = self.setting_of(one.name)[0], self.known
        if setting not in known and not setting.startswith(('trajectory.parameters.',
                                                            'trajectory.hold.',
                                                            'robot_arguments.')):
            raise UnknownNameError('setting', one.name, sorted(known), self.place)
        if setting in known:
            for value in one.extremes:
                try:
                    self.at({one.name: value})
                except ScenarioError as error:
                    raise ScenarioError(f'axis {one.name!r} of {error}') from None

    def setting_of(self, name: str) -> tuple[str, str]:
        """Split an axis into its setting and the number of a list that it means, if any."""
        parent, _, last = name.rpartition('.')
        if name in self.known or parent not in self.known:
            return name, ''
        return parent, last

    def at(self, values: Mapping[str, Any]) -> Scenario:
        """Return the scenario at some values of the axes."""
        changes: dict[str, Any] = {}
        for name, value in values.items():
            setting, element = self.setting_of(name)
            if not element:
                changes[setting] = list(value) if isinstance(value, tuple) else value
                continue
            whole = changes.get(setting) or list(self.known[setting] or self._own(setting))
            names = ELEMENTS.get(setting) or self.robot.joints
            if element not in names:
                raise UnknownNameError('number', name, [f'{setting}.{x}' for x in names],
                                       self.place)
            if len(whole) == 1:
                whole = whole * len(names)
            if len(whole) != len(names):
                raise ScenarioError(f'{self.place}: axis {name!r} is one number of {setting}, of '
                                    f'which the scenario has {len(whole)}; give all {len(names)}')
            whole[names.index(element)] = value
            changes[setting] = whole
        made = self.scenario
        for setting, value in changes.items():
            made = with_value(made, setting, value, self.place)
        return self._with_brought(made)

    def _with_brought(self, scenario: Scenario) -> Scenario:
        """Return a scenario that reads what was brought along, where it names files."""
        robot = self.brought.get(robot_key(scenario))
        if robot is not None:
            scenario = replace(scenario, robot=robot.path, robot_arguments={})
        table = self.brought.get(table_key(scenario))
        if table is not None:
            parameters = {**scenario.trajectory.parameters, 'path': table.path}
            scenario = replace(scenario, trajectory=replace(scenario.trajectory,
                                                            parameters=parameters))
        return scenario

    def told(self, reason: str) -> str:
        """Return a reason as it is told where the study came from."""
        for one in self.brought.values():
            reason = reason.replace(one.path, one.origin)
        return reason

    @cached_property
    def user_code(self) -> bool:
        """Tell whether runs may call functions of a user: parts, metrics, or words of the axes."""
        given = [value for one in self.axes if not one.kinds <= {float, int}
                 for value in one.values]
        words = [word for value in given
                 for word in (value if isinstance(value, tuple) else (value,))]
        return any(isinstance(word, str) and is_import_path(word) for word in (
            *user_parts(self.scenario), *words, *self.settings.metrics))

    @cached_property
    def robot(self) -> Robot:
        """Return the robot of the scenario."""
        return robot_of(self._with_brought(self.scenario))

    @cached_property
    def _start(self) -> State:
        """Return where a run starts that nothing is said about."""
        return Simulation(self._with_brought(self.scenario)).assembly.state

    def _own(self, setting: str) -> list[float]:
        """Return what an empty list of a scenario stands for."""
        if setting.endswith('gravity'):
            return list(self.robot.parameters.gravity)  # type: ignore[arg-type]
        if setting in STARTS:
            return (self._start.q, self._start.v)[STARTS.index(setting)].tolist()
        return []

    @cached_property
    def digest(self) -> str:
        """Hash of all that decides about the rows: axes, metrics, scenario and robot."""
        facts: dict[str, Any] = {
            'settings': asdict(replace(self.settings, tune=TuneSettings())),
            'scenario': {name: value for name, value in self.known.items()
                         if name not in ('robot', 'name')},
            'robot': self.robot.urdf}
        facts['settings']['scenario'] = ''
        # in their order, which decides about the runs' numbers
        return hashlib.sha256(json.dumps(facts, default=list).encode()).hexdigest()


def user_parts(scenario: Scenario) -> tuple[str, ...]:
    """Return the settings of a scenario that may name a user's own parts."""
    return (scenario.controller.kind, scenario.trajectory.kind, *scenario.dynamics.constraints)


def found_beside(folder: Path, scenario: str) -> str:
    """Return the file of a scenario in a folder, if that is one; else what was given, a name."""
    beside = folder / scenario
    return str(beside) if beside.suffix and os.path.exists(beside) else scenario


def read_study(path: str | Path) -> Study:
    """Read a study file."""
    place = Path(path)
    data = read_yaml(place)
    if not isinstance(data, dict):
        raise ScenarioError(f'{place}: expected a study: scenario, axes and more, see docs/'
                            'sweep.md')
    return make_study(data, place.parent, str(place))


def make_study(data: Mapping[str, Any], folder: Path = Path(), place: str = 'the study') -> Study:
    """
    Make a study of plain values, as a file holds them.

    :param folder: in which the scenario's file is looked for first
    """
    settings: StudySettings = settings_from(StudySettings, data, place)
    name = found_beside(folder, settings.scenario)
    for key, value in settings.set.items():
        if isinstance(value, dict):
            raise ScenarioError(f'{place}: set has {key!r}: {shown(value)}; expected a setting '
                                'with its value, such as dynamics.payload.mass: 5')
    scenario = load_scenario(name, dict(settings.set))
    return Study(settings, with_duration(scenario, settings.duration or None), place)
