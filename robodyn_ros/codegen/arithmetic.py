# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What straight-line code is made of, beside + - * / and comparisons, on floats and on recordings.

The same operations run in Python and as machine code, and both give the same bits. A fused
multiply-add rounds once, on every processor: those without the instruction compute it in software.
"""
from __future__ import annotations

from fractions import Fraction
import math
from typing import Any

from robodyn_ros.tracing.functions import absolute, where
from robodyn_ros.tracing.scalar import argument, Condition, number, Traced

WHOLE = 6755399441055744.0
"""1.5 * 2^52: adding and taking it away rounds to a whole number."""
# the library's functions under the names that the text of a routine uses
sqrt, tan, exp, tanh, atan2 = math.sqrt, math.tan, math.exp, math.tanh, math.atan2
fabs, choose = absolute, where


def _exact_fma(a: float, b: float, c: float) -> float:
    """Return a b + c rounded once, by exact fractions; the processor's bits in every case."""
    if not (a and b and math.isfinite(a) and math.isfinite(b)):
        return a * b + c  # this product needs no rounding
    if not math.isfinite(c):
        return c  # whatever the product, which may overflow
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _library_fma(a: float, b: float, c: float) -> float:
    """Return a b + c rounded once, by math.fma, which raises where processors give inf or nan."""
    try:
        return math.fma(a, b, c)  # type: ignore[attr-defined]
    except (OverflowError, ValueError):
        return _exact_fma(a, b, c)


# math.fma came with Python 3.13
_FMA = _library_fma if hasattr(math, 'fma') else _exact_fma


def fma(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once."""
    traced = next((item for item in (a, b, c) if isinstance(item, Traced)), None)
    if traced is None:
        return _FMA(a, b, c)
    graph = traced.graph
    return number(graph, graph.node('fma', *(argument(item, graph) for item in (a, b, c))))


def smaller(a: Any, b: Any) -> Any:
    """Return b if b < a, else a."""
    return b if b < a else a


def larger(a: Any, b: Any) -> Any:
    """Return b if b > a, else a."""
    return b if b > a else a


def bit(k: Any, place: int) -> Any:
    """Tell whether a bit of a whole number is set; below zero as if it had endless ones."""
    if isinstance(k, Traced):
        return Condition(k.graph, int(k.graph.node('bit', k.node, float(place))))
    return bool(int(k) >> place & 1)
