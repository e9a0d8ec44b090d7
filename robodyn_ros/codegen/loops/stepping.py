# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Time stepping around the emitted kernels: the loops that are compiled into every plant program.

This file is copied, from the marker on, behind the emitted code and integrators.py (program.py),
where the kernels dynamics, observe, correct and control exist under these names; here they are
placeholders, so that the text can be read, linted and called in plain Python. Layouts (N joints,
ROWS rows):

    x = t, q(N), v(N), tau(N)                             input of dynamics, observe, correct
    dynamics -> qdot(N), a(N), mass margin, row margin
    observe  -> a(N), Qc(N), multipliers(ROWS), phi(ROWS), phi rate(ROWS)
    correct  -> dq(N), dv(N), margin, phi(ROWS)            Newton step onto the rows
    control  -> tau(N)                                     of t, q(N), v(N), reference(REFERENCE)
"""
from robodyn_ros.codegen.loops.integrators import check
from robodyn_ros.codegen.placeholders import (ADVANCE, ANY, by_address, cells, control, CONTROLLED,
                                              correct, DELAY, dynamics, export, N, njit, observe,
                                              PROJECTED, REFERENCE, ROWS, SCRATCH)
from robodyn_ros.codegen.tolerances import ON_ROWS

OK, DEPENDENT, SINGULAR, NOT_FINITE, INCONSISTENT, NOT_PROJECTED = range(6)
# --- compiled part: everything below is copied into each program ---


@njit
def project(x, w, y):
    """Newton steps until the rows hold, then the velocity is made to fit them."""
    for _ in range(20):
        correct(x, 0, w, y, 0)
        if not y[2 * N] > 0.0:
            return 1
        worst = 0.0
        for r in range(ROWS):
            if not abs(y[2 * N + 1 + r]) < 1e300:
                return 3
            worst = max(worst, abs(y[2 * N + 1 + r]))
        if worst < ON_ROWS:
            for k in range(N):
                x[1 + N + k] += y[N + k]
            return 0
        last = 0.0
        for k in range(N):
            last = max(last, abs(y[k]))
            x[1 + k] += y[k]
        # the rounding of q itself limits phi on long arms: stop when a step cannot help
        if worst < 50.0 * ON_ROWS and last < 1e-15:
            for k in range(N):
                x[1 + N + k] += y[N + k]
            return 0
    return 5


@njit
def one_step(x, w, y, s, h):
    """Advance x by h and project if asked; 0 or the reason why x must not be used."""
    code = ADVANCE(x, w, y, s, h)
    if code == 0 and PROJECTED:
        code = project(x, w, y)
    total = 0.0
    for k in range(2 * N):
        total += abs(x[1 + k])
    if code == 0 and not total < 1e300:
        return 3
    return code


@njit
def delay_torque(x, queue):
    """Exchange the torque in x for the one computed DELAY control instants ago."""
    for k in range(N):
        late = queue[k]
        for d in range(DELAY - 1):
            queue[d * N + k] = queue[(d + 1) * N + k]
        queue[(DELAY - 1) * N + k] = x[1 + 2 * N + k]
        x[1 + 2 * N + k] = late


@njit
def record(x, w, y, rows, at):
    """Write t, q, v, tau, a, Qc, multipliers, phi, phi rate of the state x to a row."""
    for k in range(1 + 3 * N):
        rows[at + k] = x[k]
    observe(x, 0, w, y, 0)
    for k in range(2 * N + 3 * ROWS):
        rows[at + 1 + 3 * N + k] = y[k]


@njit
def all_rates(count, x, w, y, rates):
    """
    Write qdot and a of many states x, one after another, to rates.

    Returns 0, or 8 times the number of the first state whose rates are no good plus the reason.
    """
    for k in range(count):
        dynamics(x, k * (1 + 3 * N), w, y, 0)
        code = check(y)
        total = 0.0
        for i in range(2 * N):
            rates[k * 2 * N + i] = y[i]
            total += abs(y[i])
        if code == 0 and not total < 1e300:
            code = 3
        if code != 0:
            return 8 * k + code
    return 0


@njit
def run(first, steps, h, t0, every, period, x, w, y, s, reference, rows, queue, done):
    """
    Run steps first .. steps - 1 from x; record every so many, control every period.

    Returns 0 or the reason to stop. On return x is the last good state, done[0] the next step and
    done[1] the rows written so far. With every = 0 nothing is recorded. The torque in x is held
    between control instants; queue holds the torques still on their way (see DELAY).
    """
    width = 1 + 5 * N + 3 * ROWS
    resumed = first > 0
    for k in range(first, steps):
        x[0] = t0 + k * h
        if CONTROLLED and k % period == 0 and not resumed:
            at = 4 * N
            for i in range(1 + 2 * N):
                s[at + i] = x[i]
            for i in range(REFERENCE):
                s[at + 1 + 2 * N + i] = reference[(k // period) * REFERENCE + i]
            control(s, at, w, x, 1 + 2 * N)
            if DELAY > 0:
                delay_torque(x, queue)
        if every > 0 and k % every == 0:
            record(x, w, y, rows, (k // every) * width)
            done[1] = k // every + 1
        resumed = False
        start = 2 + 6 * N + REFERENCE
        for i in range(2 * N):
            s[start + i] = x[1 + i]
        code = one_step(x, w, y, s, h)
        if code != 0:
            for i in range(2 * N):
                x[1 + i] = s[start + i]
            x[0] = t0 + k * h
            done[0] = k
            return code
    done[0] = steps
    x[0] = t0 + steps * h
    if every > 0 and steps % every == 0:
        # no step follows that would judge the rows of this state
        dynamics(x, 0, w, y, 0)
        code = check(y)
        if code != 0:
            return code
        record(x, w, y, rows, (steps // every) * width)
        done[1] = steps // every + 1
    return 0


@by_address('i8(i8, CPointer(f8), CPointer(f8), CPointer(f8), CPointer(f8))')
def derivative(count, x, w, y, rates):
    """Call all_rates from Python."""
    export()
    return all_rates(count, cells(x, ANY), cells(w, ANY), cells(y, ANY), cells(rates, ANY))


@by_address('i8(i8, i8, f8, f8, i8, i8, CPointer(f8), CPointer(f8), CPointer(f8), CPointer(f8), '
            'CPointer(f8), CPointer(f8), CPointer(f8), CPointer(i8))')
def rollout(first, steps, h, t0, every, period, x, w, y, s, reference, rows, queue, done):
    """Call run from Python."""
    export()
    return run(first, steps, h, t0, every, period, cells(x, ANY), cells(w, ANY), cells(y, ANY),
               cells(s, ANY), cells(reference, ANY), cells(rows, ANY), cells(queue, ANY),
               cells(done, ANY))


@by_address('i8(CPointer(f8), CPointer(f8), CPointer(i8))')
def steps_in_place(block, prepared, counts):
    """
    Take some steps without control and record, in arrays that are always the same.

    block = h, t0, x(1 + 3 N), y(SCRATCH), s(2 + 8 N); counts = steps taken so far and to be taken
    now, then what run leaves in done(2).
    """
    export()
    numbers, whole = cells(block, ANY), cells(counts, ANY)
    y, s = 3 + 3 * N, 3 + 3 * N + SCRATCH
    first, last = whole[0], whole[0] + whole[1]
    unused = numbers[:1]
    code = run(first, last, numbers[0], numbers[1], 0, 1, numbers[2:y], cells(prepared, ANY),
               numbers[y:s], numbers[s:], unused, unused, unused, whole[2:])
    whole[0] = last
    return code
