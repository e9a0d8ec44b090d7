# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What a user's function keeps in Python variables: plain values that it may change when called.

A law is recorded once, so a counter, a list or a flag that it changes would be frozen, often
without a difference between two recordings ('if calls > 100'). So the values that it can reach are
noted after one call and after another: what differs is state. Caches settle with the first call;
recorded numbers are one value, since what they stand for is not known.
"""
from __future__ import annotations

from collections import deque
from functools import partial
import itertools
from numbers import Number
import sys
from types import (BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType,
                   ModuleType)
from typing import Any, Iterator, Mapping

import numpy as np

from robodyn_ros.tracing import Scalar

MOST_VALUES = 10_000
"""Values that are looked at: what a law changes is near, tables and the like are large."""
LARGEST_ARRAY = 10_000
"""Numbers of an array that are looked at."""
PACKAGE = __name__.partition('.')[0]
MAPPINGS = (dict, MappingProxyType)
"""Those of users may do anything when they are looked at."""
COUNTERS = (itertools.count, itertools.cycle, itertools.repeat)
"""Iterators that tell in their representation, or in what they are reduced to, where they are."""


def python_state(function: object) -> dict[str, str]:
    """Return the plain values that a function can reach, by the names that lead there."""
    found: dict[str, str] = {}
    seen: set[int] = set()
    # a queue: what is near comes first
    waiting: deque[tuple[str, Any]] = deque([('', function)])
    while waiting and len(found) < MOST_VALUES:
        name, value = waiting.popleft()
        if isinstance(value, Scalar):
            found[name] = 'a recorded number'
        elif value is None or isinstance(value, (Number, str, bytes)):
            found[name] = _told(value)
        elif id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, np.ndarray) and value.dtype != object:
                found[name] = str(value.reshape(-1)[:LARGEST_ARRAY].tobytes())
            elif isinstance(value, COUNTERS):
                found[name] = repr(value)
            else:
                if isinstance(value, (list, tuple, set, frozenset, deque, *MAPPINGS)):
                    found[f'the length of {name}'] = str(len(value))
                waiting.extend(itertools.islice(_parts(name, value), MOST_VALUES))
    return found


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the name of something that is not what it was; empty if nothing is."""
    for name in [*before, *after]:
        if before.get(name) != after.get(name):
            return name
    return ''


def _told(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return hex(value)  # Python refuses to write long ones in tens
    return repr(value)


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a value consists of, with its name."""
    if isinstance(value, FunctionType):
        yield from _of_function(value)
    elif isinstance(value, MethodType):
        yield from ((name, value.__func__), (name or 'self', value.__self__))
    elif isinstance(value, partial):
        yield from ((name, value.func), (name, value.args), (name, value.keywords))
    elif isinstance(value, MAPPINGS):
        yield from ((f'{name}[{key!r}]', item) for key, item in list(value.items())
                    if isinstance(key, (str, int)))
    elif isinstance(value, (list, tuple, deque, np.ndarray)):
        items = value.reshape(-1) if isinstance(value, np.ndarray) else value
        yield from ((f'{name}[{k}]', item)
                    for k, item in enumerate(itertools.islice(items, MOST_VALUES)))
    elif not isinstance(value, (ModuleType, BuiltinFunctionType)) and _is_users(value):
        owner = name or 'self'
        kind = value if isinstance(value, type) else type(value)
        if not isinstance(value, type):
            yield from ((f'{owner}.{key}', item) for key, item in _attributes(value))
        yield from ((f'{kind.__name__}.{key}', item) for key, item in list(vars(kind).items())
                    if not key.startswith('__') or key == '__call__')


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    yield from list(getattr(value, '__dict__', {}).items())
    for kind in type(value).__mro__:
        slots = vars(kind).get('__slots__', ())
        for key in (slots,) if isinstance(slots, str) else slots:
            if hasattr(value, key):
                yield key, getattr(value, key)


def _of_function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    code = function.__code__
    for key, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            yield key, cell.cell_contents
        except ValueError:  # not yet filled
            continue
    yield from zip(reversed(code.co_varnames[:code.co_argcount]),
                   reversed(function.__defaults__ or ()))
    yield from (function.__kwdefaults__ or {}).items()
    yield from ((f'{function.__name__}.{key}', item)
                for key, item in list(vars(function).items()))
    if not _is_users(function):
        return
    for key in sorted(_names(code)):
        if key in function.__globals__:
            yield key, function.__globals__[key]


def _names(code: CodeType) -> set[str]:
    """Return the names that code may take from its module, that of functions within too."""
    return set(code.co_names).union(*(_names(part) for part in code.co_consts
                                      if isinstance(part, CodeType)))


def _is_users(value: Any) -> bool:
    """Tell whether something is neither of this package nor of Python or its best known guests."""
    kind = value if isinstance(value, (type, FunctionType)) else type(value)
    top = str(getattr(kind, '__module__', '')).partition('.')[0]
    return top not in (PACKAGE, 'numpy', 'scipy') and top not in sys.stdlib_module_names or \
        top == '__main__'
