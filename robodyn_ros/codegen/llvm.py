# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The back end that writes LLVM instructions: one for each operation of a routine, in its order.

With lanes every number is a vector of so many runs, side by side in the arrays. A short routine is
written into its callers; a long one is a function for itself, a very long one a function for each
of its pieces, with an array on the stack for what they hand on.
"""
from __future__ import annotations

from typing import Callable, Iterable, Mapping, NamedTuple, Sequence

from robodyn_ros.codegen.arithmetic import WHOLE as SHIFT
from robodyn_ros.codegen.llvm_text import DOUBLE, FEW, FLOATS, Lines, UNTYPED
from robodyn_ros.codegen.pieces import cut
from robodyn_ros.codegen.routines import Load, Routine
from robodyn_ros.codegen.trigonometry import recorded_sincos
from robodyn_ros.tracing.graph import Argument, Graph

INTRINSICS = ('fma', 'fabs', 'sqrt')
"""Functions that are instructions; others are calls of the system's library, lane by lane."""
BINARY = {'add': 'fadd', 'sub': 'fsub', 'mul': 'fmul', 'div': 'fdiv'}
COMPARISONS = {'lt': 'olt', 'le': 'ole', 'eq': 'oeq'}
TRUTHS = (*COMPARISONS, 'bit')
INLINE = 300
"""Operations up to which a routine is written into its callers."""
LONG, LONG_LANES = 9000, 2400
"""Operations of one lane, and of several, from which on a routine is cut: up to there it costs a
second or two, and keeps more numbers in registers."""
WINDOW = 60
"""Operations after which numbers from arrays are read again."""
PIECE = 400
"""Operations of a piece."""
NEVER, ALWAYS = 'noinline nounwind "probe-stack"="inline-asm"', 'alwaysinline nounwind'


class Function(NamedTuple):
    """The text of a function, and what it needs to know of others."""

    name: str
    text: str
    declared: frozenset[str]
    operations: int
    inlined: bool = False

    @property
    def declaration(self) -> str:
        """Return the declaration for callers in other modules."""
        line = next(line for line in self.text.splitlines() if line.startswith('define '))
        return 'declare ' + line.removeprefix('define ').rpartition(' {')[0]


