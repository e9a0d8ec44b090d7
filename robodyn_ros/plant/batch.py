# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Many rollouts of one plant: on all cores, and several in one vector register where that pays."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import os
from typing import Callable, Iterable, Mapping, Sequence, TYPE_CHECKING, TypeVar

import numpy as np

from robodyn_ros.checks import items, refusal, whole_number
from robodyn_ros.codegen.batch import LANES
from robodyn_ros.errors import SizeError
from robodyn_ros.plant.inputs import SAMPLES
from robodyn_ros.plant.program import BATCH
from robodyn_ros.types import Rollout, State

if TYPE_CHECKING:
    from robodyn_ros.plant.plant import Plant

Found = TypeVar('Found')
WORTH = 50000
"""Steps of all rollouts together for which one more program is compiled."""


def many_rollouts(plant: 'Plant', states: Sequence[State], count: int, tau: object, every: int,
                  reference: np.ndarray | None,
                  parameters: Sequence[Mapping[str, float]] | None,
                  workers: int | None) -> list[Rollout]:
    """Return Plant.rollouts: count steps from each state, in the order of the states."""
    every = whole_number('every', every, SAMPLES, 1)
    states = items(State, 'states', states, 'State(t, q, v)')
    if isinstance(parameters, Mapping):
        raise refusal('parameters', parameters, 'a list with one mapping per state')
    if parameters is not None and len(parameters) != len(states):
        raise SizeError('parameters of rollouts', len(states), len(parameters),
                        'give one mapping per state')
    chosen: Sequence[Mapping[str, float] | None] = \
        [None] * len(states) if parameters is None else parameters
    kinds = {plant.variants.loaded(item) for item in chosen}
    for loaded in kinds:  # compile before the threads start
        plant.program(loaded=loaded).names

    def alone(k: int) -> Rollout:
        return plant.rollout(states[k], steps=count, tau=tau, every=every, reference=reference,
                             parameters=chosen[k])

    def together(k: int) -> list[Rollout]:
        some = slice(k, k + LANES)
        found = plant.batch(states[some], count, tau, every, reference, chosen[some]) \
            if k + LANES <= len(states) else None
        return found or [alone(i) for i in range(len(states))[some]]

    few = len(states) < LANES or len(states) * count < WORTH
    if few or not plant.side_by_side:
        return _spread(alone, range(len(states)), workers)
    for loaded in kinds:
        plant.program(BATCH, loaded).names
    groups = _spread(together, range(0, len(states), LANES), workers)
    return [run for group in groups for run in group]


def _spread(work: Callable[[int], Found], items: Iterable[int], workers: int | None
            ) -> list[Found]:
    """Do the work of all items, in their order; one worker is the calling thread itself."""
    if workers == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        return list(pool.map(work, items))
