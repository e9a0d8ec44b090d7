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
              rates    -> a(n), mass margin, row margin        second part of it, loops/pairs.py
              observe  -> a(n), Qc(n), multipliers(m), phi(m), phi rate(m)
              correct  -> dq(n), dv(n), margin, phi(m), phi rate(m)       Newton step onto the rows
              rk4_step -> q(n), v(n), two margins of each of the four stages
              control  -> tau(n), memory          of t, q(n), v(n), reference, memory
    s       integrators(5 n), t, input of control(1 + 2 n + reference + memory), start of the
            step(2 n), output of control(n + memory)
    sample  t, q(n), v(n), tau(n), a(n), Qc(n), multipliers(m), phi(m), phi rate(m), memory
    target  desired q(n), then the desired position of a frame(3) where that is measured
    measure instants, largest |error|, sum of squared errors of all joints, last time outside a
            tolerance, work of the motors, largest |phi|, largest and sum of squared distances of
            the frame, then smallest q(n), largest q(n), largest |v|(n), largest |tau|(n)
    queue   torques on their way, oldest first (delay n), then the law's memory
    block   h, t0, x, y, s of a motion in place
"""
from __future__ import annotations

from typing import NamedTuple

STAGES = 4
"""Of RK4."""


class Sizes(NamedTuple):
    """What a layout follows from: n joints and m constraint rows."""

    n: int
    m: int = 0
    reference: int = 0
    """Numbers that the control law reads of the reference at a control instant."""
    delay: int = 0
    """Control instants between measuring and the torque's arrival."""
    lanes: int = 1
    """Runs side by side."""
    memory: int = 0
    """Numbers that the control law keeps from one control instant to the next."""


class Layout(Sizes):
    """Offsets and lengths of one plant's arrays, as the module's table shows them."""

    __slots__ = ()

    # x: a state of tau numbers, then the torque
    tau = property(lambda self: 1 + 2 * self.n)
    x_size = property(lambda self: 1 + 3 * self.n)

    # y: results of the kernels (margins: offset behind the rates; the longest decides) ...
    margins = property(lambda self: 2 * self.n)
    observed = property(lambda self: 2 * self.n + 3 * self.m)
    corrected = property(lambda self: 2 * self.n + 1 + 2 * self.m)
    results = property(lambda self: max(2 * self.n + 2 * STAGES, self.observed,
                                        self.corrected + self.n))
    # ... then the rank solver's: M(n n), Q(n), A(m n), b(m), extra(m), turn(m m), norms(m), u(n),
    # multipliers(m), answer to extra(n), unused multipliers(m)
    rank_force = property(lambda self: self.n * self.n)
    rank_rows = property(lambda self: self.rank_force + self.n)
    rank_right = property(lambda self: self.rank_rows + self.m * self.n)
    rank_turn = property(lambda self: self.rank_right + 2 * self.m)
    rank_norms = property(lambda self: self.rank_turn + self.m * self.m)
    rank_u = property(lambda self: self.rank_norms + self.m)
    rank_multipliers = property(lambda self: self.rank_u + self.n)
    rank_extra = property(lambda self: self.rank_multipliers + self.m)
    scratch = property(lambda self: self.results + self.rank_extra + self.n + self.m)

    # s
    times = property(lambda self: 5 * self.n)
    control = property(lambda self: self.times + 1)
    start = property(lambda self: self.control + self.tau + self.reference + self.memory)
    answer = property(lambda self: self.start + 2 * self.n)
    workspace = property(lambda self: self.answer + (self.n + self.memory if self.memory else 0))

    # a recorded sample
    sample = property(lambda self: 1 + 5 * self.n + 3 * self.m + self.memory)

    # what is measured of a run that is not recorded: scalars, then values of the joints
    scalars = property(lambda self: 8)
    measure = property(lambda self: self.scalars + 4 * self.n)

    # what is kept between control instants: torques on their way, then the law's memory
    kept = property(lambda self: self.delay * self.n)
    queue = property(lambda self: self.kept + self.memory)

    # the block of a motion in place: h, t0, then x, y and s
    block_x = property(lambda self: 2)
    block_y = property(lambda self: self.block_x + self.x_size)
    block_s = property(lambda self: self.block_y + self.scratch)
    block = property(lambda self: self.block_s + self.workspace)
