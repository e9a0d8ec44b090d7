# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Paths of a tool in space, with orientation, from rest to rest: line, polyline, circle, arc.

Each is a traceable function of time. Its call gives x y z [m], or x y z qx qy qz qw where it has
an orientation: fixed, turning on the shortest arc, or along the path. A path is a curve over its
length s and a time law s(t); turns count as length, LEVER metres a radian, so that a tool can turn
on the spot. The numbers shape the code: other numbers are another program.
"""
from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
import math
from typing import Any, ClassVar, Iterator, NamedTuple

from robodyn_ros.errors import StateError, UnknownNameError
from robodyn_ros.mechanics.rotation import (axis_and_angle, frame_along, from_angles, from_matrix,
                                            inverse, multiply, Quaternion, turned)
from robodyn_ros.mechanics.vector import add, cross, dot, scale, subtract, Vector
from robodyn_ros.tracing import clip, cos, Number, sin, where
from robodyn_ros.trajectories.time_law import risen
from robodyn_ros.trajectories.via_points import Segment, travelled

Numbers = tuple[float, ...]

LAWS = ('quintic', 'trapezoid')
LEVER = 0.25
"""Length that counts as much as a turn by a radian [m/rad]."""
DOWN = (math.pi, 0.0, 0.0)
"""Roll, pitch, yaw of a tool that points at the ground."""
PEAK_SPEED, PEAK_ACCELERATION = 1.875, 10.0 / math.sqrt(3.0)
"""Largest s' and s'' of the quintic from 0 to 1 in one second."""
RAMP = 1.0 / 3.0
"""Part of the time in which a trapezoid of no given speed gets up to it."""
SAME = 1e-9
"""Length below which two points are one [m]."""
LARGEST = 1e6
"""Number, in whatever unit, from which on it is no path of a tool."""
CHECKED = 64
"""Places of a curve at which its tangent is looked at."""


class Timing(NamedTuple):
    """How a length is driven from rest to rest."""

    time: float
    """[s]"""
    cruise: float
    """Speed of a trapezoid's middle [m/s]."""


class Place(NamedTuple):
    """Where a curve is."""

    position: Vector
    """[m]"""
    tangent: Vector
    """dp/ds; of length one, but shorter in blends."""


