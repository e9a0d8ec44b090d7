# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Arguments that come from a user: what they must be, and the one sentence for those that are not.

Every sentence has the same shape: name, value, what was expected. These checks stand where things
are built; a loop that runs often looks only after something went wrong.
"""
from __future__ import annotations

from itertools import islice
from math import inf, nan
from numbers import Real
import reprlib
import sys
from typing import Any, Iterable, TypeVar

import numpy as np

from robodyn_ros.errors import ArgumentError, printable, RobodynError

Kind = TypeVar('Kind')
Error = type[RobodynError]
LONGEST = 80
"""Letters of a value that a sentence shows."""
LARGEST = 1e9
"""Of gains, masses and the like in their units: beyond, products overflow; no arm is meant."""
MOST_NUMBERS = 10 ** 9
"""Of an array: 8 GB."""
REAL = 'biuf'
"""Kinds of numpy's types that are real numbers, truth values among them."""
MOST = 10 ** 12
"""Of steps and other counts: a run of days."""


class _Shown(reprlib.Repr):
    """Looks at the first entries of a value only: it may be a list of lists of the same list."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxlong, self.maxother = 4, 2 * LONGEST, 60, 10_000
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 12
        self.maxarray = self.maxdeque = 12

    def repr_int(self, x: int, level: int) -> str:
        """Tell the size of a number that Python itself would refuse to write."""
        return repr(x) if x.bit_length() < 1000 else f'<a number of {x.bit_length()} bits>'

    def repr_dict(self, x: Any, level: int) -> str:
        """Keep the order, which reprlib would sort."""
        if level <= 0:
            return '{...}'
        found = [f'{self.repr1(key, level - 1)}: {self.repr1(value, level - 1)}'
                 for key, value in islice(x.items(), self.maxdict)]
        return f'{{{", ".join(found)}{", ..." if len(x) > self.maxdict else ""}}}'


def shown(value: object) -> str:
    """Return a value as a sentence shows it: on one line, shortened, whatever it is."""
    try:
        text = ' '.join(printable(_Shown().repr(value)).split())
    except Exception:  # noqa: B902  the representation of a user's own class
        text = f'<{type(value).__name__}>'
    return text if len(text) <= LONGEST else text[:LONGEST - 3] + '...'


def refusal(name: str, value: object, expected: str, error: Error = ArgumentError) -> RobodynError:
    """Return the error of an argument."""
    return error(f'{name} is {shown(value)}; expected {expected}')


def expect(kind: type[Kind], name: str, value: Any, expected: str,
           error: Error = ArgumentError) -> Kind:
    """Return a value that is of a kind; else the sentence says what to give instead."""
    if not isinstance(value, kind):
        raise refusal(name, value, expected, error)
    return value


def items(kind: type[Kind], name: str, values: Any, what: str,
          error: Error = ArgumentError) -> list[Kind]:
    """
    Return a list of things of one kind; one alone is no list, even if it is a sequence.

    :param what: those things, in the plural
    """
    if isinstance(values, (kind, str)) or not isinstance(values, Iterable):
        raise refusal(name, values, f'a list of {what}', error)
    return [expect(kind, f'an entry of {name}', item, f'{what} only', error) for item in values]


def numbers(name: str, values: Any, expected: str) -> np.ndarray:
    """Return real numbers as an array of any shape; what is masked, or text, is no number."""
    # numpy imports that part of it when it is first named; before that nothing is masked
    if 'numpy.ma' in sys.modules and isinstance(values, np.ma.MaskedArray) \
            and np.ma.is_masked(values):
        raise refusal(name, values, f'{expected}, none of them masked')
    try:
        found = np.asarray(values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise refusal(name, values, expected) from None
    if found.size > MOST_NUMBERS:  # a view may repeat one number for ever
        raise refusal(f'the shape of {name}', found.shape, f'at most {MOST_NUMBERS} numbers')
    if found.dtype.kind == 'O':  # whole numbers of more than 64 bits, fractions
        try:
            found = np.array([number(name, x) for x in found.ravel()]).reshape(found.shape)
        except RobodynError:
            raise refusal(name, values, expected) from None
    if found.dtype.kind not in REAL:
        raise refusal(name, values, expected)
    with np.errstate(over='ignore'):  # of a wider type: infinite
        return np.asarray(found, dtype=float)


def number(name: str, value: Any, expected: str = 'a finite number', least: float = -inf,
           above: float = -inf, error: Error = ArgumentError) -> float:
    """Return a finite number as a float; words and truth values are none."""
    if type(value) is float and least <= value < inf and value > above:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    try:
        found = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    except OverflowError:  # a whole number of hundreds of digits
        found = inf
    if not (least <= found < inf and found > above):
        raise refusal(name, value, expected, error)
    return found


def whole_number(name: str, value: object, expected: str, least: int = 0,
                 most: int = MOST) -> int:
    """Return a whole number, none smaller or larger; 3.0 is one."""
    if type(value) is int and least <= value <= most:
        return value
    found = number(name, value, expected, least)
    if found != int(found):
        raise refusal(name, value, expected)
    if found > most:
        raise refusal(name, value, f'{expected}, at most {most}')
    return int(found)
