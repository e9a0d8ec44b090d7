# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Standard Denavit-Hartenberg links of a serial robot, for engines that read no URDF.

Frame k is fixed to link k, its z along the axis of joint k + 1 and its x along the common normal
of the axes of joints k and k + 1 (k from 1; frame 0 is at rest). Where the convention leaves a
choice, the first and the last frame are our body frames, and between parallel axes d is zero.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from robodyn_ros import RobodynError, Robot
from robodyn_ros.mechanics.kinematics import body_poses, Pose
from robodyn_ros.mechanics.tree import Inertia

PARALLEL_SINE = 1e-9
"""Sine below which two axes count as parallel: their common normal is lost in rounding [-]."""


class Link(NamedTuple):
    """Rz(theta) Tz(d) Tx(a) Rx(alpha) at q = 0, from the frame before; q adds to theta or d."""

    kind: str
    """REVOLUTE, q adds to theta; or PRISMATIC, q adds to d."""
    theta: float
    """[rad]"""
    d: float
    """[m]"""
    a: float
    """Negative where x leads from the axis to the one before [m]."""
    alpha: float
    """[rad]"""
    mass: float
    """[kg]"""
    centre: np.ndarray
    """Centre of mass in the link's frame (3,) [m]."""
    tensor: np.ndarray
    """Inertia about the centre of mass along the axes of the link's frame (3, 3) [kg m^2]."""


class Chain(NamedTuple):
    """A serial robot in the convention; rotors and friction are not part of it."""

    base: np.ndarray
    """Frame 0 in the base frame (4, 4)."""
    links: tuple[Link, ...]


def denavit_hartenberg(robot: Robot) -> Chain:
    """Convert a robot; the pose of frame n is that of the last body."""
    bodies = robot.tree.bodies
    if any(body.parent != k - 1 for k, body in enumerate(bodies)):
        raise RobodynError(f'{robot.name} has branches; the convention of Denavit and Hartenberg '
                           'is for serial robots')
    placed = [_matrix(pose) for pose in body_poses(robot.tree, [0.0] * robot.n)]
    frames = [placed[0]]
    for at in placed[1:]:
        frames.append(_next_frame(frames[-1], at))
    frames.append(placed[-1])
    links = []
    for body, at, before, after in zip(bodies, placed, frames, frames[1:]):
        step = _inverse(before) @ after  # columns: (cos theta, sin theta, 0), ...
        theta, alpha = np.arctan2(step[1, 0], step[0, 0]), np.arctan2(step[2, 1], step[2, 2])
        a = step[0, 3] * np.cos(theta) + step[1, 3] * np.sin(theta)
        links.append(Link(body.kind, float(theta), float(step[2, 3]), float(a), float(alpha),
                          *_inertia(body.inertia, _inverse(after) @ at)))
    return Chain(placed[0], tuple(links))


def _next_frame(before: np.ndarray, body: np.ndarray) -> np.ndarray:
    """Frame with its z on the axis of a body, where the common normal with the z before meets."""
    first, z, between = before[:3, 2], body[:3, 2], body[:3, 3] - before[:3, 3]
    normal = np.cross(first, z)
    sine = np.linalg.norm(normal)
    if sine > PARALLEL_SINE:
        along = np.cross(between, first) @ normal / sine ** 2
    else:  # any normal is common, we take the one through the origin before
        along = -between @ z
        normal = between + along * z
        if np.linalg.norm(normal) <= PARALLEL_SINE:  # one axis: we keep x, as nothing turns it
            normal = before[:3, 0]
    x = normal / np.linalg.norm(normal)
    frame = np.eye(4)
    frame[:3] = np.column_stack([x, np.cross(z, x), z, body[:3, 3] + along * z])
    return frame


def _inertia(inertia: Inertia, at: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and tensor about it, in the frame in which the body's own sits as given."""
    mass = float(inertia.mass)
    centre = np.array(inertia.moment, dtype=float) / mass
    shift = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    tensor = at[:3, :3] @ (np.array(inertia.tensor, dtype=float) - shift) @ at[:3, :3].T
    return mass, at[:3, :3] @ centre + at[:3, 3], 0.5 * (tensor + tensor.T)


def _matrix(pose: Pose) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose.rotation, pose.position
    return matrix


def _inverse(matrix: np.ndarray) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3] = matrix[:3, :3].T
    result[:3, 3] = -matrix[:3, :3].T @ matrix[:3, 3]
    return result