@dataclass(frozen=True)
class ToolPath(ABC):
    """A curve of a tool; see its subclasses."""

    orientation: Numbers = ()
    """Roll, pitch, yaw of the frame [rad]; empty: left free."""
    end_orientation: Numbers = ()
    """Where it turns to along the path, on the shortest arc [rad]; empty: not at all."""
    tangent: bool = False
    """Keep the frame's x axis along the path and its z axis as near to orientation's, or down."""
    law: str = 'quintic'
    """Time law from rest to rest: quintic, or trapezoid (constant accelerations)."""
    speed: float = 0.0
    """Largest speed [m/s]; 0: the whole duration is used."""
    acceleration: float = 0.0
    """Largest acceleration, along the path and across it in bends [m/s^2]; 0: not limited."""
    duration: float = 0.0
    """Time of the path where no speed or acceleration is given [s]; 0: the scenario's."""
    run_time_fields: ClassVar[tuple[str, ...]] = ()
    """None: the path is planned before tracing."""

    def __post_init__(self) -> None:
        """Refuse what is no path."""
        if self.law not in LAWS:
            raise UnknownNameError('law', self.law, LAWS, 'a tool path')
        for field in fields(self):
            if not all(abs(x) < LARGEST for x in _numbers(getattr(self, field.name))):
                raise StateError(f'{field.name} of the {type(self).__name__.lower()} is '
                                 f'{getattr(self, field.name)}; expected finite numbers below '
                                 f'{LARGEST:g}')
        self.check_shape()
        for name in ('speed', 'acceleration', 'duration'):
            if not getattr(self, name) >= 0.0:
                raise StateError(f'{name} of the path is {getattr(self, name)}; expected 0 or '
                                 'more')
        for name in ('orientation', 'end_orientation'):
            if len(getattr(self, name)) not in (0, 3):
                raise StateError(f'{name} of the path is {list(getattr(self, name))}; expected '
                                 'roll, pitch, yaw')
        if self.end_orientation and (self.tangent or not self.orientation):
            raise StateError('end_orientation of the path wants orientation, where it starts '
                             'from, and not tangent; give orientation: [roll, pitch, yaw]')
        if not self.length > SAME:
            raise StateError(f'the path {type(self).__name__} has no length: it starts and ends '
                             'at one place; give points that differ')
        if self.tangent:
            for k in range(CHECKED + 1):
                tangent = self.place(self.length * k / CHECKED).tangent
                size = math.sqrt(float(dot(tangent, tangent)))
                if size < 1e-3 or abs(float(dot(tangent, self._up))) > (1.0 - 1e-6) * size:
                    raise StateError('the path turns back, or runs along the axis that the tool '
                                     'shall point in, so the tool cannot keep along it; give '
                                     'tangent: false, or an orientation that points elsewhere')

    def check_shape(self) -> None:
        """Refuse what is no such curve."""

    @property
    @abstractmethod
    def curve_length(self) -> float:
        """Length of the curve in space [m]."""

    @property
    def curvature(self) -> float:
        """Largest |d2p/ds2| [1/m]."""
        return 0.0

    @abstractmethod
    def place(self, s: Number) -> Place:
        """Return the place after a length s."""

    @cached_property
    def length(self) -> float:
        """Length by which the path is driven [m]: the curve's, or that of its turn, if longer."""
        return max(self.curve_length, LEVER * self._turn[1])

    @cached_property
    def timing(self) -> Timing:
        """Time that the path takes, 0 where nothing says so."""
        timing = self._timing_along()
        if not self.acceleration or not self.curvature:
            return timing
        # d2p/dt2 = p' s'' + p'' s'^2, all of it slower by the square of the time
        if self.law == 'quintic':
            along = PEAK_ACCELERATION * self.length / timing.time ** 2
            fastest = PEAK_SPEED * self.length / timing.time
        else:
            along = timing.cruise / (timing.time - self.length / timing.cruise)
            fastest = timing.cruise
        most = along + self.curvature * fastest ** 2
        slower = math.sqrt(max(1.0, most / self.acceleration))
        return Timing(timing.time * slower, timing.cruise / slower)

    def _timing_along(self) -> Timing:
        """Return the shortest time with what is limited along the path."""
        length, speed, rate = self.length, self.speed, self.acceleration
        if not speed and not rate:
            time = self.duration
            return Timing(time, length / (time * (1.0 - RAMP)) if time else 0.0)
        if self.law == 'quintic':
            return Timing(max(PEAK_SPEED * length / speed if speed else 0.0,
                              math.sqrt(PEAK_ACCELERATION * length / rate) if rate else 0.0), 0.0)
        if not rate:
            return Timing(length / (speed * (1.0 - RAMP)), speed)
        if not speed or length * rate <= speed ** 2:  # no time to cruise
            time = 2.0 * math.sqrt(length / rate)
            return Timing(time, 0.5 * rate * time)
        return Timing(length / speed + speed / rate, speed)

    def within(self, duration: float) -> ToolPath:
        """Return the path as it is driven in a run of some duration [s]."""
        if not self.timing.time:
            return replace(self, duration=duration)
        if self.timing.time > duration * (1.0 + 1e-9):
            raise StateError(f'the path of {self.length:.4g} m takes {self.timing.time:.4g} s, '
                             f'and the scenario lasts {duration:g} s; give duration: '
                             f'{math.ceil(10.0 * self.timing.time) / 10.0:g}, or more speed')
        return self

    def travelled(self, t: Number) -> Number:
        """Return the length s(t) [m]."""
        (time, cruise), length = self.timing, self.length
        if not time:
            raise StateError('nothing says how long the path takes; give speed, acceleration or '
                             'duration')
        if self.law == 'quintic':
            x = clip(t * (1.0 / time), 0.0, 1.0)
            return x * x * x * (x * (x * 6.0 - 15.0) + 10.0) * length
        ramp = time - length / cruise
        return travelled(Segment(0.0, time, length, (), cruise / ramp, ramp), t)

    def __call__(self, t: Number) -> list[Number]:
        """Return x y z [m], then the quaternion where there is an orientation, at time t [s]."""
        s = self.travelled(t)
        place = self.place(s)
        return [*place.position, *(self.turn(s, place.tangent) or ())]

    @property
    def is_turned(self) -> bool:
        """Whether the path has an orientation."""
        return self.tangent or bool(self.orientation)

    def turn(self, s: Number, tangent: Vector) -> Quaternion | None:
        """Return the orientation after a length; None where it is free."""
        if self.tangent:
            return from_matrix(frame_along(tangent, self._up))
        if not self.orientation:
            return None
        axis, angle = self._turn
        begin = from_angles(*self.orientation)
        return turned(begin, axis, s * (angle / self.length)) if angle else begin

    @cached_property
    def _up(self) -> Vector:
        """Direction that the z axis of the frame is kept near to: that of orientation, or down."""
        x, y, z, w = from_angles(*(self.orientation or DOWN))
        return (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))

    @cached_property
    def _turn(self) -> tuple[Vector, float]:
        """Axis, in the frame, and angle [rad] of the turn from start to end."""
        if not self.end_orientation:
            return (0.0, 0.0, 1.0), 0.0
        return axis_and_angle(multiply(inverse(from_angles(*self.orientation)),
                                       from_angles(*self.end_orientation)))


