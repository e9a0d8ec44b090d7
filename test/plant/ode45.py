# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
MATLAB's ode45 and ode23 as published, for runs the papers made with them.

Shampine and Reichelt, 'The MATLAB ODE suite' (1997): Dormand-Prince 5(4) and Bogacki-Shampine
3(2), error per component against max(|x|, AbsTol/RelTol), halving after a second failure. As in
MATLAB, ode45 returns three interpolated points in each step beside its end (Refine 4), and those
carry the larger errors; ode23 returns the step ends.
"""

from typing import NamedTuple

import numpy as np


class Pair(NamedTuple):
    """An embedded pair whose last stage is the first of the next step."""

    nodes: tuple
    stages: tuple
    error: tuple
    power: float
    between: np.ndarray
    """Coefficients (stages, 4) of s, s^2, s^3, s^4 for the points between; none if empty."""


DORMAND_PRINCE = Pair(
    (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    ((1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9),
     (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
     (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
     (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)),
    (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40), 1 / 5,
    np.array([
        [1.0, -183 / 64, 37 / 12, -145 / 128], [0.0, 0.0, 0.0, 0.0],
        [0.0, 1500 / 371, -1000 / 159, 1000 / 371], [0.0, -125 / 32, 125 / 12, -375 / 64],
        [0.0, 9477 / 3392, -729 / 106, 25515 / 6784], [0.0, -11 / 7, 11 / 3, -55 / 28],
        [0.0, 3 / 2, -4.0, 5 / 2]]))
BOGACKI_SHAMPINE = Pair(
    (1 / 2, 3 / 4, 1.0), ((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
    (-5 / 72, 1 / 12, 1 / 9, -1 / 8), 1 / 3, np.empty((0, 4)))


def ode45(rates, x, end, rtol=1e-3, atol=1e-6):
    """Integrate x' = rates(t, x) from 0 to end; returns times (k,) and states (k, n)."""
    return _integrate(DORMAND_PRINCE, rates, x, end, rtol, atol)


def ode23(rates, x, end, rtol=1e-3, atol=1e-6):
    """Integrate x' = rates(t, x) from 0 to end; returns times (k,) and states (k, n)."""
    return _integrate(BOGACKI_SHAMPINE, rates, x, end, rtol, atol)


def _integrate(pair, rates, x, end, rtol, atol):
    t, x, threshold, longest = 0.0, np.asarray(x, dtype=float), atol / rtol, 0.1 * end
    slope = rates(t, x)
    size = min(longest, end)
    steepest = np.abs(slope / np.maximum(np.abs(x), threshold)).max() / (0.8 * rtol ** pair.power)
    if size * steepest > 1.0:
        size = 1.0 / steepest
    times, states = [t], [x]
    while t < end:
        shortest = 16.0 * np.spacing(t)
        size = min(longest, max(shortest, size))
        failed = False
        while True:
            last = 1.1 * size >= end - t
            h = end - t if last else size
            slopes = [slope]
            for node, weights in zip(pair.nodes, pair.stages):
                new = x + h * sum(w * k for w, k in zip(weights, slopes))
                slopes.append(rates(t + node * h, new))
            scale = np.maximum(np.maximum(np.abs(x), np.abs(new)), threshold)
            error = h * np.abs(sum(w * k for w, k in zip(pair.error, slopes)) / scale).max()
            if error <= rtol:
                break
            shrink = 0.5 if failed else max(0.1, 0.8 * (rtol / error) ** pair.power)
            size, failed = max(shortest, h * shrink), True
        size = h
        if not failed:
            growth = 1.25 * (error / rtol) ** pair.power
            size = h / growth if growth > 0.2 else 5.0 * h
        for share in (0.25, 0.5, 0.75) if pair.between.size else ():
            weights = pair.between @ share ** np.arange(1, 5)
            times.append(t + share * h)
            states.append(x + h * weights @ np.array(slopes))
        t, x, slope = (end if last else t + h), new, slopes[-1]
        times.append(t)
        states.append(x)
    return np.array(times), np.array(states)
