# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A joint trajectory as received: checked and interpolated by joint_trajectory_controller's rules.

Between points the fields given decide: positions alone are joined by lines, with velocities by
cubics, with accelerations too by quintics. On a point its own values are returned, bit for bit;
after the last the plan rests there.

A plan begins where the arm is (JointPlan.begun): the way from there to a first point that is still
to come is a piece like the others. What then remains of a step in position or velocity, as at a
point that is due at once or where a line begins and ends, is led to zero by a quintic within the
blending time. Simulation and controller node sample the same plan with the same
arithmetic: sample() and samples() agree to the bit.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.errors import MessageRefused
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.robots.limits import Limits
from robodyn_ros.ros_time import NANO
from robodyn_ros.types import Schedule, Trajectory

Coefficients = tuple[np.ndarray, ...]
"""Of q, v and a side by side (..., 3 n), for x^0 to x^5; x is the share of a piece's time."""
FINE = 33
"""Samples of a piece whose control polygon is beyond a limit: is the piece itself?"""
GENTLE, SHARE = 0.5, 0.25
"""Largest speed on the way to a motion's start [rad/s, m/s], and part of a joint's limit."""
SHORTEST = 1.0
"""Least time of that way [s]."""
UNLIMITED = 2.0
"""Speed on the way to a first point of joints whose file gives no limit [rad/s, m/s]."""
CHUNK = 4096
"""Pieces that are looked at at once; a message may have a million."""
MOST_KNOTS = 1000
"""Of a schedule; longer trajectories get longer ways between them, in bounded time."""
NOTHING = np.zeros(0)


