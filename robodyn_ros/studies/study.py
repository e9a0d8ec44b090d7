# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What reproducing a paper yields: rows of numbers beside their reference, figures, remarks.

Reference values were computed by an independent numpy/scipy model of each system, unless a row
says that the paper prints them; a paper's own number is quoted beside. Nothing is tuned to match:
where a paper's number cannot be reproduced, the row says so and a remark says why.
"""
from __future__ import annotations

import math
from typing import Callable, NamedTuple, Sequence

Draw = Callable[[object], None]
"""Draws onto an empty matplotlib figure."""


class Row(NamedTuple):
    """One number of a study."""

    quantity: str
    """What, with its unit in brackets."""
    ours: float
    reference: float
    tolerance: float
    """Largest difference that counts as reproduced, in the unit of the quantity."""
    paper: str = ''
    """What the paper prints or claims, if it does."""
    at_most: bool = False
    """The reference is a bound: anything up to it (plus tolerance) is good."""

    @property
    def holds(self) -> bool:
        """Tell whether ours agrees with the reference."""
        if not math.isfinite(self.ours):
            return False
        if self.at_most:
            return self.ours <= self.reference + self.tolerance
        return abs(self.ours - self.reference) <= self.tolerance


class Figure(NamedTuple):
    """One picture of a study, with the same axes as the paper's."""

    name: str
    """File name without ending, such as '000_joint_responses'."""
    caption: str
    draw: Draw


class Study(NamedTuple):
    """A paper's study, run."""

    paper: str
    """'000' .. '004'"""
    title: str
    rows: Sequence[Row]
    figures: Sequence[Figure]
    remarks: Sequence[str]
    """Sentences: what could not be reproduced and why; how to read the numbers."""

    @property
    def holds(self) -> bool:
        """Tell whether every row agrees."""
        return all(row.holds for row in self.rows)


Progress = Callable[[str], None]
"""Called with a few words before each longer piece of work."""
