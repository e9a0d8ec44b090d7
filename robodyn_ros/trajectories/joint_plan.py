# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A joint trajectory as received: checked and interpolated by joint_trajectory_controller's rules.

Between points the fields given decide: positions alone are joined by lines, with velocities by
cubics, with accelerations too by quintics. On a point its own values are returned, bit for bit.
Before the first point and after the last the plan rests there; a first point after time zero is
approached from the state at which the trajectory was accepted.
"""
from __future__ import annotations

from bisect import bisect_right
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.errors import MessageRefused
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.ros_time import NANO


class Points(NamedTuple):
    """Points of a trajectory in the robot's joint order; empty arrays where not given."""

    times: np.ndarray
    """Time from start (k,) [ns], whole numbers."""
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


class JointPlan:
    """A trajectory that starts at a time."""

    def __init__(self, start: int, points: Points):
        """
        Keep checked points.

        :param start: time of the trajectory's beginning [ns]
        """
        self.start, self.points = start, points
        rest = np.zeros_like(points.q)
        self._desired = np.hstack([points.q, points.v if points.v.size else rest,
                                   points.a if points.a.size else rest])
        self._times: list[int] = points.times.tolist()
        self._next = 0  # control instants come in order: the point that is probably asked for

    @property
    def end(self) -> int:
        """Time of the last point [ns]."""
        return self.start + int(self.points.times[-1])

    def same(self, start: int, points: Points) -> bool:
        """Return whether this is the plan of that start and those points."""
        return start == self.start and all(map(np.array_equal, self.points, points))

    def sample(self, now: int) -> np.ndarray:
        """Return desired position, velocity and acceleration at a time, side by side (3 n,)."""
        times, since = self._times, now - self.start
        k = self._next
        if times[k] != since:
            k = bisect_right(times, since) - 1
        self._next = min(max(k, 0) + 1, len(times) - 1)
        if 0 <= k < len(times) and times[k] == since:
            return self._desired[k]
        if k < 0 or k + 1 == len(times):
            at = self.points.q[max(k, 0)]
            return np.concatenate([at, np.zeros(2 * len(at))])
        return self._between(k, since)

    def _between(self, k: int, since: int) -> np.ndarray:
        points = self.points
        span = (points.times[k + 1] - points.times[k]) / NANO
        x = (since - points.times[k]) / NANO / span
        q0, q1 = points.q[k], points.q[k + 1]
        if not points.v.size:
            return np.concatenate([q0 + x * (q1 - q0), (q1 - q0) / span, np.zeros_like(q0)])
        v0, v1 = points.v[k] * span, points.v[k + 1] * span
        if not points.a.size:
            c: tuple = (q0, v0, 3 * (q1 - q0) - 2 * v0 - v1, 2 * (q0 - q1) + v0 + v1)
        else:
            a0, a1 = points.a[k] * span ** 2, points.a[k + 1] * span ** 2
            c = (q0, v0, a0 / 2,
                 10 * (q1 - q0) - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1,
                 -15 * (q1 - q0) + 8 * v0 + 7 * v1 + 1.5 * a0 - a1,
                 6 * (q1 - q0) - 3 * (v0 + v1) - 0.5 * (a0 - a1))
        q = sum(c[p] * x ** p for p in range(len(c)))
        v = sum(p * c[p] * x ** (p - 1) for p in range(1, len(c))) / span
        a = sum(p * (p - 1) * c[p] * x ** (p - 2) for p in range(2, len(c))) / span ** 2
        return np.concatenate([q, v, a])


def checked_points(joints: Sequence[str], names: Sequence[str], times: Sequence[int],
                   fields: Mapping[str, Any],
                   allow_moving_end: bool = False) -> Points:
    """
    Check a trajectory message by joint_trajectory_controller's rules; MessageRefused says why not.

    :param fields: 'positions', 'velocities', 'accelerations', 'effort' of every point, as sent
    """
    if not names:
        raise MessageRefused('the trajectory names no joints; fill joint_names')
    if not len(times):
        raise MessageRefused('the trajectory has no points; send at least one (to stop, call the '
                             'service ~/stop)')
    order = places_of(joints, names, 'the trajectory')
    late = next((k for k in range(1, len(times)) if times[k] <= times[k - 1]), None)
    if late is not None or times[0] < 0:
        k = late or 0
        raise MessageRefused(f'time_from_start of point {k} is {times[k] / NANO:.9g} s and does '
                             'not follow the one before; times must increase')
    arrays = {}
    for field, rows in fields.items():
        given = [len(row) for row in rows]
        if not any(given):
            arrays[field] = np.zeros((0, len(joints)))
            continue
        wrong = next((k for k, size in enumerate(given) if size != len(names)), None)
        if wrong is not None:
            raise MessageRefused(f'{field} of point {wrong} has {given[wrong]} values for '
                                 f'{len(names)} joints; send one per joint or none at all')
        array = np.array(rows, dtype=float)[:, order]
        if not np.isfinite(array).all():
            point, joint = np.argwhere(~np.isfinite(array))[0]
            raise MessageRefused(f'{field} of joint {joints[joint]!r} at point {point} is '
                                 f'{array[point, joint]}; expected a finite number')
        arrays[field] = array
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
    return Points(np.array(times, dtype=np.int64), arrays['positions'], arrays['velocities'],
                  arrays['accelerations'])
