# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What the controller tells who sends it trajectories: is it ready, what became of the last; no ROS.

Told on ~/status of the controller, latched, whenever it changes.
"""
from __future__ import annotations

from typing import Mapping, NamedTuple

WAITING, FOLLOWED, REFUSED = 'waiting', 'followed', 'refused'
"""What may become of a trajectory."""


class Fate(NamedTuple):
    """What became of the last trajectory that came."""

    stamp: int = 0
    """Of the message [ns]."""
    outcome: str = ''
    """WAITING, FOLLOWED or REFUSED; empty before the first."""
    missed: bool = False
    """It was refused because of where the arm is: it may be sent again, from there."""
    reason: str = ''
    """Why it was refused."""


class ControllerStatus(NamedTuple):
    """Whether a motion can begin, and whether the last one did."""

    hears_states: bool = False
    """States of the arm come."""
    fate: Fate = Fate()
    reader: str = ''
    """Node that takes its trajectories: what is sent before that is known may be lost."""

    def values(self) -> dict[str, object]:
        """Return it as words by name, for a message."""
        stamp, outcome, missed, reason = self.fate
        return {'hears_states': int(self.hears_states), 'trajectory_stamp': stamp,
                'outcome': outcome, 'missed': int(missed), 'reason': reason,
                'reader': self.reader}

    @classmethod
    def from_values(cls, told: Mapping[str, str]) -> 'ControllerStatus':
        """Return what the words tell; what they lack, or tell otherwise, as not told."""
        stamp = told.get('trajectory_stamp', '')
        return cls(told.get('hears_states') == '1', Fate(
            int(stamp) if stamp.isdecimal() else 0, told.get('outcome', ''),
            told.get('missed') == '1', told.get('reason', '')), told.get('reader', ''))
