# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Run-time parameters of paths and laws that are dataclasses: their number fields."""
from __future__ import annotations

import dataclasses
from typing import Any, Mapping


def number_fields(path: object) -> dict[str, float]:
    """
    Return the number fields of a dataclass instance: its run-time parameters.

    A class whose fields shape the code itself names the ones that do not in run_time_fields; one
    that stands around another names the field which holds that in wraps.
    """
    if not dataclasses.is_dataclass(path) or isinstance(path, type):
        return {}
    chosen = getattr(path, 'run_time_fields', [f.name for f in dataclasses.fields(path)])
    values = {name: getattr(path, name) for name in chosen}
    inner = getattr(path, getattr(path, 'wraps', ''), None)
    return {**({} if inner is None else number_fields(inner)),
            **{name: float(value) for name, value in values.items()
               if isinstance(value, (int, float)) and not isinstance(value, bool)}}


def with_numbers(path: Any, values: Mapping[str, Any]) -> Any:
    """Return the instance with other values, or recording scalars, for its number fields."""
    if not values:
        return path
    own = {field.name for field in dataclasses.fields(path)}
    changed = {name: value for name, value in values.items() if name in own}
    wraps = getattr(path, 'wraps', '')
    if wraps:
        rest = {name: value for name, value in values.items() if name not in own}
        changed[wraps] = with_numbers(getattr(path, wraps), rest)
    return dataclasses.replace(path, **changed)
