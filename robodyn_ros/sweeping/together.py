# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Runs of one simulation that differ in numbers only: what is theirs, of all of them at once.

An axis that is a run-time parameter as it is, a gain, a joint's start or a size of noise is a
column of numbers here, which needs no scenario for every run. What a column cannot say (a list, a
number beyond the bounds, a start that is too far) is told, and such a run is looked at alone.
"""
from __future__ import annotations

import math
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import LARGEST
from robodyn_ros.controllers.model import from_frequency
from robodyn_ros.errors import RobodynError
from robodyn_ros.mechanics.parameters import NAMES
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.robots.geometry import impossible_inertia
from robodyn_ros.robots.robot import efforts_within
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.schema import NoiseSettings
from robodyn_ros.scenario.settings import Bounds, LARGEST_WHOLE
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.sweeping.study import SEED, STARTS, Study
from robodyn_ros.types import State, Trajectory

MODEL = 'controller.model.'
NOISE = ('dynamics.noise.position', 'dynamics.noise.velocity', SEED)
TENSOR = ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')
FREQUENCY, DAMPING = 'controller.natural_frequency', 'controller.damping'


class Prepared(NamedTuple):
    """What k runs are measured with, see plant/measurement.py."""

    vectors: np.ndarray
    """All run-time parameters of each (k, p)."""
    starts: np.ndarray
    """t, q, v, tau of each (k, 1 + 3 n)."""
    reference: np.ndarray
    targets: np.ndarray
    """What the law reads and what is measured against: of all runs, or of each."""


class Together:
    """Values of axes as columns of the runs of one simulation."""

    def __init__(self, study: Study, names: Sequence[str], bounds: Mapping[str, Bounds | None],
                 ready: Simulation, alike: Prepared, frame: str):
        """
        Look where the values of each axis belong.

        :param names: axes that do not change the code; :param bounds: of their settings
        :param alike: of a single run of which nothing is said
        :param frame: whose desired positions are among the targets, if any
        """
        self._bounds, self._ready, self._alike, self._frame = bounds, ready, alike, frame
        self._table = {name: k for k, name in enumerate(ready.plant.parameters.names)}
        self._plain: dict[str, list[int]] = {}
        self._gains: dict[str, Any] = {}
        self._joints: dict[str, tuple[int, int]] = {}
        self._noise = [name for name in names if name in NOISE]
        if study.settings.repetitions > 1:
            self._noise.append(SEED)
        for name in names:
            setting, element = study.setting_of(name)
            joint = ready.robot.joints.index(element) if element in ready.robot.joints else None
            if setting in STARTS and joint is not None:
                self._joints[name] = STARTS.index(setting), joint
            elif setting in (FREQUENCY, DAMPING):
                self._gains[name] = slice(None) if joint is None else joint
            elif name not in NOISE:
                self._plain[name] = self._places(name, setting, element)
        self.possible = all(self._plain.values()) and (not self._gains or (
            self._has_gains and bool(ready.scenario.controller.natural_frequency)))
        """Every axis is a column."""
        self._judged = any(name.startswith(MODEL) for name in names) \
            and not ready.scenario.trajectory.ignore_limits

    @property
    def _has_gains(self) -> bool:
        """Tell whether the law's gains are what they are set to, and nothing is made of them."""
        settings = self._ready.scenario.controller
        return settings.kind == 'computed_torque' and not settings.ki

    def _places(self, name: str, setting: str, element: str) -> list[int]:
        """Return the run-time parameters that are an axis' values as they are."""
        scenario, (section, _, rest) = self._ready.scenario, name.partition('.')
        called = ''
        if section == 'dynamics' and (rest in NAMES or rest.startswith('stabilisation.')
                                      and scenario.dynamics.stabilisation.kind == 'baumgarte'):
            called = rest
        elif section == 'controller' and not scenario.controller.observer > 0.0:
            if rest.removeprefix('model.') in NAMES or rest in ('rho', 'epsilon') \
                    and scenario.controller.kind == 'robust':
                called = name
            elif setting in ('controller.kp', 'controller.kd') and self._has_gains:
                return [self._table[f'{setting}.{joint}'] for joint in (
                    [element] if element else self._ready.robot.joints)]
        return [self._table[called]] if called in self._table else []

    def prepared(self, columns: Mapping[str, Any], places: np.ndarray, begins: bool
                 ) -> tuple[np.ndarray, Prepared]:
        """
        Return which runs are in order as far as columns tell, and all that is theirs.

        :param columns: values of every axis; :param places: of the runs in them
        :param begins: runs may begin elsewhere, or read something else, than the others
        """
        count, good = len(places), np.ones(len(places), bool)
        vectors = np.repeat(self._alike.vectors, count, axis=0)
        if self.possible:
            self._fill(vectors, columns, places, good)
        else:
            good[:] = False
        if not begins:
            return good, self._alike._replace(
                vectors=vectors, starts=np.repeat(self._alike.starts, count, axis=0))
        return self._begun(columns, places, vectors, good)

    def _fill(self, vectors: np.ndarray, columns: Mapping[str, Any], places: np.ndarray,
              good: np.ndarray) -> None:
        """Fill in run-time parameters (k, p), and strike out runs that cannot have theirs."""
        for name, where in self._plain.items():
            values, fits = self._allowed(name, columns, places)
            vectors[:, where] = values[:, None]
            good &= fits
        if self._gains:
            good &= self._with_gains(vectors, columns, places)
        for prefix in ('', MODEL):
            if any(name.startswith(f'{prefix or "dynamics."}payload.inertia.')
                   for name in self._plain):
                tensors = vectors[:, [self._table[f'{prefix}payload.inertia.{x}']
                                      for x in TENSOR]]
                for k in np.flatnonzero(good).tolist():
                    good[k] = not impossible_inertia(tuple(tensors[k].tolist()), True)
        wanted = self._ready.wanted
        if self._judged and wanted is not None:
            robot = wiring.model_robot(self._ready.robot, self._ready.scenario.controller.model)
            model = [self._table[MODEL + name] for name in NAMES]
            good[good] = efforts_within(robot, wanted, vectors[good][:, model])

    def _with_gains(self, vectors: np.ndarray, columns: Mapping[str, Any], places: np.ndarray
                    ) -> np.ndarray:
        """Fill in the gains of natural frequencies and damping; returns where they can be."""
        settings, joints = self._ready.scenario.controller, self._ready.robot.joints
        omega = np.empty((len(places), len(joints)))
        omega[:] = settings.natural_frequency
        damping, good = np.full((len(places), 1), settings.damping), np.ones(len(places), bool)
        for name, where in self._gains.items():
            values, fits = self._allowed(name, columns, places)
            (damping if name == DAMPING else omega)[:, where] = values[:, None] \
                if isinstance(where, slice) else values
            good &= fits
        for name, gains in zip(('kp', 'kd'), from_frequency(omega, damping)):
            vectors[:, [self._table[f'controller.{name}.{joint}'] for joint in joints]] = gains
        return good

    def _begun(self, columns: Mapping[str, Any], places: np.ndarray, vectors: np.ndarray,
               good: np.ndarray) -> tuple[np.ndarray, Prepared]:
        """Return the same of runs that begin, or read what is, their own."""
        ready, n, count = self._ready, self._ready.robot.n, len(places)
        asked = ready.asked
        starts = np.zeros((count, 1 + 3 * n))
        parts = starts[:, 1:1 + n], starts[:, 1 + n:1 + 2 * n]
        parts[0][:], parts[1][:] = asked.q, asked.v
        for name, (which, joint) in self._joints.items():
            values, fits = self._allowed(name, columns, places)
            parts[which][fits, joint] = values[fits]
            good &= fits
        q, v = parts
        if ready.plant.row_names and ready.scenario.dynamics.assemble:
            for k in np.flatnonzero(good).tolist():
                own = dict(zip(NAMES, vectors[k, :len(NAMES)].tolist()))
                try:
                    state = assemble_start(ready.plant, State(0.0, q[k], v[k]),
                                           parameters=own).state
                    q[k], v[k] = state.q, state.v
                except RobodynError:  # whoever looks at it alone says why
                    good[k] = False
        made = self._alike._replace(vectors=vectors, starts=starts)
        if ready.law_rows is None:
            return good, made
        if not good.any():
            return good, made._replace(**{name: np.empty((count, *part.shape)) for name, part in (
                ('reference', made.reference), ('targets', made.targets))})
        errors = self._errors(columns, places, good)
        some: Any = slice(None) if good.all() else good
        led = ready.led(q[some], v[some],
                        errors[some] if errors is not None and errors.ndim == 3 else errors)
        assert led.law_rows is not None
        made = made._replace(reference=_of_all(led.law_rows, good))
        if led.plan is not None and led.desired is not None:
            made = made._replace(targets=_of_all(followed(ready, led.desired, self._frame), good))
            controller = ready.scenario.controller
            if controller.blend_time > 0.0:
                good[some] = wiring.begins_near(led.plan, ready.robot, controller)
        return good, made

    def _errors(self, columns: Mapping[str, Any], places: np.ndarray, good: np.ndarray
                ) -> np.ndarray | None:
        """Return the errors of measurement of each run; takes out those that have none."""
        ready, own = self._ready, self._ready.scenario.dynamics.noise
        usual = ready.noise(own)
        if usual is None or not self._noise:
            return usual
        values = {name.rpartition('.')[2]: columns[name] for name in self._noise}
        for name in self._noise:
            if name == SEED:
                good &= np.array([type(columns[name][k]) is int and 0 <= columns[name][k]
                                  <= LARGEST_WHOLE for k in places.tolist()])
            else:
                good &= self._allowed(name, columns, places)[1]
        found = np.zeros((len(places), *usual.shape))
        for k in np.flatnonzero(good).tolist():
            found[k] = ready.noise(NoiseSettings(**{
                'position': own.position, 'velocity': own.velocity, 'seed': own.seed,
                **{name: column[places[k]] for name, column in values.items()}}))
        return found

    def _allowed(self, name: str, columns: Mapping[str, Any], places: np.ndarray
                 ) -> tuple[np.ndarray, np.ndarray]:
        """Return values of runs as numbers, and which of them a setting may have."""
        bounds, values = self._bounds[name], columns[name]
        if isinstance(values, list):
            chosen = (values[k] for k in places.tolist())  # lists and words are no numbers
            found = np.array([x if type(x) in (float, int) and abs(x) <= LARGEST else math.nan
                              for x in chosen], float)
        else:
            found = values[places]
        fits = np.abs(found) <= LARGEST
        return found, fits if bounds is None else fits & (found >= bounds.least) & (
            found <= bounds.most)


def _of_all(values: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Return what some runs have, with room for what the others have."""
    if good.all():
        return values
    found = np.empty((len(good), *values.shape[1:]))
    found[good] = values
    return found


def followed(one: Simulation, desired: Trajectory, frame: str) -> np.ndarray:
    """
    Return what runs are measured against, where they follow something (..., i, n or n + 3).

    :param frame: whose desired positions are among that, if any
    """
    if not frame:
        return desired.q
    return np.concatenate([desired.q, one.desired.positions(one.robot, frame, desired)], axis=-1)
