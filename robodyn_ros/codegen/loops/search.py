# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Search for the zero of rows r(q) inside bounds: damped least squares with restarts, compiled.

Levenberg-Marquardt with the damping of Sugihara (Solvability-unconcerned inverse kinematics by the
Levenberg-Marquardt method, 2011): (J^T W J + (|W^1/2 r|^2 / 2 + small) I) dq = -J^T W r. It is
solved by Cholesky factors; a joint that stands at a bound and would leave it is left out of the
step, and what passes a bound stops there. A try that no longer gets nearer gives way to the next,
from a random place inside the bounds; the random numbers are the same for every call, so equal
inputs give equal bits.

    x         q(n), target(size)                     inputs of the kernel 'rows'
    y         r(m), J(m n)                           its outputs
    settings  weight(m), tolerance(m), lower(n), upper(n), spread lower(n), upper(n), posture(n),
              pull
    s         gradient(n), step(n), H(n n)
    found     q(n), r(m), weighted |r|^2 / 2, steps, tries
"""
from __future__ import annotations

import math
from typing import Any, Callable, Mapping, NamedTuple

from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.native import Array, Signature
from robodyn_ros.codegen.routines import Routine

SMALL = 1e-9
"""Damping that remains where the rows are met [-]."""
STALLED = 0.9
"""Factor by which the error must fall within PATIENCE steps, or the try is given up."""
PATIENCE = 6
RELAXED, POLISHED = 5, 8
"""Runs towards the posture, each with a weaker pull, the last with none; to the nearest place."""
HUGE = 1e300
"""Error from which on a try is lost."""
REACHED, MISSED = 0, 1


class Search(NamedTuple):
    """The loops around a kernel 'rows': n joints, m rows, size numbers of a target."""

    n: int
    m: int
    size: int
    lanes: int = 1

    def __str__(self) -> str:
        """For the text of the program, which the cache hashes."""
        return f'search({self.n}, {self.m}, {self.size}; {SMALL}, {STALLED}, {PATIENCE})'

    @property
    def settings(self) -> int:
        """Numbers of the settings."""
        return 2 * self.m + 5 * self.n + 1

    @property
    def found(self) -> int:
        """Numbers of a result."""
        return self.n + self.m + 3

    @property
    def scratch(self) -> int:
        """Numbers of x, y and s together."""
        n, m = self.n, self.m
        return n + self.size + m + m * n + 2 * n + n * n

    def signatures(self, prepared: int) -> dict[str, Signature]:
        """Return what the functions for Python take, given the length of w."""
        return {'search': Signature(
            'iii', (Array('start'), Array('target'), Array('w'), Array('settings'),
                    Array('scratch', True), Array('found', True)),
            lambda count, tries, steps: (
                count * self.n, count * self.size, prepared, self.settings, self.scratch,
                count * self.found))}

    def make(self, backend: Backend, routines: Mapping[str, Routine],
             kernels: Mapping[str, Callable], signatures: Mapping[str, Signature]) -> None:
        """Make the loops and mark what Python calls."""
        make_search(backend, self, kernels['rows'], signatures['search'])


def make_search(backend: Backend, sizes: Search, rows: Callable, signature: Signature) -> None:
    """Make the search of many targets, one after another."""
    n, m, size = sizes.n, sizes.m, sizes.size
    export, cells = backend.export, backend.cells
    y_at = n + size
    j_at = y_at + m
    s_at = j_at + m * n
    gradient_at, step_at, h_at = s_at, s_at + n, s_at + 2 * n
    weight_at, tolerance_at, lower_at = 0, m, 2 * m
    upper_at, low_at, high_at = lower_at + n, lower_at + 2 * n, lower_at + 3 * n
    posture_at = lower_at + 4 * n
    pull_at = posture_at + n
    found_size = sizes.found

    @backend.function
    def error(z: Any, c: Any) -> Any:
        """Half the weighted sum of squares of the rows in z."""
        total = 0.0
        for r in range(m):
            total += c[weight_at + r] * z[y_at + r] * z[y_at + r]
        return 0.5 * total

    @backend.function
    def met(z: Any, c: Any) -> Any:
        """Tell whether every row is within its tolerance."""
        bad = 0
        for r in range(m):
            if not abs(z[y_at + r]) <= c[tolerance_at + r]:
                bad += 1
        return bad == 0

    @backend.function
    def descend(z: Any, c: Any, damping: Any, pull: Any) -> Any:
        """Write the step at z; False where H has no factors."""
        for i in range(n):
            total = pull * (z[i] - c[posture_at + i])
            for r in range(m):
                total += c[weight_at + r] * z[j_at + r * n + i] * z[y_at + r]
            z[gradient_at + i] = total
            for k in range(i + 1):
                total = 0.0
                for r in range(m):
                    total += c[weight_at + r] * z[j_at + r * n + i] * z[j_at + r * n + k]
                z[h_at + i * n + k] = total
            z[h_at + i * n + i] += damping + pull
        for i in range(n):
            stuck = (z[i] <= c[lower_at + i] and z[gradient_at + i] > 0.0) or \
                (z[i] >= c[upper_at + i] and z[gradient_at + i] < 0.0)
            if stuck:
                z[gradient_at + i] = 0.0
                for k in range(i):
                    z[h_at + i * n + k] = 0.0
                for k in range(i + 1, n):
                    z[h_at + k * n + i] = 0.0
                z[h_at + i * n + i] = 1.0
        for i in range(n):
            for k in range(i + 1):
                total = z[h_at + i * n + k]
                for a in range(k):
                    total -= z[h_at + i * n + a] * z[h_at + k * n + a]
                if i == k:
                    if not total > 0.0:
                        return False
                    z[h_at + i * n + i] = math.sqrt(total)
                else:
                    z[h_at + i * n + k] = total / z[h_at + k * n + k]
        for i in range(n):
            total = -z[gradient_at + i]
            for k in range(i):
                total -= z[h_at + i * n + k] * z[step_at + k]
            z[step_at + i] = total / z[h_at + i * n + i]
        for back in range(n):
            i = n - 1 - back
            total = z[step_at + i]
            for k in range(i + 1, n):
                total -= z[h_at + k * n + i] * z[step_at + k]
            z[step_at + i] = total / z[h_at + i * n + i]
        return True

    @backend.function
    def move(z: Any, c: Any) -> Any:
        """Go a step, as far as the bounds allow."""
        for i in range(n):
            z[i] = min(max(z[i] + z[step_at + i], c[lower_at + i]), c[upper_at + i])

    @backend.function
    def one_try(z: Any, w: Any, c: Any, steps: Any, pull: Any) -> Any:
        """Descend from q in z; returns the steps taken, negative where the rows are not met."""
        watched = math.inf
        for k in range(steps + 1):
            rows(z, 0, w, z, y_at)
            value = error(z, c)
            if not value < HUGE:
                return -k - 1
            if pull == 0.0 and met(z, c):
                return k
            if pull == 0.0 and k % PATIENCE == 0:
                if value > STALLED * watched:
                    return -k - 1
                watched = value
            if k == steps or not descend(z, c, value + SMALL, pull):
                return -k - 1
            move(z, c)
        return -steps - 1

    @backend.function
    def keep(z: Any, c: Any, found: Any, at: Any) -> Any:
        """Keep q in z as the result, if it is nearer than what was found before."""
        value = error(z, c)
        if value < found[at + n + m]:
            for i in range(n):
                found[at + i] = z[i]
            for r in range(m):
                found[at + n + r] = z[y_at + r]
            found[at + n + m] = value

    @backend.function
    def one_search(tries: Any, steps: Any, w: Any, c: Any, z: Any, found: Any, at: Any) -> Any:
        """
        Look for one target, whose start and numbers are in z.

        First tries from one start after another; then, from a solution, towards the posture as far
        as the rows allow, or, without one, from the nearest place to where it is nearest.
        """
        # one call of one_try for all of it: each would be compiled with the kernel written out
        found[at + n + m] = math.inf
        for i in range(n):
            found[at + i] = z[i]
        state, done, turn, after = 88172645463325252, 0, 0, 0
        pull, reached = 0.0, False
        while True:
            taken = one_try(z, w, c, steps, pull)
            if pull == 0.0 and (taken >= 0 or not reached):
                if taken >= 0:
                    found[at + n + m] = math.inf
                keep(z, c, found, at)
            if after == 0:
                done += taken if taken >= 0 else -taken - 1
                turn += 1
                reached = taken >= 0
                if not reached and turn < tries:
                    for i in range(n):
                        # 48-bit linear congruential numbers (drand48): the same everywhere
                        state = (state * 25214903917 + 11) & 281474976710655
                        share = (state >> 16) / 4294967296.0
                        z[i] = c[low_at + i] + share * (c[high_at + i] - c[low_at + i])
                    continue
                found[at + n + m + 1], found[at + n + m + 2] = done, turn
                pull = c[pull_at] if reached else 0.0
                if reached and pull == 0.0:
                    return REACHED
            elif reached:
                if after == RELAXED:
                    return REACHED
                pull = pull * 0.1 if after < RELAXED - 1 else 0.0
            elif taken >= 0 or after == POLISHED:
                return REACHED if taken >= 0 else MISSED
            if not reached:
                for i in range(n):
                    z[i] = found[at + i]
            after += 1

    @backend.entry('search', signature)
    def search(count: Any, tries: Any, steps: Any, start: Any, target: Any, w: Any, settings: Any,
               scratch: Any, found: Any) -> Any:
        """Look for many targets; returns how many were missed."""
        export()
        z, q, aim = cells(scratch), cells(start), cells(target)
        missed = 0
        for k in range(count):
            for i in range(n):
                z[i] = q[k * n + i]
            for i in range(size):
                z[n + i] = aim[k * size + i]
            missed += one_search(tries, steps, cells(w), cells(settings), z, cells(found),
                                 k * found_size)
        return missed
