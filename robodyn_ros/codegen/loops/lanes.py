# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
RK4 for several runs side by side, one per lane of the processor's vector registers.

Copied into programs as loops.py is, whose arithmetic it repeats run for run: the results have the
same bits. Every number is LANES numbers in a row, one per run; kernels are loops over the lanes,
which the compiler turns into vector instructions. A run that needs a decision of its own (a failed
step, dependent rows) makes the whole group stop, to be repeated one run at a time.

    x = t(LANES), q(N LANES), v(N LANES), tau(N LANES)        and so for all layouts of loops.py
"""
from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.placeholders import (ANY, by_address, cells, control, CONTROLLED, DELAY,
                                              dynamics, export, LANES, N, njit, observe, REFERENCE,
                                              ROWS)

# --- compiled part: everything below is copied into each program ---


@njit
def all_good(y):
    """Tell whether the margins that dynamics left in y are positive in every lane."""
    bad = 0
    for k in range(2 * LANES):
        if not y[2 * N * LANES + k] > 0.0:
            bad += 1
    return bad == 0


@njit
def step_lanes(x, w, y, s, h):
    """Classical Runge-Kutta step; s holds the start, the weighted sum and the times."""
    size = 2 * N * LANES
    for k in range(size):
        s[k] = x[LANES + k]
        s[size + k] = 0.0
    for k in range(LANES):
        s[2 * size + k] = x[k]
    for stage in range(4):
        dynamics(x, 0, w, y, 0)
        if not all_good(y):
            return False
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        ahead = 0.5 * h if stage < 2 else h
        for k in range(LANES):
            x[k] = s[2 * size + k] + ahead
        if stage < 3:
            for k in range(size):
                s[size + k] = fma(weight, y[k], s[size + k])
                x[LANES + k] = fma(ahead, y[k], s[k])
        else:
            for k in range(size):
                x[LANES + k] = fma(h / 6.0, s[size + k] + y[k], s[k])
    bad = 0
    for k in range(size):
        if not abs(x[LANES + k]) < 1e300:
            bad += 1
    return bad == 0


@njit
def control_lanes(k, x, w, s, reference, queue):
    """Compute the torques of control instant k; those of DELAY instants ago go to x."""
    at = 4 * N * LANES + LANES
    state, size = (1 + 2 * N) * LANES, N * LANES
    for i in range(state):
        s[at + i] = x[i]
    for i in range(REFERENCE):
        for lane in range(LANES):
            s[at + state + i * LANES + lane] = reference[k * REFERENCE + i]
    control(s, at, w, x, state)
    if DELAY > 0:
        for i in range(size):
            late = queue[i]
            for d in range(DELAY - 1):
                queue[d * size + i] = queue[(d + 1) * size + i]
            queue[(DELAY - 1) * size + i] = x[state + i]
            x[state + i] = late


@njit
def record_lanes(x, w, y, rows, at, length):
    """Write one sample of every run; the rows of a run are together, so many numbers long."""
    observe(x, 0, w, y, 0)
    for lane in range(LANES):
        place = lane * length + at
        for k in range(1 + 3 * N):
            rows[place + k] = x[k * LANES + lane]
        for k in range(2 * N + 3 * ROWS):
            rows[place + 1 + 3 * N + k] = y[k * LANES + lane]


@njit
def run_lanes(steps, h, t0, every, period, x, w, y, s, reference, rows, queue):
    """Run all lanes from x and record every so many steps; False: repeat them one by one."""
    width = 1 + 5 * N + 3 * ROWS
    length = (steps // every + 1) * width
    for k in range(steps):
        for lane in range(LANES):
            x[lane] = t0[lane] + k * h
        if CONTROLLED and k % period == 0:
            control_lanes(k // period, x, w, s, reference, queue)
        if k % every == 0:
            record_lanes(x, w, y, rows, (k // every) * width, length)
        if not step_lanes(x, w, y, s, h):
            return False
    for lane in range(LANES):
        x[lane] = t0[lane] + steps * h
    if steps % every == 0:
        dynamics(x, 0, w, y, 0)
        if not all_good(y):
            return False
        record_lanes(x, w, y, rows, (steps // every) * width, length)
    return True


@by_address('i8(i8, f8, CPointer(f8), i8, i8, CPointer(f8), CPointer(f8), CPointer(f8), '
            'CPointer(f8), CPointer(f8), CPointer(f8), CPointer(f8))')
def side_by_side(steps, h, t0, every, period, x, w, y, s, reference, rows, queue):
    """Call run_lanes from Python."""
    export()
    return run_lanes(steps, h, cells(t0, ANY), every, period, cells(x, ANY), cells(w, ANY),
                     cells(y, ANY), cells(s, ANY), cells(reference, ANY), cells(rows, ANY),
                     cells(queue, ANY))
