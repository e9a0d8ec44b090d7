# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Exact derivatives of what was recorded.

Forward mode on the graph: rates are propagated only through nodes that the outputs need and that
depend on the seeds, and are recorded in the same graph, so they can be differentiated again.
"""
from __future__ import annotations

from typing import Callable, Mapping, Sequence

from robodyn_ros.tracing.functions import cos, sin, where
from robodyn_ros.tracing.graph import Argument, Graph
from robodyn_ros.tracing.scalar import argument, Condition, is_zero, Number, number, Scalar

# rule(node value y, argument values x, argument rates d) -> rate of y
Rule = Callable[[Number, list, list], Number]


def _less(a: Number, b: Number) -> object:
    return a < b


RULES: dict[str, Rule] = {
    'add': lambda y, x, d: d[0] + d[1],
    'sub': lambda y, x, d: d[0] - d[1],
    'mul': lambda y, x, d: d[0] * x[1] + x[0] * d[1],
    'div': lambda y, x, d: (d[0] - y * d[1]) / x[1],
    'neg': lambda y, x, d: -d[0],
    'sin': lambda y, x, d: cos(x[0]) * d[0],
    'cos': lambda y, x, d: -(sin(x[0]) * d[0]),
    'tan': lambda y, x, d: (1.0 + y * y) * d[0],
    'sqrt': lambda y, x, d: 0.5 * d[0] / y,
    'exp': lambda y, x, d: y * d[0],
    'tanh': lambda y, x, d: (1.0 - y * y) * d[0],
    'atan2': lambda y, x, d: (x[1] * d[0] - x[0] * d[1]) / (x[0] * x[0] + x[1] * x[1]),
    'abs': lambda y, x, d: where(x[0] < 0.0, -d[0], d[0]),
    'min': lambda y, x, d: where(_less(x[0], x[1]), d[0], d[1]),  # type: ignore[arg-type]
    'max': lambda y, x, d: where(_less(x[1], x[0]), d[0], d[1]),  # type: ignore[arg-type]
    'where': lambda y, x, d: where(x[0], d[1], d[2]),
}


def directional(outputs: Sequence[Number], seeds: Mapping[Scalar, Number]) -> list[Number]:
    """
    Rate of each output when the seeded inputs move at the given rates.

    :param outputs: recorded numbers (plain numbers have rate 0)
    :param seeds: input -> rate; inputs not named do not move
    """
    graph = _graph_of(outputs)
    if graph is None:
        return [0.0] * len(outputs)
    nodes = [argument(y, graph) for y in outputs]
    rates = _propagate(graph, graph.reachable(nodes), {s.node: r for s, r in seeds.items()})
    return [0.0 if isinstance(a, float) else rates.get(a, 0.0) for a in nodes]


def jacobian(outputs: Sequence[Number], variables: Sequence[Scalar]) -> list[list[Number]]:
    """Partial derivatives of the outputs (rows) with respect to the variables (columns)."""
    graph = _graph_of(outputs)
    if graph is None:
        return [[0.0] * len(variables) for _ in outputs]
    nodes = [argument(y, graph) for y in outputs]
    order = graph.reachable(nodes)
    columns = [_propagate(graph, order, {x.node: 1.0}) for x in variables]
    return [[0.0 if isinstance(a, float) else rates.get(a, 0.0) for rates in columns]
            for a in nodes]


def depends_on(outputs: Sequence[Number], variables: Sequence[Scalar]) -> bool:
    """Tell whether any of the variables occurs in the recorded outputs."""
    graph = _graph_of(outputs)
    if graph is None:
        return False
    used = set(graph.reachable([argument(y, graph) for y in outputs]))
    return any(x.node in used for x in variables)


def operations(outputs: Sequence[Number]) -> int:
    """Count the operations that recorded outputs need."""
    graph = _graph_of(outputs)
    if graph is None:
        return 0
    nodes = graph.reachable([argument(y, graph) for y in outputs])
    return sum(graph.ops[node] != 'input' for node in nodes)


def _graph_of(outputs: Sequence[Number]) -> Graph | None:
    return next((y.graph for y in outputs if isinstance(y, Scalar)), None)


def _propagate(graph: Graph, order: list[int], seeds: Mapping[int, Number]) -> dict[int, Number]:
    rates: dict[int, Number] = dict(seeds)
    for node in order:
        op = graph.ops[node]
        if op == 'input' or op in ('lt', 'le', 'eq'):
            continue
        args = graph.args[node]
        rate_of_args = [_rate(a, rates) for a in args]
        if all(is_zero(r) for r in rate_of_args):
            continue
        values = [_value(graph, a) for a in args]
        rate = RULES[op](number(graph, node), values, rate_of_args)
        if not is_zero(rate):
            rates[node] = rate
    return rates


def _rate(a: Argument, rates: Mapping[int, Number]) -> Number:
    return 0.0 if isinstance(a, float) else rates.get(a, 0.0)


def _value(graph: Graph, a: Argument) -> object:
    if isinstance(a, float):
        return a
    return Condition(graph, a) if graph.ops[a] in ('lt', 'le', 'eq') else Scalar(graph, a)
