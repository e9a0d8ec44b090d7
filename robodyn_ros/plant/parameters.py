# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Named run-time parameters of a compiled plant: one vector, one default each, no recompiling."""
from __future__ import annotations

import math
from typing import Iterable, Mapping, Sequence

import numpy as np

from robodyn_ros.errors import StateError, UnknownNameError
from robodyn_ros.tracing import Scalar


class ParameterTable:
    """Names such as 'payload.mass' with their place in the vector and their default."""

    def __init__(self, entries: Iterable[tuple[str, float]]):
        """Keep names in the given order."""
        entries = list(entries)
        self.names = [name for name, _ in entries]
        self.defaults = np.array([float(value) for _, value in entries])
        self._place = {name: k for k, name in enumerate(self.names)}

    def vector(self, changes: Mapping[str, float] | None = None) -> np.ndarray:
        """Defaults with some values changed; the error lists the names there are."""
        values = self.defaults.copy()
        for name, value in (changes or {}).items():
            if name not in self._place:
                raise UnknownNameError('parameter', name, self.names)
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = math.nan
            if not math.isfinite(number):
                raise StateError(f'{name} is {value!r}; expected a finite number')
            values[self._place[name]] = number
        return values

    def group(self, prefix: str, scalars: Sequence[Scalar]) -> dict[str, Scalar]:
        """Scalars of the parameters called prefix.NAME, by NAME."""
        start = prefix + '.'
        return {name[len(start):]: scalars[k] for name, k in self._place.items()
                if name.startswith(start)}
