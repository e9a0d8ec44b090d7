# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of a robot with payload and friction: M(q) a + h(q, v) = tau + Qc."""
from __future__ import annotations

from typing import NamedTuple, Sequence

from robodyn_ros.mechanics import rigid_body
from robodyn_ros.mechanics.factorisation import factor_mass, finish_solve, half_solve
from robodyn_ros.mechanics.friction import friction_torques
from robodyn_ros.mechanics.inertia import body_inertias, regroup
from robodyn_ros.mechanics.parameters import Parameters, payload_inertia
from robodyn_ros.mechanics.tree import Inertia, Tree
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


def mass_and_bias(tree: Tree, parameters: Parameters, q: Sequence[Number],
                  v: Sequence[Number]) -> tuple[list[list[Number]], list[Number]]:
    """M (n, n) and h = C v + g + friction (n,)."""
    parts = inertias(tree, parameters)
    mass = rigid_body.mass_matrix(tree, parts, q)
    rest = rigid_body.inverse_dynamics(tree, parts, q, v, [0.0] * len(q), parameters.gravity)
    friction = friction_torques(tree.friction, v, parameters.friction_scale)
    return mass, [x + y for x, y in zip(rest, friction)]


def bias_parts(tree: Tree, parameters: Parameters, q: Sequence[Number],
               v: Sequence[Number]) -> Bias:
    """Coriolis and centrifugal, gravity and friction torques apart."""
    parts, still = inertias(tree, parameters), [0.0] * len(q)
    return Bias(rigid_body.inverse_dynamics(tree, parts, q, v, still, ZERO),
                rigid_body.inverse_dynamics(tree, parts, q, still, still, parameters.gravity),
                friction_torques(tree.friction, v, parameters.friction_scale))


def inverse_dynamics(tree: Tree, parameters: Parameters, q: Sequence[Number],
                     v: Sequence[Number], a: Sequence[Number]) -> list[Number]:
    """Torque tau = M a + h that causes the acceleration a (n,)."""
    rest = rigid_body.inverse_dynamics(tree, inertias(tree, parameters), q, v, a,
                                       parameters.gravity)
    friction = friction_torques(tree.friction, v, parameters.friction_scale)
    return [x + y for x, y in zip(rest, friction)]


def forward_dynamics(tree: Tree, parameters: Parameters, q: Sequence[Number],
                     v: Sequence[Number], tau: Sequence[Number]) -> tuple[list[Number], Number]:
    """Acceleration a = M^-1 (tau - h) (n,) and the margin of M (not positive: singular)."""
    mass, bias = mass_and_bias(tree, parameters, q, v)
    factor = factor_mass(mass)
    half = half_solve(factor, [x - y for x, y in zip(tau, bias)])
    return finish_solve(factor, half), factor.margin
