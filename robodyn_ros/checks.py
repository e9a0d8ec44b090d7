# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Arguments that come from a user: what they must be, and the one sentence for those that are not.

Every sentence has the same shape: name, value, what was expected. These checks stand where things
are built; a loop that runs often looks only after something went wrong.
"""
from __future__ import annotations

from math import inf, nan
from numbers import Real
from typing import Any, Iterable, TypeVar

import numpy as np

from robodyn_ros.errors import ArgumentError, RobodynError

Kind = TypeVar('Kind')
Error = type[RobodynError]
LONGEST = 80
"""Letters of a value that a sentence shows."""


def refusal(name: str, value: object, expected: str, error: Error = ArgumentError) -> RobodynError:
    """Return the error of an argument; a long value is shortened, and stays on one line."""
    shown = ' '.join(repr(value).split())
    if len(shown) > LONGEST:
        shown = shown[:LONGEST - 3] + '...'
    return error(f'{name} is {shown}; expected {expected}')


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
    """Return numbers as an array of any shape; what is masked is no number."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise refusal(name, values, f'{expected}, none of them masked')
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise refusal(name, values, expected) from None


def number(name: str, value: Any, expected: str = 'a finite number', least: float = -inf,
           above: float = -inf, error: Error = ArgumentError) -> float:
    """Return a finite number as a float; words and truth values are none."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    found = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if not (least <= found < inf and found > above):
        raise refusal(name, value, expected, error)
    return found


def whole_number(name: str, value: object, expected: str, least: int = 0,
                 most: float = inf) -> int:
    """Return a whole number, none smaller and none larger; 3.0 is one."""
    if type(value) is int and least <= value <= most:
        return value
    found = number(name, value, expected, least)
    if found != int(found) or found > most:
        raise refusal(name, value, expected)
    return int(found)
