# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""When a motion is sent: at the first clock, to newcomers, again for ever; no ROS."""
from __future__ import annotations


class Schedule:
    """
    Start times of a motion, all in nanoseconds.

    :param length: of the motion
    :param period: starts are whole multiples of it
    :param delay: lead before a running clock
    :param repeat: append the motion to itself while it runs
    """

    def __init__(self, length: int, period: int, delay: int, repeat: bool = False):
        """Nothing is sent before the clock begins."""
        self.length, self.period, self.delay, self.repeat = length, period, delay, repeat
        self.starts: list[int] = []  # in force, then what follows it
        self._seen = 0

    def begin(self, now: int, moving: bool = True) -> int:
        """Start anew; at once where the clock stands still until someone follows the motion."""
        start = now + (self.delay if moving else 0)
        self.starts = [-(-start // self.period) * self.period]
        return self.starts[0]

    def look(self, now: int, newcomer: bool) -> list[int]:
        """Return the starts to send now, if any; call it some times a second."""
        if now == 0:
            return []  # simulated time has not begun
        seen, self._seen = self._seen, now
        if not self.starts:
            return [self.begin(now, moving=now != seen)] if seen else []
        if self.starts[0] > now + self.delay + self.period:
            return [self.begin(now, moving=now != seen)]  # the plant and its clock began anew
        while len(self.starts) > 1 and self.starts[1] <= now:
            self.starts.pop(0)
        fresh = []
        if self.repeat and len(self.starts) == 1 and 2 * (now - self.starts[0]) >= self.length:
            laps = max(1, -(-(now - self.starts[0]) // self.length))
            self.starts.append(self.starts[0] + laps * self.length)
            fresh = self.starts[1:]
        return list(self.starts) if newcomer else fresh
