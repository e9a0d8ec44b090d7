# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Many rollouts of one plant: on all cores, and several in one vector register where that pays."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import os
from typing import Callable, Iterable, Sequence, TypeVar

import numpy as np

from robodyn_ros.codegen.loops import outcomes
from robodyn_ros.plant.diagnosis import StartCheck
from robodyn_ros.plant.model import Model
from robodyn_ros.plant.program import BATCH, LANES
from robodyn_ros.plant.rollout import new_queue, rollout_from_rows
from robodyn_ros.robots.payload import Given
from robodyn_ros.types import Rollout

Found = TypeVar('Found')
WORTH_STEPS = 50000
"""Steps of all rollouts together for which one more program is compiled."""


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
        new_queue(layout, x[LANES * layout.tau:]), np.zeros(2, np.int64))
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
