# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Where bodies and frames are, and how they move.

Walks from the base to the leaves. Rotations lead from the frame in question to the base frame;
positions, velocities and Jacobian rows are in the base frame.
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

from robodyn_ros.mechanics import rotation
from robodyn_ros.mechanics.tree import (ancestors, Body, body_positions, body_rates, Frame,
                                        joint_efforts, REVOLUTE, Tree)
from robodyn_ros.mechanics.vector import (add, cross, IDENTITY, Matrix, product, scale, subtract,
                                          times, Vector, ZERO)
from robodyn_ros.tracing import cos, Number, sin


class Pose(NamedTuple):
    """Placement of a frame in the base frame."""

    rotation: Matrix
    position: Vector
    """[m]"""


class Motion(NamedTuple):
    """A frame's pose with its velocity and acceleration in the base frame."""

    pose: Pose
    angular: Vector
    """Angular velocity [rad/s]."""
    linear: Vector
    """Velocity of the frame's origin [m/s]."""
    angular_rate: Vector
    """Angular acceleration [rad/s^2]."""
    linear_rate: Vector
    """Acceleration of the frame's origin [m/s^2]."""


BASE = Pose(IDENTITY, ZERO)


def turn_z(matrix: Matrix, c: Number, s: Number) -> Matrix:
    """Return matrix Rz(q) with c = cos q, s = sin q."""
    return tuple((row[0] * c + row[1] * s, row[1] * c - row[0] * s, row[2])
                 for row in matrix)  # type: ignore[return-value]


def joint_pose(body: Body, q: Number) -> Pose:
    """Pose of a body in its parent's frame."""
    if body.kind == REVOLUTE:
        return Pose(turn_z(body.rotation, cos(q), sin(q)), body.translation)
    axis = tuple(row[2] for row in body.rotation)
    return Pose(body.rotation, add(body.translation, scale(axis, q)))  # type: ignore[arg-type]


def compose(a: Pose, b: Pose) -> Pose:
    """Pose of b's frame where b is given in a's frame."""
    return Pose(product(a.rotation, b.rotation), add(a.position, times(a.rotation, b.position)))


def body_poses(tree: Tree, q: Sequence[Number]) -> list[Pose]:
    """Pose of every body."""
    poses: list[Pose] = []
    for body, angle in zip(tree.bodies, body_positions(tree, q)):
        parent = poses[body.parent] if body.parent >= 0 else BASE
        poses.append(compose(parent, joint_pose(body, angle)))
    return poses


def frame_pose(tree: Tree, frame: Frame, q: Sequence[Number]) -> Pose:
    """Pose of one frame; walks only its own chain."""
    pose, q = BASE, body_positions(tree, q)
    for index in reversed(ancestors(tree, frame.body)):
        pose = compose(pose, joint_pose(tree.bodies[index], q[index]))
    return compose(pose, Pose(frame.rotation, frame.translation))


def frame_quaternion(tree: Tree, frame: Frame, q: Sequence[Number]) -> rotation.Quaternion:
    """Orientation of one frame; smooth in q without an end, as no matrix's quaternion is."""
    turn = rotation.UNTURNED
    q = body_positions(tree, q)
    for index in reversed(ancestors(tree, frame.body)):
        body = tree.bodies[index]
        turn = rotation.multiply(turn, rotation.from_matrix(body.rotation))
        if body.kind == REVOLUTE:
            turn = rotation.multiply(turn, rotation.about_z(q[index]))
    return rotation.multiply(turn, rotation.from_matrix(frame.rotation))


def frame_motion(tree: Tree, frame: Frame, q: Sequence[Number], v: Sequence[Number],
                 a: Sequence[Number] | None = None) -> Motion:
    """
    Pose, velocity and acceleration of one frame; with a = None the acceleration is the drift.

    The drift is the part of the acceleration that joint velocities alone cause, Jdot v.
    """
    pose, omega, velocity, alpha, acceleration = BASE, ZERO, ZERO, ZERO, ZERO
    q, v = body_positions(tree, q), body_rates(tree, v)
    a = None if a is None else body_rates(tree, a)
    for index in reversed(ancestors(tree, frame.body)):
        body = tree.bodies[index]
        here = compose(pose, joint_pose(body, q[index]))
        arm = subtract(here.position, pose.position)
        axis: Vector = tuple(row[2] for row in here.rotation)  # type: ignore[assignment]
        rate, push = v[index], (0.0 if a is None else a[index])
        velocity = add(velocity, cross(omega, arm))
        acceleration = add(acceleration, add(cross(alpha, arm), cross(omega, cross(omega, arm))))
        spin = scale(axis, rate)
        if body.kind == REVOLUTE:
            alpha = add(alpha, add(scale(axis, push), cross(omega, spin)))
            omega = add(omega, spin)
        else:
            velocity = add(velocity, spin)
            acceleration = add(acceleration, add(scale(axis, push), scale(cross(omega, spin),
                                                                          2.0)))
        pose = here
    end = compose(pose, Pose(frame.rotation, frame.translation))
    arm = subtract(end.position, pose.position)
    velocity = add(velocity, cross(omega, arm))
    acceleration = add(acceleration, add(cross(alpha, arm), cross(omega, cross(omega, arm))))
    return Motion(end, omega, velocity, alpha, acceleration)


def frame_jacobian(tree: Tree, frame: Frame, q: Sequence[Number]) -> list[list[Number]]:
    """Geometric Jacobian (6, n): rows x y z of the origin's velocity, then of omega."""
    end = frame_pose(tree, frame, q).position
    rows: list[list[Number]] = [[0.0] * len(tree.bodies) for _ in range(6)]
    pose, q = BASE, body_positions(tree, q)
    for index in reversed(ancestors(tree, frame.body)):
        body = tree.bodies[index]
        pose = compose(pose, joint_pose(body, q[index]))
        axis: Vector = tuple(row[2] for row in pose.rotation)  # type: ignore[assignment]
        if body.kind == REVOLUTE:
            linear, angular = cross(axis, subtract(end, pose.position)), axis
        else:
            linear, angular = axis, ZERO
        for k in range(3):
            rows[k][index], rows[3 + k][index] = linear[k], angular[k]
    return [joint_efforts(tree, row) for row in rows]
