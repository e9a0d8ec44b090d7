# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Sine and cosine together, in arithmetic alone.

Part of every program: about ten times faster than two library calls in straight-line code (the
compiler runs several angles side by side), and the same bits on every machine, which calls to the
system's library do not promise. Reduction by pi/2 in two parts: the first fused product is exact,
because angle and product are multiples of 2^-52 and their difference is below 1. Minimax
polynomials of fdlibm, by pairs (Estrin) since their depth is what an evaluation waits for; error
below 1 ulp of unity up to 8e5 rad, then growing with the spacing of x itself; from 1e15 rad on,
where neighbouring numbers are a tenth of a turn apart, the results mean nothing.
"""
from __future__ import annotations

from functools import lru_cache
from typing import Any

from robodyn_ros.codegen.arithmetic import bit, choose, fma, WHOLE
from robodyn_ros.codegen.routines import Kernel, Routine, routines
from robodyn_ros.tracing.graph import Graph
from robodyn_ros.tracing.scalar import inputs


def sincos(x: Any) -> tuple[Any, Any]:
    """Return (sin x, cos x) [rad]."""
    quarters = fma(x, 0.6366197723675814, WHOLE) - WHOLE
    r = fma(-quarters, 6.123233995736766e-17, fma(-quarters, 1.5707963267948966, x))
    z = r * r
    zz = z * z
    s = fma(zz * zz, fma(z, 1.58969099521155e-10, -2.5050760253406863e-08),
            fma(zz, fma(z, 2.7557313707070068e-06, -0.0001984126982985795),
                fma(z, 0.00833333333332249, -0.16666666666666632)))
    s = fma(r * z, s, r)
    c = fma(zz * zz, fma(z, -1.1359647557788195e-11, 2.087572321298175e-09),
            fma(zz, fma(z, -2.7557314351390663e-07, 2.480158728947673e-05),
                fma(z, -0.001388888888887411, 0.0416666666666666)))
    most = fma(-0.5, z, 1.0)
    c = most + fma(zz, c, fma(-0.5, z, 1.0 - most))
    swap, flip = bit(quarters, 0), bit(quarters, 1)
    s, c = choose(swap, c, s), choose(swap, -s, c)
    return choose(flip, -s, s), choose(flip, -c, c)


@lru_cache(maxsize=1)
def recorded_sincos() -> Routine:
    """Return sine and cosine as a recording, to be written out wherever one is needed."""
    graph = Graph()
    x, none = inputs(graph, 'x', 1)[0], inputs(graph, 'p', 1)
    # not fused: its products and sums are as its text says
    return routines([Kernel('sincos', [x], sincos(x))], none, fused=False)[1]
