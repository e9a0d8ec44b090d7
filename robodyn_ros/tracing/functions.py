# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The functions a traced law may use: they compute on floats and record on Scalars.

sin, cos, tan, atan2, sqrt, exp, tanh, absolute (or abs()), minimum, maximum, clip and
where(condition, a, b). Builtin min() and max() branch, so they cannot be traced.
"""
from __future__ import annotations

import math
from typing import Union

from robodyn_ros.errors import TracingError
from robodyn_ros.tracing.graph import BINARY, UNARY
from robodyn_ros.tracing.scalar import argument, Condition, Number, number, Traced


def _unary(op: str, x: Number) -> Number:
    if isinstance(x, Traced):
        return number(x.graph, x.graph.node(op, x.node))
    return UNARY[op](x)


def _binary(op: str, a: Number, b: Number) -> Number:
    traced = a if isinstance(a, Traced) else b
    if isinstance(traced, Traced):
        graph = traced.graph
        return number(graph, graph.node(op, argument(a, graph), argument(b, graph)))
    return BINARY[op](a, b)


def sin(x: Number) -> Number:
    """Sine of x [rad]."""
    return _unary('sin', x)


def cos(x: Number) -> Number:
    """Cosine of x [rad]."""
    return _unary('cos', x)


def tan(x: Number) -> Number:
    """Tangent of x [rad]."""
    return _unary('tan', x)


def sqrt(x: Number) -> Number:
    """Square root."""
    return _unary('sqrt', x)


def exp(x: Number) -> Number:
    """Exponential."""
    return _unary('exp', x)


def tanh(x: Number) -> Number:
    """Hyperbolic tangent."""
    return _unary('tanh', x)


def absolute(x: Number) -> Number:
    """Absolute value; its derivative at 0 is taken from the right."""
    return _unary('abs', x)


def atan2(y: Number, x: Number) -> Number:
    """Angle of the point (x, y), in (-pi, pi] [rad]."""
    return _binary('atan2', y, x)


def minimum(a: Number, b: Number) -> Number:
    """Return the smaller of two numbers."""
    return _binary('min', a, b)


def maximum(a: Number, b: Number) -> Number:
    """Return the larger of two numbers."""
    return _binary('max', a, b)


def clip(x: Number, lower: Number, upper: Number) -> Number:
    """Limit x to [lower, upper]."""
    return minimum(maximum(x, lower), upper)


def where(condition: Union[Condition, bool], a: Number, b: Number) -> Number:
    """
    Return a where the condition holds, else b: the branch a recording can follow.

    Both sides are evaluated, so neither may divide by zero where the other is meant.
    """
    if isinstance(condition, Condition):
        graph = condition.graph
        return number(graph, graph.node('where', condition.node, argument(a, graph),
                                        argument(b, graph)))
    if isinstance(condition, Traced):
        raise TracingError('where() needs a comparison as its first argument, such as x < 0, '
                           'but got a traced number')
    return a if condition else b


def is_finite(x: Number) -> bool:
    """Return False for a plain number that is NaN or infinite; a traced number passes."""
    return isinstance(x, Traced) or math.isfinite(x)
