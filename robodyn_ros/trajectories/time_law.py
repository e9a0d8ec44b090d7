# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
When a motion is where: time laws that give a motion a beginning and an end.

A path or joint motion p(s) becomes p(s(t)). Ended stops at the end and rests there; Ramped also
starts and ends at rest, whatever the motion does by itself; ThereAndBack returns the same way.
Each is traceable, for plants that are held on a path, and samples joint motions with exact
derivatives.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Sequence

import numpy as np

from robodyn_ros.tracing import Number, where
from robodyn_ros.types import Trajectory

ROUNDING = 1e-9
"""Part of the duration by which an instant may pass the end and still be the end."""
REST = 1e-4
"""Speed up to which a motion counts as at rest [rad/s] or [m/s]."""
CLOSED = 1e-6
"""Difference of start and end up to which a motion is closed [rad] or [m]."""
MOMENT = 1e-5
"""Time over which that speed is measured [s]."""


@dataclass(frozen=True)
class TimeLaw:
    """A motion by way of s(t); its numbers and those of the motion are run-time parameters."""

    motion: Any
    """A path, called with s, or a joint motion, with sample(times)."""
    duration: float
    """[s]"""
    wraps: ClassVar[str] = 'motion'

    def progress(self, t: Number) -> Number:
        """Return s(t) [s]."""
        end = self.duration
        return where(t < 0.0, 0.0, where(end * (1.0 + ROUNDING) < t, end, t))  # type: ignore

    def rates(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return s and its first two derivatives at times (k,)."""
        inside = (t >= 0.0) & (t <= self.duration * (1.0 + ROUNDING))
        return np.clip(t, 0.0, self.duration), inside * 1.0, np.zeros_like(t)

    def __call__(self, t: Number) -> Sequence[Number]:
        """Return the coordinates of the path at time t."""
        return self.motion(self.progress(t))


class Ended(TimeLaw):
    """The motion as it is from 0 to its duration; at rest before and after."""


@dataclass(frozen=True)
class Ramped(TimeLaw):
    """
    A motion from rest to rest.

    s' rises from 0 to its cruising value as 3 x^2 - 2 x^3 times that, x = t / ramp, and falls
    likewise at the end: s, s' and s'' are continuous. Without a cruise, as much is reached as the
    ramps allow.
    """

    ramp: float
    """Time to get up to speed, and to slow down; at most half of the duration [s]."""
    cruise: float
    """Largest s' [-]."""

    def progress(self, t: Number) -> Number:
        """Return s(t) [s]."""
        ramp, cruise = self.ramp, self.cruise
        t = super().progress(t)
        left = self.duration - t
        return where(t < ramp, cruise * ramp * risen(t / ramp),  # type: ignore[operator]
                     where(left < ramp,
                           cruise * (self.duration - ramp - ramp * risen(left / ramp)),
                           cruise * (t - ramp / 2.0)))

    def rates(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return s and its first two derivatives at times (k,)."""
        end, ramp, cruise = self.duration, self.ramp, self.cruise
        t = np.clip(t, 0.0, end)
        rising = t < end / 2.0
        x = np.minimum(np.where(rising, t, end - t) / ramp, 1.0)
        way = cruise * ramp * risen(x)
        s = np.where(x < 1.0, np.where(rising, way, cruise * (end - ramp) - way),
                     cruise * (t - ramp / 2.0))
        bend = np.where(rising, 6.0, -6.0) * x * (1.0 - x)
        return s, cruise * x * x * (3.0 - 2.0 * x), cruise * bend / ramp


@dataclass(frozen=True)
class ThereAndBack(TimeLaw):
    """Forth in the duration of the motion, then back the same way; twice its duration long."""

    def progress(self, t: Number) -> Number:
        """Return s(t) [s]."""
        end = self.duration
        return where(end < t, 2.0 * end - t, t)  # type: ignore[operator]


def risen(x: Any) -> Any:
    """Return the integral of 3 x^2 - 2 x^3."""
    return x * x * x * (1.0 - 0.5 * x)


class TimedJoints:
    """A joint motion by a time law: q(s), q' s', q'' s'^2 + q' s''."""

    def __init__(self, law: TimeLaw):
        """Keep the law; its motion has sample(times)."""
        self.law = law

    def sample(self, times: np.ndarray) -> Trajectory:
        """Evaluate at times (k,)."""
        times = np.asarray(times, dtype=float)
        s, rate, bend = self.law.rates(times)
        _, q, v, a = self.law.motion.sample(s)
        return Trajectory(times, q, v * rate[:, None],
                          a * (rate * rate)[:, None] + v * bend[:, None])


def timed(motion: Any, duration: float, ramp: float) -> Any:
    """
    Return a motion with a beginning and an end.

    :param ramp: for motions that do not start and end at rest by themselves [s]; 0: none
    """
    in_space = not hasattr(motion, 'sample')
    law: TimeLaw = Ended(motion, duration)
    if ramp > 0.0 and not _rests(motion, duration, in_space):
        # the whole of it, somewhat faster; a short piece of it where there is no time to cruise
        short = min(ramp, duration / 2.0)
        law = Ramped(motion, duration, short, short / ramp * duration / (duration - short))
    elif not in_space:
        return motion
    return law if in_space else TimedJoints(law)


def _rests(motion: Any, duration: float, in_space: bool) -> bool:
    """Tell whether a motion starts and ends at rest."""
    if not in_space:
        return bool(np.abs(motion.sample(np.array([0.0, duration])).v).max() < REST)
    for begin, end in ((0.0, MOMENT), (duration - MOMENT, duration)):
        before, after = (np.array([float(x) for x in motion(t)]) for t in (begin, end))
        if np.abs(after - before).max() > REST * MOMENT:
            return False
    return True


def same_place(begin: Sequence[Number], end: Sequence[Number]) -> bool:
    """Tell whether a motion ends where it began."""
    return all(abs(b - a) < CLOSED for a, b in zip(begin, end))  # type: ignore[operator]


def there_and_back(motion: Trajectory) -> Trajectory:
    """Return a sampled motion that starts and ends at rest, and its way back behind it."""
    t, q, v, a = motion
    return Trajectory(np.concatenate([t, 2.0 * t[-1] - t[-2::-1]]),
                      *(np.concatenate([part, sign * part[-2::-1]])
                        for part, sign in ((q, 1.0), (v, -1.0), (a, 1.0))))
