# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Many runs of one plant that are measured, not recorded: a few numbers are left of each.

    measured = measure(plant.model, starts, parameters, steps, every=period, ...)
    measured.error_max, measured.effort_max, measured.reasons, ...

Runs share vector registers where that pays; each has the bits it has by itself, whoever is beside
it. The arrays do not grow with the length of the runs.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Callable

import numpy as np

from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops import measuring as places, outcomes
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant.diagnosis import failure
from robodyn_ros.plant.model import BATCH, LANES, Measuring, Model
from robodyn_ros.plant.rollout import new_queue, to_the_end


@dataclass
class Measured:
    """What was measured of k runs of n joints; of one that broke off, until then."""

    values: np.ndarray
    """Measures (k, layout.measure)."""
    layout: Layout
    ended: np.ndarray
    """Time of the last good state (k,) [s]."""
    reasons: dict[int, RobodynError] = field(default_factory=dict)
    """Why a run broke off, by its number."""

    def _scalar(self, place: int) -> np.ndarray:
        return self.values[:, place]

    def _joints(self, group: int) -> np.ndarray:
        n, first = self.layout.n, self.layout.scalars
        return self.values[:, first + group * n:first + (group + 1) * n]

    @property
    def error_max(self) -> np.ndarray:
        """Largest error of any joint (k,) [rad] or [m]."""
        return self._scalar(places.ERROR_MAX)

    @property
    def error_rms(self) -> np.ndarray:
        """Root mean square of the errors of all joints at all instants (k,) [rad] or [m]."""
        return np.sqrt(self._scalar(places.ERROR_SQUARES)
                       / (self.layout.n * self._scalar(places.INSTANTS)))

    @property
    def outside(self) -> np.ndarray:
        """Last time at which an error was beyond the tolerance, -1 for never (k,) [s]."""
        return self._scalar(places.OUTSIDE)

    @property
    def energy(self) -> np.ndarray:
        """Integral of sum |tau v|: what motors spend that cannot give back (k,) [J]."""
        return self._scalar(places.WORK)

    @property
    def violation_max(self) -> np.ndarray:
        """Largest |phi| (k,) [m] or [rad]."""
        return self._scalar(places.VIOLATION)

    @property
    def distance_max(self) -> np.ndarray:
        """Largest distance of the frame from where it should be (k,) [m]."""
        return np.sqrt(self._scalar(places.DISTANCE_MAX))

    @property
    def distance_rms(self) -> np.ndarray:
        """Root mean square of that distance (k,) [m]."""
        return np.sqrt(self._scalar(places.DISTANCE_SQUARES) / self._scalar(places.INSTANTS))

    @property
    def position_min(self) -> np.ndarray:
        """(k, n) [rad] or [m]."""
        return self._joints(0)

    @property
    def position_max(self) -> np.ndarray:
        """(k, n) [rad] or [m]."""
        return self._joints(1)

    @property
    def speed_max(self) -> np.ndarray:
        """(k, n) [rad/s] or [m/s]."""
        return self._joints(2)

    @property
    def effort_max(self) -> np.ndarray:
        """(k, n) [N m] or [N]."""
        return self._joints(3)


@dataclass
class Runs:
    """
    The runs that are asked for: k of them, with i control instants and one more sample.

    References and targets are those of all runs, or one of each: (i, r) or (k, i, r).
    """

    starts: np.ndarray
    """t, q, v, tau of each (k, 1 + 3 n)."""
    parameters: np.ndarray
    """All run-time parameters of each, in the order of the plant's table (k, p)."""
    steps: int
    every: int
    """Steps between samples."""
    reference: np.ndarray
    """What the control law reads; empty without a law that reads one."""
    targets: np.ndarray
    """Desired positions of the joints and of the frame, one row more than there are instants."""
    tolerance: float = inf
    """Of the errors of joints, see Measured.outside."""