@dataclass(frozen=True)
class Polyline(ToolPath):
    """
    Straight lines through points, rounded at the corners, from rest to rest.

    p(s) = p_0 + sum_j u_j (g_j(s - s_j) - g_j+1(s - s_j+1)), where g rises from 0 with slope 0 to
    slope 1 within the blend around a point: position, velocity and acceleration are continuous.
    """

    points: tuple[Numbers, ...] = ()
    """x y z of each point [m]."""
    orientations: tuple[Numbers, ...] = ()
    """Roll, pitch, yaw at each point, instead of one for all [rad]."""
    blend: float = 0.02
    """Distance from a corner at which the path leaves the line; half a line at most [m]."""

    def check_shape(self) -> None:
        """Refuse what is no such curve."""
        for name in ('points', 'orientations'):
            if any(len(point) != 3 for point in getattr(self, name)):
                raise StateError(f'{name} of the polyline are '
                                 f'{[*map(list, getattr(self, name))]}; expected three numbers '
                                 'each')
        if len(self.points) < 2:
            raise StateError(f'the polyline has {len(self.points)} points; expected two or more')
        if self.orientations and (len(self.orientations) != len(self.points) or self.orientation
                                  or self.tangent):
            raise StateError(f'the polyline has {len(self.points)} points and '
                             f'{len(self.orientations)} orientations; expected one each, and '
                             'neither orientation nor tangent beside them')
        if not self.blend > 0.0:
            raise StateError(f'blend of the polyline is {self.blend}; expected a distance above '
                             '0, as no tool can turn a corner at speed')
        for k, piece in enumerate(self.pieces):
            if not piece.length > SAME:
                raise StateError(f'points {k + 1} and {k + 2} of the polyline are the same, '
                                 f'{list(self.points[k])}; remove one')

    @cached_property
    def pieces(self) -> list[Piece]:
        """Straight pieces in order."""
        made, begin = [], 0.0
        for k, (a, b) in enumerate(zip(self.points, self.points[1:])):
            step = subtract(b, a)  # type: ignore[arg-type]
            turn: tuple[Vector, float] = (0.0, 0.0, 1.0), 0.0
            if self.orientations:
                turn = axis_and_angle(multiply(
                    inverse(from_angles(*self.orientations[k])),
                    from_angles(*self.orientations[k + 1])))
            length = max(math.sqrt(dot(step, step)), LEVER * turn[1])  # type: ignore[arg-type]
            made.append(Piece(begin, length, scale(step, 1.0 / max(length, SAME)), *turn))
            begin += length
        return made

    @property
    def curve_length(self) -> float:
        """Length of all pieces [m]."""
        return self.pieces[-1].begin + self.pieces[-1].length

    @property
    def curvature(self) -> float:
        """Largest |d2p/ds2| [1/m]: that of the sharpest blend, in its middle."""
        share = self.curve_length / self.length
        bends = [math.dist(a.direction, b.direction) * 0.75 / self._half_blend(k + 1)
                 for k, (a, b) in enumerate(zip(self.pieces, self.pieces[1:]))]
        return max(bends, default=0.0) * share ** 2

    def _share(self, k: int, s: Number) -> tuple[Number, Number]:
        """Length that is travelled on a piece after a length s, and its derivative."""
        piece, last = self.pieces[k], len(self.pieces) - 1
        begun, slope = (s, 1.0) if k == 0 else _bent(s - piece.begin, self._half_blend(k))
        ended, fall = (0.0, 0.0) if k == last else _bent(
            s - (piece.begin + piece.length), self._half_blend(k + 1))
        return begun - ended, slope - fall

    def _half_blend(self, k: int) -> float:
        """Half the length of the blend at a point between two pieces [m]."""
        return min(self.blend, *(0.5 * piece.length for piece in self.pieces[k - 1:k + 1]))

    def place(self, s: Number) -> Place:
        """Return the place after a length s."""
        scaled = s * (self.curve_length / self.length)
        position, tangent = self.points[0], (0.0, 0.0, 0.0)
        for k, piece in enumerate(self.pieces):
            along, slope = self._share(k, scaled)
            position = add(position, scale(piece.direction, along))  # type: ignore
            tangent = add(tangent, scale(piece.direction, slope))  # type: ignore
        return Place(position, tangent)  # type: ignore[arg-type]

    @property
    def is_turned(self) -> bool:
        """Whether the path has an orientation."""
        return bool(self.orientations) or super().is_turned

    def turn(self, s: Number, tangent: Vector) -> Quaternion | None:
        """Return the orientation after a length; None where it is free."""
        if not self.orientations:
            return super().turn(s, tangent)
        turn = from_angles(*self.orientations[0])
        for k, piece in enumerate(self.pieces):
            if piece.angle:
                share = self._share(k, s)[0] * (piece.angle / piece.length)
                turn = turned(turn, piece.axis, share)
        return turn