class Values:
    """What the nodes of a graph are called in a function that is being written."""

    def __init__(self, lines: Lines, graph: Graph, load: Callable[[int], str] | None = None):
        """
        Know no node yet.

        :param load: writes the load of a node that was not computed here
        """
        self.lines, self.graph, self._load = lines, graph, load
        self.names: dict[int, str] = {}
        self.loaded: set[int] = set()
        """Nodes that come from an array: a truth among them is a number."""
        self.arrays: dict[str, str] = {}
        """Where arrays begin; given, they are read again and again instead of once."""
        self.homes: Mapping[Argument, int] = {}
        """Where in y results are written as soon as they are known, to be read from there."""
        self._read: list[int] = []

    def __getitem__(self, a: Argument) -> str:
        """Return the name of a node, or a constant."""
        if isinstance(a, float):
            return self.lines.constant(a)
        name = self.names.get(a)
        if name is None:
            assert self._load is not None
            name = self.names[a] = self.lines.load(self.arrays['y'], self.homes[a]) \
                if a in self.homes else self._load(a)
            self._read.append(a)
        return name

    def forget(self) -> None:
        """Read anew from here on what was read, see Lines.renamed."""
        for array, name in self.arrays.items():
            self.arrays[array] = self.lines.renamed(name)
        if self.lines.table is not None:
            self.lines.table_at = self.lines.renamed(self.lines.table_at)
        for node in self._read:
            self.names.pop(node, None)
        self._read.clear()

    def number(self, a: Argument) -> str:
        """Return the same as a number: a truth becomes 1 or 0."""
        name = self[a]
        if isinstance(a, float) or self.graph.ops[a] not in TRUTHS or a in self.loaded:
            return name
        return self.lines.put(f'uitofp {self.lines.truth} {name} to {self.lines.kind}')

    def write(self, statements: Iterable[tuple[int, dict[str, int]]]) -> None:
        """Write statements as Routine.statements yields them."""
        for k, (node, both) in enumerate(statements):
            if self.arrays and k % WINDOW == WINDOW - 1:
                self.forget()
            op, args = self.graph.ops[node], self.graph.args[node]
            if both:
                pair = dict(zip(('sin', 'cos'), _sincos(self.lines, self[args[0]])))
                self.names.update({at: pair[name] for name, at in both.items()})
            else:
                self.names[node] = self._operation(op, args)
            for found in both.values() or (node,):
                if found in self.homes:
                    self._bring_home(found)

    def _bring_home(self, node: int) -> None:
        """Write a result; a truth is a number from here on."""
        number = self.names[node] = self.number(node)
        self.lines.store(number, self.arrays['y'], self.homes[node])
        self.loaded.add(node)
        self._read.append(node)

    def _operation(self, op: str, args: Sequence[Argument]) -> str:
        lines, kind = self.lines, self.lines.kind
        if op == 'bit':
            return _bit(lines, self[args[0]], int(args[1]))
        if op == 'where':
            chosen = self._condition(args[0])
            return lines.put(f'select {lines.truth} {chosen}, {kind} {self[args[1]]}, '
                             f'{kind} {self[args[2]]}')
        values = [self[a] for a in args]
        if op in BINARY:
            return lines.put(f'{BINARY[op]} {kind} {values[0]}, {values[1]}')
        if op in COMPARISONS:
            return lines.put(f'fcmp {COMPARISONS[op]} {kind} {values[0]}, {values[1]}')
        if op == 'neg':
            return lines.put(f'fneg {kind} {values[0]}')
        if op in ('min', 'max'):
            a, b = values
            other = lines.put(f'fcmp {"olt" if op == "min" else "ogt"} {kind} {b}, {a}')
            return lines.put(f'select {lines.truth} {other}, {kind} {b}, {kind} {a}')
        if op in ('fms', 'fnma'):
            k = 2 if op == 'fms' else 0
            values[k] = lines.put(f'fneg {kind} {values[k]}')
            op = 'fma'
        op = 'fabs' if op == 'abs' else op
        return (lines.intrinsic if op in INTRINSICS else lines.call)(op, *values)

    def _condition(self, a: Argument) -> str:
        name = self[a]
        if isinstance(a, float) or a in self.loaded or self.graph.ops[a] not in TRUTHS:
            # it was kept in w, as 1 or 0
            zero = self.lines.constant(0.0)
            return self.lines.put(f'fcmp une {self.lines.kind} {name}, {zero}')
        return name


def _sincos(lines: Lines, angle: str) -> list[str]:
    inner = recorded_sincos()
    values = Values(lines, inner.graph)
    values.names[inner.loads[0].node] = angle
    values.write(inner.statements)
    return [values[result] for result in inner.results]


def _bit(lines: Lines, number: str, place: int) -> str:
    """Write the test of a bit: the low bits of k + 1.5 * 2^52 are those of k."""
    shifted = lines.put(f'fadd {lines.kind} {number}, {lines.constant(SHIFT)}')
    bits = lines.put(f'bitcast {lines.kind} {shifted} to {lines.whole}')
    if place:
        bits = lines.put(f'lshr {lines.whole} {bits}, {lines.same("i64", str(place))}')
    return lines.put(f'trunc {lines.whole} {bits} to {lines.truth}')


def functions(name: str, routine: Routine, lanes: int) -> list[Function]:
    """
    Return the functions of a routine; the last is name(x, i, w, y, j), called by the loops.

    i and j count numbers, as everywhere in the loops.
    """
    operations = routine.operations * (1 if lanes <= FEW else 4)
    if routine.operations > (LONG if lanes <= FEW else LONG_LANES):
        return _in_pieces(name, routine, lanes)
    lines = Lines(set(), lanes)
    lines.table = {}
    arrays = _arrays(lines, routine)
    loads = {load.node: load for load in routine.loads}
    inlined = routine.operations <= INLINE
    values = Values(lines, routine.graph, _loader(lines, loads, arrays, {}, routine.one_w))
    values.loaded = set(loads)
    if routine.apart and not inlined:
        values.arrays = arrays
        values.homes = {a: k for k, a in enumerate(routine.results)
                        if not isinstance(a, float) and a not in loads}
    else:
        for node in loads:
            values.number(node)
    values.write(routine.statements)
    # nothing is written before everything is read
    for k, value in [(k, values.number(result)) for k, result in enumerate(routine.results)
                     if values.homes.get(result) != k]:
        lines.store(value, arrays['y'], k)
    return [_function(name, CALLED, lines, ALWAYS if inlined else NEVER, operations, inlined)]


