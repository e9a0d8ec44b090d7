# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Right angles that a file gives with few digits, such as rpy="1.5708 0 0", made exact.

A rounded right angle is a slanted axis: nothing of it folds away, and the equations of an arm take
twice as many operations. Only numbers that are a right angle, or several, rounded or cut to some
digits are taken for one: a calibrated angle beside it, such as 1.5714, stays what it is.
"""
from __future__ import annotations

import math

from robodyn_ros.robots.urdf.records import RobotRecord
from robodyn_ros.robots.urdf.remarks import Remark

FEWEST, MOST = 2, 14
"""Digits behind the point of a rounded right angle."""
TURNS = 4
"""Right angles, in either direction, that are looked at."""


def right_angle(angle: float) -> float:
    """Return the right angle that a number was rounded from, or the number itself [rad]."""
    count = round(angle / (0.5 * math.pi))
    exact = count * 0.5 * math.pi
    if not 0 < abs(count) <= TURNS or angle == exact or abs(angle - exact) > 0.1 ** FEWEST:
        return angle
    for digits in range(FEWEST, MOST + 1):
        unit = 10.0 ** digits
        cut = math.copysign(math.floor(abs(exact) * unit) / unit, exact)
        if abs(angle - round(exact, digits)) < 1e-15 or abs(angle - cut) < 1e-15:
            return exact
    return angle


def with_right_angles(record: RobotRecord) -> RobotRecord:
    """Return a file with the rounded right angles of its joints exact, and what changed."""
    joints, remarks = [], []
    for joint in record.joints:
        rpy = tuple(map(right_angle, joint.rpy))
        if rpy != joint.rpy:
            most = max(abs(a - b) for a, b in zip(rpy, joint.rpy))
            remarks.append(Remark(
                f'the frame of joint {joint.name!r} has rpy '
                f'{" ".join(f"{x:.12g}" for x in joint.rpy)}, rounded right angles',
                f'snap_angles turns it by {most:.2g} rad to '
                f'{" ".join(f"{x:.12g}" for x in rpy)}',
                'without snap_angles the file is taken at its word', mended=False))
        joints.append(joint._replace(rpy=rpy))  # type: ignore[arg-type]
    return record._replace(joints=tuple(joints), remarks=(*record.remarks, *remarks))
