# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Calls of the compiled loop, one run or many, with what follows when one stops before its end.

Rows that turn out dependent are handed to the rank-finding variant, which goes on from the last
good state; everything else becomes an error that keeps what was recorded until then. Many runs of
one plant go on all cores, and several in one vector register where that pays.
"""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import logging
import os
from typing import Callable, Iterable, Sequence, TypeVar

import numpy as np

from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops import outcomes
from robodyn_ros.plant.diagnosis import failure, StartCheck, state_of, unreached
from robodyn_ros.plant.model import AUTO, BATCH, CHOLESKY, LANES, Model, RANK_SOLVER
from robodyn_ros.robots.parameters import Given
from robodyn_ros.types import Rollout

Found = TypeVar('Found')
LOG = logging.getLogger('robodyn_ros')
WORTH_STEPS = 50000
"""Steps of all rollouts together for which one more program is compiled."""


def run(model: Model, start_check: StartCheck, x: np.ndarray, count: int, every: int,
        reference: np.ndarray, rows: np.ndarray, parameters: Given) -> int:
    """
    Run count steps in place; returns the samples written, or raises with what there is.

    :param x: input to start at, then the last one (1 + 3 n,)
    :param rows: room for the samples, where every is not 0
    """
    layout, start = model.layout, x.copy()

    def loop(variant: str, taken: int, t0: np.ndarray, queue: np.ndarray,
             done: np.ndarray) -> int:
        functions, w = model.ready(variant, parameters)
        return functions['rollout'](
            taken, count, model.step_size, every, model.control_period, t0, x, w,
            np.empty(layout.scratch), np.empty(layout.workspace), reference, rows, queue, done)

    reason, variant, done = to_the_end(model, x, loop, parameters)
    width = layout.sample
    if reason != outcomes.OK:
        error = failure(model, reason, x, parameters)
        if every:
            error.partial = rollout_from_rows(rows[:done[1] * width].reshape(-1, width), layout)
        raise error
    if layout.m and count:
        start_check.one(model, start, rows[width - 2 * layout.m:width] if every else None,
                        variant == RANK_SOLVER, parameters)
    return int(done[1])


Loop = Callable[[str, int, np.ndarray, np.ndarray, np.ndarray], int]
"""Runs a variant in place from a step, with t0, queue and done of the compiled loop."""


def to_the_end(model: Model, x: np.ndarray, loop: Loop,
               parameters: Given) -> tuple[int, str, np.ndarray]:
    """
    Run a loop in x, with the second solver where the first meets dependent rows.

    :returns: OK or the reason to stop, the variant that came last, and what it left in done
    """
    layout, done = model.layout, np.zeros(2, np.int64)
    t0, taken = x[:1].copy(), 0
    torque = x[layout.tau:].copy()
    queue = new_queue(model, torque)
    for variant in model.solvers:
        # the start of a second variant is where the first stopped: same clock, same rows
        reason = loop(variant, taken, t0, queue, done)
        taken = int(done[0])
        if reason == outcomes.DEPENDENT and model.solver == AUTO and variant == CHOLESKY:
            if not model.used(RANK_SOLVER):  # once per plant
                LOG.info('constraint rows of %s became dependent at t = %g s: finding ranks',
                         model.robot.name, x[0])
            if taken == 0:  # the second variant begins with the first control instant again
                x[layout.tau:] = torque
                queue = new_queue(model, torque)
            continue
        break
    if reason == outcomes.DEPENDENT and variant == RANK_SOLVER:
        # this variant knows dependent rows: these cannot be met, or are no numbers
        reason = outcomes.NOT_PROJECTED if layout.m and unreached(
            model, state_of(x, layout.n), parameters) else outcomes.NOT_FINITE
    if reason == outcomes.SINGULAR:
        functions, w = model.ready(variant, parameters)
        if functions['derivative'](1, x, w, np.empty(layout.scratch),
                                   np.empty(2 * layout.n)) == outcomes.OK:
            reason = outcomes.NOT_FINITE  # the mass is fine where the step began: it ran away
    return reason, variant, done


def new_queue(model: Model, torque: np.ndarray, lanes: int = 1) -> np.ndarray:
    """Return what is kept at the start of a run: the torque that acts, and the law's memory."""
    layout, law = model.layout, model.control
    if not layout.queue:
        return np.empty(1)
    return np.concatenate([np.tile(torque, layout.delay),
                           np.repeat(law.memory if law else (), lanes)])


