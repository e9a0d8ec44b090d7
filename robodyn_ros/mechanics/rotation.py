# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Orientations as unit quaternions x, y, z, w (ROS's order), on scalars (floats or recording).

Two quaternions of opposite sign are the same orientation. The difference of two orientations is
the vector 4 tan(theta/4) u of the turn by theta about u that leads from one to the other (modified
Rodrigues parameters, times four: Shuster, A survey of attitude representations, 1993). It equals
the rotation vector theta u to third order. Its derivative is 1 + |e|^2/16 times a rotation, for
every theta up to pi and beyond: nowhere a singular direction, no arctangent, no branch but the
sign.
"""
from __future__ import annotations

import math
from typing import Tuple

from robodyn_ros.mechanics.vector import cross, dot, Matrix, scale, subtract, transpose, Vector
from robodyn_ros.tracing import absolute, cos, maximum, Number, sin, sqrt, where

Quaternion = Tuple[Number, Number, Number, Number]

UNTURNED: Quaternion = (0.0, 0.0, 0.0, 1.0)
OPPOSITE = 1e-9
"""1 + cos of the angle below which a direction is taken for the opposite one [-]."""


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the orientation b as seen from a's frame: first b, then a."""
    return (a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2])


def inverse(a: Quaternion) -> Quaternion:
    """Return the opposite turn."""
    return (-a[0], -a[1], -a[2], a[3])


def about_z(angle: Number) -> Quaternion:
    """Turn about the z axis."""
    return (0.0, 0.0, sin(angle * 0.5), cos(angle * 0.5))


def from_angles(roll: Number, pitch: Number, yaw: Number) -> Quaternion:
    """Orientation of fixed-axis roll, pitch, yaw (URDF): Rz(yaw) Ry(pitch) Rx(roll) [rad]."""
    (sr, cr), (sp, cp), (sy, cy) = ((sin(x * 0.5), cos(x * 0.5)) for x in (roll, pitch, yaw))
    return (cy * cp * sr - sy * sp * cr, cy * sp * cr + sy * cp * sr,
            sy * cp * cr - cy * sp * sr, cy * cp * cr + sy * sp * sr)


def turned(begin: Quaternion, axis: Vector, angle: Number) -> Quaternion:
    """Return an orientation turned about one of its own axes, a unit vector, by an angle [rad]."""
    size, w = sin(angle * 0.5), cos(angle * 0.5)
    return multiply(begin, (axis[0] * size, axis[1] * size, axis[2] * size, w))


def axis_and_angle(a: Quaternion) -> tuple[Vector, float]:
    """Return the unit axis and the angle, 0 to pi [rad], of a turn of plain numbers."""
    x, y, z, w = (float(value) for value in a)
    size = math.sqrt(x * x + y * y + z * z)
    if size < 1e-12:
        return (0.0, 0.0, 1.0), 0.0
    sign = -1.0 if w < 0.0 else 1.0  # the shorter way
    return (sign * x / size, sign * y / size, sign * z / size), 2.0 * math.atan2(size, abs(w))


def from_matrix(r: Matrix) -> Quaternion:
    """
    Orientation of a rotation matrix.

    Row i is 4 q_i q; the one with the largest q_i is safe to be divided by its length.
    """
    xx, yy, zz = r[0][0], r[1][1], r[2][2]
    rows: list[tuple[Number, ...]] = [
        (1.0 + xx - yy - zz, r[0][1] + r[1][0], r[0][2] + r[2][0], r[2][1] - r[1][2]),
        (r[0][1] + r[1][0], 1.0 - xx + yy - zz, r[1][2] + r[2][1], r[0][2] - r[2][0]),
        (r[0][2] + r[2][0], r[1][2] + r[2][1], 1.0 - xx - yy + zz, r[1][0] - r[0][1]),
        (r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1], 1.0 + xx + yy + zz)]
    best, largest = rows[0], rows[0][0]
    for k in (1, 2, 3):
        better = largest < rows[k][k]  # type: ignore[operator]
        best = tuple(where(better, x, y) for x, y in zip(rows[k], best))
        largest = where(better, rows[k][k], largest)
    return normalised(best)  # type: ignore[arg-type]


def normalised(a: Quaternion) -> Quaternion:
    """Return a quaternion of length one."""
    factor = 1.0 / sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    return (a[0] * factor, a[1] * factor, a[2] * factor, a[3] * factor)


def difference(desired: Quaternion, actual: Quaternion) -> Vector:
    """Turn from one orientation to another, 4 tan(theta/4) u, in the desired frame [rad]."""
    x, y, z, w = multiply(inverse(desired), actual)
    factor = where(w < 0.0, -4.0, 4.0) / (1.0 + absolute(w))  # type: ignore[operator]
    return (x * factor, y * factor, z * factor)


def swing(direction: Vector, actual: Vector) -> tuple[Number, Number]:
    """
    Turn of a unit vector away from a direction, 2 tan(theta/2), in two axes across it [rad].

    The stereographic projection: its derivative has no preferred direction anywhere, and only the
    opposite of the direction is infinitely far.

    :param direction: unit vector, plain numbers or recorded
    """
    one, two = across(direction)
    factor = 2.0 / maximum(1.0 + dot(actual, direction), OPPOSITE)
    return dot(actual, one) * factor, dot(actual, two) * factor


def across(direction: Vector) -> tuple[Vector, Vector]:
    """
    Two unit vectors that stand on a unit vector and on each other.

    Smooth but for -z, and branchless elsewhere (Duff et al., Building an orthonormal basis,
    revisited, 2017).
    """
    x, y, z = direction
    sign = where(z < 0.0, -1.0, 1.0)  # type: ignore[operator]
    a = -1.0 / (sign + z)
    b = x * y * a
    return (1.0 + sign * x * x * a, sign * b, -(sign * x)), (b, sign + y * y * a, -y)


def frame_along(tangent: Vector, up: Vector) -> Matrix:
    """
    Rotation whose x axis is along a tangent and whose z axis is as near to up as it can be.

    :param tangent: any length but zero; :param up: not along it
    """
    x = scale(tangent, 1.0 / sqrt(dot(tangent, tangent)))
    z = subtract(up, scale(x, dot(up, x)))
    z = scale(z, 1.0 / sqrt(dot(z, z)))
    return transpose((x, cross(z, x), z))
