# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What a setting may be, told once: for complaints, `ros2 param describe` and the reference.

Bounds stand at the fields of the dataclasses; scenario/settings.py checks them, whether the values
come from a file, from ROS parameters or from Python.
"""
from __future__ import annotations

import dataclasses
from math import inf
from typing import Any


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Range of a number (of each, in a list), or the words there are."""

    least: float = -inf
    most: float = inf
    words: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """In words, such as 'at least 0'; empty if everything is allowed."""
        if self.words:
            return f'one of {", ".join(self.words)}'
        if self.most == inf:
            return '' if self.least == -inf else f'at least {self.least:g}'
        return f'at most {self.most:g}' if self.least == -inf \
            else f'{self.least:g} .. {self.most:g}'

    def allow(self, value: Any) -> bool:
        """Return whether a value is allowed."""
        return value in self.words if self.words else self.least <= value <= self.most


FREE = Bounds()
NOT_A_SETTING = 'not_a_setting'
"""Metadata of a dataclass field that no file, option or parameter may give."""


def bounded(default: Any, least: float = -inf, most: float = inf,
            words: tuple[str, ...] = ()) -> Any:
    """Return a dataclass field with bounds."""
    return dataclasses.field(default=default, metadata={'bounds': Bounds(least, most, words)})


def bounds_of(field: dataclasses.Field) -> Bounds:
    """Return the bounds of a dataclass field."""
    return field.metadata.get('bounds', FREE)
