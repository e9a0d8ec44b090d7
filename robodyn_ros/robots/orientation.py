# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Roll, pitch and yaw of a frame (URDF convention, R = Rz(yaw) Ry(pitch) Rx(roll)).

In a chain whose joints all turn about the base's z axis, such as a SCARA, yaw is the sum of the
joint angles: linear, never wrapped, and free of arctangents. Elsewhere yaw and roll are wrapped to
(-pi, pi] and singular at pitch = +-pi/2, as these angles are.
"""
from __future__ import annotations

import math
from typing import Sequence

from robodyn_ros.mechanics.kinematics import frame_pose
from robodyn_ros.mechanics.tree import ancestors, Frame, REVOLUTE, Tree
from robodyn_ros.mechanics.vector import IDENTITY, Matrix, product, Vector
from robodyn_ros.tracing import atan2, Number, sqrt


def roll_pitch_yaw(tree: Tree, frame: Frame, q: Sequence[Number]) -> Vector:
    """Roll, pitch, yaw of a frame in the base frame [rad]."""
    planar = _planar_yaw(tree, frame, q)
    if planar is not None:
        return planar
    return angles_of(frame_pose(tree, frame, q).rotation)


def angles_of(rotation: Matrix) -> Vector:
    """Roll, pitch, yaw of a rotation matrix [rad]."""
    r = rotation
    level = sqrt(r[0][0] * r[0][0] + r[1][0] * r[1][0])
    return (atan2(r[2][1], r[2][2]), atan2(-r[2][0], level), atan2(r[1][0], r[0][0]))


def _planar_yaw(tree: Tree, frame: Frame, q: Sequence[Number]) -> Vector | None:
    """Return the closed form when every turn is about +-z of the base, else None."""
    turn = IDENTITY
    yaw: Number = 0.0
    for index in reversed(ancestors(tree, frame.body)):
        turn = product(turn, tree.bodies[index].rotation)
        if tree.bodies[index].kind == REVOLUTE:
            if abs(turn[2][2]) != 1.0:
                return None
            yaw = yaw + q[index] * turn[2][2]
    roll, pitch, fixed = angles_of(product(turn, frame.rotation))
    if not isinstance(fixed, float) or abs(math.cos(pitch)) < 1e-9:  # type: ignore[arg-type]
        return None
    return (roll, pitch, yaw + fixed)