class Piece(NamedTuple):
    """A straight piece of a polyline."""

    begin: float
    """Length before it [m]."""
    length: float
    """[m]"""
    direction: Vector
    """Way over length."""
    axis: Vector
    """Of its turn, in the frame."""
    angle: float
    """[rad]"""


def _bent(s: Number, half: float) -> tuple[Number, Number]:
    """Return a smooth max(s, 0), which bends from -half to half, and its derivative."""
    x = clip((s + half) * (0.5 / half), 0.0, 1.0)
    return where(s < half, risen(x) * (2.0 * half), s), x * x * (3.0 - x * 2.0)  # type: ignore


@dataclass(frozen=True)
class Line(ToolPath):
    """Straight line in space from start to end, from rest to rest; or a turn on the spot."""

    start: Numbers = ()
    """x y z [m]."""
    end: Numbers = ()
    """x y z [m]."""

    def check_shape(self) -> None:
        """Refuse what is no such curve."""
        _check_points(self, 'start', 'end')

    @property
    def curve_length(self) -> float:
        """Distance of the ends [m]."""
        return math.dist(self.start, self.end)

    def place(self, s: Number) -> Place:
        """Return the place after a length s."""
        step = scale(subtract(self.end, self.start), 1.0 / self.length)  # type: ignore[arg-type]
        return Place(add(self.start, scale(step, s)), step)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Circle(ToolPath):
    """
    Circle about any axis, part of it or several turns, from rest to rest; with rise a helix.

    p = centre + R(angle) (start - centre) + axis rise |angle| / (2 pi).
    """

    start: Numbers = ()
    """Where it begins, x y z [m]."""
    centre: Numbers = ()
    """A point of the axis, x y z [m]."""
    axis: Numbers = (0.0, 0.0, 1.0)
    """Direction about which it turns, by the right hand; of any length."""
    turns: float = 1.0
    """How often it goes round; negative: the other way about."""
    rise: float = 0.0
    """Way along the axis of each turn [m]."""

    def check_shape(self) -> None:
        """Refuse what is no such curve."""
        _check_points(self, 'start', 'centre', 'axis')
        if not math.dist(self.axis, (0.0, 0.0, 0.0)) > SAME or not self.radius > SAME or \
                not self.turns:
            raise StateError(f'the circle has the axis {list(self.axis)}, {self.turns:g} turns '
                             f'and a radius of {self.radius:.3g} m; expected an axis that is not '
                             'zero and a start that is not on it')

    @cached_property
    def _arms(self) -> tuple[Vector, Vector, Vector]:
        """Return the unit axis, and two vectors across it as long as the radius, one to start."""
        size = math.dist(self.axis, (0.0, 0.0, 0.0))
        axis = scale(self.axis, 1.0 / max(size, SAME))  # type: ignore[arg-type]
        out = subtract(self.start, self.centre)  # type: ignore[arg-type]
        out = subtract(out, scale(axis, dot(out, axis)))
        return axis, out, cross(axis, out)

    @property
    def radius(self) -> float:
        """Distance of the start from the axis [m]."""
        return math.dist(self._arms[1], (0.0, 0.0, 0.0))  # type: ignore[arg-type]

    @property
    def curve_length(self) -> float:
        """Length of all turns [m]."""
        return abs(self.turns) * math.hypot(2.0 * math.pi * self.radius, self.rise)

    @property
    def curvature(self) -> float:
        """Largest |d2p/ds2| [1/m]; all along the same."""
        return self.radius * (2.0 * math.pi * self.turns / self.length) ** 2

    def place(self, s: Number) -> Place:
        """Return the place after a length s."""
        axis, one, two = self._arms
        rate = 2.0 * math.pi * self.turns / self.length
        climb = self.rise * abs(self.turns) / self.length
        c, d = cos(s * rate), sin(s * rate)
        offset = subtract(self.start, one)  # type: ignore[arg-type]
        position = add(offset, add(add(scale(one, c), scale(two, d)), scale(axis, s * climb)))
        tangent = add(scale(subtract(scale(two, c), scale(one, d)), rate), scale(axis, climb))
        return Place(position, tangent)


