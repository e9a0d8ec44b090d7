# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Straight-line source code of a recording.

A kernel reads inputs from a flat array x, run-time parameters from a prepared array w and writes
outputs to a flat array y, each from an offset on: no views, no allocation. What depends on
parameters alone is computed once per call of prepare(p, w), not at every evaluation.
"""
from __future__ import annotations

import math
from typing import NamedTuple, Sequence

from robodyn_ros.codegen.fuse import fuse
from robodyn_ros.tracing.graph import Argument, Graph
from robodyn_ros.tracing.scalar import argument, Number, Scalar

INFIX = {'add': '+', 'sub': '-', 'mul': '*', 'div': '/', 'lt': '<', 'le': '<=', 'eq': '=='}
LIBRARY = ('tan', 'exp', 'tanh', 'atan2')
"""Calls of the system's library, whose vector versions may round otherwise."""
CALLS = {'abs': 'fabs', 'min': 'smaller', 'max': 'larger', 'where': 'choose'}
"""Functions of arithmetic.py that have another name there."""


class Kernel(NamedTuple):
    """One function to emit: y[outputs] of x[inputs]."""

    name: str
    inputs: Sequence[Scalar]
    outputs: Sequence[Number]


class Emitted(NamedTuple):
    """Source text of a set of kernels over one graph."""

    source: str
    operations: dict[str, int]
    """Number of operations of each kernel, those of prepare under 'prepare'."""
    prepared: int
    """Length of w."""


def _operations(values: Sequence[Number]) -> list[str]:
    """Operations that values need, inputs among them."""
    traced = [value for value in values if isinstance(value, Scalar)]
    graph = traced[0].graph if traced else Graph()
    return [graph.ops[node] for node in graph.reachable([y.node for y in traced])]


def size(values: Sequence[Number]) -> int:
    """Return the number of recorded operations that values need."""
    return len(_operations(values))


def calls_library(values: Sequence[Number]) -> bool:
    """Tell whether values need more than arithmetic and square roots."""
    return any(op in LIBRARY for op in _operations(values))


def emit(kernels: Sequence[Kernel], parameters: Sequence[Scalar], lanes: int = 0) -> Emitted:
    """
    Write prepare(p, i, _, w, j) and one function name(x, i, w, y, j) for each kernel.

    :param lanes: if given, a number is so many, one per run, side by side in the arrays
    """
    graph = parameters[0].graph
    fixed = _depending_only_on(graph, parameters)
    graph = fuse(graph, fixed)
    bodies = []
    hoisted: dict[int, int] = {}
    for kernel in kernels:
        outputs = [argument(y, parameters[0].graph) for y in kernel.outputs]
        order = graph.reachable(outputs)
        live = [node for node in order if node not in fixed]
        for user in (*(a for node in live for a in _arguments(graph, node)), *outputs):
            if not isinstance(user, float) and user in fixed:
                hoisted.setdefault(user, len(hoisted))
        bodies.append((kernel, outputs, live))
    parts, operations = [], {}
    source, count = _prepare(graph, parameters, hoisted)
    parts.append(source)
    operations['prepare'] = count
    for kernel, outputs, live in bodies:
        source, count = _function(graph, kernel, outputs, live, hoisted, lanes)
        parts.append(source)
        operations[kernel.name] = count
    return Emitted('\n\n'.join(parts) + '\n', operations, len(hoisted))


def _arguments(graph: Graph, node: int) -> tuple[Argument, ...]:
    return () if graph.ops[node] == 'input' else graph.args[node]


def _depending_only_on(graph: Graph, parameters: Sequence[Scalar]) -> set[int]:
    fixed = {p.node for p in parameters}
    for node, op in enumerate(graph.ops):
        if op != 'input' and all(isinstance(a, float) or a in fixed for a in graph.args[node]):
            fixed.add(node)
    return fixed


def _prepare(graph: Graph, parameters: Sequence[Scalar], hoisted: dict[int, int]) -> tuple:
    order = graph.reachable(list(hoisted))
    place = {p.node: i for i, p in enumerate(parameters)}
    lines = ['@straight_line()', 'def prepare(p, i, _, w, j):']
    lines += [f'    {_name(node)} = p[i + {place[node]}]' for node in order if node in place]
    count = _statements(graph, [n for n in order if n not in place], lines)
    lines += [f'    w[j + {slot}] = {_name(node)}' for node, slot in hoisted.items()]
    return '\n'.join(lines if len(lines) > 2 else [*lines, '    pass']), count


def _function(graph: Graph, kernel: Kernel, outputs: list[Argument], live: list[int],
              hoisted: dict[int, int], lanes: int) -> tuple[str, int]:
    place = {x.node: i for i, x in enumerate(kernel.inputs)}
    # a set holds 25 (a node) and 25.0 (a constant) as one: keep nodes only
    arguments = [*(a for node in live for a in _arguments(graph, node)), *outputs]
    needed = {a for a in arguments if not isinstance(a, float)}
    each = max(1, lanes)
    lines = [f'    {_name(node)} = x[i + {each * place[node]}]' for node in live if node in place]
    lines += [f'    {_name(node)} = w[{each * slot}]' for node, slot in hoisted.items()
              if node in needed]
    count = _statements(graph, [n for n in live if n not in place], lines)
    lines += [f'    y[j + {each * k}] = {_text(a)}' for k, a in enumerate(outputs)]
    head = [f'@straight_line({lanes or ""})', f'def {kernel.name}(x, i, w, y, j):']
    return '\n'.join([*head, *lines]), count


def _statements(graph: Graph, order: list[int], lines: list[str]) -> int:
    """Append one assignment per node; sin and cos of one angle come from one call."""
    pairs: dict[Argument, dict[str, int]] = {}
    for node in order:
        if graph.ops[node] in ('sin', 'cos'):
            pairs.setdefault(graph.args[node][0], {})[graph.ops[node]] = node
    count, done = 0, set[int]()
    for node in order:
        op, args = graph.ops[node], graph.args[node]
        if node in done:
            continue
        count += 1
        if op in ('sin', 'cos'):
            both = pairs[args[0]]
            names = [_name(both[f]) if f in both else '_' for f in ('sin', 'cos')]
            lines.append(f'    {names[0]}, {names[1]} = sincos({_text(args[0])})')
            done.update(both.values())
        else:
            lines.append(f'    {_name(node)} = {_expression(op, [_text(a) for a in args])}')
    return count


def _expression(op: str, args: list[str]) -> str:
    if op in INFIX:
        return f'{args[0]} {INFIX[op]} {args[1]}'
    if op == 'neg':
        return f'-{args[0]}'
    if op in ('fms', 'fnma'):
        a, b, c = args
        return f'fma({a}, {b}, -{c})' if op == 'fms' else f'fma(-{a}, {b}, {c})'
    return f'{CALLS.get(op, op)}({", ".join(args)})'


def _name(node: Argument) -> str:
    return f't{node}'


def _text(a: Argument) -> str:
    if not isinstance(a, float):
        return _name(a)
    text = repr(a) if math.isfinite(a) else repr(a).replace('inf', 'math.inf').replace(
        'nan', 'math.nan')
    return f'({text})' if text.startswith('-') else text
