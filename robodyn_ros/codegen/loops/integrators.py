# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
One step of each integrator, compiled into every plant program.

Copied as loops.py is, whose layouts it shares. A step reads and writes x = t, q(N), v(N), tau(N)
and returns 0, or the reason why x must not be used (a code of loops.py).
"""
from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.placeholders import dynamics, N, njit, straight_line

# --- compiled part: everything below is copied into each program ---


@njit
def judge(y, at):
    """Judge the two margins that dynamics left in y: 0 or the reason to stop."""
    if not y[at] > 0.0:
        return 2 if y[at] <= 0.0 else 3
    if not y[at + 1] > 0.0:
        return 4 if y[at + 1] == -2.0 else 1
    return 0


@njit
def check(y):
    """Judge the state that dynamics was evaluated at."""
    return judge(y, 2 * N)


@njit
def rk4(x, w, y, s, h):
    """Classical Runge-Kutta step of length h; s holds the start and the weighted sum."""
    t = x[0]
    for k in range(2 * N):
        s[k] = x[1 + k]
        s[2 * N + k] = 0.0
    for stage in range(4):
        dynamics(x, 0, w, y, 0)
        code = check(y)
        if code != 0:
            return code
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        ahead = 0.5 * h if stage < 2 else h
        x[0] = t + ahead
        if stage < 3:
            for k in range(2 * N):
                s[2 * N + k] = fma(weight, y[k], s[2 * N + k])
                x[1 + k] = fma(ahead, y[k], s[k])
        else:
            for k in range(2 * N):
                x[1 + k] = fma(h / 6.0, s[2 * N + k] + y[k], s[k])
    return 0


@straight_line()
def four_stages(x, i, w, y, j):
    """
    Write the step of rk4 without a loop: short kernels then stay in registers.

    y holds h; then q(N), v(N) at the end of the step, and the two margins of each stage.
    """
    h = y[j + 0]
    start = [x[i + 1 + k] for k in range(2 * N)]
    torque = [x[i + 1 + 2 * N + k] for k in range(N)]
    state, total, margins = start, [0.0] * (2 * N), []
    ahead = 0.0 * h
    for stage in range(4):
        rate = [0.0] * (2 * N + 2)
        dynamics.text([x[i + 0] + ahead, *state, *torque], 0, w, rate, 0)
        margins += rate[2 * N:]
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        ahead = 0.5 * h if stage < 2 else h
        if stage < 3:
            total = [fma(weight, r, sum_) for r, sum_ in zip(rate, total)]
            state = [fma(ahead, r, x0) for r, x0 in zip(rate, start)]
        else:
            state = [fma(h / 6.0, sum_ + r, x0) for r, sum_, x0 in zip(rate, total, start)]
    for k, value in enumerate([*state, *margins]):
        y[j + k] = value


@njit
def rk4_at_once(x, w, y, s, h):
    """Classical Runge-Kutta step, as rk4, for short kernels."""
    y[0] = h
    four_stages(x, 0, w, y, 0)
    for stage in range(4):
        code = judge(y, 2 * N + 2 * stage)
        if code != 0:
            return code
    x[0] += h
    for k in range(2 * N):
        x[1 + k] = y[k]
    return 0


@njit
def euler(x, w, y, s, h):
    """Explicit Euler step."""
    dynamics(x, 0, w, y, 0)
    x[0] += h
    for k in range(2 * N):
        x[1 + k] += h * y[k]
    return check(y)


@njit
def semi_implicit_euler(x, w, y, s, h):
    """Velocity first, then position with the new velocity."""
    dynamics(x, 0, w, y, 0)
    x[0] += h
    for k in range(N):
        x[1 + N + k] += h * y[N + k]
        x[1 + k] += h * (y[k] + h * y[N + k])
    return check(y)


@njit
def taylor(x, w, y, s, h):
    """Second-order Taylor step of the position, first-order of the velocity (paper 004)."""
    dynamics(x, 0, w, y, 0)
    x[0] += h
    for k in range(N):
        x[1 + k] += h * (y[k] + 0.5 * h * y[N + k])
        x[1 + N + k] += h * y[N + k]
    return check(y)


@njit
def heun(x, w, y, s, h):
    """Second-order step: mean of the slopes at both ends."""
    for k in range(2 * N):
        s[k] = x[1 + k]
    dynamics(x, 0, w, y, 0)
    code = check(y)
    if code != 0:
        return code
    for k in range(2 * N):
        s[2 * N + k] = y[k]
        x[1 + k] = s[k] + h * y[k]
    x[0] += h
    dynamics(x, 0, w, y, 0)
    for k in range(2 * N):
        x[1 + k] = s[k] + 0.5 * h * (s[2 * N + k] + y[k])
    return check(y)
