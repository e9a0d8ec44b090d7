# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What can be told apart: base parameters by a rank-revealing factorisation.

Columns of the regressor that depend on one another cannot be told apart by any motion; QR with
column pivoting picks independent ones and writes the others by them (Gautier, Numerical
calculation of the base inertial parameters of robots, 1991).
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

RANK = 1e-7
"""Of the largest pivot: below it a column depends on those before it."""
STATES = 200
"""Random states by which the structure is found."""


class Base(NamedTuple):
    """Independent columns, and how the others hang on them."""

    columns: np.ndarray
    """Of the columns of Y, in their own order (b,)."""
    others: np.ndarray
    combination: np.ndarray
    """Y[others] = Y[columns] combination (b, others)."""

    def reduced(self, theta: np.ndarray) -> np.ndarray:
        """Return the base parameters that theta amounts to (b,)."""
        return theta[self.columns] + self.combination @ theta[self.others]

    def names(self, names: Sequence[str]) -> list[str]:
        """Return each base parameter as a sum, such as 'a Izz + 0.5 b mass'."""
        found = []
        for row, column in zip(self.combination, self.columns):
            terms = [names[column]]
            for factor, other in zip(row, self.others):
                if abs(factor) > 1e-6:
                    sign, size = ('-' if factor < 0.0 else '+'), abs(factor)
                    terms.append(f'{sign} {"" if abs(size - 1.0) < 1e-6 else f"{size:.4g} "}'
                                 f'{names[other]}')
            found.append(' '.join(terms))
        return found


def base_of(Y: np.ndarray, tolerance: float = RANK) -> Base:
    """Return the base parameters of a regressor (rows, columns)."""
    from scipy.linalg import qr, solve_triangular
    sizes = np.linalg.norm(Y, axis=0)
    live = np.flatnonzero(sizes > tolerance * max(float(sizes.max(initial=0.0)), 1e-300))
    _, r, order = qr(Y[:, live] / sizes[live], mode='economic', pivoting=True)
    pivots = np.abs(np.diag(r))
    rank = int((pivots > tolerance * pivots[0]).sum()) if len(pivots) else 0
    chosen = np.sort(live[order[:rank]])
    others = np.array([k for k in range(Y.shape[1]) if k not in set(chosen.tolist())], dtype=int)
    r = qr(Y[:, np.concatenate([chosen, others])], mode='r')[0][:rank]
    combination = np.zeros((0, len(others)))
    if rank:
        combination = solve_triangular(r[:, :rank], r[:, rank:])
    combination[np.abs(combination) < 1e-9] = 0.0
    return Base(chosen, others, combination)
