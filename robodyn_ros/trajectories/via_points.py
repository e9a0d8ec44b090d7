# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Straight segments between via points with trapezoidal speed, blended by anticipation (paper 004).

p(t) = p_0 + sum_j s_j(t) (p_j - p_{j-1}) / |p_j - p_{j-1}|. A segment of length L and duration T
accelerates with a = k L / T^2, k = 5, during tc = T/2 (1 - sqrt(1 - 4/k)). Before the start and
after the end the path rests; via points between are passed at a distance, by the blending.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import math
from typing import ClassVar, NamedTuple

from robodyn_ros.errors import StateError, UnknownNameError
from robodyn_ros.tracing import clip, Number, where

TIMINGS = ('siciliano', 'fixed_arrival')


class Segment(NamedTuple):
    """One straight segment in time."""

    start: float
    """[s]"""
    duration: float
    """[s]"""
    length: float
    """[m]"""
    direction: tuple[float, ...]
    acceleration: float
    """[m/s^2]"""
    ramp: float
    """Duration of the acceleration, tc [s]."""


@dataclass(frozen=True)
class ViaPoints:
    """
    Path through points at given times.

    timing 'siciliano' shifts every segment earlier by the anticipations before it, so the motion
    ends early; 'fixed_arrival' starts every segment early and still arrives at its time.
    """

    points: tuple[tuple[float, ...], ...]
    """[m]"""
    times: tuple[float, ...]
    """[s], the first is the start"""
    anticipation: float = 0.2
    """[s]"""
    timing: str = 'siciliano'
    factor: float = 5.0
    """k, above 4 [-]."""
    run_time_fields: ClassVar[tuple[str, ...]] = ()
    """None: the plan of the segments is made before tracing."""

    def __post_init__(self) -> None:
        """Refuse what is no path."""
        if self.timing not in TIMINGS:
            raise UnknownNameError('timing', self.timing, TIMINGS, 'via points')
        if len(self.points) != len(self.times) or len(self.points) < 2:
            raise StateError(f'via points has {len(self.points)} points and {len(self.times)} '
                             'times; expected the same number, two or more')
        if any(b <= a for a, b in zip(self.times, self.times[1:])):
            raise StateError(f'times of via points are {list(self.times)}; each must be later '
                             'than the one before')
        if not self.factor >= 4.0:
            raise StateError(f'the factor of via points is {self.factor}; expected 4 or more, a '
                             'segment cannot be driven with less acceleration')
        if len({len(p) for p in self.points}) != 1:
            raise StateError('points of via points have different numbers of coordinates')
        self.segments  # refuses points that are the same

    @cached_property
    def segments(self) -> list[Segment]:
        """Segments in order."""
        result = []
        for j in range(1, len(self.points)):
            begin, end = self.times[j - 1], self.times[j]
            if self.timing == 'siciliano':
                shift = self.anticipation * (j - 1)
                begin, end = begin - shift, end - shift
            elif j > 1:
                begin -= self.anticipation
            step = [b - a for a, b in zip(self.points[j - 1], self.points[j])]
            length, duration = math.sqrt(sum(x * x for x in step)), end - begin
            if length == 0.0:
                raise StateError(f'via points {j} and {j + 1} are the same point '
                                 f'{self.points[j]}; remove one')
            result.append(Segment(begin, duration, length, tuple(x / length for x in step),
                                  self.factor * length / duration ** 2,
                                  duration / 2.0 * (1.0 - math.sqrt(1.0 - 4.0 / self.factor))))
        return result

    def __call__(self, t: Number) -> list[Number]:
        """Return the coordinates at time t [m]."""
        point: list[Number] = list(self.points[0])
        for segment in self.segments:
            along = travelled(segment, t)
            point = [x + along * u for x, u in zip(point, segment.direction)]
        return point


def travelled(segment: Segment, t: Number) -> Number:
    """Distance travelled on a segment at time t, 0 before and its length after [m]."""
    tau = clip(t - segment.start, 0.0, segment.duration)
    left = segment.duration - tau
    rising = tau * tau * (0.5 * segment.acceleration)
    steady = (tau - 0.5 * segment.ramp) * (segment.acceleration * segment.ramp)
    falling = segment.length - left * left * (0.5 * segment.acceleration)
    return where(tau <= segment.ramp, rising,
                 where(tau <= segment.duration - segment.ramp, steady, falling))
