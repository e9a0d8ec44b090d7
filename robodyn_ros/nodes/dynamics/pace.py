# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How fast simulated time runs, and whether that is as fast as was asked; no ROS."""
from __future__ import annotations

TOLERATED = 0.95
"""Part of the asked factor below which a report complains."""


class PaceMeter:
    """
    Simulated seconds per wall second between two reports.

    A report that is the first, or in whose time the plant stood still or another pace was asked
    for, measures no pace that could be held against anybody.
    """

    def __init__(self) -> None:
        """Nothing is measured yet."""
        self._last: tuple[float, float] | None = None
        self._fair = False
        self._asked = 0.0
        self.factor = 0.0
        """Simulated seconds per wall second since the report before [-]."""

    def excuse(self) -> None:
        """Take note that the plant stands still, or just stood: the next report says nothing."""
        self._fair = False

    def report(self, simulated: float, wall: float, asked: float) -> str:
        """
        Measure; returns a sentence if simulated time ran slower than asked, else nothing.

        :param simulated: time so far [s]; :param wall: time [s]
        :param asked: simulated seconds per wall second [-]; 0 if no pace was asked for
        """
        before, self._last = self._last, (simulated, wall)
        fair, self._fair = self._fair and asked == self._asked, True
        self._asked = asked
        self.factor = 0.0
        if before is None or wall <= before[1]:
            return ''
        self.factor = (simulated - before[0]) / (wall - before[1])
        if not fair or self.factor >= TOLERATED * asked:
            return ''
        return f'runs at {self.factor:.2f} times real time, {asked:g} was asked for'