CALLED = f'{FLOATS} %x, i64 %i, {FLOATS} %w, {FLOATS} %y, i64 %j'
PIECES = (f'{FLOATS} noalias readonly %x, {FLOATS} noalias readonly %w, '
          f'{FLOATS} noalias readonly %z, {FLOATS} noalias writeonly %k')
"""Arguments of a routine, and of a piece, whose x, unlike that of its routine, begins at i."""


def _arrays(lines: Lines, routine: Routine) -> dict[str, str]:
    """Write where a routine's arrays begin."""
    return {'x': lines.place('%x', '%i'), 'w': '%w', 'y': lines.place('%y', '%j')}


def _function(name: str, args: str, lines: Lines, how: str, operations: int,
              inlined: bool = False) -> Function:
    head = f'define {"internal " if inlined else ""}void @{name}({args}) {how} {{'
    before, after = [], []
    if lines.table:
        numbers = f'[{len(lines.numbers)} x double]'
        before.append(f'@{name}.numbers = internal constant {numbers} '
                      f'[{", ".join(f"double {text}" for text in lines.numbers)}], align 64')
        first = f'@{name}.numbers' if UNTYPED else \
            f'getelementptr inbounds ({numbers}, {numbers}* @{name}.numbers, i64 0, i64 0)'
        before.append(f'@{name}.table = internal global {FLOATS} {first}')
        # volatile: or each number would have an address of its own
        of = 'ptr' if UNTYPED else f'{FLOATS}*'
        after.append(f'  %table = load volatile {FLOATS}, {of} @{name}.table')
    return Function(name, '\n'.join([*before, head, *after, *lines.lines, '  ret void', '}', '']),
                    frozenset(lines.declared), operations, inlined)


def _in_pieces(name: str, routine: Routine, lanes: int) -> list[Function]:
    parts = cut(routine, PIECE)
    first = {load.node: load.place for load in routine.loads if load.array == 'y'}
    from_arrays = {load.node: load for load in routine.loads if load.array != 'y'}
    # numbers that lie in y are put aside before anything is written there
    put_aside = {node: parts.room + k for k, node in enumerate(first)}
    room = max(1, parts.room + len(first))
    main = Lines(set(), lanes)
    arrays = _arrays(main, routine)
    z = main.put(f'alloca {DOUBLE}, i64 {room * lanes}, align 64')
    for node, place in first.items():
        main.store(main.load(arrays['y'], place), z, put_aside[node])
    made = []
    for k, piece in enumerate(parts.pieces):
        lines = Lines(set(), lanes)
        lines.table = {}
        values = Values(lines, routine.graph, _loader(
            lines, from_arrays, {'x': '%x', 'w': '%w', 'z': '%z'}, {**piece.taken, **put_aside},
            routine.one_w))
        values.loaded = {*from_arrays, *piece.taken, *put_aside}
        values.write(piece.statements)
        for node, place in piece.kept.items():
            lines.store(values.number(node), '%k', place)
        weight = len(piece.statements) * (1 if lanes <= FEW else 4)
        made.append(_function(f'{name}.{k}', PIECES, lines, NEVER, weight))
        main.declared.add(made[-1].declaration)
        main.add(f'call void @{name}.{k}({FLOATS} {arrays["x"]}, {FLOATS} %w, {FLOATS} {z}, '
                 f'{FLOATS} {z})')
    values = Values(main, routine.graph)
    for k, result in enumerate(routine.results):
        if isinstance(result, float):
            value = values[result]
        elif result in parts.places or result in put_aside:
            value = main.load(z, parts.places.get(result, put_aside.get(result, 0)))
        else:
            load = from_arrays[result]
            value = main.load(arrays[load.array], load.place,
                              routine.one_w and load.array == 'w')
        main.store(value, arrays['y'], k)
    return [*made, _function(name, CALLED, main, NEVER, len(routine.results))]


def _loader(lines: Lines, from_arrays: Mapping[int, Load], arrays: Mapping[str, str],
            taken: Mapping[int, int], one_w: bool) -> Callable[[int], str]:
    def load(node: int) -> str:
        if node in taken:
            return lines.load(arrays['z'], taken[node])
        found = from_arrays[node]
        return lines.load(arrays[found.array], found.place, one_w and found.array == 'w')
    return load
