# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From a recording to routines: the form that every back end reads.

A routine is straight-line code: numbers are loaded from flat arrays, one operation follows the
other, results are stored. It reads inputs from an array x, run-time parameters from a prepared
array w and writes outputs to an array y, each from an offset on: no views, no allocation. What
depends on parameters alone is computed once, by the routine 'prepare', not at every evaluation.
"""
from __future__ import annotations

from typing import Iterable, Iterator, Mapping, NamedTuple, Sequence

from robodyn_ros.codegen.fuse import fuse
from robodyn_ros.tracing.graph import Argument, Graph
from robodyn_ros.tracing.scalar import argument, Number, Scalar

PREPARE, PREPARE_LAW = 'prepare', 'prepare_law'
LIBRARY = ('tan', 'exp', 'tanh', 'atan2')
"""Calls of the system's library, whose vector versions may round otherwise."""


INFIX = {'add': '+', 'sub': '-', 'mul': '*', 'div': '/', 'lt': '<', 'le': '<=', 'eq': '=='}


class Kernel(NamedTuple):
    """A function to be made: y[outputs] of x[inputs]."""

    name: str
    inputs: Sequence[Scalar]
    outputs: Sequence[Number]
    apart: bool = False
    """See Routine.apart."""


class Load(NamedTuple):
    """A number read before the work: node = array[place]."""

    node: int
    array: str
    """'x' and 'y' from the offsets i and j on, 'w' from its beginning."""
    place: int


class Routine(NamedTuple):
    """Straight-line code of one kernel."""

    name: str
    inputs: int
    outputs: int
    graph: Graph
    """Holds operation and arguments of each node."""
    loads: Sequence[Load]
    body: Sequence[int]
    """Nodes to compute, in an order in which arguments come first."""
    results: Sequence[Argument]
    """What y[j + k] becomes, by k."""
    one_w: bool = False
    """All lanes read the same w, which holds the numbers of one."""
    apart: bool = False
    """No place that is written is read: results may be written before everything is read."""

    @property
    def angles(self) -> dict[Argument, dict[str, int]]:
        """Return nodes of 'sin' and 'cos' by their angle: both come from one evaluation."""
        found: dict[Argument, dict[str, int]] = {}
        for node in self.body:
            if self.graph.ops[node] in ('sin', 'cos'):
                found.setdefault(self.graph.args[node][0], {})[self.graph.ops[node]] = node
        return found

    @property
    def statements(self) -> Iterator[tuple[int, dict[str, int]]]:
        """Yield nodes in order; sine and cosine of one angle once, with the nodes of both."""
        angles, done = self.angles, set[int]()
        for node in self.body:
            if node not in done:
                both = angles[self.graph.args[node][0]] \
                    if self.graph.ops[node] in ('sin', 'cos') else {}
                done.update(both.values())
                yield node, both

    @property
    def operations(self) -> int:
        """Count the operations; sine and cosine of one angle are one."""
        return len(self.body) - sum(len(both) - 1 for both in self.angles.values())

    def late(self) -> Routine:
        """
        Return the same with its operations in another order: each just before its first use.

        A processor looks some hundred operations ahead: what another chain needs soon should
        stand among those of a chain that waits for its own results.
        """
        graph, left, order = self.graph, set(self.body), list[int]()
        roots = [node for node in _nodes(self.results) if node in left]
        roots.sort(key=lambda node: graph.ops[node] in ('sin', 'cos'))
        stack = roots[::-1]
        while stack:
            node = stack[-1]
            if node not in left:
                stack.pop()
                continue
            first = sorted({a for a in _nodes(graph.args[node]) if a in left}, reverse=True)
            if first:
                stack += first
            else:
                left.remove(node)
                order.append(stack.pop())
        return self._replace(body=order)


def expression(op: str, args: Sequence[str], calls: Mapping[str, str]) -> str:
    """
    Return an operation as text, which Python and C write alike.

    :param calls: names of functions, where they are not those of the operations
    """
    if op in INFIX:
        return f'{args[0]} {INFIX[op]} {args[1]}'
    if op == 'neg':
        return f'-{args[0]}'
    if op in ('fms', 'fnma'):
        a, b, c = args
        signed = (a, b, f'-{c}') if op == 'fms' else (f'-{a}', b, c)
        return expression('fma', signed, calls)
    return f'{calls.get(op, op)}({", ".join(args)})'


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


def prepared_size(found: Mapping[str, Routine]) -> int:
    """Return the length of w, which the routines that prepare it fill one after the other."""
    law = found.get(PREPARE_LAW)
    return max(1, found[PREPARE].outputs) + (law.outputs if law is not None else 0)


def routines(kernels: Sequence[Kernel], parameters: Sequence[Scalar], fused: bool = True,
             prepare: str = PREPARE, first: int = 0) -> list[Routine]:
    """
    Return the routine that computes w from the parameters, and each kernel's.

    :param fused: make sums with a product one operation (fuse.py)
    :param prepare: name of the first
    :param first: place in w from which on these kernels find theirs
    """
    recorded = parameters[0].graph
    fixed = _depending_only_on(recorded, parameters)
    graph = fuse(recorded, fixed) if fused else recorded
    hoisted: dict[int, int] = {}
    """Nodes that are computed beforehand, with their place in w."""
    parts = []
    for kernel in kernels:
        results = [argument(y, recorded) for y in kernel.outputs]
        live = [node for node in graph.reachable(results) if node not in fixed]
        read = _nodes([*(a for node in live for a in _arguments(graph, node)), *results])
        for node in read:
            if node in fixed:
                hoisted.setdefault(node, len(hoisted))
        parts.append((kernel, results, live, set(read)))
    found = [_routine(graph, Kernel(prepare, parameters, ()), list(hoisted),
                      graph.reachable(list(hoisted)), {})]
    for kernel, results, live, needed in parts:
        slots = {node: first + slot for node, slot in hoisted.items() if node in needed}
        found.append(_routine(graph, kernel, results, live, slots))
    return found


def _routine(graph: Graph, kernel: Kernel, results: Sequence[Argument], live: Sequence[int],
             slots: dict[int, int]) -> Routine:
    place = {x.node: k for k, x in enumerate(kernel.inputs)}
    loads = [Load(node, 'x', place[node]) for node in live if node in place]
    loads += [Load(node, 'w', slot) for node, slot in slots.items()]
    return Routine(kernel.name, len(kernel.inputs), len(results), graph, loads,
                   [node for node in live if node not in place], results, apart=kernel.apart)


def _nodes(arguments: Iterable[Argument]) -> list[int]:
    # a set would hold 25 (a node) and 25.0 (a constant) as one
    return [a for a in arguments if not isinstance(a, float)]


def _arguments(graph: Graph, node: int) -> tuple[Argument, ...]:
    return () if graph.ops[node] == 'input' else graph.args[node]


def _depending_only_on(graph: Graph, parameters: Sequence[Scalar]) -> set[int]:
    fixed = {p.node for p in parameters}
    for node, (op, args) in enumerate(zip(graph.ops, graph.args)):
        if op != 'input':
            for a in args:
                if a not in fixed and not isinstance(a, float):
                    break
            else:
                fixed.add(node)
    return fixed
