# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Sums with a product become one operation, which rounds once.

The recording decides, not the compiler: results then have the same bits whatever the processor and
whatever the code around them. Of two products the one that is ready last is fused, since it is
what the processor would wait for.
"""
from __future__ import annotations

from robodyn_ros.tracing.graph import Argument, Graph

CYCLES = {'input': 0, 'neg': 1, 'add': 3, 'sub': 3, 'mul': 3, 'div': 13, 'sqrt': 15, 'sin': 40,
          'cos': 40}
"""Latencies on current processors, roughly: they order, they do not predict."""
FUSED, OTHERWISE = 4, 20


def fuse(graph: Graph, fixed: set[int]) -> Graph:
    """
    Return the recording with a b + c, a b - c and c - a b as 'fma', 'fms' and 'fnma' of a, b, c.

    Nodes keep their numbers; a product that no other operation reads is no longer reachable.

    :param fixed: nodes that are computed beforehand: such a product is not worth computing again
    """
    result = Graph()
    result.ops, result.args = list(graph.ops), list(graph.args)
    ops, ready = graph.ops, list[int]()
    for node, (op, args) in enumerate(zip(ops, graph.args)):
        cycles = CYCLES.get(op, OTHERWISE)
        if op == 'add' or op == 'sub':
            last = None
            for a in args:
                if not isinstance(a, float) and ops[a] == 'mul' \
                        and (a not in fixed or node in fixed) \
                        and (last is None or ready[a] > ready[last]):
                    last = a
            if last is not None:
                result.ops[node], result.args[node] = _fused(graph, op, args, last)
                cycles, args = FUSED, result.args[node]
        begin = 0
        if op != 'input':
            for a in args:
                if not isinstance(a, float) and a not in fixed and ready[a] > begin:
                    begin = ready[a]
        ready.append(cycles + begin)
    return result


def _fused(graph: Graph, op: str, args: tuple[Argument, ...],
           product: int) -> tuple[str, tuple[Argument, ...]]:
    first = not isinstance(args[0], float) and args[0] == product
    other = args[1] if first else args[0]
    name = 'fma' if op == 'add' else 'fms' if first else 'fnma'
    return name, (*graph.args[product], other)
