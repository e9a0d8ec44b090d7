# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Constrained solve for rows that may be dependent, redundant or more than there are joints.

Copied into programs whose rows are not known to be independent (see loops.py for how). With
M = L L^T and B = A L^-T the smallest force is Qc = L B^+ (b - A M^-1 Q); B^+ is found by one-sided
Jacobi iteration on the rows of B scaled to length one, so the rank decision does not depend on
units. Rows that contradict each other leave a residual, which is reported and not spread around.
"""
import math

from robodyn_ros.codegen.placeholders import (correct_terms, dynamics_terms, N, njit, row_values,
                                              ROWS)
from robodyn_ros.codegen.tolerances import PIVOT, RESIDUAL

# --- compiled part: everything below is copied into each program ---

# offsets in the scratch of solve_rows, counted in numbers (see there)
U = N * N + N + ROWS * N + 2 * ROWS + ROWS * ROWS + ROWS
MULTIPLIERS = U + N
EXTRA = MULTIPLIERS + ROWS


@njit
def cholesky(y, at):
    """Replace M (N, N) at y[at] by its lower factor; returns the smallest pivot ratio."""
    margin = 1.0
    for i in range(N):
        diagonal = y[at + i * N + i]
        for k in range(i + 1):
            total = y[at + i * N + k]
            for c in range(k):
                total -= y[at + i * N + c] * y[at + k * N + c]
            if i == k:
                if not total > PIVOT * diagonal:
                    return total - PIVOT * diagonal
                y[at + i * N + i] = math.sqrt(total)
            else:
                y[at + i * N + k] = total / y[at + k * N + k]
    return margin


@njit
def lower_solve(y, factor, at):
    """Replace the vector at y[at] by L^-1 times itself."""
    for i in range(N):
        total = y[at + i]
        for c in range(i):
            total -= y[factor + i * N + c] * y[at + c]
        y[at + i] = total / y[factor + i * N + i]


@njit
def upper_solve(y, factor, at):
    """Replace the vector at y[at] by L^-T times itself."""
    for step in range(N):
        i = N - 1 - step
        total = y[at + i]
        for c in range(i + 1, N):
            total -= y[factor + c * N + i] * y[at + c]
        y[at + i] = total / y[factor + i * N + i]


@njit
def orthogonalise(y, rows, turn):
    """Turn the rows (ROWS, N) until they are orthogonal; turn (ROWS, ROWS) records how."""
    for r in range(ROWS):
        for c in range(ROWS):
            y[turn + r * ROWS + c] = 1.0 if r == c else 0.0
    for _ in range(60):
        largest = 0.0
        for p in range(ROWS - 1):
            for q in range(p + 1, ROWS):
                pp = 0.0
                qq = 0.0
                pq = 0.0
                for k in range(N):
                    pp += y[rows + p * N + k] * y[rows + p * N + k]
                    qq += y[rows + q * N + k] * y[rows + q * N + k]
                    pq += y[rows + p * N + k] * y[rows + q * N + k]
                if not abs(pq) > 1e-16 * math.sqrt(pp * qq) or pq == 0.0:
                    continue
                largest = max(largest, abs(pq) / math.sqrt(pp * qq))
                zeta = (qq - pp) / (2.0 * pq)
                tangent = 1.0 / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                tangent = -tangent if zeta < 0.0 else tangent
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                for k in range(N):
                    a = y[rows + p * N + k]
                    b = y[rows + q * N + k]
                    y[rows + p * N + k] = cosine * a - sine * b
                    y[rows + q * N + k] = sine * a + cosine * b
                for k in range(ROWS):
                    a = y[turn + p * ROWS + k]
                    b = y[turn + q * ROWS + k]
                    y[turn + p * ROWS + k] = cosine * a - sine * b
                    y[turn + q * ROWS + k] = sine * a + cosine * b
        if largest < 1e-15:
            break


@njit
def smallest_solution(y, rows, turn, norms, right, out, multipliers):
    """
    Minimum-norm u with rows u = right; returns the rank, or -2 if the rows contradict it.

    :param right: (ROWS,) right side of the unscaled rows; :param out: u (N,)
    :param multipliers: (ROWS,) lambda with B^T lambda = u
    """
    for k in range(N):
        y[out + k] = 0.0
    for k in range(ROWS):
        y[multipliers + k] = 0.0
    largest = 0.0
    scale = 1.0
    for r in range(ROWS):
        length = 0.0
        for k in range(N):
            length += y[rows + r * N + k] * y[rows + r * N + k]
        largest = max(largest, length)
        if y[norms + r] > 0.0:
            scale = max(scale, abs(y[right + r]) / y[norms + r])
    rank = 0
    for r in range(ROWS):
        length = 0.0
        along = 0.0
        for k in range(N):
            length += y[rows + r * N + k] * y[rows + r * N + k]
        for k in range(ROWS):
            if y[norms + k] > 0.0:
                along += y[turn + r * ROWS + k] * y[right + k] / y[norms + k]
            elif abs(y[right + k]) > RESIDUAL:
                return -2
        if math.sqrt(length) > PIVOT * math.sqrt(largest):
            rank += 1
            for k in range(N):
                y[out + k] += y[rows + r * N + k] * along / length
            for k in range(ROWS):
                if y[norms + k] > 0.0:
                    y[multipliers + k] += (y[turn + r * ROWS + k] * along / length
                                           / y[norms + k])
        elif abs(along) > RESIDUAL * scale:
            return -2
    return rank


@njit
def solve_rows(y, j):
    """
    Solve the system that a terms kernel left at y[j]; returns (mass margin, rank).

    There: M(N N), Q(N), A(ROWS N), b(ROWS), extra(ROWS), then scratch. Afterwards M is its factor
    L, Q is the acceleration, and the scratch holds u(N), multipliers(ROWS) and the answer to
    extra(N), see the offsets U, MULTIPLIERS and EXTRA.
    """
    force = j + N * N
    rows = force + N
    right = rows + ROWS * N
    turn = right + 2 * ROWS
    norms = turn + ROWS * ROWS
    margin = cholesky(y, j)
    if not margin > 0.0:
        return margin, 0
    lower_solve(y, j, force)
    for r in range(ROWS):
        at = rows + r * N
        lower_solve(y, j, at)
        length = 0.0
        for k in range(N):
            y[right + r] -= y[at + k] * y[force + k]
            length += y[at + k] * y[at + k]
        length = math.sqrt(length)
        if not length + abs(y[right + r]) + abs(y[right + ROWS + r]) < math.inf:
            return math.nan, 0  # a row that is no number is not a row without effect
        y[norms + r] = length
        for k in range(N):
            y[at + k] = y[at + k] / length if length > 0.0 else 0.0
    orthogonalise(y, rows, turn)
    unused = j + EXTRA + N
    rank = smallest_solution(y, rows, turn, norms, right, j + U, j + MULTIPLIERS)
    smallest_solution(y, rows, turn, norms, right + ROWS, j + EXTRA, unused)
    for k in range(N):
        y[force + k] += y[j + U + k]
    upper_solve(y, j, force)
    upper_solve(y, j, j + EXTRA)
    return margin, rank


@njit
def dynamics(x, i, w, y, j):
    """Leave the outputs of the straight-line kernel: qdot, a, mass margin, row margin."""
    scratch = j + 2 * N + 2
    dynamics_terms(x, i, w, y, scratch)
    margin, rank = solve_rows(y, scratch)
    for k in range(N):
        y[j + k] = x[i + 1 + N + k] + y[scratch + EXTRA + k]
        y[j + N + k] = y[scratch + N * N + k]
    y[j + 2 * N] = margin
    y[j + 2 * N + 1] = 1.0 if rank >= 0 else float(rank)


@njit
def observe(x, i, w, y, j):
    """Leave the outputs of the straight-line kernel: a, Qc, multipliers, phi, phi rate."""
    scratch = j + 2 * N + 3 * ROWS
    dynamics_terms(x, i, w, y, scratch)
    solve_rows(y, scratch)
    for k in range(N):
        y[j + k] = y[scratch + N * N + k]
        force = 0.0
        for c in range(k + 1):
            force += y[scratch + k * N + c] * y[scratch + U + c]
        y[j + N + k] = force
    for r in range(ROWS):
        y[j + 2 * N + r] = y[scratch + MULTIPLIERS + r]
    # the scratch is used up: phi, phi rate and the prescribed force C go over its beginning
    row_values(x, i, w, y, j + 2 * N + ROWS)
    for k in range(N):
        y[j + N + k] += y[j + 2 * N + 3 * ROWS + k]


@njit
def correct(x, i, w, y, j):
    """Leave the outputs of the straight-line kernel: dq, dv, margin, phi."""
    scratch = j + 2 * N + 1 + 2 * ROWS
    correct_terms(x, i, w, y, scratch)
    margin, rank = solve_rows(y, scratch)
    for k in range(N):
        y[j + k] = y[scratch + N * N + k]
        y[j + N + k] = y[scratch + EXTRA + k]
    y[j + 2 * N] = margin if rank >= 0 else float(rank)
    row_values(x, i, w, y, j + 2 * N + 1)
