# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""When a motion is sent: once it is asked for, to newcomers, again for ever; no ROS."""
from __future__ import annotations


class Schedule:
    """
    Start times of a motion, all in nanoseconds.

    :param length: of the motion
    :param period: between two states; a start falls on one
    :param delay: lead before a running clock
    :param repeat: append the motion to itself while it runs
    :param asked: begin as soon as there is a clock and an arm
    :param anew: begin again when the clock does, as a simulated plant's may; else that ends it
    """

    def __init__(self, length: int, period: int, delay: int, repeat: bool = False,
                 asked: bool = True, anew: bool = True):
        """Nothing is sent before the clock begins."""
        self.anew = anew
        self.length, self.period, self.delay, self.repeat = length, period, delay, repeat
        self.starts: list[int] = []  # in force, then what follows it
        self.due = asked
        """The motion is to begin, as soon as it is known where the arm is."""
        self.state = 0
        """Time of one of the arm's states; the others are whole periods before and behind it."""
        self.restarts = 0
        """How often the clock has begun anew."""
        self._seen = self._earliest = 0

    def ask(self, earliest: int = 0) -> None:
        """Begin anew, not before a time."""
        self.starts, self.due, self._earliest = [], True, earliest

    def cancel(self) -> None:
        """Send no more of it, until somebody asks."""
        self.starts, self.due = [], False

    def look(self, now: int, newcomer: bool, approach: int | None) -> list[int]:
        """
        Return the starts to send now, if any; call it some times a second.

        :param approach: time that the arm's way to the motion's start takes; None: not known yet
        """
        if now == 0:
            return []  # simulated time has not begun
        seen, self._seen = self._seen, now
        if now < seen - self.period:
            # the plant and its clock began anew, or somebody has set a clock of the wall back
            self.ask() if self.anew else self.cancel()
            self.restarts += 1
        if self.due:
            return self._begin(now, now != seen, approach) if seen and approach is not None else []
        if not self.starts:
            return []
        while len(self.starts) > 1 and self.starts[1] <= now:
            self.starts.pop(0)
        fresh = []
        if self.repeat and len(self.starts) == 1 and 2 * (now - self.starts[0]) >= self.length:
            laps = max(1, -(-(now - self.starts[0]) // self.length))
            self.starts.append(self.starts[0] + laps * self.length)
            fresh = self.starts[1:]
        return list(self.starts) if newcomer else fresh

    def _begin(self, now: int, moving: bool, approach: int) -> list[int]:
        """Start; at once where the clock stands still until someone follows the motion."""
        start = max(now, self._earliest) + (self.delay if moving else 0) + approach
        whole = -(-(start - self.state) // self.period)
        self.starts, self.due = [self.state + whole * self.period], False
        return list(self.starts)
