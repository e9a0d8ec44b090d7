# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Names are the contract, order is not: bring named joint values into the robot's order."""
from __future__ import annotations

from math import isfinite
from typing import Sequence

import numpy as np

from robodyn_ros.errors import CommandError
from robodyn_ros.robots.robot import Robot


class JointOrder:
    """
    Maps arrays given by joint name to arrays in the order of robot.joints.

    :param strangers: joints the robot does not have are passed over, not refused (the states of a
        real robot may name a gripper's joints too)
    """

    def __init__(self, robot: Robot, strangers: bool = False):
        """Remember the robot's order; the last permutation seen is kept for speed."""
        self.joints, self.strangers = list(robot.joints), strangers
        self._names: list[str] = list(robot.joints)
        self._places: np.ndarray | None = None  # None: already in order

    def arrange(self, names: Sequence[str], values: Sequence[float], what: str) -> np.ndarray:
        """
        Return values (n,) in the robot's order.

        :param what: topic and field, for the complaint
        """
        if list(names) != self._names:
            self._places = self._permutation(list(names), what)
            self._names = list(names)
        if len(values) != len(self._names):
            raise CommandError(f'{what} has {len(values)} values for {len(self._names)} joints; '
                               'send one per joint')
        array = np.array(values, dtype=float)
        if self._places is not None:
            array = array[self._places]
        # a sum is not finite if a value is not; numpy's own check costs ten times more here
        if not isfinite(sum(array.tolist())) and not np.isfinite(array).all():
            bad = self.joints[int(np.argmin(np.isfinite(array)))]
            raise CommandError(f'{what} of joint {bad!r} is not finite; it is ignored')
        return array

    def _permutation(self, names: list[str], what: str) -> np.ndarray | None:
        unknown = [name for name in names if name not in self.joints]
        missing = [name for name in self.joints if name not in names]
        if unknown and not self.strangers:
            raise CommandError(f'{what} names the unknown joint {unknown[0]!r}; the joints are '
                               f'{", ".join(self.joints)}')
        if missing:
            raise CommandError(f'{what} lacks joint {missing[0]!r}; name every joint of '
                               f'{", ".join(self.joints)}')
        double = next((name for name in self.joints if names.count(name) > 1), None)
        if double is not None:
            raise CommandError(f'{what} names joint {double!r} twice; name each once')
        return None if names == self.joints \
            else np.array([names.index(name) for name in self.joints])