def rates(model: Model, x: np.ndarray, parameters: Given) -> np.ndarray:
    """Return qdot and a side by side at inputs x (k, 1 + 3 n) of many states (k, 2 n)."""
    found, y = np.empty((len(x), 2 * model.layout.n)), np.empty(model.layout.scratch)
    for variant in model.solvers:
        functions, w = model.ready(variant, parameters)
        stop = functions['derivative'](len(x), x.reshape(-1), w, y, found.reshape(-1))
        if stop == outcomes.OK:
            break
        where, reason = divmod(stop, outcomes.REASONS)
        if reason != outcomes.DEPENDENT or variant == model.solvers[-1]:
            raise failure(model, reason, x[where], parameters)
    return found


def rollout_from_rows(rows: np.ndarray, layout: Layout) -> Rollout:
    """Cut the samples of a compiled recording (k, layout.sample) into named arrays."""
    # plain slices: numpy.split takes longer than a short run
    n, m = layout.n, layout.m
    begins = [*range(1, 1 + 5 * n, n), *(1 + 5 * n + k * m for k in range(4))]
    return Rollout(rows[:, 0], *(rows[:, begin:begin + width] for begin, width in zip(
        begins, [n] * 5 + [m] * 3 + [layout.memory])))


def rollouts(model: Model, start_check: StartCheck, inputs: Sequence[np.ndarray], count: int,
             every: int, reference: np.ndarray, parameters: Sequence[Given],
             workers: int | None, alone: Callable[[int], Rollout]) -> list[Rollout]:
    """
    Return one rollout per input, in their order.

    :param inputs: t, q, v, tau of each start (1 + 3 n,)
    :param alone: computes one of them by itself
    """
    kinds = {model.parametric(item) for item in parameters}
    for parametric in kinds:  # compile before the threads start
        model.program(model.solvers[0], parametric).functions()

    def together(k: int) -> list[Rollout]:
        some = slice(k, k + LANES)
        found = _one_batch(model, start_check, inputs[some], count, every, reference,
                           parameters[some]) if k + LANES <= len(inputs) else None
        return found or [alone(i) for i in range(len(inputs))[some]]

    few = len(inputs) < LANES or len(inputs) * count < WORTH_STEPS
    if few or not model.batch_possible:
        return _spread(alone, range(len(inputs)), workers)
    for parametric in kinds:
        model.program(BATCH, parametric).functions()
    groups = _spread(together, range(0, len(inputs), LANES), workers)
    return [run for group in groups for run in group]


def _one_batch(model: Model, start_check: StartCheck, inputs: Sequence[np.ndarray], count: int,
               every: int, reference: np.ndarray,
               parameters: Sequence[Given]) -> list[Rollout] | None:
    """Run LANES rollouts side by side; None where one of them has to be computed alone."""
    if len({model.parametric(item) for item in parameters}) > 1:
        return None  # their code differs, and so might their last bits
    layout = model.layout._replace(lanes=LANES)
    ready = [model.ready(BATCH, item) for item in parameters]
    samples = count // every + 1
    try:
        rows = np.empty(LANES * samples * layout.sample)
    except (MemoryError, ValueError):  # perhaps there is room for one after another
        return None
    x = np.array(inputs).T.reshape(-1)
    reason = ready[0].functions['rollout'](
        0, count, model.step_size, every, model.control_period, x[:LANES].copy(), x,
        np.array([item.w for item in ready]).T.reshape(-1), np.empty(LANES * layout.scratch),
        np.empty(LANES * layout.workspace), reference, rows,
        new_queue(model, x[LANES * layout.tau:], LANES), np.zeros(2, np.int64))
    if reason != outcomes.OK:
        return None
    runs = rows.reshape(LANES, samples, layout.sample)
    if count:
        start_check.many(model, runs)
    return [rollout_from_rows(run, layout) for run in runs]


def _spread(work: Callable[[int], Found], items: Iterable[int], workers: int | None
            ) -> list[Found]:
    """Do the work of all items, in their order; one worker is the calling thread itself."""
    if workers == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        return list(pool.map(work, items))
