# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The recording: an append-only list of scalar operations, folded and shared as it grows.

A node is (operation, arguments); an argument is the index of an earlier node or a float constant.
Because arguments always come earlier, increasing index is a valid order of evaluation, and equal
(operation, arguments) pairs are the same node: common subexpressions are shared at birth.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Union

Argument = Union[int, float]

UNARY: dict[str, Callable[..., Any]] = {
    'neg': lambda a: -a, 'sin': math.sin, 'cos': math.cos, 'tan': math.tan, 'sqrt': math.sqrt,
    'exp': math.exp, 'tanh': math.tanh, 'abs': abs,
}
BINARY: dict[str, Callable[..., Any]] = {
    'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b,
    'div': lambda a, b: a / b, 'atan2': math.atan2, 'min': min, 'max': max,
    'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b, 'eq': lambda a, b: a == b,
}
COMMUTATIVE = frozenset(('add', 'mul', 'min', 'max', 'eq'))


class Graph:
    """
    Operations recorded so far.

    ops[i] is the operation of node i, args[i] its arguments. Inputs are nodes of operation
    'input' whose only argument is their position in names.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.ops: list[str] = []
        self.args: list[tuple[Argument, ...]] = []
        self.names: list[str] = []
        self._seen: dict[tuple, int] = {}

    def add_input(self, name: str) -> int:
        """Add a named input; returns its node."""
        self.names.append(name)
        self.ops.append('input')
        self.args.append((len(self.names) - 1,))
        return len(self.ops) - 1

    def node(self, op: str, *args: Argument) -> Argument:
        """
        Node of an operation on nodes and constants; a float when the result is a constant.

        Folds constants, zeros and ones, moves minus signs outwards so that they cancel, and
        returns the existing node when the same operation was recorded before.
        """
        for a in args:
            if not isinstance(a, float):
                break
        else:
            return _fold(op, args)
        rule = RULES.get(op)
        return rule(self, *args) if rule else self._record(op, args)

    def _record(self, op: str, args: tuple[Argument, ...]) -> int:
        if op in COMMUTATIVE:
            # nodes before constants, older nodes first: one order for a + b and b + a
            a, b = args
            if isinstance(a, float) or b < a and not isinstance(b, float):
                args = b, a
        key: tuple = op, args
        for a in args:
            if isinstance(a, float):  # nodes alone have a key with a part less
                key = op, args, tuple(map(_mark, args))
                break
        index = self._seen.get(key)
        if index is None:
            index = len(self.ops)
            self.ops.append(op)
            self.args.append(args)
            self._seen[key] = index
        return index

    def _is(self, argument: Argument, op: str) -> bool:
        return not isinstance(argument, float) and self.ops[argument] == op

    def _where(self, condition: Argument, a: Argument, b: Argument) -> Argument:
        return a if a == b and _mark(a) == _mark(b) else self._record('where', (condition, a, b))

    def _neg(self, a: int) -> Argument:
        if self._is(a, 'neg'):
            return self.args[a][0]
        if self._is(a, 'sub'):
            return self.node('sub', self.args[a][1], self.args[a][0])
        if self._is(a, 'mul') and isinstance(self.args[a][1], float):
            return self.node('mul', self.args[a][0], -self.args[a][1])
        return self._record('neg', (a,))

    def _add(self, a: Argument, b: Argument) -> Argument:
        if isinstance(a, float):
            a, b = b, a
        if isinstance(b, float) and b == 0.0:
            return a
        if self._is(b, 'neg'):
            return self.node('sub', a, self.args[int(b)][0])
        if self._is(a, 'neg'):
            return self.node('sub', b, self.args[int(a)][0])
        if type(a) is type(b) and a == b:
            return self.node('mul', a, 2.0)
        if self._is_sin2_cos2(a, b):
            return 1.0
        return self._record('add', (a, b))

    def _is_sin2_cos2(self, a: Argument, b: Argument) -> bool:
        if not (self._is(a, 'mul') and self._is(b, 'mul')):
            return False
        (a0, a1), (b0, b1) = self.args[int(a)], self.args[int(b)]
        if any(isinstance(x, float) for x in (a1, b1)) or a0 != a1 or b0 != b1:
            return False
        x, y = int(a0), int(b0)
        return {self.ops[x], self.ops[y]} == {'sin', 'cos'} and self.args[x] == self.args[y]

    def _sub(self, a: Argument, b: Argument) -> Argument:
        if type(a) is type(b) and a == b:
            return 0.0
        if isinstance(b, float):
            return self.node('add', a, -b)
        if isinstance(a, float) and a == 0.0:
            return self.node('neg', b)
        if self._is(b, 'neg'):
            return self.node('add', a, self.args[b][0])
        if self._is(a, 'neg'):
            return self.node('neg', self.node('add', self.args[int(a)][0], b))
        return self._record('sub', (a, b))

    def _mul(self, a: Argument, b: Argument) -> Argument:
        if isinstance(a, float):
            a, b = b, a
        assert not isinstance(a, float)
        if isinstance(b, float):
            if b in (0.0, 1.0, -1.0):
                return 0.0 if b == 0.0 else a if b == 1.0 else self.node('neg', a)
            if self._is(a, 'neg'):
                return self.node('mul', self.args[a][0], -b)
            if self._is(a, 'mul') and isinstance(self.args[a][1], float):
                return self.node('mul', self.args[a][0], self.args[a][1] * b)
            return self._record('mul', (a, b))
        flip = self._is(a, 'neg') != self._is(b, 'neg')
        a = int(self.args[a][0]) if self._is(a, 'neg') else a
        b = int(self.args[b][0]) if self._is(b, 'neg') else b
        product = self._record('mul', (a, b))
        return self.node('neg', product) if flip else product

    def _div(self, a: Argument, b: Argument) -> Argument:
        if isinstance(b, float):
            if b == 0.0:
                raise ZeroDivisionError('a traced expression is divided by the constant 0')
            return self.node('mul', a, 1.0 / b)
        if isinstance(a, float) and a == 0.0:
            return 0.0
        if self._is(a, 'neg') and not isinstance(a, float):
            return self.node('neg', self.node('div', self.args[a][0], b))
        return self._record('div', (a, b))

    def _sin(self, a: int) -> Argument:
        if self._is(a, 'neg'):
            return self.node('neg', self.node('sin', self.args[a][0]))
        return self._record('sin', (a,))

    def _cos(self, a: int) -> Argument:
        return self._record('cos', (self.args[a][0] if self._is(a, 'neg') else a,))

    def reachable(self, outputs: list[Argument]) -> list[int]:
        """Nodes the outputs depend on, in order of evaluation."""
        ops, args = self.ops, self.args
        needed = bytearray(len(ops))
        for a in outputs:
            if not isinstance(a, float):
                needed[a] = 1
        for node in range(len(ops) - 1, -1, -1):  # arguments are older than who needs them
            if needed[node] and ops[node] != 'input':
                for a in args[node]:
                    if not isinstance(a, float):
                        needed[a] = 1
        return [node for node, yes in enumerate(needed) if yes]


RULES: dict[str, Callable[..., Argument]] = {
    'neg': Graph._neg, 'add': Graph._add, 'sub': Graph._sub, 'mul': Graph._mul,
    'div': Graph._div, 'sin': Graph._sin, 'cos': Graph._cos, 'where': Graph._where}
"""What an operation becomes when something is known of its arguments."""


def _mark(a: Argument) -> float | None:
    """Tell apart what Python calls equal: 1 (a node) and 1.0 (a constant), 0.0 and -0.0."""
    return math.copysign(1.0, a) if isinstance(a, float) else None


def _fold(op: str, args: tuple[Argument, ...]) -> float:
    if op == 'where':
        return float(args[1] if args[0] else args[2])
    return float(UNARY[op](*args) if len(args) == 1 else BINARY[op](*args))
