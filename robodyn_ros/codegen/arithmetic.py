# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the text of a kernel is made of, beside + - * / and comparisons.

Each function takes plain floats, or numbers that write instructions (lower.py): the same text runs
in Python and is compiled, and both give the same bits. A fused multiply-add rounds once, on every
processor: those without the instruction compute it in software.
"""
from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
import math
from typing import Any, Callable

WHOLE = 6755399441055744.0
"""1.5 * 2^52: adding and taking it away rounds to a whole number."""


class Writes(ABC):
    """A number whose operations write instructions: instructions.Value, which needs LLVM."""

    @abstractmethod
    def call(self, name: str, *args: Any) -> Any:
        """Write a call of one of the functions below."""

    @abstractmethod
    def bit(self, place: int) -> Any:
        """Write the test of a bit of a whole number."""


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


def _written(name: str, *args: Any) -> Any:
    """Return the call where an argument writes instructions, else None."""
    for item in args:
        if isinstance(item, Writes):
            return item.call(name, *args)
    return None


def fma(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once."""
    found = _written('fma', a, b, c)
    return _FMA(a, b, c) if found is None else found


def choose(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition holds, else b."""
    found = _written('choose', condition, a, b)
    return (a if condition else b) if found is None else found


def smaller(a: Any, b: Any) -> Any:
    """Return b if b < a, else a."""
    return choose(b < a, b, a)


def larger(a: Any, b: Any) -> Any:
    """Return b if b > a, else a."""
    return choose(b > a, b, a)


def bit(k: Any, place: int) -> Any:
    """Tell whether a bit of a whole number is set; below zero as if it had endless ones."""
    return k.bit(place) if isinstance(k, Writes) else bool(int(k) >> place & 1)


def _function(name: str) -> Callable[..., Any]:
    plain = abs if name == 'fabs' else getattr(math, name)

    def function(*args: Any) -> Any:
        found = _written(name, *args)
        return plain(*args) if found is None else found
    return function


fabs, sqrt, tan, exp, tanh, atan2 = map(_function, ('fabs', 'sqrt', 'tan', 'exp', 'tanh', 'atan2'))
