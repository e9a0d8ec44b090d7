# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Arguments that come from a user: what they must be, and the one sentence for those that are not.

Every sentence has the same shape: name, value, what was expected. These checks stand where things
are built; a loop that runs often looks only after something went wrong.
"""
from __future__ import annotations

from math import inf
from numbers import Real
import reprlib
from typing import Any, Iterable, TypeVar

import numpy as np

from robodyn_ros.errors import ArgumentError, RobodynError

Kind = TypeVar('Kind')
Error = type[RobodynError]


def refusal(name: str, value: object, expected: str, error: Error = ArgumentError) -> RobodynError:
    """Return the error of an argument; a long value is shortened."""
    return error(f'{name} is {reprlib.repr(value)}; expected {expected}')


def expect(kind: type[Kind], name: str, value: Any, expected: str,
           error: Error = ArgumentError) -> Kind:
    """Return a value that is of a kind; else the sentence says what to give instead."""
    if not isinstance(value, kind):
        raise refusal(name, value, expected, error)
    return value


def items(kind: type[Kind], name: str, values: Any, expected: str,
          error: Error = ArgumentError) -> list[Kind]:
    """Return a list of things of one kind; one alone is no list."""
    if isinstance(values, (kind, str)) or not isinstance(values, Iterable):
        raise refusal(name, values, expected, error)
    return [expect(kind, f'an entry of {name}', item, expected, error) for item in values]


def number(name: str, value: object, expected: str = 'a finite number', least: float = -inf,
           error: Error = ArgumentError) -> float:
    """Return a finite number as a float; words and truth values are none."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool) or not least <= value < inf \
            or value == -inf:
        raise refusal(name, value, expected, error)
    return float(value)


def positive(name: str, value: object, expected: str, error: Error = ArgumentError) -> float:
    """Return a number above zero."""
    found = number(name, value, expected, error=error)
    if not found > 0.0:
        raise refusal(name, value, expected, error)
    return found


def whole_number(name: str, value: object, expected: str, least: int = 0) -> int:
    """Return a whole number, none smaller; 3.0 is one."""
    found = number(name, value, expected, least)
    if found != int(found):
        raise refusal(name, value, expected)
    return int(value)  # type: ignore[call-overload]
