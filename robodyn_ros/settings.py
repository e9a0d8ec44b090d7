# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Fill dataclasses from mappings read from files, complaining in one sentence about each slip."""
from __future__ import annotations

import collections.abc
import dataclasses
import math
import typing
from typing import Any, Mapping

from robodyn_ros.errors import ScenarioError, UnknownNameError
import yaml


def settings_from(kind: type, values: Mapping[str, Any], place: str, prefix: str = '') -> Any:
    """
    Build a dataclass; nested dataclasses from nested mappings.

    :param place: file named in complaints; :param prefix: dotted key so far
    """
    hints = typing.get_type_hints(kind)
    known = {f.name for f in dataclasses.fields(kind)}
    arguments = {}
    for key, value in values.items():
        if key not in known:
            raise UnknownNameError('key', f'{prefix}{key}', (prefix + k for k in known), place)
        arguments[key] = _converted(hints[key], value, place, prefix + key)
    try:
        return kind(**arguments)
    except TypeError:
        missing = [f.name for f in dataclasses.fields(kind) if f.name not in arguments
                   and f.default is dataclasses.MISSING
                   and f.default_factory is dataclasses.MISSING]
        raise ScenarioError(f'{place}: {prefix}{missing[0] if missing else kind.__name__} is '
                            'missing; give it a value') from None


def merge(data: dict[str, Any], change: str) -> None:
    """Apply one change such as 'dynamics.model.payload_mass=5' to nested mappings."""
    key, equals, text = change.partition('=')
    if not equals or not key:
        raise ScenarioError(f'--set {change!r}: expected KEY=VALUE, such as '
                            'dynamics.model.payload_mass=5')
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ScenarioError(f'--set {change!r}: {text!r} is not a YAML value') from None
    *parents, last = key.split('.')
    for parent in parents:
        data = data.setdefault(parent, {})
        if not isinstance(data, dict):
            raise ScenarioError(f'--set {change!r}: {parent!r} holds a value, not settings')
    data[last] = value


def _converted(hint: Any, value: Any, place: str, key: str) -> Any:
    if dataclasses.is_dataclass(hint):
        if not isinstance(value, dict):
            raise _wrong(place, key, value, 'a group of settings')
        return settings_from(hint, value, place, key + '.')  # type: ignore[arg-type]
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        items = value if isinstance(value, (list, tuple)) else [value]
        return tuple(_converted(parts[0], item, place, key) for item in items)
    if origin is collections.abc.Mapping:
        if not isinstance(value, dict):
            raise _wrong(place, key, value, 'a group of settings')
        return {str(k): _converted(parts[1], v, place, f'{key}.{k}') for k, v in value.items()}
    if hint is Any:
        return value
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) \
                or not math.isfinite(value):
            raise _wrong(place, key, value, 'a finite number')
        return float(value)
    if hint is int and (isinstance(value, bool) or not isinstance(value, int)):
        raise _wrong(place, key, value, 'a whole number')
    if hint is bool and not isinstance(value, bool):
        raise _wrong(place, key, value, 'true or false')
    if hint is str and not isinstance(value, str):
        raise _wrong(place, key, value, 'a text')
    return value


def _wrong(place: str, key: str, value: Any, expected: str) -> ScenarioError:
    return ScenarioError(f'{place}: {key} is {value!r}; expected {expected}')
