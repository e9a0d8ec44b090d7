# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paths in space as traceable functions of time, and their samples by compiled code.

Each is a dataclass whose number fields are run-time parameters and whose call path(t) gives the
coordinates, so it can be held by a plant (constraints.follow) or sampled for a controller. They go
on for ever in both directions of time (time_law.py gives them a beginning and an end); via points
and joint motions rest before and after.
"""
from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, Callable, ClassVar, Sequence

import numpy as np

from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.tracing import cos, directional, Graph, inputs, Number, Scalar, sin
from robodyn_ros.tracing.dataclass_parameters import number_fields, with_numbers
from robodyn_ros.types import Trajectory

Path = Callable[[Number], Sequence[Number]]


@dataclass(frozen=True)
class Helix:
    """
    Circular helix about a vertical axis (Xu & Liu 2017, paper 000).

    x = centre_x + radius sin(rate t), y = centre_y + radius cos(rate t), z = start_z + climb t.
    """

    radius: float = 0.05
    """[m]"""
    rate: float = 0.4 * math.pi
    """[rad/s]"""
    climb: float = 0.02
    """[m/s]"""
    centre_x: float = 0.0
    """[m]"""
    centre_y: float = 0.35
    """[m]"""
    start_z: float = 0.0
    """[m]"""

    def __call__(self, t: Number) -> tuple[Number, Number, Number]:
        """Coordinates x, y, z at time t [m]."""
        angle = t * self.rate
        return (sin(angle) * self.radius + self.centre_x,
                cos(angle) * self.radius + self.centre_y, t * self.climb + self.start_z)


@dataclass(frozen=True)
class SineLine:
    """
    Straight line with sinusoidal motion between two ends, at rest at the start.

    p(t) = start + (end - start) (1 - cos(rate t)) / 2 (papers 001 and 002).
    """

    start_x: float
    start_y: float
    end_x: float
    end_y: float
    rate: float
    """[rad/s]"""

    def __call__(self, t: Number) -> tuple[Number, Number]:
        """Return the two coordinates at time t [m]."""
        share = (1.0 - cos(t * self.rate)) * 0.5
        return (share * (self.end_x - self.start_x) + self.start_x,
                share * (self.end_y - self.start_y) + self.start_y)


@dataclass(frozen=True)
class WithHeld:
    """A path whose further coordinates stay where they are."""

    path: Any
    values: tuple[float, ...]
    wraps: ClassVar[str] = 'path'

    def __call__(self, t: Number) -> list[Number]:
        """Return the path's coordinates, then those that are held."""
        return [*self.path(t), *self.values]


@dataclass(frozen=True)
class Chosen:
    """Some coordinates of a path, such as x and z of one in space, for an arm in a plane."""

    path: Any
    places: tuple[int, ...]
    wraps: ClassVar[str] = 'path'

    def __call__(self, t: Number) -> list[Number]:
        """Return the coordinates at the places chosen, in their order."""
        whole = self.path(t)
        return [whole[k] for k in self.places]


@dataclass(frozen=True)
class Constant:
    """A coordinate that stays where it is."""

    value: float

    def __call__(self, t: Number) -> list[Number]:
        """Return the value at any time."""
        return [self.value]


def sample(path: Path, times: np.ndarray) -> Trajectory:
    """
    Evaluate a path with its exact first and second derivatives; q, v, a are its coordinates'.

    The number fields of a dataclass path are inputs of the compiled code: other numbers of the
    same kind of path compile nothing.
    """
    fields = number_fields(path)
    graph = Graph()
    t = inputs(graph, 't', 1)[0]
    p = inputs(graph, 'p', max(1, len(fields)))
    position = list(with_numbers(path, dict(zip(fields, p)))(t))
    flow: dict[Scalar, Number] = {t: 1.0}
    velocity = directional(position, flow)
    acceleration = directional(velocity, flow)
    kernel = Kernel('evaluate', [t], [*position, *velocity, *acceleration])
    program = Program(f'the path {type(path).__name__}', [kernel], p)
    times = np.ascontiguousarray(times, dtype=float)
    w = program.prepared(list(fields.values()) or [0.0])
    y = program.evaluate('evaluate', times.reshape(-1, 1), w)
    return Trajectory(times, *np.split(y, 3, axis=1))
