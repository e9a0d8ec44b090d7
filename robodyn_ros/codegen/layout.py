# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Who lies where in the flat arrays of a compiled plant: the one owner of that knowledge.

The loops read their offsets here when they are made, callers make their arrays by it, and the
boundary between Python and machine code (native.py) checks lengths against it. All sizes count
numbers of one run; with lanes, each number is so many side by side.

    x       t, q(n), v(n), tau(n)                          a state and the torque that acts
    y       results of a kernel, then the scratch of the rank solver
              dynamics -> qdot(n), a(n), mass margin, row margin
              observe  -> a(n), Qc(n), multipliers(m), phi(m), phi rate(m)
              correct  -> dq(n), dv(n), margin, phi(m), phi rate(m)       Newton step onto the rows
              rk4_step -> q(n), v(n), two margins of each of the four stages
              control  -> tau(n)                 of t, q(n), v(n), reference
    s       integrators(4 n), t, input of control(1 + 2 n + reference), start of the step(2 n)
    sample  t, q(n), v(n), tau(n), a(n), Qc(n), multipliers(m), phi(m), phi rate(m)
    queue   torques on their way, oldest first (delay n)
"""
from __future__ import annotations

from typing import NamedTuple

STAGES = 4
"""Of RK4."""


class Layout(NamedTuple):
    """Sizes of one plant; n joints and m constraint rows."""

    n: int
    m: int = 0
    reference: int = 0
    """Numbers that the control law reads of the reference at a control instant."""
    delay: int = 0
    """Control instants between measuring and the torque's arrival."""
    lanes: int = 1
    """Runs side by side."""

    # --- x ---

    @property
    def tau(self) -> int:
        """Offset of the torque in x, and size of the state t, q, v before it."""
        return 1 + 2 * self.n

    @property
    def x_size(self) -> int:
        """Length of x."""
        return 1 + 3 * self.n

    # --- y ---

    @property
    def margins(self) -> int:
        """Offset of the mass margin, which the row margin follows, behind the 2 n rates."""
        return 2 * self.n

    @property
    def observed(self) -> int:
        """What observe leaves."""
        return 2 * self.n + 3 * self.m

    @property
    def corrected(self) -> int:
        """What correct leaves: after the rows' errors come their rates, where they are at hand."""
        return 2 * self.n + 1 + 2 * self.m

    @property
    def results(self) -> int:
        """Numbers of the longest kernel."""
        return max(2 * self.n + 2 * STAGES, self.observed, self.corrected + self.n)

    # --- scratch of the rank solver, from an offset on: M(n n), Q(n), A(m n), b(m), extra(m),
    # turn(m m), norms(m), u(n), multipliers(m), answer to extra(n), unused multipliers(m)

    @property
    def rank_force(self) -> int:
        """Offset of Q behind M."""
        return self.n * self.n

    @property
    def rank_rows(self) -> int:
        """Offset of A."""
        return self.rank_force + self.n

    @property
    def rank_right(self) -> int:
        """Offset of b, which extra follows."""
        return self.rank_rows + self.m * self.n

    @property
    def rank_turn(self) -> int:
        """Offset of the record of the rotations."""
        return self.rank_right + 2 * self.m

    @property
    def rank_norms(self) -> int:
        """Offset of the lengths of the rows."""
        return self.rank_turn + self.m * self.m

    @property
    def rank_u(self) -> int:
        """Offset of the smallest solution u."""
        return self.rank_norms + self.m

    @property
    def rank_multipliers(self) -> int:
        """Offset of the multipliers."""
        return self.rank_u + self.n

    @property
    def rank_extra(self) -> int:
        """Offset of the answer to extra, which unused multipliers follow."""
        return self.rank_multipliers + self.m

    @property
    def scratch(self) -> int:
        """Length of y: results of the longest kernel, then all that the rank solver needs."""
        return self.results + self.rank_extra + self.n + self.m

    # --- s ---

    @property
    def times(self) -> int:
        """Offset of the time at which a step began, behind two states of the integrators."""
        return 4 * self.n

    @property
    def control(self) -> int:
        """Offset of the input of the control law."""
        return self.times + 1

    @property
    def start(self) -> int:
        """Offset of the state to return to when a step fails."""
        return self.control + self.tau + self.reference

    @property
    def workspace(self) -> int:
        """Length of s."""
        return self.start + 2 * self.n

    # --- recordings and queues ---

    @property
    def sample(self) -> int:
        """Length of one recorded row."""
        return 1 + 5 * self.n + 3 * self.m

    @property
    def queue(self) -> int:
        """Length of the queue of delayed torques; one number where there is no delay."""
        return max(1, self.delay * self.n)

    # --- a motion in place: one block of h, t0, x, y, s ---

    @property
    def block_x(self) -> int:
        """Offset of x in the block, behind h and t0."""
        return 2

    @property
    def block_y(self) -> int:
        """Offset of y in the block."""
        return self.block_x + self.x_size

    @property
    def block_s(self) -> int:
        """Offset of s in the block."""
        return self.block_y + self.scratch

    @property
    def block(self) -> int:
        """Length of the block."""
        return self.block_s + self.workspace
