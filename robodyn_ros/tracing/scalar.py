# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Recording scalars: numbers that write down what is done with them.

Mechanics and user functions are plain Python on scalars; called with floats they compute, called
with :class:`Scalar` they record straight-line code (see graph.py). A recording has no branches, so
asking a Scalar for its truth or its value is an error whose sentence names the way out.
"""
from __future__ import annotations

import math
from numbers import Real
from typing import NoReturn, Union

from robodyn_ros.errors import TracingError
from robodyn_ros.tracing.graph import Argument, Graph

BRANCH = (
    'a traced value was used in a branch (if, while, and, or, not, min(), max(), sorted()): its '
    'value is not known while recording; use where(condition, a, b), minimum, maximum or clip '
    'from robodyn_ros.tracing')
VALUE = (
    'a traced value was converted to a plain number (float(), int(), math.sin(), range(), an '
    'index): its value is not known while recording; use the functions of robodyn_ros.tracing '
    '(sin, cos, sqrt, ...) instead of math')


class Traced:
    """A node of a graph; base of numbers (Scalar) and truths (Condition)."""

    __slots__ = ('graph', 'node')

    def __init__(self, graph: Graph, node: int):
        """Point at a node."""
        self.graph, self.node = graph, node

    def __bool__(self) -> NoReturn:
        """Refuse: a recording cannot branch."""
        raise TracingError(BRANCH)

    def __float__(self) -> NoReturn:
        """Refuse: the value is not known yet."""
        raise TracingError(VALUE)

    __int__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = __float__

    def __hash__(self) -> int:
        """Hash the node, so that inputs can be keys of dictionaries."""
        return hash((id(self.graph), self.node))


class Condition(Traced):
    """A traced truth: only where(condition, a, b) can use it."""

    __slots__ = ()


class Scalar(Traced):
    """A traced number; arithmetic and comparison record nodes."""

    __slots__ = ()

    def _binary(self, op: str, other: object, swap: bool = False) -> 'Number':
        graph, a = self.graph, self.node
        try:
            b = argument(other, graph)
        except TypeError:
            return NotImplemented
        found = graph.node(op, b, a) if swap else graph.node(op, a, b)
        return found if isinstance(found, float) else Scalar(graph, found)

    def __add__(self, other: object) -> 'Number':
        """Record a + b."""
        return self._binary('add', other)

    def __sub__(self, other: object) -> 'Number':
        """Record a - b."""
        return self._binary('sub', other)

    def __rsub__(self, other: object) -> 'Number':
        """Record b - a."""
        return self._binary('sub', other, swap=True)

    def __mul__(self, other: object) -> 'Number':
        """Record a b."""
        return self._binary('mul', other)

    def __truediv__(self, other: object) -> 'Number':
        """Record a / b."""
        return self._binary('div', other)

    def __rtruediv__(self, other: object) -> 'Number':
        """Record b / a."""
        return self._binary('div', other, swap=True)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> 'Number':
        """Record -a."""
        return number(self.graph, self.graph.node('neg', self.node))

    def __pos__(self) -> 'Scalar':
        """Return itself."""
        return self

    def __abs__(self) -> 'Number':
        """Record |a|."""
        return number(self.graph, self.graph.node('abs', self.node))

    def __pow__(self, exponent: object) -> 'Number':
        """Record a power: a whole number or 0.5, as products, a division or a square root."""
        if isinstance(exponent, Traced):
            return self.__rpow__(exponent)
        power = float(exponent) if isinstance(exponent, Real) else math.nan
        if power == 0.5:
            return number(self.graph, self.graph.node('sqrt', self.node))
        if not power.is_integer():
            raise TracingError(f'a traced value was raised to the power {exponent!r}: only whole '
                               'numbers and 0.5 can be traced; use exp for others')
        result: Number = 1.0
        for _ in range(abs(int(power))):
            result = self * result
        return result if power >= 0.0 else 1.0 / result

    def __rpow__(self, base: object) -> NoReturn:
        """Refuse: the exponent must be known."""
        raise TracingError('a traced value was used as an exponent: use exp from '
                           'robodyn_ros.tracing')

    def _compare(self, op: str, other: object, swap: bool = False) -> Union[Condition, bool]:
        b = argument(other, self.graph)
        args = (b, self.node) if swap else (self.node, b)
        return Condition(self.graph, int(self.graph.node(op, *args)))

    def __lt__(self, other: object) -> Union[Condition, bool]:
        """Record a < b."""
        return self._compare('lt', other)

    def __le__(self, other: object) -> Union[Condition, bool]:
        """Record a <= b."""
        return self._compare('le', other)

    def __gt__(self, other: object) -> Union[Condition, bool]:
        """Record b < a."""
        return self._compare('lt', other, swap=True)

    def __ge__(self, other: object) -> Union[Condition, bool]:
        """Record b <= a."""
        return self._compare('le', other, swap=True)

    def __eq__(self, other: object) -> Union[Condition, bool]:  # type: ignore[override]
        """Record a == b."""
        return self._compare('eq', other)

    def __ne__(self, other: object) -> NoReturn:  # type: ignore[override]
        """Refuse: write where(a == b, x, y) the other way round."""
        raise TracingError('a traced value was compared with !=: use where(a == b, x, y) with x '
                           'and y exchanged')

    __hash__ = Traced.__hash__

    def sin(self) -> 'Number':
        """Record sin; numpy.sin calls this."""
        return number(self.graph, self.graph.node('sin', self.node))

    def cos(self) -> 'Number':
        """Record cos; numpy.cos calls this."""
        return number(self.graph, self.graph.node('cos', self.node))

    def tan(self) -> 'Number':
        """Record tan; numpy.tan calls this."""
        return number(self.graph, self.graph.node('tan', self.node))

    def sqrt(self) -> 'Number':
        """Record sqrt; numpy.sqrt calls this."""
        return number(self.graph, self.graph.node('sqrt', self.node))

    def exp(self) -> 'Number':
        """Record exp; numpy.exp calls this."""
        return number(self.graph, self.graph.node('exp', self.node))

    def tanh(self) -> 'Number':
        """Record tanh; numpy.tanh calls this."""
        return number(self.graph, self.graph.node('tanh', self.node))


Number = Union[Scalar, float]


def number(graph: Graph, result: Argument) -> Number:
    """Wrap a node as a Scalar; a constant stays a float."""
    return result if isinstance(result, float) else Scalar(graph, result)


def argument(value: object, graph: Graph) -> Argument:
    """Node or constant of a number; TypeError for what is no number."""
    if isinstance(value, Traced):
        if value.graph is not graph:
            raise TracingError('two recordings were mixed: a traced value was kept from an '
                               'earlier call (in a global or a default argument)')
        return value.node
    return float(value)  # type: ignore[arg-type]


def is_zero(x: object) -> bool:
    """Return True for a plain number 0, known while recording (a structural zero)."""
    return not isinstance(x, Traced) and x == 0.0


def inputs(graph: Graph, name: str, count: int) -> list[Scalar]:
    """Return count new inputs called name0, name1, ..."""
    return [Scalar(graph, graph.add_input(f'{name}{i}')) for i in range(count)]
