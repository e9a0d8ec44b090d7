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

import numpy as np

from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops import measuring as places, outcomes
from robodyn_ros.codegen.loops.stepping import OUTCOME
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant.diagnosis import failure
from robodyn_ros.plant.model import BATCH, LANES, Measuring, Model
from robodyn_ros.plant.rollout import new_queue, to_the_end

AT_ONCE = 1 << 15
"""Steps of groups of runs in one call, during which no signal is heard."""


@dataclass
class Measured:
    """What was measured of k runs of n joints; of one that broke off, until then."""

    values: np.ndarray
    """Measures (layout.measure, k)."""
    layout: Layout
    ended: np.ndarray
    """Time of the last good state (k,) [s]."""
    reasons: dict[int, RobodynError] = field(default_factory=dict)
    """Why a run broke off, by its number."""

    def _scalar(self, place: int) -> np.ndarray:
        return self.values[place]

    def _joints(self, group: int) -> np.ndarray:
        n, first = self.layout.n, self.layout.scalars
        return self.values[first + group * n:first + (group + 1) * n]

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
        """(n, k) [rad] or [m]."""
        return self._joints(0)

    @property
    def position_max(self) -> np.ndarray:
        """(n, k) [rad] or [m]."""
        return self._joints(1)

    @property
    def speed_max(self) -> np.ndarray:
        """(n, k) [rad/s] or [m/s]."""
        return self._joints(2)

    @property
    def effort_max(self) -> np.ndarray:
        """(n, k) [N m] or [N]."""
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
    found = Measured(np.empty((layout.measure, len(runs.starts))), layout,
                     np.empty(len(runs.starts)))
    variant, lanes = (BATCH, LANES) if model.batch_possible else (model.solvers[0], 1)
    at_once = 1 if own else max(1, AT_ONCE // max(1, runs.steps))
    parametric = model.differs(runs.parameters)
    for code in (False, True):
        some = np.flatnonzero(parametric == code)
        # the last one several times, to fill the registers
        groups = np.concatenate([some, np.repeat(some[-1:], -len(some) % lanes)]
                                ).reshape(-1, lanes)
        for first in range(0, len(groups), at_once):
            for k in _together(model, runs, kind, variant, code, groups[first:first + at_once],
                               found):
                _alone(model, runs, kind, code, k, found)
    return found


def _empty(layout: Layout) -> np.ndarray:
    """Return measures of no instant yet."""
    made = np.zeros(layout.measure)
    made[places.OUTSIDE] = -1.0
    made[layout.scalars:layout.scalars + layout.n] = inf
    made[layout.scalars + layout.n:layout.scalars + 2 * layout.n] = -inf
    return made


def _side_by_side(values: np.ndarray) -> np.ndarray:
    """Return what runs of groups have (groups, lanes, ...), lanes last, flat."""
    return np.ascontiguousarray(np.moveaxis(values, 1, -1)).reshape(-1)


def _read(array: np.ndarray, groups: np.ndarray, own: bool, count: int) -> np.ndarray:
    """Return references or targets, as many as are read, as the groups read them."""
    if not own:
        return array.reshape(-1)
    if array.ndim == 2:  # one for all, beside others that each run has of its own
        return _side_by_side(np.broadcast_to(array[:count], (*groups.shape, *array[:count].shape)))
    first, last = int(groups[0, 0]), int(groups[-1, -1])
    if np.array_equal(groups.reshape(-1), np.arange(first, last + 1)):  # as most are: no copy
        return _side_by_side(array[first:last + 1, :count].reshape(
            *groups.shape, *array[0, :count].shape))
    return _side_by_side(array[groups, :count])


def _together(model: Model, runs: Runs, kind: Measuring, variant: str, parametric: bool,
              groups: np.ndarray, found: Measured) -> list[int]:
    """Measure groups of runs (k, lanes); returns those that have to be looked at alone."""
    layout, (count, lanes) = model.layout, groups.shape
    program = model.program(variant, parametric, kind)
    x = _side_by_side(runs.starts[groups])
    starts = x.reshape(count, -1, lanes)
    w = program.prepared_each(runs.parameters[groups.reshape(-1)]).reshape(count, lanes, -1)
    rows = np.tile(np.repeat(_empty(layout), lanes), count)
    queue = np.concatenate([new_queue(model, torque.reshape(-1), lanes)
                            for torque in starts[:, layout.tau:]]) if layout.queue else np.empty(1)
    done = np.empty((count, OUTCOME), np.int64)
    program.functions()['measure'](
        count, 0, runs.steps, model.step_size, runs.every, model.control_period, runs.tolerance,
        starts[:, 0].reshape(-1).copy(), x, _side_by_side(w), np.empty(lanes * layout.scratch),
        np.empty(lanes * layout.workspace),
        _read(runs.reference, groups, kind.own, -(-runs.steps // model.control_period)), rows,
        queue, done.reshape(-1), _read(runs.targets, groups, kind.own,
                                       runs.steps // runs.every + 1))
    good = done[:, 2] == outcomes.OK
    done_well = groups[good].reshape(-1)
    found.values[:, done_well] = rows.reshape(count, -1, lanes)[good].swapaxes(0, 1).reshape(
        layout.measure, -1)
    found.ended[done_well] = starts[good, 0].reshape(-1)
    return np.unique(groups[~good]).tolist()


def _alone(model: Model, runs: Runs, kind: Measuring, parametric: bool, k: int,
           found: Measured) -> None:
    """Measure one run, and keep the reason if it breaks off."""
    layout, vector, group = model.layout, runs.parameters[k], np.array([[k]])
    x, rows = runs.starts[k].copy(), _empty(model.layout)
    reference = _read(runs.reference, group, kind.own, -(-runs.steps // model.control_period))
    targets = _read(runs.targets, group, kind.own, runs.steps // runs.every + 1)

    def loop(variant: str, taken: int, t0: np.ndarray, queue: np.ndarray,
             done: np.ndarray) -> int:
        program = model.program(variant, parametric, kind)
        if taken == 0:  # a second variant begins anew
            rows[:] = _empty(layout)
        outcome = np.empty(OUTCOME, np.int64)
        program.functions()['measure'](
            1, taken, runs.steps, model.step_size, runs.every, model.control_period,
            runs.tolerance, t0, x, program.prepared(vector), np.empty(layout.scratch),
            np.empty(layout.workspace), reference, rows, queue, outcome, targets)
        done[:] = outcome[:2]
        return int(outcome[2])

    named = dict(zip(model.parameters.names, vector.tolist()))
    reason, _, _ = to_the_end(model, x, loop, named)
    found.values[:, k], found.ended[k] = rows, x[0]
    if reason != outcomes.OK:
        found.reasons[k] = failure(model, reason, x, named)
