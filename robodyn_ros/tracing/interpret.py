# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Evaluate a recording with plain floats: slow, simple, and independent of the compiler."""
from __future__ import annotations

import math
from typing import Mapping, Sequence

from robodyn_ros.tracing.graph import Argument, BINARY, UNARY
from robodyn_ros.tracing.scalar import argument, Number, Scalar


def evaluate(outputs: Sequence[Number], values: Mapping[Scalar, float]) -> list[float]:
    """Return the values of the outputs for given values of the inputs; NaN where undefined."""
    graph = next((y.graph for y in outputs if isinstance(y, Scalar)), None)
    if graph is None:
        return [float(y) for y in outputs]
    nodes = [argument(y, graph) for y in outputs]
    known: dict[int, float] = {s.node: float(x) for s, x in values.items()}

    def value(a: Argument) -> float:
        return a if isinstance(a, float) else known[a]

    for node in graph.reachable(nodes):
        if graph.ops[node] == 'input':
            continue
        op, args = graph.ops[node], [value(a) for a in graph.args[node]]
        try:
            if op == 'where':
                known[node] = args[1] if args[0] else args[2]
            else:
                known[node] = UNARY[op](*args) if len(args) == 1 else BINARY[op](*args)
        except (ZeroDivisionError, ValueError, OverflowError):
            known[node] = math.nan
    return [value(a) for a in nodes]
