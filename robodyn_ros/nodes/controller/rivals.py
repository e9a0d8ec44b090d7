# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Does more than one node tell where the arm is? No ROS.

Who publishes joint_states of other joints only, such as a gripper's, does not count. Two nodes of
one name may be one that died and its successor: DDS lists a dead one for some seconds, and a new
one a moment before its name is known. They count if their stamps go back and forth, or both stay.
"""
from __future__ import annotations

from typing import Sequence

MOST_STRANGERS = 20
"""Kinds of joint_states of other joints that are known apart."""
GHOST = 30.0
"""Time for which a node that died may still be listed [s]."""
NAMELESS = '_NODE_NAME_UNKNOWN_'
"""Ending of a full name that rmw does not know (yet)."""
CHRISTENED = 5.0
"""Time after which a node without a name is not just a new one [s]."""


class Rivals:
    """Knows who publishes, and what their messages look like."""

    def __init__(self, joints: Sequence[str]):
        """
        Know nobody yet.

        :param joints: of the robot
        """
        self._joints = set(joints)
        self._strangers: set[tuple[str, ...]] = set()
        self._stamp, self._back = 0, 0
        self._since: float | None = None  # two of one name are listed
        self.found = ''
        """Who they are, in a sentence; empty if it is one, or none."""

    def is_stranger(self, names: Sequence[str]) -> bool:
        """Return whether a message is about other joints only, and remember that there are."""
        if not names or self._joints.intersection(names):
            return False
        if len(self._strangers) < MOST_STRANGERS:
            self._strangers.add(tuple(names))
        return True

    def hear(self, stamp: int) -> None:
        """Take note of the stamp of a state [ns]."""
        self._back += stamp < self._stamp
        self._stamp = stamp

    def look(self, publishers: Sequence[str], now: float) -> str:
        """
        Return a sentence if there are rivals; call it some times a second.

        :param publishers: full names of the nodes that publish joint_states
        :param now: time [s]
        """
        back, self._back = self._back, 0
        if len(publishers) - len(self._strangers) < 2:
            self._since, self.found = None, ''
            return ''
        if self._since is None:
            self._since = now
        new = now - self._since < CHRISTENED
        alike = len({name for name in publishers
                     if not (new and name.endswith(NAMELESS))}) < 2
        if self.found or not alike or back > 1 or now - self._since > GHOST:
            self.found = (f'{len(publishers)} nodes publish joint_states: '
                          + ', '.join(sorted(publishers)))
        return self.found
