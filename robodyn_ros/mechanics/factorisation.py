# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Straight-line factorisations that keep structural zeros.

M = L^T D L is eliminated from the last joint to the first, so a tree's zeros between branches stay
zeros (Featherstone 2008, section 6.5); S = L D L^T serves the constraint rows. One division per
pivot, no square root. The margin, the smallest pivot minus PIVOT times its diagonal entry, is
positive exactly when every pivot is trustworthy; it costs no division.
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

from robodyn_ros.tolerances import PIVOT
from robodyn_ros.tracing import is_zero, minimum, Number


class MassFactor(NamedTuple):
    """M = L^T D L with unit lower L."""

    lower: list[list[Number]]
    inverse_pivots: list[Number]
    margin: Number
    """Smallest D[i] - PIVOT M[i][i]; not positive: M is singular or indefinite."""

    def half_solve(self, right: Sequence[Number]) -> list[Number]:
        """Return L^-T right."""
        x = list(right)
        for k in reversed(range(len(x))):
            if is_zero(x[k]):
                continue
            for j in range(k):
                if not is_zero(self.lower[k][j]):
                    x[j] = x[j] - self.lower[k][j] * x[k]
        return x

    def finish_solve(self, half: Sequence[Number]) -> list[Number]:
        """Return L^-1 D^-1 half, which is M^-1 right for half = L^-T right."""
        x = [y * d for y, d in zip(half, self.inverse_pivots)]
        for k in range(len(x)):
            for j in range(k):
                if not is_zero(self.lower[k][j]) and not is_zero(x[j]):
                    x[k] = x[k] - self.lower[k][j] * x[j]
        return x


def factor_mass(mass: Sequence[Sequence[Number]]) -> MassFactor:
    """Factor a symmetric positive definite matrix from the last row up."""
    n = len(mass)
    work = [list(row) for row in mass]
    lower: list[list[Number]] = [[0.0] * n for _ in range(n)]
    inverse: list[Number] = [0.0] * n
    margin: Number = 1.0
    for k in reversed(range(n)):
        inverse[k] = _reciprocal(work[k][k])
        margin = minimum(margin, work[k][k] - mass[k][k] * PIVOT)
        columns = [j for j in range(k) if not is_zero(work[k][j])]
        for j in columns:
            lower[k][j] = work[k][j] * inverse[k]
        for i in columns:
            for j in columns:
                if j <= i:
                    work[i][j] = work[i][j] - lower[k][i] * work[k][j]
    return MassFactor(lower, inverse, margin)


def _reciprocal(pivot: Number) -> Number:
    """Return 1 / pivot; of a constant zero, which the margin will tell, a zero."""
    return 0.0 if is_zero(pivot) else 1.0 / pivot


def solve_symmetric(matrix: Sequence[Sequence[Number]],
                    rights: Sequence[Sequence[Number]]) -> tuple[list[list[Number]], Number]:
    """
    Solve S x = r for several right sides by S = L D L^T.

    :returns: the solutions and the margin (not positive: the rows are dependent)
    """
    m = len(matrix)
    lower: list[list[Number]] = [[0.0] * m for _ in range(m)]
    work = [list(row) for row in matrix]
    inverse: list[Number] = [0.0] * m
    margin: Number = 1.0
    for k in range(m):
        inverse[k] = _reciprocal(work[k][k])
        margin = minimum(margin, work[k][k] - matrix[k][k] * PIVOT)
        rows = [i for i in range(k + 1, m) if not is_zero(work[i][k])]
        for i in rows:
            lower[i][k] = work[i][k] * inverse[k]
        for i in rows:
            for j in rows:
                if j <= i:
                    work[i][j] = work[i][j] - lower[i][k] * work[j][k]
    solutions = []
    for right in rights:
        x = list(right)
        for i in range(m):
            for k in range(i):
                if not is_zero(lower[i][k]) and not is_zero(x[k]):
                    x[i] = x[i] - lower[i][k] * x[k]
        x = [y * d for y, d in zip(x, inverse)]
        for i in reversed(range(m)):
            for k in range(i + 1, m):
                if not is_zero(lower[k][i]) and not is_zero(x[k]):
                    x[i] = x[i] - lower[k][i] * x[k]
        solutions.append(x)
    return solutions, margin


def relative_determinant(matrix: Sequence[Sequence[Number]]) -> tuple[Number, Number]:
    """
    Return the determinant over the mean diagonal entry to the power of the size, and that mean.

    1 for orthogonal rows of one length; 0 where rows are dependent or one of them vanishes. A
    trace of PIVOT on the diagonal keeps pivots from being zero.
    """
    size = len(matrix)
    mean: Number = 0.0
    for k in range(size):
        mean = mean + matrix[k][k] * (1.0 / size)
    work = [list(row) for row in matrix]
    result: Number = 1.0
    for k in range(size):
        work[k][k] = work[k][k] + mean * PIVOT
        result = result * (work[k][k] / mean)
        for i in range(k + 1, size):
            factor = work[i][k] / work[k][k]
            for j in range(k + 1, size):
                work[i][j] = work[i][j] - factor * work[k][j]
    return result, mean