@dataclass(frozen=True)
class Arc(ToolPath):
    """Arc of a circle through three points, from rest to rest."""

    start: Numbers = ()
    """x y z [m]."""
    via: Numbers = ()
    """A point between, x y z [m]."""
    end: Numbers = ()
    """x y z [m]."""

    def check_shape(self) -> None:
        """Refuse what is no such curve."""
        _check_points(self, 'start', 'via', 'end')
        one, two = (subtract(p, self.start) for p in (self.via, self.end))  # type: ignore
        normal = cross(one, two)
        size = math.sqrt(dot(normal, normal))  # type: ignore[arg-type]
        if not size > 1e-6 * math.dist(self.start, self.via) * math.dist(self.start, self.end) \
                or not size > 0.0:
            raise StateError(f'start {list(self.start)}, via {list(self.via)} and end '
                             f'{list(self.end)} of the arc are on a line; give three points of a '
                             'circle, or use a line')

    @cached_property
    def circle(self) -> Circle:
        """Return the same as part of a circle."""
        one, two = (subtract(p, self.start) for p in (self.via, self.end))  # type: ignore
        normal = cross(one, two)
        # the point that is as far from all three
        to_centre = scale(add(scale(cross(normal, one), dot(two, two)),
                              scale(cross(two, normal), dot(one, one))),
                          1.0 / (2.0 * dot(normal, normal)))  # type: ignore[operator]
        centre = add(self.start, to_centre)  # type: ignore[arg-type]
        size = math.sqrt(dot(normal, normal))  # type: ignore[arg-type]
        out, last = scale(to_centre, -1.0), subtract(self.end, centre)  # type: ignore[arg-type]
        angle = math.atan2(dot(cross(out, last), normal) / size, dot(out, last)) % (2.0 * math.pi)
        return Circle(start=self.start, centre=centre, axis=normal,  # type: ignore[arg-type]
                      turns=angle / (2.0 * math.pi))

    @property
    def curve_length(self) -> float:
        """Length of the arc [m]."""
        return self.circle.curve_length

    @property
    def curvature(self) -> float:
        """Largest |d2p/ds2| [1/m]; all along the same."""
        return self.circle.curvature * (self.curve_length / self.length) ** 2

    def place(self, s: Number) -> Place:
        """Return the place after a length s."""
        share = self.curve_length / self.length  # less than 1 where the turn takes longer
        at = self.circle.place(s * share)
        return Place(at.position, scale(at.tangent, share))


def _numbers(value: Any) -> Iterator[float]:
    """Yield the numbers of nested tuples."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, (int, float)):
        yield value


def _check_points(path: ToolPath, *names: str) -> None:
    for name in names:
        value = getattr(path, name)
        if len(value) != 3:
            raise StateError(f'{name} of the {type(path).__name__.lower()} is {list(value)}; '
                             'expected x, y, z')
