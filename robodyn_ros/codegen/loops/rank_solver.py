# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Constrained solve for rows that may be dependent, redundant or more than there are joints.

With M = L L^T and B = A L^-T the smallest force is Qc = L B^+ (b - A M^-1 Q); B^+ is found by
one-sided Jacobi iteration on the rows of B scaled to length one, so the rank decision does not
depend on units. Rows that contradict each other leave a residual, which is reported and not spread
around.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Mapping

from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.tolerances import PIVOT, RESIDUAL


def make_rank_solver(backend: Backend, layout: Layout,
                     kernels: Mapping[str, Callable]) -> dict[str, Callable]:
    """
    Return dynamics, observe and correct with the results of the straight-line kernels.

    And solve_rows, which they do it with.

    :param kernels: dynamics_terms, correct_terms -> M, Q, A, b, extra; row_values -> phi, phi
        rate, prescribed force; what is not called may be missing
    """
    n, m = layout.n, layout.m
    observed, corrected = layout.observed, layout.corrected
    force_at, rows_at, right_at = layout.rank_force, layout.rank_rows, layout.rank_right
    turn_at, norms_at, u_at = layout.rank_turn, layout.rank_norms, layout.rank_u
    multipliers_at, extra_at = layout.rank_multipliers, layout.rank_extra
    dynamics_terms = kernels['dynamics_terms']
    correct_terms, row_values = (kernels.get(name, dynamics_terms) for name in (
        'correct_terms', 'row_values'))

    @backend.function
    def cholesky(y: Any, at: Any) -> Any:
        """Replace M (n, n) at y[at] by its lower factor; returns the smallest pivot ratio."""
        margin = 1.0
        for i in range(n):
            diagonal = y[at + i * n + i]
            for k in range(i + 1):
                total = y[at + i * n + k]
                for c in range(k):
                    total -= y[at + i * n + c] * y[at + k * n + c]
                if i == k:
                    if not total > PIVOT * diagonal:
                        return total - PIVOT * diagonal
                    y[at + i * n + i] = math.sqrt(total)
                else:
                    y[at + i * n + k] = total / y[at + k * n + k]
        return margin

    @backend.function
    def lower_solve(y: Any, factor: Any, at: Any) -> Any:
        """Replace the vector at y[at] by L^-1 times itself."""
        for i in range(n):
            total = y[at + i]
            for c in range(i):
                total -= y[factor + i * n + c] * y[at + c]
            y[at + i] = total / y[factor + i * n + i]

    @backend.function
    def upper_solve(y: Any, factor: Any, at: Any) -> Any:
        """Replace the vector at y[at] by L^-T times itself."""
        for step in range(n):
            i = n - 1 - step
            total = y[at + i]
            for c in range(i + 1, n):
                total -= y[factor + c * n + i] * y[at + c]
            y[at + i] = total / y[factor + i * n + i]

    @backend.function
    def orthogonalise(y: Any, rows: Any, turn: Any) -> Any:
        """Turn the rows (m, n) until they are orthogonal; turn (m, m) records how."""
        for r in range(m):
            for c in range(m):
                y[turn + r * m + c] = 1.0 if r == c else 0.0
        for _ in range(60):
            largest = 0.0
            for p in range(m - 1):
                for q in range(p + 1, m):
                    pp = 0.0
                    qq = 0.0
                    pq = 0.0
                    for k in range(n):
                        pp += y[rows + p * n + k] * y[rows + p * n + k]
                        qq += y[rows + q * n + k] * y[rows + q * n + k]
                        pq += y[rows + p * n + k] * y[rows + q * n + k]
                    if not abs(pq) > 1e-16 * math.sqrt(pp * qq) or pq == 0.0:
                        continue
                    largest = max(largest, abs(pq) / math.sqrt(pp * qq))
                    zeta = (qq - pp) / (2.0 * pq)
                    tangent = 1.0 / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                    tangent = -tangent if zeta < 0.0 else tangent
                    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                    sine = cosine * tangent
                    for k in range(n):
                        a = y[rows + p * n + k]
                        b = y[rows + q * n + k]
                        y[rows + p * n + k] = cosine * a - sine * b
                        y[rows + q * n + k] = sine * a + cosine * b
                    for k in range(m):
                        a = y[turn + p * m + k]
                        b = y[turn + q * m + k]
                        y[turn + p * m + k] = cosine * a - sine * b
                        y[turn + q * m + k] = sine * a + cosine * b
            if largest < 1e-15:
                break

    @backend.function
    def smallest_solution(y: Any, rows: Any, turn: Any, norms: Any, right: Any, out: Any,
                          multipliers: Any) -> Any:
        """
        Minimum-norm u with rows u = right; returns the rank, or -2 if the rows contradict it.

        :param right: (m,) right side of the unscaled rows; :param out: u (n,)
        :param multipliers: (m,) lambda with B^T lambda = u
        """
        for k in range(n):
            y[out + k] = 0.0
        for k in range(m):
            y[multipliers + k] = 0.0
        largest = 0.0
        scale = 1.0
        for r in range(m):
            length = 0.0
            for k in range(n):
                length += y[rows + r * n + k] * y[rows + r * n + k]
            largest = max(largest, length)
            if y[norms + r] > 0.0:
                scale = max(scale, abs(y[right + r]) / y[norms + r])
        rank = 0
        for r in range(m):
            length = 0.0
            along = 0.0
            for k in range(n):
                length += y[rows + r * n + k] * y[rows + r * n + k]
            for k in range(m):
                if y[norms + k] > 0.0:
                    along += y[turn + r * m + k] * y[right + k] / y[norms + k]
                elif abs(y[right + k]) > RESIDUAL:
                    return -2
            if math.sqrt(length) > PIVOT * math.sqrt(largest):
                rank += 1
                for k in range(n):
                    y[out + k] += y[rows + r * n + k] * along / length
                for k in range(m):
                    if y[norms + k] > 0.0:
                        y[multipliers + k] += (y[turn + r * m + k] * along / length
                                               / y[norms + k])
            elif abs(along) > RESIDUAL * scale:
                return -2
        return rank

    @backend.function
    def solve_rows(y: Any, j: Any) -> Any:
        """
        Solve the system that a terms kernel left at y[j]; returns (mass margin, rank).

        There: M(n n), Q(n), A(m n), b(m), extra(m), then scratch. Afterwards M is its factor
        L, Q is the acceleration, and the scratch holds u(n), multipliers(m) and the answer to
        extra(n), see layout.py.
        """
        force, rows, right = j + force_at, j + rows_at, j + right_at
        turn, norms = j + turn_at, j + norms_at
        margin = cholesky(y, j)
        if not margin > 0.0:
            return margin, 0
        lower_solve(y, j, force)
        for r in range(m):
            at = rows + r * n
            lower_solve(y, j, at)
            length = 0.0
            for k in range(n):
                y[right + r] -= y[at + k] * y[force + k]
                length += y[at + k] * y[at + k]
            length = math.sqrt(length)
            if not length + abs(y[right + r]) + abs(y[right + m + r]) < math.inf:
                return math.nan, 0  # a row that is no number is not a row without effect
            y[norms + r] = length
            for k in range(n):
                y[at + k] = y[at + k] / length if length > 0.0 else 0.0
        orthogonalise(y, rows, turn)
        unused = j + extra_at + n
        rank = smallest_solution(y, rows, turn, norms, right, j + u_at, j + multipliers_at)
        smallest_solution(y, rows, turn, norms, right + m, j + extra_at, unused)
        for k in range(n):
            y[force + k] += y[j + u_at + k]
        upper_solve(y, j, force)
        upper_solve(y, j, j + extra_at)
        return margin, rank

    @backend.function
    def dynamics(x: Any, i: Any, w: Any, y: Any, j: Any) -> Any:
        """Leave the outputs of the straight-line kernel: qdot, a, mass margin, row margin."""
        scratch = j + 2 * n + 2
        dynamics_terms(x, i, w, y, scratch)
        margin, rank = solve_rows(y, scratch)
        for k in range(n):
            y[j + k] = x[i + 1 + n + k] + y[scratch + extra_at + k]
            y[j + n + k] = y[scratch + force_at + k]
        y[j + 2 * n] = margin
        y[j + 2 * n + 1] = 1.0 if rank >= 0 else float(rank)

    @backend.function
    def observe(x: Any, i: Any, w: Any, y: Any, j: Any) -> Any:
        """Leave the outputs of the straight-line kernel: a, Qc, multipliers, phi, phi rate."""
        scratch = j + observed
        dynamics_terms(x, i, w, y, scratch)
        solve_rows(y, scratch)
        for k in range(n):
            y[j + k] = y[scratch + force_at + k]
            force = 0.0
            for c in range(k + 1):
                force += y[scratch + k * n + c] * y[scratch + u_at + c]
            y[j + n + k] = force
        for r in range(m):
            y[j + 2 * n + r] = y[scratch + multipliers_at + r]
        # the scratch is used up: phi, phi rate and the prescribed force C go over its beginning
        row_values(x, i, w, y, j + 2 * n + m)
        for k in range(n):
            y[j + n + k] += y[j + observed + k]

    @backend.function
    def correct(x: Any, i: Any, w: Any, y: Any, j: Any) -> Any:
        """Leave the outputs of the straight-line kernel: dq, dv, margin, phi."""
        scratch = j + corrected
        correct_terms(x, i, w, y, scratch)
        margin, rank = solve_rows(y, scratch)
        for k in range(n):
            y[j + k] = y[scratch + force_at + k]
            y[j + n + k] = y[scratch + extra_at + k]
        y[j + 2 * n] = margin if rank >= 0 else float(rank)
        row_values(x, i, w, y, j + 2 * n + 1)

    return {'dynamics': dynamics, 'observe': observe, 'correct': correct,
            'solve_rows': solve_rows}
