# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Exact derivatives of what was recorded.

Forward mode on the graph: rates are propagated only through nodes that the outputs need and that
depend on the seeds. Reverse mode: weights of the outputs are carried back through the same nodes,
so that a gradient costs a few evaluations whatever the number of variables. Both are recorded in
the same graph, share its subexpressions, and can be differentiated again.
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

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

# rule(node value y, argument values x, weight b of the node) -> weight of each argument
Weights = Callable[[Number, list, Number], Sequence[Number]]

WEIGHTS: dict[str, Weights] = {
    'add': lambda y, x, b: (b, b),
    'sub': lambda y, x, b: (b, -b),
    'mul': lambda y, x, b: (b * x[1], b * x[0]),
    'div': lambda y, x, b: _of_quotient(y, b / x[1]),
    'neg': lambda y, x, b: (-b,),
    'sin': lambda y, x, b: (cos(x[0]) * b,),
    'cos': lambda y, x, b: (-(sin(x[0]) * b),),
    'tan': lambda y, x, b: ((1.0 + y * y) * b,),
    'sqrt': lambda y, x, b: (0.5 * b / y,),
    'exp': lambda y, x, b: (y * b,),
    'tanh': lambda y, x, b: ((1.0 - y * y) * b,),
    'atan2': lambda y, x, b: _of_angle(x, b / (x[0] * x[0] + x[1] * x[1])),
    'abs': lambda y, x, b: (where(x[0] < 0.0, -b, b),),
    'min': lambda y, x, b: _to_one(_less(x[0], x[1]), b),
    'max': lambda y, x, b: _to_one(_less(x[1], x[0]), b),
    'where': lambda y, x, b: (0.0, *_to_one(x[0], b)),
}
CHOOSING = ('min', 'max', 'where')
"""Operations that give the argument they do not take the weight zero."""
STEEP = ('div', 'sqrt', 'atan2', 'exp', 'tan')
"""Operations whose slope may be infinite, where zero times it would be no number."""


def _of_quotient(y: Number, share: Number) -> Sequence[Number]:
    return share, -(share * y)


def _of_angle(x: Sequence[Number], share: Number) -> Sequence[Number]:
    return x[1] * share, -(x[0] * share)


def _to_one(first: Any, b: Number) -> Sequence[Number]:
    return where(first, b, 0.0), where(first, 0.0, b)


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


def gradient(outputs: Sequence[Number], weights: Sequence[Number],
             variables: Sequence[Scalar]) -> list[Number]:
    """
    Gradient of sum weights outputs by the variables: the Jacobian's transpose times the weights.

    One pass in reverse. A variable need not be an input: any recorded number may be one, and then
    counts as independent of the others.
    """
    graph = _graph_of(outputs)
    if graph is None or not variables:
        return [0.0] * len(variables)
    stops = {x.node for x in variables}
    order = _between(graph, [argument(y, graph) for y in outputs], stops)
    active = set(order)
    found: dict[int, Number] = {}
    unsure: set[int] = set()
    for y, weight in zip(outputs, weights):
        if isinstance(y, Scalar):
            _give(found, y.node, weight)
    for node in reversed(order):
        weight = found.get(node, 0.0)
        if node in stops or is_zero(weight):
            continue
        op, args = graph.ops[node], graph.args[node]
        values = [_value(graph, a) for a in args]
        shares = WEIGHTS[op](number(graph, node), values, weight)
        for a, share in zip(args, shares):
            if isinstance(a, float) or a not in active or is_zero(share):
                continue
            if node in unsure and op in STEEP:
                # not taken: its slope does not count, even where it is infinite
                share = where(weight == 0.0, 0.0, share)  # type: ignore[arg-type]
            if op in CHOOSING or node in unsure:
                unsure.add(a)
            _give(found, a, share)
    return [found.get(x.node, 0.0) for x in variables]


def replaced(outputs: Sequence[Number], by: Mapping[Scalar, Number]) -> list[Number]:
    """Record outputs once more with other numbers in the place of some."""
    graph = _graph_of(outputs)
    if graph is None:
        return list(outputs)
    new: dict[int, Argument] = {x.node: argument(y, graph) for x, y in by.items()}
    nodes = [argument(y, graph) for y in outputs]
    for node in graph.reachable(nodes):
        if node not in new:
            old = graph.args[node]
            args = old if graph.ops[node] == 'input' else tuple(
                a if isinstance(a, float) else new[a] for a in old)
            new[node] = node if args == old and not any(
                isinstance(a, float) != isinstance(b, float) for a, b in zip(args, old)) \
                else graph.node(graph.ops[node], *args)
    return [number(graph, a if isinstance(a, float) else new[a]) for a in nodes]


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


def _between(graph: Graph, outputs: Sequence[Argument], stops: set[int]) -> list[int]:
    """Nodes on the ways from the stops to the outputs, both included, in order of evaluation."""
    seen: set[int] = set()
    stack = [a for a in outputs if not isinstance(a, float)]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if node not in stops and graph.ops[node] != 'input':
                stack.extend(a for a in graph.args[node] if not isinstance(a, float))
    active: set[int] = set()
    for node in sorted(seen):
        if node in stops or (graph.ops[node] != 'input' and any(
                not isinstance(a, float) and a in active for a in graph.args[node])):
            active.add(node)
    return sorted(active)


def _give(found: dict[int, Number], node: int, share: Number) -> None:
    found[node] = found[node] + share if node in found else share


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
