# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
One call of the compiled loop, with what follows when it stops before its end.

Rows that turn out dependent are handed to the rank-finding variant, which goes on from the last
good state; everything else becomes an error that keeps what was recorded until then.
"""
from __future__ import annotations

import logging
from typing import Mapping, NoReturn, TYPE_CHECKING

import numpy as np

from robodyn_ros.codegen.loops import stepping
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant import checks, diagnosis
from robodyn_ros.plant.program import CHOLESKY, RANK, scratch_size
from robodyn_ros.types import Rollout, rollout_from_rows, State

if TYPE_CHECKING:
    from robodyn_ros.plant.plant import Plant

LOG = logging.getLogger('robodyn_ros')


def run(plant: 'Plant', x: np.ndarray, count: int, every: int, reference: np.ndarray,
        rows: np.ndarray, parameters: Mapping[str, float] | None) -> int:
    """Run count steps in place; returns the rows written, or raises with what there is."""
    n, m, delay = plant.robot.n, len(plant.row_names), plant.delay
    y = np.empty(scratch_size(n, m))
    s = np.empty(2 + 8 * n + plant.reference_size)
    start = x.copy()
    torque = start[1 + 2 * n:]
    queue = np.tile(torque, delay) if delay else np.empty(1)
    done = np.zeros(2, dtype=np.int64)
    t0, taken, width = x[0], 0, 1 + 5 * n + 3 * m
    for variant in plant.solvers:
        names, w = plant.variants.ready(variant, parameters)
        # the start of a second variant is where the first stopped: same clock, same rows
        code = names['rollout'](taken, count, plant.step_size, t0, every, plant.control_period,
                                x, w, y, s, reference, rows, queue, done)
        taken = int(done[0])
        if code == stepping.DEPENDENT and plant.solver == 'auto' and variant == CHOLESKY:
            if not plant.variants.used(RANK):  # once per plant
                LOG.info('constraint rows of %s became dependent at t = %g s: finding ranks',
                         plant.robot.name, x[0])
            if taken == 0:  # the second variant begins with the first control instant again
                x[1 + 2 * n:] = torque
                queue = np.tile(torque, delay) if delay else queue
            continue
        break
    if code == stepping.DEPENDENT and variant == RANK:
        # this variant knows dependent rows: these cannot be met, or are no numbers
        code = stepping.NOT_PROJECTED if m and diagnosis.unreached(
            plant, diagnosis.state_of(x, n), parameters) else stepping.NOT_FINITE
    if code == stepping.SINGULAR and names['derivative'](1, x, w, y, np.empty(2 * n)) == stepping.OK:
        code = stepping.NOT_FINITE  # the mass is fine where the step began: the step ran away
    if code != stepping.OK:
        fail(plant, code, x, rollout_from_rows(rows[:done[1] * width].reshape(-1, width), n, m)
             if every else None, parameters)
    if m and count:
        diagnosis.check_start(plant, start, rows[width - 2 * m:width] if every else None,
                                 variant == RANK, parameters)
    return int(done[1])


def rates(plant: 'Plant', x: np.ndarray, parameters: Mapping[str, float] | None) -> np.ndarray:
    """Return qdot and a side by side at inputs x (k, 1 + 3 n) of many states (k, 2 n)."""
    n, count = plant.robot.n, len(x)
    found, y = np.empty((count, 2 * n)), np.empty(scratch_size(n, len(plant.row_names)))
    for variant in plant.solvers:
        names, w = plant.variants.ready(variant, parameters)
        stop = names['derivative'](count, x, w, y, found)
        if stop == stepping.OK:
            break
        where, code = divmod(stop, 8)
        if code != stepping.DEPENDENT or variant == plant.solvers[-1]:
            fail(plant, code, x[where], None, parameters)
    return found


def fail(plant: 'Plant', code: int, x: np.ndarray, kept: Rollout | None,
         parameters: Mapping[str, float] | None) -> NoReturn:
    """Raise the error of a code at the last good input, with what was recorded."""
    state = diagnosis.state_of(x, plant.robot.n)
    far = np.abs(state.q).max() > checks.FAR  # whatever failed there, it ran away before
    error = None if far or not plant.row_names else _of_rows(plant, code, state, parameters)
    error = error or checks.failure(plant.robot, plant.row_names,
                                          stepping.NOT_FINITE if far else code, state)
    error.state, error.partial = state, kept
    raise error


def _of_rows(plant: 'Plant', code: int, state: State, parameters: Mapping[str, float] | None
             ) -> RobodynError | None:
    """Return the error that names what is wrong with the rows; None if it is not theirs."""
    phi = plant.constraint_rows(state, parameters)[0]
    error = checks.not_a_number(plant.robot, plant.row_names, phi, state)
    if error is not None:
        return error
    if code == stepping.INCONSISTENT:
        return diagnosis.inconsistent(plant, state, parameters)
    if code == stepping.NOT_PROJECTED:
        return diagnosis.not_projected(plant, state, parameters)
    return None
