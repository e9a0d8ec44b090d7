# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Joint limits of a robot's file, and everything that is asked of them.

A planned motion beyond them is refused before it starts (check_limits in robot.py); a simulation,
which has no stops, names the joints that passed them; the plant of the nodes is held there, and
its torques are limited to what the motors can do.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from robodyn_ros.types import Rollout

TOLERANCE = 1e-3
"""Room at a limit, for paths that touch it (paper 004 rests on d3 = 1) [rad], [m], or per s."""


class Beyond(NamedTuple):
    """One joint that was beyond one kind of limit."""

    joint: str
    kind: str
    """'position' or 'velocity'."""
    unit: str
    lower: float
    upper: float
    farthest: float
    """The value farthest from the limits."""
    excess: float
    """How far that is beyond them."""
    first: float
    """When it was first beyond [s]."""


@dataclass(frozen=True, eq=False)
class Limits:
    """Joint limits of the URDF, each (n,); infinite where the file gives none."""

    joints: tuple[str, ...]
    units: tuple[str, ...]
    """Of each joint's position: rad or m."""
    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray

    @cached_property
    def middle(self) -> np.ndarray:
        """Return the middle of each joint's range (n,); not to be changed."""
        return middle_of(self.lower, self.upper)

    @cached_property
    def turning(self) -> np.ndarray:
        """Tell which joints turn without limits (n,): whole turns are all the same to them."""
        return np.isinf(self.lower) & np.isinf(self.upper) & (np.array(self.units) == 'rad')

    def passed_by(self, motion: Rollout) -> list[Beyond]:
        """Return every joint that left its limits of position or velocity, in joint order."""
        found = []
        for k, (joint, unit) in enumerate(zip(self.joints, self.units)):
            for kind, values, lower, upper, of in (
                    ('position', motion.q[:, k], self.lower[k], self.upper[k], unit),
                    ('velocity', motion.v[:, k], -self.velocity[k], self.velocity[k],
                     f'{unit}/s')):
                excess = np.maximum(lower - values, values - upper)
                if excess.max() > TOLERANCE:
                    worst = int(excess.argmax())
                    found.append(Beyond(joint, kind, of, float(lower), float(upper),
                                        float(values[worst]), float(excess[worst]),
                                        float(motion.t[int(np.argmax(excess > TOLERANCE))])))
        return found

    def position_beyond(self, q: np.ndarray) -> str:
        """Say which joint is beyond its limits at q (n,), and where it is; nothing if none is."""
        for value, (lower, upper), joint in zip(q.tolist(), self._ranges, self.joints):
            if not lower - TOLERANCE <= value <= upper + TOLERANCE:
                return f'{joint} is at {value:.6g}, beyond its limits {lower:.6g} .. {upper:.6g}'
        return ''

    def limit_efforts(self, tau: np.ndarray, limited: np.ndarray) -> str:
        """
        Write torques (n,) into an array, cut to what the motors can do.

        :returns: which joint was limited, in words, or nothing
        """
        limited[:] = tau
        beyond = [k for k, (value, most) in enumerate(zip(tau.tolist(), self._efforts))
                  if abs(value) > most]
        if not beyond:
            return ''
        np.clip(tau, -self.effort, self.effort, out=limited)
        k = beyond[0]
        return (f'effort {tau[k]:.6g} of joint {self.joints[k]!r} is more than its motor can do: '
                f'limited to {limited[k]:.6g}')

    # plain floats for every control period: for a few joints numpy's functions cost ten times more

    @cached_property
    def _ranges(self) -> list[tuple[float, float]]:
        return list(zip(self.lower.tolist(), self.upper.tolist()))

    @cached_property
    def _efforts(self) -> list[float]:
        return self.effort.tolist()


def middle_of(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return the middle of each joint's limits (n,); 0 where it has none."""
    ranged = np.isfinite(lower) & np.isfinite(upper)
    return np.where(ranged, 0.5 * (np.where(ranged, lower, 0.0) + np.where(ranged, upper, 0.0)),
                    0.0)
