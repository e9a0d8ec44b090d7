# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of a robot with payload and friction: M(q) a + h(q, v) = tau + Qc."""
from __future__ import annotations

from typing import NamedTuple, Sequence

from robodyn_ros.mechanics import rigid_body
from robodyn_ros.mechanics.factorisation import factor_mass, finish_solve, half_solve
from robodyn_ros.mechanics.friction import friction_torque, friction_torques, mean_slope
from robodyn_ros.mechanics.inertia import body_inertias, regroup
from robodyn_ros.mechanics.parameters import Parameters, payload_inertia
from robodyn_ros.mechanics.tree import (add_coupled, body_rates, coupled_rate, Inertia,
                                        joint_efforts, Tree)
from robodyn_ros.mechanics.vector import ZERO
from robodyn_ros.tracing import Number


class Bias(NamedTuple):
    """The three parts of h(q, v), each (n,) [N m] or [N]."""

    coriolis: list[Number]
    gravity: list[Number]
    friction: list[Number]


def inertias(tree: Tree, parameters: Parameters) -> list[Inertia]:
    """Regrouped inertias of all bodies, rotors and payload included."""
    return regroup(tree.bodies, body_inertias(tree, payload_inertia(parameters)))


def friction(tree: Tree, parameters: Parameters, v: Sequence[Number]) -> list[Number]:
    """Friction torques of all joints, those of mimic joints on the joint they follow (n,)."""
    rates = body_rates(tree, v)
    torques = friction_torques(tree.friction, rates, parameters.friction_scale)
    for coupling in tree.couplings:
        torque = friction_torque(coupling.friction, coupled_rate(coupling, rates))
        add_coupled(torques, coupling, torque * parameters.friction_scale)
    return joint_efforts(tree, torques)


def friction_slopes(tree: Tree, parameters: Parameters, v: Sequence[Number]) -> list[Number]:
    """
    Friction over velocity of each joint, its mimics' included, G^T D G (n,).

    friction = slopes v, joint by joint (friction.mean_slope). The matrix of a coupled motor,
    s [[1, r], [r, r^2]], is counted as s (1 + |r|) and s |r| (1 + |r|), which is no smaller: an
    implicit step with it stays as stable, but is less exact than one with slopes of joints alone.
    """
    rates = body_rates(tree, v)
    slopes: list[Number] = [mean_slope(law, rate) for law, rate in zip(tree.friction, rates)]
    for coupling in tree.couplings:
        slope, ratio = mean_slope(coupling.friction, coupled_rate(coupling, rates)), coupling.ratio
        slopes[coupling.joint] = slopes[coupling.joint] + slope * (1.0 + abs(ratio))
        slopes[coupling.other] = slopes[coupling.other] + slope * (abs(ratio) * (1.0 + abs(ratio)))
    if tree.drives:
        slopes = [slope * drive.ratio for slope, drive in zip(slopes, tree.drives)]
    return [slope * parameters.friction_scale for slope in joint_efforts(tree, slopes)]


def mass_and_bias(tree: Tree, parameters: Parameters, q: Sequence[Number],
                  v: Sequence[Number]) -> tuple[list[list[Number]], list[Number]]:
    """M (n, n) and h = C v + g + friction (n,)."""
    parts = inertias(tree, parameters)
    mass = rigid_body.mass_matrix(tree, parts, q)
    rest = rigid_body.inverse_dynamics(tree, parts, q, v, [0.0] * len(q), parameters.gravity)
    return mass, [x + y for x, y in zip(rest, friction(tree, parameters, v))]


def bias_parts(tree: Tree, parameters: Parameters, q: Sequence[Number],
               v: Sequence[Number]) -> Bias:
    """Coriolis and centrifugal, gravity and friction torques apart."""
    parts, still = inertias(tree, parameters), [0.0] * len(q)
    return Bias(rigid_body.inverse_dynamics(tree, parts, q, v, still, ZERO),
                rigid_body.inverse_dynamics(tree, parts, q, still, still, parameters.gravity),
                friction(tree, parameters, v))


def inverse_dynamics(tree: Tree, parameters: Parameters, q: Sequence[Number],
                     v: Sequence[Number], a: Sequence[Number]) -> list[Number]:
    """Torque tau = M a + h that causes the acceleration a (n,)."""
    rest = rigid_body.inverse_dynamics(tree, inertias(tree, parameters), q, v, a,
                                       parameters.gravity)
    return [x + y for x, y in zip(rest, friction(tree, parameters, v))]


def forward_dynamics(tree: Tree, parameters: Parameters, q: Sequence[Number],
                     v: Sequence[Number], tau: Sequence[Number]) -> tuple[list[Number], Number]:
    """Acceleration a = M^-1 (tau - h) (n,) and the margin of M (not positive: singular)."""
    mass, bias = mass_and_bias(tree, parameters, q, v)
    factor = factor_mass(mass)
    half = half_solve(factor, [x - y for x, y in zip(tau, bias)])
    return finish_solve(factor, half), factor.margin
