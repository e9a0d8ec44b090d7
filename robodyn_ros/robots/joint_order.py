# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Names are the contract, order is not: bring values of named joints into the robot's order."""
from __future__ import annotations

from math import isfinite
from typing import Sequence

import numpy as np

from robodyn_ros.errors import MessageRefused, RobodynError


def places_of(joints: Sequence[str], names: Sequence[str], what: str, strangers: bool = False,
              error: type[RobodynError] = MessageRefused, remedy: str = '') -> list[int]:
    """
    Return where each joint of a robot stands among names: values[places] is in joint order.

    :param joints: of the robot, in order
    :param what: whose names these are, for the complaint
    :param strangers: joints the robot does not have are passed over, not refused (the states of a
        real robot may name a gripper's joints too)
    :param error: raised for a joint that is unknown, missing or named twice
    :param remedy: what to do about a missing joint
    """
    names = list(names)
    for name in names:
        if name not in joints and not strangers:
            raise error(f'{what} names the unknown joint {name!r}; the joints are '
                        f'{", ".join(joints)}')
    for joint in joints:
        if joint not in names:
            raise error(f'{what} lacks joint {joint!r}; '
                        + (remedy or f'name every joint of {", ".join(joints)}'))
        if names.count(joint) > 1:
            raise error(f'{what} names joint {joint!r} twice; name each once')
    return [names.index(joint) for joint in joints]


class JointOrder:
    """
    Brings the values of one message after the other into the order of a robot's joints.

    :param strangers: joints the robot does not have are passed over, not refused
    """

    def __init__(self, joints: Sequence[str], strangers: bool = False):
        """Expect the robot's order; the last one seen is kept for speed."""
        self.joints, self.strangers = list(joints), strangers
        self._names = list(joints)
        self._places: list[int] | None = None  # None: already in order

    def arrange(self, names: Sequence[str], values: Sequence[float], what: str) -> np.ndarray:
        """
        Return finite values (n,) in the robot's order, or refuse them.

        :param what: topic and field, for the complaint
        """
        if names != self._names:
            places = places_of(self.joints, names, what, self.strangers)
            self._names = list(names)
            self._places = places if self._names != self.joints else None
        if len(values) != len(self._names):
            raise MessageRefused(f'{what} has {len(values)} values for {len(self._names)} joints; '
                                 'send one per joint')
        array = np.array(values, dtype=float)
        if self._places is not None:
            array = array[self._places]
        # a sum is not finite if a value is not; numpy's own check costs ten times more here
        if not isfinite(sum(array.tolist())) and not np.isfinite(array).all():
            bad = self.joints[int(np.argmin(np.isfinite(array)))]
            raise MessageRefused(f'{what} of joint {bad!r} is not finite; it is ignored')
        return array
