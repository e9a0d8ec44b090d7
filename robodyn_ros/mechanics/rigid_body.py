# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Equations of motion of a tree: inverse dynamics (Newton-Euler), mass matrix (composite bodies).

Both work in body frames, where inertias are constants, with regrouped inertias (inertia.py) and
rotors (tree.Rotor). M(q) a + h(q, v) = tau, friction apart.
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

from robodyn_ros.mechanics.inertia import express, sum_inertias
from robodyn_ros.mechanics.kinematics import body_poses, joint_pose, Pose
from robodyn_ros.mechanics.tree import (add_coupled, ancestors, body_positions, body_rates,
                                        coupled_rate, Inertia, joint_efforts, REVOLUTE, Rotor,
                                        Tree)
from robodyn_ros.mechanics.vector import (add, cross, dot, Matrix, scale, times, transpose_times,
                                          Vector, ZERO)
from robodyn_ros.tracing import Number

LONG = 12
"""Joints in a chain from which on forces are compared with axes in the base frame."""


class Wrenches(NamedTuple):
    """What moves every body by itself, in body frames, before forces are handed down."""

    poses: list[Pose]
    """Of each body in its parent's frame."""
    forces: list[Vector]
    """[N]"""
    moments: list[Vector]
    """About the origin of the body frame [N m]."""
    rotors: list[Number]
    """Effort along each body's joint that rotors and coupled motors take [N m] or [N]."""


def body_wrenches(tree: Tree, inertias: Sequence[Inertia], q: Sequence[Number],
                  v: Sequence[Number], a: Sequence[Number], gravity: Vector) -> Wrenches:
    """
    Force and moment that each body needs by itself: the way out of Newton-Euler.

    Linear in the inertias and in the inertias of the rotors; see inverse_dynamics.
    """
    v, a = body_rates(tree, v), body_rates(tree, a)
    poses = [joint_pose(body, x) for body, x in zip(tree.bodies, body_positions(tree, q))]
    moving: list[tuple[Vector, Vector, Vector]] = []  # omega, alpha, acceleration of the origin
    forces: list[Vector] = []
    moments: list[Vector] = []
    upward = scale(gravity, -1.0)
    # base to leaves: velocities and accelerations, then the force each body needs by itself
    for index, body in enumerate(tree.bodies):
        omega, alpha, acceleration = _carry(
            moving[body.parent] if body.parent >= 0 else (ZERO, ZERO, upward), poses[index])
        rate, push = v[index], a[index]
        across = (omega[1] * rate, -(omega[0] * rate), 0.0)  # omega x (z rate)
        if body.kind == REVOLUTE:
            alpha = add(alpha, (across[0], across[1], push))
            omega = (omega[0], omega[1], omega[2] + rate)
        else:
            acceleration = add(acceleration, (across[0] * 2.0, across[1] * 2.0, push))
        moving.append((omega, alpha, acceleration))
        inertia = inertias[index]
        turning = _turning(omega, alpha)
        forces.append(add(scale(acceleration, inertia.mass), times(turning, inertia.moment)))
        spin = times(inertia.tensor, omega)
        moments.append(add(add(times(inertia.tensor, alpha), cross(omega, spin)),
                           cross(inertia.moment, acceleration)))
    tau: list[Number] = [0.0] * len(tree.bodies)
    for rotor in tree.rotors:
        momentum_rate = a[rotor.joint] * (rotor.inertia * rotor.ratio)
        twist: Number = 0.0
        if rotor.carrier >= 0:
            omega, alpha, _ = moving[rotor.carrier]
            momentum = v[rotor.joint] * (rotor.inertia * rotor.ratio)
            moments[rotor.carrier] = add(moments[rotor.carrier], add(
                scale(rotor.axis, momentum_rate), scale(cross(omega, rotor.axis), momentum)))
            twist = dot(rotor.axis, alpha)
        tau[rotor.joint] = tau[rotor.joint] + (
            twist * (rotor.inertia * rotor.ratio) + momentum_rate * rotor.ratio)
    for coupling in tree.couplings:
        add_coupled(tau, coupling, coupled_rate(coupling, a) * coupling.inertia)
    return Wrenches(poses, forces, moments, tau)


def inverse_dynamics(tree: Tree, inertias: Sequence[Inertia], q: Sequence[Number],
                     v: Sequence[Number], a: Sequence[Number],
                     gravity: Vector) -> list[Number]:
    """
    Joint torques tau = M a + C v + g by recursive Newton-Euler.

    :param inertias: one per body, in body frames
    :param gravity: in the base frame [m/s^2]; enters as an upward acceleration of the base
    """
    poses, forces, moments, tau = body_wrenches(tree, inertias, q, v, a, gravity)
    # leaves to base: hand forces and moments down to the parent, keep what acts along the joint
    for index in reversed(range(len(tree.bodies))):
        body, force, moment = tree.bodies[index], forces[index], moments[index]
        tau[index] = tau[index] + (moment[2] if body.kind == REVOLUTE else force[2])
        if body.parent >= 0:
            force, moment = _hand_down(poses[index], force, moment)
            forces[body.parent] = add(forces[body.parent], force)
            moments[body.parent] = add(moments[body.parent], moment)
    return joint_efforts(tree, tau)


