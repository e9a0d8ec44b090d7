# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Three-vectors and three-by-three matrices as tuples of scalars (floats or recording)."""
from __future__ import annotations

from typing import Tuple

from robodyn_ros.tracing import Number

Vector = Tuple[Number, Number, Number]
Matrix = Tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a: Vector, factor: Number) -> Vector:
    """Return factor a."""
    return (a[0] * factor, a[1] * factor, a[2] * factor)


def dot(a: Vector, b: Vector) -> Number:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def transpose(m: Matrix) -> Matrix:
    """Return the transpose."""
    return ((m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2]))


def times(m: Matrix, a: Vector) -> Vector:
    """Return m a."""
    return (dot(m[0], a), dot(m[1], a), dot(m[2], a))


def transpose_times(m: Matrix, a: Vector) -> Vector:
    """Return m^T a."""
    return times(transpose(m), a)


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return a b."""
    columns = transpose(b)
    return (times(columns, a[0]), times(columns, a[1]), times(columns, a[2]))


def sum_matrices(a: Matrix, b: Matrix) -> Matrix:
    """Return a + b."""
    return (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]))


def rotate_inertia(rotation: Matrix, inertia: Matrix) -> Matrix:
    """Return R I R^T, the tensor in the frame that R leads to."""
    half = product(rotation, inertia)
    i00, i01, i02 = dot(half[0], rotation[0]), dot(half[0], rotation[1]), dot(half[0], rotation[2])
    i11, i12, i22 = dot(half[1], rotation[1]), dot(half[1], rotation[2]), dot(half[2], rotation[2])
    return ((i00, i01, i02), (i01, i11, i12), (i02, i12, i22))
