# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Steps that a paused plant is asked to take, one control period each; no ROS."""
from __future__ import annotations

from typing import Callable

from robodyn_ros.errors import MessageRefused

PATIENCE = 5.0
"""Wall time in which the controller has to answer a state between two steps [s]."""


class Steps:
    """Counts them, and tells who asked for them what became of them."""

    def __init__(self) -> None:
        """Nobody asks."""
        self.left, self.taken = 0, 0
        self._since: float | None = None  # when the wait for an answer began
        self._done: Callable[[str], None] = _nothing
        self._progress: Callable[[int, int], None] = _nothing

    def begin(self, count: int, done: Callable[[str], None],
              progress: Callable[[int, int], None] | None = None) -> None:
        """
        Ask for steps.

        :param done: called once, with the reason why not all of them were taken, or nothing
        :param progress: called after each, with the numbers of those taken and left
        """
        if self.left:
            raise MessageRefused(f'{self.left} steps that were asked for before are still to be '
                                 'taken; wait for them')
        self.left, self.taken, self._since = count, 0, None
        self._done, self._progress = done, progress or _nothing
        if not count:
            self.end('')

    def take(self) -> None:
        """Take note that one was taken."""
        self.left, self.taken, self._since = self.left - 1, self.taken + 1, None
        self._progress(self.taken, self.left)
        if not self.left:
            self.end('')

    def wait(self, now: float) -> None:
        """Take note that the state before the next one is not answered yet, at a wall time [s]."""
        self._since = now if self._since is None else self._since
        if now - self._since > PATIENCE:
            self.end(f'the controller has not answered for {PATIENCE:g} s, after {self.taken} '
                     f'steps; is it running?')

    def end(self, reason: str) -> None:
        """Take no more; tell why not, or nothing if all were taken."""
        done, self._done, self._progress = self._done, _nothing, _nothing
        self.left = 0
        done(reason)


def _nothing(*_: object) -> None:
    """Tell nobody."""
