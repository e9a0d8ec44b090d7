# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Run-time parameters of paths and laws that are dataclasses: their number fields."""
from __future__ import annotations

import dataclasses


def number_fields(path: object) -> dict[str, float]:
    """
    Return the number fields of a dataclass instance: its run-time parameters.

    A class whose fields shape the code itself names the ones that do not in run_time_fields.
    """
    if not dataclasses.is_dataclass(path) or isinstance(path, type):
        return {}
    chosen = getattr(path, 'run_time_fields', [f.name for f in dataclasses.fields(path)])
    values = {name: getattr(path, name) for name in chosen}
    return {name: float(value) for name, value in values.items()
            if isinstance(value, (int, float)) and not isinstance(value, bool)}
