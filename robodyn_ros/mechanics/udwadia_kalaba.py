# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Udwadia-Kalaba: the acceleration of a constrained system and the force that constrains it.

    M a = Q + Qc,   A a = b,   Qc = M^(1/2) (A M^(-1/2))^+ (b - A M^-1 Q)

With independent rows this is Qc = A^T lambda, (A M^-1 A^T) lambda = b - A M^-1 Q, written here as
straight-line code on scalars. Dependent rows need a rank: see codegen/loops/rank_solver.py.
A prescribed non-ideal force C adds M^(1/2) (1 - B^+ B) M^(-1/2) C: the same as applying C to the
system before solving, which is what the callers do (docs/equations.md).
"""
from __future__ import annotations

from typing import NamedTuple, Sequence, Union

from robodyn_ros.mechanics.articulated import ArticulatedFactor
from robodyn_ros.mechanics.factorisation import (factor_mass, MassFactor, relative_determinant,
                                                 solve_symmetric)
from robodyn_ros.tracing import is_zero, Number, where

NEAR = 0.05
"""Volume of the rows below which damping sets in [-]."""
DAMPING = 0.3
"""Damping at a singularity, relative to the length of the rows [-]."""
BRAKE = 60.0
"""Rate at which motion fades at a singularity [1/s]."""


Factor = Union[MassFactor, ArticulatedFactor]
"""What stands for M: L^-T, D^-1, L^-1 and a margin."""


class RowFactor(NamedTuple):
    """Mass matrix and constraint rows, prepared for solving."""

    mass: Factor
    half_rows: list[list[Number]]
    """L^-T A^T, one entry per row."""
    gram: list[list[Number]]
    """A M^-1 A^T (m, m)."""


class Solution(NamedTuple):
    """Result of one constrained solve."""

    acceleration: list[Number]
    """(n,) [rad/s^2] or [m/s^2]."""
    multipliers: list[Number]
    """(m,), in the unit of force per row."""
    correction: list[Number]
    """M^-1 A^T (A M^-1 A^T)^-1 extra, for the extra right side given (n,)."""
    mass_margin: Number
    row_margin: Number


def factor_rows(mass: Sequence[Sequence[Number]], rows: Sequence[Sequence[Number]]) -> RowFactor:
    """Factor M and form A M^-1 A^T."""
    return with_rows(factor_mass(mass), rows)


def with_rows(factor: Factor, rows: Sequence[Sequence[Number]]) -> RowFactor:
    """Form A M^-1 A^T with factors of M."""
    half = [factor.half_solve(row) for row in rows]
    scaled = [[x * d for x, d in zip(row, factor.inverse_pivots)] for row in half]
    m = len(rows)
    gram: list[list[Number]] = [[0.0] * m for _ in range(m)]
    for i in range(m):
        for j in range(i + 1):
            gram[i][j] = gram[j][i] = _dot(half[i], scaled[j])
    return RowFactor(factor, half, gram)


def damped(factor: RowFactor) -> tuple[RowFactor, Number]:
    """
    Return rows that give way near a singularity, and how near it is (0: far, 1: there).

    Where the rows' volume w (1: orthogonal and equal, 0: a direction is lost) falls below NEAR,
    the diagonal of A M^-1 A^T grows by (DAMPING (1 - w^2 / NEAR^2))^2 times its mean (Nakamura &
    Hanafusa 1986); elsewhere nothing changes.
    """
    volume, mean = relative_determinant(factor.gram)  # w^2, since the Gram matrix squares lengths
    share = where(volume < NEAR ** 2, 1.0 - volume * (1.0 / NEAR ** 2), 0.0)
    growth = share * share * mean * DAMPING ** 2
    gram = [[x + growth if i == j else x for j, x in enumerate(row)]
            for i, row in enumerate(factor.gram)]
    return factor._replace(gram=gram), share


def solve(factor: RowFactor, force: Sequence[Number], b: Sequence[Number],
          extra: Sequence[Number] | None = None,
          half_force: Sequence[Number] | None = None) -> Solution:
    """
    Acceleration and multipliers under A a = b with applied force Q.

    :param force: applied generalized force Q = tau - h (n,)
    :param b: right side of the rows (m,)
    :param extra: a second right side, whose minimum-norm solution is returned as correction (n,)
    :param half_force: L^-T Q (n,), where it is known already
    """
    mass = factor.mass
    if half_force is None:
        half_force = mass.half_solve(force)
    free = [y * d for y, d in zip(half_force, mass.inverse_pivots)]
    wanted = [b[i] - _dot(row, free) for i, row in enumerate(factor.half_rows)]
    rights = [wanted] if extra is None else [wanted, list(extra)]
    solved, margin = solve_symmetric(factor.gram, rights)
    acceleration = mass.finish_solve(_add_rows(half_force, factor.half_rows, solved[0]))
    correction: list[Number] = [0.0] * len(force)
    if extra is not None:
        correction = mass.finish_solve(_add_rows(correction, factor.half_rows, solved[1]))
    return Solution(acceleration, solved[0], correction, mass.margin, margin)


def constraint_force(rows: Sequence[Sequence[Number]],
                     multipliers: Sequence[Number]) -> list[Number]:
    """Qc = A^T lambda (n,) [N m] or [N]."""
    n = len(rows[0]) if rows else 0
    return _add_rows([0.0] * n, rows, multipliers)


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    total: Number = 0.0
    for x, y in zip(a, b):
        if not is_zero(x) and not is_zero(y):
            total = total + x * y
    return total


def _add_rows(start: Sequence[Number], rows: Sequence[Sequence[Number]],
              weights: Sequence[Number]) -> list[Number]:
    result = list(start)
    for row, weight in zip(rows, weights):
        for k, x in enumerate(row):
            if not is_zero(x):
                result[k] = result[k] + x * weight
    return result