class ScheduleTable(NamedTuple):
    """Numbers of a Schedule at the knots of a trajectory, from its beginning on."""

    spacing: int
    """[ns]"""
    rows: np.ndarray
    """(k, width)"""

    def sample(self, since: Any) -> np.ndarray:
        """Return the numbers at a time since the beginning [ns], or at many (k, 1): on lines."""
        last = len(self.rows) - 1
        place = np.clip(since // self.spacing, 0, max(last - 1, 0))
        share = np.clip((since - place * self.spacing) / self.spacing, 0.0, 1.0)
        place = np.asarray(place)[..., 0] if np.ndim(place) else int(place)
        first = self.rows[place]
        return first + share * (self.rows[np.minimum(place + 1, last)] - first)


class Points(NamedTuple):
    """
    Points of a trajectory in the robot's joint order; empty arrays where not given.

    Joints that a message leaves out (allow_partial_joints_goal) are NaN until a plan begins.
    """

    times: np.ndarray
    """Time from start (k,) [ns], whole numbers."""
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    table: ScheduleTable | None = None
    """What a law reads beside q, v and a; made by scheduled()."""

    @property
    def order(self) -> int:
        """Return the highest derivative given: 0, 1 or 2."""
        return 2 if self.a.size else 1 if self.v.size else 0

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return times, q, v and a: what a message says."""
        return self.times, self.q, self.v, self.a

    def same(self, points: 'Points') -> bool:
        """Return whether others are the same points; those that differ mostly do so soon."""
        if points is self:
            return True
        if any(mine.shape != other.shape for mine, other in zip(self.arrays, points.arrays)):
            return False
        return all(np.array_equal(mine[k:k + CHUNK], other[k:k + CHUNK],
                                  equal_nan=mine.dtype.kind == 'f')
                   for k in range(0, len(self.times), CHUNK)
                   for mine, other in zip(self.arrays, points.arrays))

    def take(self, k: Any) -> 'Points':
        """Return some of the points."""
        q, v, a = (part[k] if part.size else part for part in self.arrays[1:])
        return Points(self.times[k], q, v, a)

    def knot(self, k: Any) -> list[np.ndarray]:
        """Return q, v and a, as far as given, at one point or at many (len(k), n)."""
        return [self.q[k], *([self.v[k]] if self.v.size else []),
                *([self.a[k]] if self.a.size else [])]


class Blend(NamedTuple):
    """What is added at a plan's beginning, which is the arm's own state, and before its end."""

    since: int
    """[ns]"""
    length: int
    """[ns]"""
    coefficients: Coefficients


class JointPlan:
    """A trajectory that starts at a time."""

    def __init__(self, start: int, points: Points):
        """
        Keep checked points.

        :param start: time of the trajectory's beginning [ns]
        """
        self.start, self.points = start, points
        self.began_apart = np.zeros(3 * points.q.shape[1])
        """State minus plan where it began (..., 3 n): q, v, and zeros, side by side."""
        self._head: tuple[int, list[np.ndarray]] | None = None  # a knot before the first point
        # what makes the points those of this arm; to change a million of them would take too long
        self._held: np.ndarray | None = None  # where joints stay that the points leave out (n,)
        self._turns: np.ndarray | None = None  # whole turns, added to all positions (n,) [rad]
        self._blends: list[Blend] = []
        self._last = int(points.times[-1])
        # control instants come in order: the piece in use, as (from, to, coefficients)
        self._piece: tuple[int, int, Coefficients] = (0, 0, ())

    @property
    def end(self) -> int:
        """Time of the last point [ns]."""
        return self.start + self._last

    def same(self, start: int, points: Points) -> bool:
        """Return whether this is the plan of that start and those points."""
        return start == self.start and self.points.same(points)

    def begun(self, now: int, state: np.ndarray, blend: float,
              turning: np.ndarray | None = None) -> 'JointPlan':
        """
        Return the plan as an arm follows it that is in a state at a time.

        :param now: [ns]
        :param state: q, v and a side by side (3 n,), desired or measured; where the first point is
            due and names every joint, those of many arms at once (..., 3 n)
        :param blend: time within which a step in position or velocity is led to zero [s]; 0 keeps
            the step
        :param turning: joints that turn without limits (n,): they take the nearer way round
        """
        points, since = self.points, now - self.start
        q, v, a = np.split(np.asarray(state, dtype=float), 3, axis=-1)
        n = q.shape[-1]
        made = JointPlan(self.start, points)
        made._held, made._turns = self._held, self._turns
        if made._held is None and np.isnan(points.q[0]).any():
            made._held = q
        if turning is not None and turning.any():
            turns = np.where(turning, np.round((q - made._knot(0)[0]) / (2.0 * np.pi)), 0.0)
            if turns.any():
                turns *= 2.0 * np.pi
                made._turns = turns if made._turns is None else made._turns + turns
        length = int(round(blend * NANO))
        first = int(points.times[0])
        if since < first:
            made._head = since, [q, v, a][:points.order + 1]
            length = min(length, (first - since) // 2)
        apart = np.asarray(state, dtype=float) - made.sample(now)
        apart[..., 2 * n:] = 0.0  # accelerations may jump, and nobody measures them
        made.began_apart = apart
        still = [np.zeros_like(q)] * 3
        if length > 0 and apart.any():
            steps = _coefficients(np.split(apart, 3, axis=-1), still, length / NANO)
            # of several arms one may fit: adding -0.0 changes no bit
            some = apart.any(axis=-1, keepdims=True)
            made._blends.append(Blend(since, length, tuple(
                np.where(some, c, -0.0) for c in steps)))
        begin, end, _ = made._piece_at(max(made._last - 1, since))
        length = min(int(round(blend * NANO)), (end - begin) // 2)
        if points.order == 0 and length > 0:  # a line ends at full speed
            speed = made.sample(made.start + made._last - 1)[..., n:2 * n]
            made._blends.append(Blend(end - length, length, _coefficients(
                still, [still[0], -speed, still[0]], length / NANO)))
        return made

    def sample(self, now: int) -> np.ndarray:
        """Return desired position, velocity and acceleration at a time (..., 3 n)."""
        since = now - self.start
        begin, end, coefficients = self._piece
        if not begin <= since < end:
            begin, end, coefficients = self._piece = self._piece_at(since)
        if end > begin:
            result = _value(coefficients, (since - begin) / NANO / ((end - begin) / NANO))
        else:
            result = self._outside(since)
        for blend in self._blends:
            if blend.since <= since < blend.since + blend.length:
                result = result + _value(blend.coefficients, (since - blend.since) / NANO
                                         / (blend.length / NANO))
        return result

    def samples(self, now: np.ndarray, bare: np.ndarray | None = None) -> np.ndarray:
        """
        Return sample() at many times (k,) [ns], all at once (..., k, 3 n).

        :param bare: what the points alone give at these times (k, 3 n), if that is known and the
            plan was begun where its first point was due
        """
        since = np.asarray(now, dtype=np.int64) - self.start
        result = self._bare(since) if bare is None else bare
        for blend in self._blends:
            places = np.flatnonzero((since >= blend.since) & (since < blend.since + blend.length))
            if not places.size:
                continue
            x = (since[places] - blend.since)[:, None] / NANO / (blend.length / NANO)
            more = _value([c[..., None, :] for c in blend.coefficients], x)
            if more.ndim > result.ndim or result is bare:  # of many arms, or to be kept
                result = np.broadcast_to(result, (*more.shape[:-2], *result.shape[-2:])).copy()
            whole = places[-1] - places[0] + 1 == places.size
            result[..., slice(places[0], places[-1] + 1) if whole else places, :] += more
        return result

    def _bare(self, since: np.ndarray) -> np.ndarray:
        """Return the pieces at many times since the start (k,), with no step led to zero."""
        points = self.points
        place = np.searchsorted(points.times, since, side='right') - 1
        result = np.empty((len(since), 3 * points.q.shape[1]))
        first = int(points.times[0]) if self._head is None else self._head[0]
        outside = (place == len(points.times) - 1) | (since < first)
        for k in np.flatnonzero(outside):
            result[k] = self._outside(int(since[k]))
        inner = np.flatnonzero(~outside & (place >= 0))
        if inner.size:
            at = place[inner]
            span = ((points.times[at + 1] - points.times[at]) / NANO)[:, None]
            x = ((since[inner] - points.times[at]) / NANO)[:, None] / span
            result[inner] = _value(_coefficients(self._knot(at), self._knot(at + 1), span), x)
        before = np.flatnonzero(~outside & (place < 0))
        if before.size:
            begin, end, coefficients = self._piece_at(int(since[before[0]]))
            x = (since[before] - begin)[:, None] / NANO / ((end - begin) / NANO)
            result[before] = _value(coefficients, x)
        return result

    def scheduled(self, now: int) -> np.ndarray:
        """Return what a law reads beside sample() at a time (width,)."""
        table = self.points.table
        return NOTHING if table is None else table.sample(now - self.start)

    def all_scheduled(self, now: np.ndarray) -> np.ndarray:
        """Return scheduled() at many times (k,) [ns], all at once (k, width)."""
        table = self.points.table
        return np.zeros((len(now), 0)) if table is None else table.sample(
            np.asarray(now, dtype=np.int64)[:, None] - self.start)

    def approach(self) -> Trajectory | None:
        """Return samples of the way to the first point, where there is one (FINE of them)."""
        if self._head is None:
            return None
        begin, end, coefficients = self._piece_at(self._head[0])
        x = np.linspace(0.0, 1.0, FINE)
        rows = _value(coefficients, x[:, None])
        return Trajectory(x * (end - begin) / NANO, *np.split(rows, 3, axis=1))

    def blended(self) -> list[Trajectory]:
        """Return samples of each time in which a step is led to zero (FINE of them)."""
        made = []
        for blend in self._blends:
            since = np.linspace(blend.since, blend.since + blend.length, FINE).astype(np.int64)
            made.append(Trajectory((since - blend.since) / NANO, *np.split(
                self.samples(self.start + since), 3, axis=1)))
        return made

    def _piece_at(self, since: int) -> tuple[int, int, Coefficients]:
        """Return the piece around a time; one without length before and after the plan."""
        points = self.points
        k = int(np.searchsorted(points.times, since, side='right')) - 1
        if k >= 0 and k + 1 < len(points.times):
            begin, end = int(points.times[k]), int(points.times[k + 1])
            before = self._knot(k)
        elif k < 0 and self._head is not None and since >= self._head[0]:
            (begin, before), end = self._head, int(points.times[0])
        else:
            return 0, 0, ()
        return begin, end, _coefficients(before, self._knot(k + 1), (end - begin) / NANO)

    def _knot(self, k: Any) -> list[np.ndarray]:
        """Return Points.knot() as this arm follows it."""
        q, *rates = self.points.knot(k)
        if self._held is not None:
            missing = np.isnan(q)
            q = np.where(missing, self._held, q)
            rates = [np.where(missing, 0.0, rate) for rate in rates]
        if self._turns is not None:
            q = q + self._turns
        return [q, *rates]

    def _outside(self, since: int) -> np.ndarray:
        """Return the state at or after the last point, or before the plan began."""
        width = self.points.q.shape[1]
        result = np.zeros(3 * width)
        if since < self._last:
            values = [self._knot(0)[0] if self._head is None else self._head[1][0]]
        else:
            values = self._knot(-1) if since == self._last else [self._knot(-1)[0]]
        result[:len(values) * width] = np.concatenate(values)
        return result


def _coefficients(before: Sequence[np.ndarray], after: Sequence[np.ndarray],
                  span: Any) -> Coefficients:
    """
    Polynomials between two knots, or between many pairs of them.

    :param before: q, v and a at the first knot, as far as given (..., n); :param after: the second
    :param span: time between them [s]
    """
    q0, q1 = before[0], after[0]
    zero = np.zeros_like(q0)
    if len(before) == 1:
        way = q1 - q0
        c = [q0, way, zero, zero, zero, zero]
        v0, a0 = way / span, zero
    else:
        v0, rise, fall = before[1], before[1] * span, after[1] * span
        if len(before) == 2:
            c = [q0, rise, 3.0 * (q1 - q0) - 2.0 * rise - fall, 2.0 * (q0 - q1) + rise + fall,
                 zero, zero]
            a0 = 2.0 * c[2] / (span * span)
        else:
            a0, square = before[2], span * span
            bend, straighten = before[2] * square, after[2] * square
            way = q1 - q0
            c = [q0, rise, bend / 2.0,
                 10.0 * way - 6.0 * rise - 4.0 * fall - 1.5 * bend + 0.5 * straighten,
                 -15.0 * way + 8.0 * rise + 7.0 * fall + 1.5 * bend - straighten,
                 6.0 * way - 3.0 * (rise + fall) - 0.5 * (bend - straighten)]
    # v0 and a0 as they were given: a point is met bit for bit
    rates = [v0, *(power * c[power] / span for power in range(2, 6)), zero]
    bends = [a0, *(power * (power - 1) * c[power] / (span * span) for power in range(3, 6)),
             zero, zero]
    return tuple(np.concatenate(parts, axis=-1) for parts in zip(c, rates, bends))


def _value(coefficients: Sequence[np.ndarray], x: Any) -> np.ndarray:
    """Return the polynomials at x, by Horner's rule."""
    result = coefficients[5] * x
    for c in coefficients[4:0:-1]:
        result += c
        result *= x
    result += coefficients[0]
    return result


def scheduled(points: Points, schedule: Schedule | None, near: np.ndarray) -> Points:
    """
    Return the points with the numbers that a law reads beside them, for their whole way.

    :param near: where joints stand that the points leave out (n,)
    """
    if schedule is None or points.table is not None:
        return points
    length = int(points.times[-1])
    spacing = round(schedule.spacing * NANO)
    spacing *= max(1, -(-length // (spacing * MOST_KNOTS)))
    since = np.arange(-(-length // spacing) + 1, dtype=np.int64) * spacing
    plan = JointPlan(0, points)
    plan._held = near
    rows = plan.samples(since)
    rows[-1] = plan.sample(length + 1)  # at rest, after the last point
    return points._replace(table=ScheduleTable(spacing, schedule.rows(
        Trajectory(since / NANO, *np.split(rows, 3, axis=1)))))


def points_of(motion: Trajectory, period: int) -> Points:
    """Return a motion that is sampled every period [ns] as the points of a trajectory."""
    times = np.arange(len(motion.t), dtype=np.int64) * period
    return Points(times, motion.q, motion.v, motion.a)


def approach_time(q: np.ndarray, start: np.ndarray, velocity: np.ndarray, near: float) -> float:
    """
    Return the time of a gentle way to a motion's start [s]; 0 for an arm that is near enough.

    A quintic from rest to rest is 15/8 times as fast as on average.

    :param velocity: limits of the joints (n,) [rad/s] or [m/s]
    :param near: distance that needs no way of its own [rad] or [m]
    """
    way = np.abs(q - start)
    if way.max() <= near:
        return 0.0
    speed = np.minimum(GENTLE, SHARE * velocity)
    return max(SHORTEST, float((15.0 / 8.0 * way / speed).max()))


def stop(now: int, state: np.ndarray, seconds: float, limits: Limits,
         schedule: Schedule | None = None) -> JointPlan:
    """
    Return the plan that brakes from a state q, v, a (3 n,) to rest, evenly, within a time.

    :param schedule: what a law reads beside it, all the while as at rest
    """
    q, v, _ = np.split(state, 3)
    rest = np.clip(q + v * seconds / 2.0, limits.lower, limits.upper)
    # an arm that stands beyond a limit is not pushed back by a stop
    rest = np.where((q < limits.lower) | (q > limits.upper), q, rest)
    still = np.zeros((1, len(q)))
    points = Points(np.array([round(seconds * NANO)], dtype=np.int64), rest[None], still, still)
    there = scheduled(points._replace(times=np.zeros(1, dtype=np.int64)), schedule, rest)
    return JointPlan(now, points._replace(table=there.table)).begun(now, state, 0.0)


def checked_points(joints: Sequence[str], names: Sequence[str], times: Sequence[int] | np.ndarray,
                   fields: Mapping[str, Any], allow_moving_end: bool = False,
                   allow_partial: bool = False) -> Points:
    """
    Check a trajectory message by joint_trajectory_controller's rules; MessageRefused says why not.

    :param fields: 'positions', 'velocities', 'accelerations', 'effort' of every point, as sent:
        rows, or one array (points, joints)
    :param allow_partial: a message may leave joints out, which then stay where they are
    """
    if not len(names):
        raise MessageRefused('the trajectory names no joints; fill joint_names')
    if not len(times):
        raise MessageRefused('the trajectory has no points; send at least one (to stop, call the '
                             'service ~/stop)')
    absent = [joint for joint in joints if joint not in names] if allow_partial else []
    order = places_of([j for j in joints if j not in absent], names, 'the trajectory', remedy=(
        f'name every joint of {", ".join(joints)}, or set allow_partial_joints_goal'))
    moments = np.asarray(times, dtype=np.int64)
    late = np.flatnonzero(np.diff(moments) <= 0)
    if late.size or moments[0] < 0:
        k = int(late[0]) + 1 if moments[0] >= 0 else 0
        raise MessageRefused(f'time_from_start of point {k} is {moments[k] / NANO:.9g} s and does '
                             'not follow the one before; times must increase')
    arrays = {field: _array(field, rows, names, order) for field, rows in fields.items()}
    if arrays.get('effort', np.zeros(0)).size:
        raise MessageRefused('the trajectory has efforts, which this controller computes itself; '
                             'leave effort empty')
    if not arrays['positions'].size:
        raise MessageRefused('the trajectory has no positions; give them for every point')
    if arrays['accelerations'].size and not arrays['velocities'].size:
        raise MessageRefused('the trajectory has accelerations but no velocities; give both')
    final = arrays['velocities'][-1] if arrays['velocities'].size else np.zeros(1)
    if np.abs(final).max() > np.finfo(np.float32).eps and not allow_moving_end:
        raise MessageRefused(f'the last point has velocity {np.abs(final).max():.6g}; end at '
                             'rest, or set allow_nonzero_velocity_at_trajectory_end')
    if absent:
        present = [k for k, joint in enumerate(joints) if joint not in absent]
        for field, array in arrays.items():
            if array.size:
                whole = np.full((len(moments), len(joints)), np.nan)
                whole[:, present] = array
                arrays[field] = whole
            else:
                arrays[field] = np.zeros((0, len(joints)))
    return Points(moments, arrays['positions'], arrays['velocities'], arrays['accelerations'])


def _array(field: str, rows: Any, names: Sequence[str], order: Sequence[int]) -> np.ndarray:
    """Return a field of all points in joint order (k, n), empty where no point has it."""
    if not isinstance(rows, np.ndarray):
        given = [len(row) for row in rows]
        if not any(given):
            return np.zeros((0, len(order)))
        wrong = next((k for k, size in enumerate(given) if size != len(names)), None)
        if wrong is not None:
            raise MessageRefused(f'{field} of point {wrong} has {given[wrong]} values for '
                                 f'{len(names)} joints; send one per joint or none at all')
    elif not rows.size:
        return np.zeros((0, len(order)))
    elif rows.shape[1] != len(names):
        raise MessageRefused(f'{field} of point 0 has {rows.shape[1]} values for {len(names)} '
                             'joints; send one per joint or none at all')
    array = np.asarray(rows, dtype=float)
    array = array if list(order) == list(range(len(names))) else array[:, order]
    if not np.isfinite(array).all():
        point, joint = np.argwhere(~np.isfinite(array))[0]
        raise MessageRefused(f'{field} of joint {names[order[joint]]!r} at point {point} is '
                             f'{array[point, joint]}; expected a finite number')
    return array


def check_within(points: Points, limits: Limits, tolerance: float) -> None:
    """
    Refuse points, and pieces between them, beyond limits of position or velocity.

    A polynomial stays within its control polygon (Bernstein's form): only pieces whose polygon is
    beyond a limit are looked at more closely.

    :param tolerance: room at a limit [rad], [m], or per s
    """
    _judge(points.q, None, points.times / NANO, limits, tolerance)
    if points.v.size:
        _judge(None, points.v, points.times / NANO, limits, tolerance)
    if len(points.times) < 2:
        return
    span = (np.diff(points.times) / NANO)[:, None]
    q, speed = _polygons(points, span)
    with np.errstate(invalid='ignore'):  # joints that the message leaves out are NaN
        suspect = ((q < limits.lower) | (q > limits.upper)
                   | (np.abs(speed).max(axis=0) > limits.velocity)).any(axis=(0, 2))
    x = np.linspace(0.0, 1.0, FINE)[:, None, None]
    places = np.flatnonzero(suspect)
    for some in np.split(places, range(CHUNK, len(places), CHUNK)):
        c = _coefficients(points.knot(some), points.knot(some + 1), span[some])
        at, rates, _ = np.split(_value(c, x), 3, axis=-1)
        seconds = points.times[some] / NANO + x[..., 0] * span[some, 0]
        # piece by piece in time, moment by moment within a piece
        at, rates = (np.swapaxes(part, 0, 1).reshape(-1, at.shape[-1]) for part in (at, rates))
        _judge(at, rates, seconds.T.reshape(-1), limits, tolerance)


def check_approach(plan: JointPlan, limits: Limits, tolerance: float) -> None:
    """
    Refuse a way to the first point that is faster, or leads farther, than the joints can.

    Joints without a speed limit go no faster than UNLIMITED there, or than at its ends. Limits
    hold where steps are led to zero, too: a line that ends at rest is half as fast again before.
    """
    way = plan.approach()
    if way is not None:
        ends = np.abs(way.v[[0, -1]]).max(axis=0) if plan.points.order else 0.0  # not a line's
        own = replace(limits, velocity=np.where(
            np.isinf(limits.velocity), np.maximum(UNLIMITED, ends), limits.velocity))
        _judge_within(way, own, tolerance, 'on the way from where the arm is to the first '
                      'point ', 'give the first point a later time_from_start')
    for way in plan.blended():
        _judge_within(way, limits, tolerance, 'where the motion is smoothed (blend_time), ',
                      'give it more time, or velocities that begin as the arm moves and end at 0')


def _polygons(points: Points, span: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Control polygons of position and velocity of all pieces (degree + 1 or less, k - 1, n)."""
    q0, q1 = points.q[:-1], points.q[1:]
    if points.order == 0:
        return np.stack([q0, q1]), ((q1 - q0) / span)[None]
    v0, v1 = points.v[:-1] * span, points.v[1:] * span
    if points.order == 1:
        q = np.stack([q0, q0 + v0 / 3.0, q1 - v1 / 3.0, q1])
    else:
        a0, a1 = points.a[:-1] * span * span / 20.0, points.a[1:] * span * span / 20.0
        q = np.stack([q0, q0 + 0.2 * v0, q0 + 0.4 * v0 + a0, q1 - 0.4 * v1 + a1, q1 - 0.2 * v1,
                      q1])
    return q, (len(q) - 1) * np.diff(q, axis=0) / span


def _judge_within(way: Trajectory, limits: Limits, tolerance: float, where: str,
                  remedy: str) -> None:
    """Raise where a way leaves the limits; one that begins beyond a limit comes back."""
    inside = ((way.q[0] >= limits.lower) & (way.q[0] <= limits.upper)).all()
    _judge(way.q if inside else None, way.v, way.t, limits, tolerance, where, remedy)


def _judge(q: np.ndarray | None, v: np.ndarray | None, seconds: np.ndarray, limits: Limits,
           tolerance: float, where: str = '', remedy: str = '') -> None:
    """Raise at the first moment (k, n) at which a joint is beyond a limit."""
    for values, lower, upper, kind, per, cure in (
            (q, limits.lower, limits.upper, 'position', '', 'send one within them'),
            (v, -limits.velocity, limits.velocity, 'velocity', '/s', 'give it more time')):
        if values is None:
            continue
        beyond = (values < lower - tolerance) | (values > upper + tolerance)
        if beyond.any():
            k, joint = (int(place) for place in np.argwhere(beyond)[0])
            raise MessageRefused(
                f'{where}at {seconds[k]:.6g} s {kind} of joint {limits.joints[joint]!r} is '
                f'{values[k, joint]:.6g} {limits.units[joint]}{per}, beyond its limits '
                f'{lower[joint]:.6g} .. {upper[joint]:.6g}; {remedy or cure}')
