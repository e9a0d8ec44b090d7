# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The linear-quadratic regulator along a motion of a loop that samples: Riccati, backwards.

    x+ = A x + B u,    minimise the sum over control instants of x' Q x + u' R u,    u = -K x
    K = (R + B' P B)^-1 B' P A,    P = Q + A' P+ (I + G P+)^-1 A,    G = B R^-1 B'

A and B hold between the knots of a motion. The map P+ -> P of many periods is one of the same form
(A, G, H), composed by doubling, for all knots at once (Anderson 1978; Chu, Fan, Lin 2005).
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

TERMS = 12
"""Of the exponential's series; the matrix is halved until its norm is below one half."""
DOUBLINGS = 60
"""Of one period, after which a regulator has settled: 1e18 periods."""


class Backward(NamedTuple):
    """The map P+ -> H + A' P+ (I + G P+)^-1 A of one period or many, for each of k knots."""

    A: np.ndarray
    """(k, s, s)"""
    G: np.ndarray
    """(k, s, s), symmetric"""
    H: np.ndarray
    """(k, s, s), symmetric"""

    def before(self, later: Backward) -> Backward:
        """Return the map of this one's periods, followed in time by those of another."""
        joined = np.linalg.solve(_eye(self.A) + self.G @ later.H,
                                 np.concatenate([self.A, self.G], axis=-1))
        moved, spread = np.split(joined, 2, axis=-1)
        return Backward(later.A @ moved, _even(later.G + later.A @ spread @ _turned(later.A)),
                        _even(self.H + _turned(self.A) @ later.H @ moved))

    def times(self, periods: int) -> Backward:
        """Return the map of so many such periods."""
        found: Backward | None = None
        power = self
        while True:
            if periods & 1:
                found = power if found is None else found.before(power)
            periods >>= 1
            if not periods:
                assert found is not None
                return found
            power = power.before(power)

    def of(self, later: np.ndarray) -> np.ndarray:
        """Return P (..., s, s) of the P that is later."""
        moved = np.linalg.solve(_eye(self.A) + self.G @ later, self.A)
        return _even(self.H + _turned(self.A) @ later @ moved)


def discretised(A: np.ndarray, B: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
    """
    Return A and B from one control instant to the next, of x' = A x + B u with u held between.

    :param A: (k, s, s); :param B: (k, s, i); :param period: [s]
    """
    states, both = A.shape[-1], A.shape[-1] + B.shape[-1]
    whole = np.zeros((len(A), both, both))
    whole[:, :states] = np.concatenate([A, B], axis=-1) * period
    norm = float(np.abs(whole).sum(axis=-1).max(initial=0.0))
    halvings = max(0, int(np.ceil(np.log2(norm))) + 1) if norm > 0.0 else 0
    whole /= 2.0 ** halvings
    result = _eye(whole) + whole / TERMS
    for k in range(TERMS - 1, 0, -1):  # Horner's rule
        result = _eye(whole) + whole @ result / k
    for _ in range(halvings):
        result = result @ result
    return result[:, :states, :states], result[:, :states, states:]


def one_period(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray) -> Backward:
    """Return the map of one period, A (k, s, s) and B (k, s, i), weights Q (s, s) and R (i, i)."""
    return Backward(A, _even(B @ np.linalg.solve(R, _turned(B))),
                    np.broadcast_to(Q, A.shape).copy())


def settled(period: Backward) -> np.ndarray:
    """Return P (k, s, s) of a regulator that goes on for ever: the map of ever more periods."""
    power = period
    for _ in range(DOUBLINGS):
        longer = power.before(power)
        still = np.abs(longer.H - power.H).max() <= 1e-14 * np.abs(longer.H).max()
        power = longer
        if still or not np.isfinite(power.H).all():
            break
    return power.H


def gain(A: np.ndarray, B: np.ndarray, R: np.ndarray, later: np.ndarray) -> np.ndarray:
    """Return K (..., i, s) of the P one period later."""
    weighted = _turned(B) @ later
    return np.linalg.solve(R + weighted @ B, weighted @ A)


def gains_along(A: np.ndarray, B: np.ndarray, Q: np.ndarray, R: np.ndarray,
                periods: int) -> np.ndarray:
    """
    Return K at every knot of a motion (k, i, s); at the last one the arm stays for ever.

    :param A: of a period at each knot (k, s, s); :param B: (k, s, i); both hold until the next
    :param periods: from one knot to the next
    """
    period = one_period(A, B, Q, R)
    later = settled(Backward(*(part[-1:] for part in period)))[0]
    found = np.empty((len(A), B.shape[-1], A.shape[-1]))
    found[-1] = gain(A[-1], B[-1], R, later)
    rest = period.times(periods - 1) if periods > 1 else None
    for k in range(len(A) - 2, -1, -1):
        if rest is not None:
            later = Backward(*(part[k] for part in rest)).of(later)
        found[k] = gain(A[k], B[k], R, later)
        later = Backward(*(part[k] for part in period)).of(later)
    return found


def _eye(like: np.ndarray) -> np.ndarray:
    return np.eye(like.shape[-1])


def _turned(matrix: np.ndarray) -> np.ndarray:
    return np.swapaxes(matrix, -1, -2)


def _even(matrix: np.ndarray) -> np.ndarray:
    """Return the symmetric part: rounding must not grow over thousands of periods."""
    return (matrix + _turned(matrix)) / 2.0
