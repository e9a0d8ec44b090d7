# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Down from a candidate, along gradients, in the unit cube of the settings' shares.

    minimise log(metric)  with  limit >= other metric,  0 <= share <= 1

scipy's SLSQP: quasi-Newton like L-BFGS-B, but it looks along its way by candidates alone and asks
for a gradient where it has arrived, which is fewer of what costs most; and it goes along a limit
where L-BFGS-B would stop before it. The logarithm makes one step fit errors of any size. A limit
without a gradient is a wall: a step beyond it is taken back.
"""
from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Callable, Mapping, Protocol

import numpy as np

WALL = 1e3
"""Logarithm of the metric of what failed, or is beyond a wall, and more by how far."""
MARGIN = 2e-3
"""Between a limit and where a descent stops, so that it is kept [-]."""
NEAR = 0.5
"""Part of a limit from which on it is looked at."""
CLOSE, TURNS = 1e-6, 100
"""Change of the logarithm at which a descent is over, and how many steps it takes at most."""


NEAR_WORST = 0.3
"""Logarithm of the worst run over another one up to which that is looked at, too."""


class Point(Protocol):
    """What is known of a candidate."""

    @property
    def value(self) -> float:
        """Return the metric."""

    @property
    def worst(self) -> list[list[float]]:
        """Return the worst runs with their metrics, where it is that of the worst."""

    @property
    def limits(self) -> dict[str, float]:
        """Return the limited metrics."""

    @property
    def failed(self) -> int:
        """Return how many runs broke off."""


@dataclass(frozen=True)
class Slopes:
    """What a descent asks for, at shares of the settings."""

    at: Callable[[np.ndarray], Point]
    of: Callable[[np.ndarray, str, int], np.ndarray]
    """The derivatives of a metric by the shares; of the worst run, the one after that, ..."""


def descend(ask: Slopes, start: np.ndarray, metric: str, limits: Mapping[str, float],
            walls: Mapping[str, float]) -> None:
    """
    Try candidates from a start on; whoever is asked keeps them.

    :param limits: largest values of metrics that have a gradient
    :param walls: largest values of metrics that have none
    """
    from scipy.optimize import minimize
    width, size = len(start), max(1, len(ask.at(start).worst))
    zero = np.zeros(width)

    def costs(x: np.ndarray) -> np.ndarray:
        """Return the logarithms of the metric, of the worst runs or of all together."""
        one = ask.at(_inside(x))
        beyond = sum(max(0.0, _part(one.limits[name], most) - 1.0)
                     for name, most in walls.items())
        if one.failed or beyond:
            return np.full(size, WALL * (1.0 + min(beyond + one.failed, 1e3)))
        values = [value for _, value in one.worst] or [one.value]
        return np.log(np.maximum(values, 1e-300))

    def slopes(x: np.ndarray) -> np.ndarray:
        one, logs = ask.at(_inside(x)), costs(x)
        if one.failed:
            return np.zeros((size, width))
        return np.array([ask.of(_inside(x), metric, k) / math.exp(log)
                         if log > max(logs[0] - NEAR_WORST, -600.0) else zero
                         for k, log in enumerate(logs)])

    def room(x: np.ndarray) -> np.ndarray:
        one = ask.at(_inside(x))
        return np.array([1.0 - MARGIN - min(_part(one.limits[name], most), 1e3)
                         for name, most in limits.items()])

    def rooms(x: np.ndarray) -> np.ndarray:
        one = ask.at(_inside(x))
        return np.array([-ask.of(_inside(x), name, 0) / _size(most)
                         if not one.failed and _part(one.limits[name], most) > NEAR
                         else zero for name, most in limits.items()]).reshape(-1, width)

    cube, options = [(0.0, 1.0)] * width, {'ftol': CLOSE, 'maxiter': TURNS}
    if size == 1:
        kept = [{'type': 'ineq', 'fun': room, 'jac': rooms}] if limits else []
        minimize(lambda x: costs(x)[0], start, jac=lambda x: slopes(x)[0], method='SLSQP',
                 bounds=cube, constraints=kept, options=options)
        return
    # one number more, below which all of the worst runs are to be: their maximum has kinks

    def below(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[-1] - costs(x[:-1]), room(x[:-1])])

    def belows(x: np.ndarray) -> np.ndarray:
        found = np.concatenate([-slopes(x[:-1]), rooms(x[:-1])])
        return np.column_stack([found, np.arange(len(found)) < size])
    minimize(lambda x: x[-1], np.append(start, costs(start)[0]), method='SLSQP',
             jac=lambda x: np.append(zero, 1.0), bounds=[*cube, (None, None)],
             constraints=[{'type': 'ineq', 'fun': below, 'jac': belows}], options=options)


def _inside(x: np.ndarray) -> np.ndarray:
    return np.clip(np.nan_to_num(x, nan=0.5), 0.0, 1.0)


def _size(most: float) -> float:
    return max(abs(most), 1e-12)


def _part(value: float, most: float) -> float:
    """Return 1 at the limit, more beyond it, growing with the value as it does."""
    return 1.0 + (value - most) / _size(most)
