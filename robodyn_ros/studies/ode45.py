# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Adaptive integration as MATLAB's ode45 and ode23 do it, with which papers like these are made.

The formulas are those of Dormand and Prince 5(4) and Bogacki and Shampine 3(2); the control of the
step follows Shampine and Reichelt, "The MATLAB ODE Suite" (1997): error per step, weights
max(|y|, |y_new|, atol/rtol) in the maximum norm, factors 0.8 and 1.25. ode45 adds three
interpolated points to every step. The defaults, rtol 1e-3 and atol 1e-6, are why a solver of order
five leaves errors one can see.
"""
from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from robodyn_ros.plant.plant import Plant
from robodyn_ros.types import State

Rates = Callable[[float, np.ndarray], np.ndarray]


class Formula(NamedTuple):
    """An embedded pair whose last stage is the first of the next step."""

    nodes: tuple[float, ...]
    stages: tuple[tuple[float, ...], ...]
    """Row k: weights of the stages 0 .. k for stage k + 1; the last row is the step."""
    error: tuple[float, ...]
    order: int
    """1 / order is the exponent of the step control."""
    shrink: float
    """Smallest factor of a step that failed for the first time."""
    between: tuple[float, ...]
    """Where in a step interpolated points are added, as shares of it."""
    interpolant: tuple[tuple[float, ...], ...]
    """Row k: coefficients of s, s^2, ... with which stage k enters at the share s of a step."""


DORMAND_PRINCE = Formula(
    (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    ((1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9),
     (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
     (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
     (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)),
    (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40), 5, 0.1,
    (0.25, 0.5, 0.75),
    ((1.0, -183 / 64, 37 / 12, -145 / 128), (0.0, 0.0, 0.0, 0.0),
     (0.0, 1500 / 371, -1000 / 159, 1000 / 371), (0.0, -125 / 32, 125 / 12, -375 / 64),
     (0.0, 9477 / 3392, -729 / 106, 25515 / 6784), (0.0, -11 / 7, 11 / 3, -55 / 28),
     (0.0, 3 / 2, -4.0, 5 / 2)))
BOGACKI_SHAMPINE = Formula(
    (1 / 2, 3 / 4, 1.0), ((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
    (-5 / 72, 1 / 12, 1 / 9, -1 / 8), 3, 0.5, (), ())
FORMULAS = {'ode45': DORMAND_PRINCE, 'ode23': BOGACKI_SHAMPINE}


def integrate(solver: str, rates: Rates, start: np.ndarray, duration: float, *,
              rtol: float = 1e-3, atol: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """
    Return times (k,) and states (k, size) from t = 0 as the solver gives them, with the start.

    :param solver: 'ode45' or 'ode23'
    """
    formula = FORMULAS[solver]
    power, threshold, longest = 1.0 / formula.order, atol / rtol, 0.1 * duration
    t, y = 0.0, np.array(start, dtype=float)
    slope, last = rates(t, y), False
    steepness = _norm(slope / np.maximum(np.abs(y), threshold)) / (0.8 * rtol ** power)
    size = min(longest, 1.0 / steepness if steepness > 0.0 else longest)
    times, states = [t], [y]
    while not last:
        shortest, failed = 16.0 * math.ulp(t), False
        size = min(longest, max(shortest, size))
        last = 1.1 * size >= duration - t
        size = duration - t if last else size
        while True:
            new, stages = _step(formula, rates, t, y, slope, size)
            weight = np.maximum(np.maximum(np.abs(y), np.abs(new)), threshold)
            error = size * _norm(np.dot(formula.error, stages) / weight)
            if error <= rtol or size <= shortest:
                break
            shrink = max(formula.shrink, 0.8 * (rtol / error) ** power) if not failed else 0.5
            size, failed, last = max(shortest, size * shrink), True, False
        for share in formula.between:
            powers = share ** np.arange(1, len(formula.interpolant[0]) + 1)
            times.append(t + share * size)
            states.append(y + size * np.dot(np.dot(formula.interpolant, powers), stages))
        t, y, slope = duration if last else t + size, new, stages[-1]
        times.append(t)
        states.append(y)
        if not failed:
            growth = 1.25 * (error / rtol) ** power
            size = size / growth if growth > 0.2 else 5.0 * size
    return np.array(times), np.array(states)


def integrate_plant(solver: str, plant: Plant, state: State, duration: float, *,
                    rtol: float = 1e-3, atol: float = 1e-6
                    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times (k,), positions and velocity states (k, n) of a plant from t = 0."""
    n = plant.robot.n

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate(plant.derivative(State(t, x[:n], x[n:])))

    times, states = integrate(solver, rates, np.concatenate([state.q, state.v]), duration,
                              rtol=rtol, atol=atol)
    return times, states[:, :n], states[:, n:]


def _step(formula: Formula, rates: Rates, t: float, y: np.ndarray, slope: np.ndarray,
          size: float) -> tuple[np.ndarray, list[np.ndarray]]:
    stages, new = [slope], y
    for node, weights in zip(formula.nodes, formula.stages):
        new = y + size * np.dot(weights, stages)
        stages.append(rates(t + node * size, new))
    return new, stages


def _norm(values: np.ndarray) -> float:
    return float(np.abs(values).max())
