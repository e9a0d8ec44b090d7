# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Kinetic and potential energy, from velocities and heights and not from the mass matrix."""
from __future__ import annotations

from typing import Sequence

from robodyn_ros.mechanics.inertia import body_inertias
from robodyn_ros.mechanics.kinematics import body_poses, frame_motion
from robodyn_ros.mechanics.parameters import Parameters, payload_inertia
from robodyn_ros.mechanics.tree import body_rates, coupled_rate, Frame, Rotor, Tree
from robodyn_ros.mechanics.vector import add, cross, dot, scale, times, transpose_times
from robodyn_ros.tracing import Number


def kinetic_energy(tree: Tree, parameters: Parameters, q: Sequence[Number],
                   v: Sequence[Number]) -> Number:
    """Return the sum over bodies of m u.u/2 + u.(omega x s) + omega.I omega/2, and rotors [J]."""
    total: Number = 0.0
    inertias = body_inertias(tree, payload_inertia(parameters))
    for index, inertia in enumerate(inertias):
        motion = frame_motion(tree, Frame(index), q, v)
        omega = transpose_times(motion.pose.rotation, motion.angular)
        speed = transpose_times(motion.pose.rotation, motion.linear)
        total = total + (dot(speed, speed) * inertia.mass * 0.5
                         + dot(speed, cross(omega, inertia.moment))
                         + dot(omega, times(inertia.tensor, omega)) * 0.5)
    for rotor in tree.rotors:
        total = total + _relative_spin(tree, rotor, q, v)
    for coupling in tree.couplings:
        rate = coupled_rate(coupling, body_rates(tree, v))
        total = total + rate * rate * (0.5 * coupling.inertia)
    return total


def _relative_spin(tree: Tree, rotor: Rotor, q: Sequence[Number], v: Sequence[Number]) -> Number:
    """Rotor energy beyond what turns with the carrier: I (c k v + (k v)^2 / 2) [J]."""
    relative = body_rates(tree, v)[rotor.joint] * rotor.ratio
    carried: Number = 0.0
    if rotor.carrier >= 0:
        motion = frame_motion(tree, Frame(rotor.carrier), q, v)
        carried = dot(rotor.axis, transpose_times(motion.pose.rotation, motion.angular))
    return (carried * relative + relative * relative * 0.5) * rotor.inertia


def potential_energy(tree: Tree, parameters: Parameters, q: Sequence[Number]) -> Number:
    """Return -sum m gravity . centre, zero for masses at the base origin [J]."""
    total: Number = 0.0
    inertias = body_inertias(tree, payload_inertia(parameters))
    for pose, inertia in zip(body_poses(tree, q), inertias):
        centre = add(scale(pose.position, inertia.mass), times(pose.rotation, inertia.moment))
        total = total - dot(parameters.gravity, centre)
    return total
