# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
One step of each integrator.

A step reads and writes x = t, q, v, tau (see layout.py) and returns OK, or the reason why x must
not be used. RK4 stands here twice: as a loop over the stages, and written out as one routine, for
short kernels, whose numbers then never leave the registers; longer ones would spill.
"""
from __future__ import annotations

import math
from typing import Any, Callable

from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.layout import Layout, STAGES
from robodyn_ros.codegen.loops.outcomes import (DEPENDENT, INCONSISTENT, NOT_FINITE, OK, SINGULAR)
from robodyn_ros.codegen.loops.pairs import PAIRED
from robodyn_ros.codegen.routines import Load, Routine
from robodyn_ros.tracing.graph import Argument, Graph

IMPLICIT = 'implicit_friction'
INTEGRATORS = ('rk4', 'semi_implicit_euler', 'euler', 'heun', 'taylor', IMPLICIT)
AT_ONCE = 'rk4_step'
"""Name of RK4 written out."""
IMPLICIT_SHARE = 1.0 + math.sqrt(0.5)
"""
Share of a step's friction that IMPLICIT solves for, gamma of ROS2 (Verwer et al. 1999): the method
is L-stable with 1 - sqrt(1/2) too, but only this one damps without changing signs where the
friction is less steep than the slope that was solved with.
"""


def make_judge(backend: Backend, lanes: int) -> Callable:
    """Return what judges the margins that dynamics left in y: OK, or the reason to stop."""
    @backend.function
    def judge(y: Any, at: Any) -> Any:
        if not y[at] > 0.0:
            return SINGULAR if y[at] <= 0.0 else NOT_FINITE
        if not y[at + 1] > 0.0:
            return INCONSISTENT if y[at + 1] == -2.0 else DEPENDENT
        return OK

    @backend.function
    def judge_lanes(y: Any, at: Any) -> Any:
        """Count, without a branch for each; the reason is found when runs are repeated alone."""
        bad = 0
        for k in range(2 * lanes):
            if not y[at + k] > 0.0:
                bad += 1
        return OK if bad == 0 else NOT_FINITE
    return judge if lanes == 1 else judge_lanes


def make_integrator(backend: Backend, layout: Layout, name: str, dynamics: Callable,
                    judge: Callable, slopes: Callable | None = None,
                    positions: Callable | None = None, room: int = 0) -> Callable:
    """
    Return step(x, w, y, s, h) of an integrator.

    :param dynamics: kernel, for AT_ONCE the routine of that name, for IMPLICIT that which solves
        (M + S) a = tau - h + Qc
    :param slopes: for IMPLICIT the kernel of S tau (n,), with S = IMPLICIT_SHARE h D(v)
    :param positions: for PAIRED the first part of the dynamics, whose second is given as dynamics
    :param room: for PAIRED the numbers of the array of both
    """
    if name == PAIRED:
        assert positions is not None
        return _make_paired(backend, layout, positions, dynamics, room, judge)
    if name == IMPLICIT:
        return _make_implicit(backend, layout, dynamics, slopes, judge)
    lanes, n = layout.lanes, layout.n * layout.lanes
    margins, times = layout.margins * lanes, layout.times * lanes

    @backend.function
    def rk4(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """Classical Runge-Kutta; s holds the start, the weighted sum and the times."""
        for k in range(2 * n):
            s[k] = x[lanes + k]
            s[2 * n + k] = 0.0
        for lane in range(lanes):
            s[times + lane] = x[lane]
        for stage in range(STAGES):
            dynamics(x, 0, w, y, 0)
            reason = judge(y, margins)
            if reason != OK:
                return reason
            weight = 1.0 if stage == 0 or stage == 3 else 2.0
            ahead = 0.5 * h if stage < 2 else h
            for lane in range(lanes):
                x[lane] = s[times + lane] + ahead
            if stage < 3:
                for k in range(2 * n):
                    s[2 * n + k] = fma(weight, y[k], s[2 * n + k])
                    x[lanes + k] = fma(ahead, y[k], s[k])
            else:
                for k in range(2 * n):
                    x[lanes + k] = fma(h / 6.0, s[2 * n + k] + y[k], s[k])
        return OK

    @backend.function
    def rk4_step(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """RK4 by the routine of that name, see unrolled()."""
        y[0] = h
        dynamics(x, 0, w, y, 0)
        for stage in range(STAGES):
            reason = judge(y, 2 * n + 2 * stage)
            if reason != OK:
                return reason
        x[0] += h
        for k in range(2 * n):
            x[1 + k] = y[k]
        return OK

    @backend.function
    def euler(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """Explicit Euler."""
        dynamics(x, 0, w, y, 0)
        x[0] += h
        for k in range(2 * n):
            x[1 + k] += h * y[k]
        return judge(y, margins)

    @backend.function
    def semi_implicit_euler(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """Velocity first, then position with the new velocity."""
        dynamics(x, 0, w, y, 0)
        x[0] += h
        for k in range(n):
            x[1 + n + k] += h * y[n + k]
            x[1 + k] += h * (y[k] + h * y[n + k])
        return judge(y, margins)

    @backend.function
    def taylor(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """Second-order Taylor step of the position, first-order of the velocity (paper 004)."""
        dynamics(x, 0, w, y, 0)
        x[0] += h
        for k in range(n):
            x[1 + k] += h * (y[k] + 0.5 * h * y[n + k])
            x[1 + n + k] += h * y[n + k]
        return judge(y, margins)

    @backend.function
    def heun(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """Second order: mean of the slopes at both ends."""
        for k in range(2 * n):
            s[k] = x[1 + k]
        dynamics(x, 0, w, y, 0)
        reason = judge(y, margins)
        if reason != OK:
            return reason
        for k in range(2 * n):
            s[2 * n + k] = y[k]
            x[1 + k] = s[k] + h * y[k]
        x[0] += h
        dynamics(x, 0, w, y, 0)
        for k in range(2 * n):
            x[1 + k] = s[k] + 0.5 * h * (s[2 * n + k] + y[k])
        return judge(y, margins)

    steps: dict[str, Callable] = {
        'rk4': rk4, AT_ONCE: rk4_step, 'semi_implicit_euler': semi_implicit_euler,
        'euler': euler, 'heun': heun, 'taylor': taylor}
    return steps[name]


def _make_implicit(backend: Backend, layout: Layout, dynamics: Callable,
                   slopes: Callable | None, judge: Callable) -> Callable:
    """Return the step of IMPLICIT."""
    n, margins, tau, saved = layout.n, layout.margins, layout.tau, 4 * layout.n
    assert slopes is not None and layout.lanes == 1

    @backend.function
    def implicit_friction(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """
        Heun's method with the joint friction solved for: second order, stable for any friction.

        With S = gamma h D, D(v) the friction over the velocity,
            (M + S) k1 = tau - h(q, v) + Qc
            (M2 + S2) k2 = tau - h(q2, v2) + S2 (2 k1) + Qc     at q2 = q + h v, v2 = v + h k1
            v+ = v + h (k1 + k2) / 2,  q+ = q + h (v + v2) / 2
        which is the W-method ROS2 with -M^-1 D for its Jacobian, and Heun's where D = 0.
        """
        for k in range(2 * n):
            s[k] = x[1 + k]
        for k in range(n):
            s[saved + k] = x[tau + k]
        dynamics(x, 0, w, y, 0)
        reason = judge(y, margins)
        if reason != OK:
            return reason
        for k in range(2 * n):
            s[2 * n + k] = y[k]
            x[1 + k] = s[k] + h * y[k]
        x[0] += h
        for k in range(n):
            x[tau + k] = s[3 * n + k]
        slopes(x, 0, w, y, 0)
        for k in range(n):
            x[tau + k] = s[saved + k] + 2.0 * y[k]
        dynamics(x, 0, w, y, 0)
        for k in range(2 * n):
            x[1 + k] = s[k] + 0.5 * h * (s[2 * n + k] + y[k])
        for k in range(n):
            x[tau + k] = s[saved + k]
        return judge(y, margins)

    return implicit_friction


def _make_paired(backend: Backend, layout: Layout, positions: Callable, rates: Callable,
                 room: int, judge: Callable) -> Callable:
    """Return the step of PAIRED."""
    n, times, size, tau = layout.n, layout.times, layout.x_size, layout.tau
    speed, make_room = 1 + n, backend.room
    assert layout.lanes == 1

    @backend.function
    def rk4_pairs(x: Any, w: Any, y: Any, s: Any, h: Any) -> Any:
        """
        Take the step of rk4: the same sums in the same order, positions of two stages ahead.

        Numbers of a stage lie in its lane of both, and go from there to the next one by one:
        what was stored one by one is slow to come back as a vector.
        """
        both = make_room(room)
        for k in range(2 * n):
            s[k] = x[1 + k]
            s[2 * n + k] = 0.0
        s[times] = x[0]
        for k in range(n):
            both[2 * (tau + k)] = x[tau + k]
            both[2 * (tau + k) + 1] = x[tau + k]
            both[2 * (speed + k)] = x[speed + k]
        for stage in range(STAGES):
            lane = stage % 2
            if stage == 0:
                both[0] = s[times]
                both[1] = s[times] + 0.5 * h
                for k in range(n):
                    both[2 + 2 * k] = s[k]
                    both[3 + 2 * k] = fma(0.5 * h, both[2 * (speed + k)], s[k])
            if stage == 2:
                both[0] = s[times] + 0.5 * h
                both[1] = s[times] + h
                for k in range(n):
                    both[2 + 2 * k] = fma(0.5 * h, both[2 * (speed + k) + 1], s[k])
                    both[3 + 2 * k] = fma(h, both[2 * (speed + k)], s[k])
            if lane == 0:
                positions(both, 0, w, both, 2 * size)
            rates(both, lane, w, y, 0)
            reason = judge(y, n)
            if reason != OK:
                return reason
            weight = 1.0 if stage == 0 or stage == 3 else 2.0
            ahead = 0.5 * h if stage < 2 else h
            for k in range(n):
                s[2 * n + k] = fma(weight, both[2 * (speed + k) + lane], s[2 * n + k])
                s[3 * n + k] = fma(weight, y[k], s[3 * n + k])
                both[2 * (speed + k) + 1 - lane] = fma(ahead, y[k], s[n + k])
        x[0] = s[times] + h
        for k in range(2 * n):
            x[1 + k] = fma(h / 6.0, s[2 * n + k], s[k])
        return OK

    return rk4_pairs


def unrolled(dynamics: Routine, n: int) -> Routine:
    """
    Return the routine of one RK4 step: that of dynamics four times, with rk4's sums between.

    y[j] holds h; then q(n), v(n) at the end of the step, and the two margins of each stage.
    """
    graph = Graph()
    loads = []

    def put(op: str, *args: Argument) -> int:
        graph.ops.append(op)
        graph.args.append(args)
        return len(graph.ops) - 1

    def load(array: str, place: int) -> int:
        loads.append(Load(put('input', place), array, place))
        return loads[-1].node

    time = load('x', 0)
    start: list[Argument] = [load('x', 1 + k) for k in range(2 * n)]
    torque: list[Argument] = [load('x', 1 + 2 * n + k) for k in range(n)]
    prepared = {item.place: load('w', item.place) for item in dynamics.loads if item.array == 'w'}
    h = load('y', 0)

    def rates(inputs: list[Argument]) -> list[Argument]:
        """Write dynamics at a state; returns qdot, a and the margins."""
        new: dict[int, Argument] = {item.node: prepared[item.place] if item.array == 'w'
                                    else inputs[item.place] for item in dynamics.loads}

        def moved(a: Argument) -> Argument:
            return a if isinstance(a, float) else new[a]

        for node in dynamics.body:
            new[node] = put(dynamics.graph.ops[node], *map(moved, dynamics.graph.args[node]))
        return [moved(a) for a in dynamics.results]

    state, total, margins = start, [0.0] * (2 * n), []
    ahead = put('mul', 0.0, h)
    for stage in range(STAGES):
        rate = rates([put('add', time, ahead), *state, *torque])
        margins += rate[2 * n:]
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        ahead = put('mul', 0.5, h) if stage < 2 else h
        if stage < 3:
            total = [put('fma', weight, r, before) for r, before in zip(rate, total)]
            state = [put('fma', ahead, r, x0) for r, x0 in zip(rate, start)]
        else:
            share = put('div', h, 6.0)
            state = [put('fma', share, put('add', before, r), x0)
                     for r, before, x0 in zip(rate, total, start)]
    results = [*state, *margins]
    used = set(graph.reachable(results))
    return Routine(AT_ONCE, dynamics.inputs, len(results), graph, loads,
                   [k for k in range(len(graph.ops)) if k in used and graph.ops[k] != 'input'],
                   results)
