# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Rotations and inertias as numpy arrays: while reading a robot, and for showing it."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from robodyn_ros.mechanics.rotation import from_matrix
from robodyn_ros.mechanics.tree import Inertia
from robodyn_ros.mechanics.vector import Matrix, Vector
from robodyn_ros.robots.urdf.records import Inertial

SLACK = 1e-6
"""Relative slack of what is possible: room for rounded public files [-]."""
MOST_KEPT = 256
"""Inertias that are known to be possible or not: most runs of a sweep have the same."""


def rotation_from_rpy(rpy: tuple) -> np.ndarray:
    """Rotation matrix of fixed-axis roll, pitch, yaw (URDF convention): Rz(y) Ry(p) Rx(r)."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    return snapped(np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr]]))


def quaternion(r: np.ndarray) -> np.ndarray:
    """Quaternion x, y, z, w of a rotation matrix (3, 3)."""
    return np.array(from_matrix(as_matrix(r)))


def snapped(rotation: np.ndarray) -> np.ndarray:
    """Replace entries within rounding of 0 or +-1, so that the recording can fold them."""
    result = rotation.copy()
    for exact in (0.0, 1.0, -1.0):
        result[np.abs(result - exact) < 4e-16] = exact
    return result


def frame_with_z_along(axis: tuple) -> np.ndarray:
    """
    Rotation whose third column is the axis; exact zeros and ones for the coordinate axes.

    Turns the body frame to the joint frame, so that every joint acts along its own z.
    """
    z = np.array(axis) / np.linalg.norm(axis)
    if max(abs(z[0]), abs(z[1])) < 4e-16:
        return np.diag([1.0, np.sign(z[2]), np.sign(z[2])])
    # the coordinate axis least along z, so that +-x and +-y give permutations
    helper = np.zeros(3)
    helper[2 if abs(z[2]) < 0.5 else 0] = 1.0
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return snapped(np.column_stack([x, np.cross(z, x), z]))


def inertia_about_origin(inertial: Inertial) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment and tensor of a link about its link frame's origin."""
    xx, xy, xz, yy, yz, zz = inertial.tensor
    turn = rotation_from_rpy(inertial.rpy)
    centre = np.array(inertial.xyz)
    tensor = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    shift = centre @ centre * np.eye(3) - np.outer(centre, centre)
    return inertial.mass, inertial.mass * centre, tensor + inertial.mass * shift


@lru_cache(MOST_KEPT)
def impossible_inertia(tensor: tuple, allow_point: bool) -> str:
    """
    Tell why no rigid body has a tensor about its centre of mass; '' if one may.

    :param tensor: ixx, ixy, ixz, iyy, iyz, izz
    :param allow_point: accept moments that are zero
    """
    if allow_point and not any(tensor):
        return ''
    xx, xy, xz, yy, yz, zz = tensor
    moments = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    low, middle, high = moments.tolist()
    if low < -SLACK * high if allow_point else low <= 0.0:
        return f'has the principal moment {low:.6g}; all three are positive'
    if low + middle < high * (1.0 - SLACK):
        return (f'has the principal moments {low:.6g}, {middle:.6g} and {high:.6g}; no body has '
                'one larger than the sum of the other two')
    return ''


def inertia_remedy(inertial: Inertial) -> str:
    """Say which numbers would make the inertia of a link one that a body can have."""
    if inertial.mass <= 0.0:
        return 'give it the mass of its part'
    xx, xy, xz, yy, yz, zz = inertial.tensor
    low, middle, high = np.linalg.eigvalsh(
        np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])).tolist()
    if low <= 0.0:
        return f'give it three positive principal moments, such as {_sphere(inertial.mass):.3g}'
    return (f'its smallest principal moment must be at least {high - middle:.6g}, or the largest '
            f'at most {low + middle:.6g}')


def _sphere(mass: float) -> float:
    """Moment of inertia of a ball of the density of aluminium [kg m^2]."""
    radius = (3.0 * mass / (4.0 * np.pi * 2700.0)) ** (1.0 / 3.0)
    return 0.4 * mass * radius ** 2


def moved(part: tuple, rotation: np.ndarray, translation: np.ndarray) -> tuple:
    """(mass, moment, tensor) of a part in the frame in which its own frame sits as given."""
    mass, moment, tensor = part
    turned = rotation @ moment
    weight = 2.0 * turned + mass * translation
    cross = np.outer(translation, weight)
    shift = translation @ weight * np.eye(3) - 0.5 * (cross + cross.T)
    return mass, turned + mass * translation, rotation @ tensor @ rotation.T + shift


def as_vector(values: np.ndarray) -> Vector:
    """Plain floats."""
    return tuple(float(x) for x in values)  # type: ignore[return-value]


def as_matrix(values: np.ndarray) -> Matrix:
    """Plain floats."""
    return tuple(as_vector(row) for row in values)  # type: ignore[return-value]


def as_inertia(part: tuple) -> Inertia:
    """Make a part the Inertia of a body."""
    mass, moment, tensor = part
    return Inertia(float(mass), as_vector(moment), as_matrix(0.5 * (tensor + tensor.T)))