def mass_matrix(tree: Tree, inertias: Sequence[Inertia],
                q: Sequence[Number]) -> list[list[Number]]:
    """Mass matrix (n, n) by composite rigid bodies; exact zeros between separate branches."""
    n = len(tree.bodies)
    poses = [joint_pose(body, x) for body, x in zip(tree.bodies, body_positions(tree, q))]
    composite = list(inertias)
    mass: list[list[Number]] = [[0.0] * n for _ in range(n)]
    chains = [ancestors(tree, index) for index in range(n)]
    project = _link_by_link if max(map(len, chains), default=0) < LONG else _Projection(tree, q)
    for index in reversed(range(n)):
        body = tree.bodies[index]
        whole = composite[index]
        # force and moment that accelerate the composite body by one unit along its joint
        sx, sy, _ = whole.moment
        if body.kind == REVOLUTE:
            force: Vector = (-sy, sx, 0.0)
            moment: Vector = (whole.tensor[0][2], whole.tensor[1][2], whole.tensor[2][2])
        else:
            force, moment = (0.0, 0.0, whole.mass), (sy, -sx, 0.0)
        for link, along in zip(chains[index], project(tree, poses, chains[index], force, moment)):
            mass[index][link] = mass[link][index] = along
        if body.parent >= 0:
            composite[body.parent] = sum_inertias(
                composite[body.parent],
                express(whole, poses[index].rotation, poses[index].position))
    for rotor in tree.rotors:
        _add_rotor(mass, tree, poses, rotor)
    for coupling in tree.couplings:
        add_coupled(mass[coupling.joint], coupling, coupling.inertia)
        add_coupled(mass[coupling.other], coupling, coupling.inertia * coupling.ratio)
    if not tree.drives:
        return mass
    rows = [joint_efforts(tree, row) for row in mass]  # M_body G, then G^T of it
    return [list(row) for row in zip(*(joint_efforts(tree, column) for column in zip(*rows)))]


def _link_by_link(tree: Tree, poses: Sequence[Pose], chain: Sequence[int], force: Vector,
                  moment: Vector) -> list[Number]:
    """Hand a force and a moment down a chain; what acts along each of its joints."""
    found: list[Number] = []
    for link in chain:
        found.append(moment[2] if tree.bodies[link].kind == REVOLUTE else force[2])
        force, moment = _hand_down(poses[link], force, moment)
    return found


class _Projection:
    """The same in the base frame: six products a joint, once all axes are known there."""

    def __init__(self, tree: Tree, q: Sequence[Number]):
        self._poses = body_poses(tree, q)
        self._axes: list[Vector] = []
        self._arms: list[Vector] = []
        for pose in self._poses:
            x, y, z = pose.rotation
            self._axes.append((x[2], y[2], z[2]))
            self._arms.append(cross(pose.position, self._axes[-1]))

    def __call__(self, tree: Tree, _: Sequence[Pose], chain: Sequence[int], force: Vector,
                 moment: Vector) -> list[Number]:
        force, moment = _hand_down(self._poses[chain[0]], force, moment)
        return [dot(self._axes[link], moment) + dot(self._arms[link], force)
                if tree.bodies[link].kind == REVOLUTE else dot(self._axes[link], force)
                for link in chain]


def _add_rotor(mass: list[list[Number]], tree: Tree, poses: Sequence[Pose], rotor: Rotor) -> None:
    """Add inertia (2 ratio v c + (ratio v)^2) / 2, c the carrier's spin, differentiated twice."""
    joint, geared = rotor.joint, rotor.inertia * rotor.ratio
    mass[joint][joint] = mass[joint][joint] + geared * rotor.ratio
    moment, link = scale(rotor.axis, geared), rotor.carrier
    while link >= 0:
        if tree.bodies[link].kind == REVOLUTE:
            # twice on the diagonal, where a joint turns the carrier of its own rotor
            mass[joint][link] = mass[joint][link] + moment[2]
            mass[link][joint] = mass[link][joint] + moment[2]
        moment = times(poses[link].rotation, moment)
        link = tree.bodies[link].parent


def _carry(parent: tuple[Vector, Vector, Vector], pose: Pose) -> tuple[Vector, Vector, Vector]:
    omega, alpha, acceleration = parent
    moved = add(acceleration, times(_turning(omega, alpha), pose.position))
    return (transpose_times(pose.rotation, omega), transpose_times(pose.rotation, alpha),
            transpose_times(pose.rotation, moved))


def _turning(omega: Vector, alpha: Vector) -> Matrix:
    """Return the matrix U of the acceleration field: alpha x r + omega x (omega x r) = U r."""
    (x, y, z), (ax, ay, az) = omega, alpha
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return ((-(yy + zz), xy - az, xz + ay), (xy + az, -(xx + zz), yz - ax),
            (xz - ay, yz + ax, -(xx + yy)))


def _hand_down(pose: Pose, force: Vector, moment: Vector) -> tuple[Vector, Vector]:
    force = times(pose.rotation, force)
    return force, add(times(pose.rotation, moment), cross(pose.position, force))