def measure(model: Model, runs: Runs, frame: str = '') -> Measured:
    """
    Run and measure.

    :param frame: whose distance from the last three numbers of a target is measured
    """
    layout = model.layout
    own = runs.reference.ndim == 3 or runs.targets.ndim == 3
    kind = Measuring(runs.targets.size > 0, frame if runs.targets.size else '', own)
    found = Measured(np.empty((len(runs.starts), layout.measure)), layout,
                     np.empty(len(runs.starts)))
    parametric = model.differs(runs.parameters)
    for code in (False, True):
        some = np.flatnonzero(parametric == code)
        together = prepared = None
        if model.batch_possible and some.size > 0:
            program = model.program(BATCH, code, kind)
            together, prepared = program.functions()['measure'], program.prepared_each(
                runs.parameters[some])
        for first in range(0, len(some), LANES):
            group = some[first:first + LANES]
            if together is None or prepared is None or not _together(
                    model, runs, kind, together, group, found, prepared[first:first + LANES]):
                for k in group:
                    _alone(model, runs, kind, code, int(k), found)
    return found


def _empty(layout: Layout, lanes: int) -> np.ndarray:
    """Return measures of no instant yet, the numbers of all runs side by side."""
    made = np.zeros((layout.measure, lanes))
    made[places.OUTSIDE] = -1.0
    made[layout.scalars:layout.scalars + layout.n] = inf
    made[layout.scalars + layout.n:layout.scalars + 2 * layout.n] = -inf
    return made


def _chosen(array: np.ndarray, group: np.ndarray, own: bool) -> np.ndarray:
    """Return references or targets of some runs, those of an instant side by side, flat."""
    if not own:
        return array.reshape(-1)
    if array.ndim == 2:  # one for all, beside others that each run has of its own
        return np.repeat(array[..., None], len(group), axis=-1).reshape(-1)
    return np.ascontiguousarray(np.moveaxis(array[group], 0, -1)).reshape(-1)


def _together(model: Model, runs: Runs, kind: Measuring, function: Callable[..., int],
              group: np.ndarray, found: Measured, prepared: np.ndarray) -> bool:
    """Measure up to LANES runs side by side; False where one has to be looked at alone."""
    layout = model.layout
    lanes, w = group, prepared
    if len(group) < LANES:  # some twice, to fill the registers
        lanes, w = np.resize(group, LANES), np.resize(prepared, (LANES, prepared.shape[1]))
    x, w = runs.starts[lanes].T.reshape(-1), w.T.reshape(-1)
    rows, done = _empty(layout, LANES), np.zeros(2, np.int64)
    reason = function(
        0, runs.steps, model.step_size, runs.every, model.control_period, runs.tolerance,
        x[:LANES].copy(), x, w, np.empty(LANES * layout.scratch),
        np.empty(LANES * layout.workspace), _chosen(runs.reference, lanes, kind.own),
        rows.reshape(-1), new_queue(model, x[LANES * layout.tau:], LANES), done,
        _chosen(runs.targets, lanes, kind.own))
    if reason != outcomes.OK:
        return False
    found.values[group] = rows.T[:len(group)]
    found.ended[group] = x[:len(group)]
    return True


def _alone(model: Model, runs: Runs, kind: Measuring, parametric: bool, k: int,
           found: Measured) -> None:
    """Measure one run, and keep the reason if it breaks off."""
    layout, vector, group = model.layout, runs.parameters[k], np.array([k])
    x, rows = runs.starts[k].copy(), _empty(model.layout, 1)
    reference, targets = (_chosen(array, group, kind.own) for array in (runs.reference,
                                                                        runs.targets))

    def loop(variant: str, taken: int, t0: np.ndarray, queue: np.ndarray,
             done: np.ndarray) -> int:
        program = model.program(variant, parametric, kind)
        if taken == 0:  # a second variant begins anew
            rows[:] = _empty(layout, 1)
        return program.functions()['measure'](
            taken, runs.steps, model.step_size, runs.every, model.control_period, runs.tolerance,
            t0, x, program.prepared(vector), np.empty(layout.scratch),
            np.empty(layout.workspace), reference, rows.reshape(-1), queue, done, targets)

    named = dict(zip(model.parameters.names, vector.tolist()))
    reason, _, _ = to_the_end(model, x, loop, named)
    found.values[k], found.ended[k] = rows[:, 0], x[0]
    if reason != outcomes.OK:
        found.reasons[k] = failure(model, reason, x, named)
