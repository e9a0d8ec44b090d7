# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The equations of motion of a robot with payload and friction: M(q) a + h(q, v) = tau + Qc."""
from __future__ import annotations

from itertools import product
from typing import NamedTuple, Sequence

from robodyn_ros.mechanics import articulated, rigid_body
from robodyn_ros.mechanics.factorisation import factor_mass
from robodyn_ros.mechanics.friction import friction_torque, friction_torques, mean_slope
from robodyn_ros.mechanics.inertia import body_inertias, regroup
from robodyn_ros.mechanics.parameters import Parameters, payload_inertia
from robodyn_ros.mechanics.tree import (add_coupled, body_rates, coupled_rate, Inertia,
                                        joint_efforts, Tree)
from robodyn_ros.mechanics.vector import ZERO
from robodyn_ros.tracing import Number, operations, Scalar

MANY = 6
"""Bodies from which on articulated bodies may be the shorter way."""
MUCH = 0.95
"""Share of the operations below which they are taken: else bits of a robot stay what they are."""


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


def friction_slopes(tree: Tree, parameters: Parameters,
                    v: Sequence[Number]) -> list[list[Number]]:
    """
    Friction over velocity, G^T D G (n, n): friction = slopes v, see friction.mean_slope.

    Of friction at joints, mimics' included, it is diagonal; a motor that turns with two joints,
    u = c v, adds its slope times c c^T.
    """
    rates = body_rates(tree, v)
    slopes: list[Number] = [mean_slope(law, rate) for law, rate in zip(tree.friction, rates)]
    if tree.drives:
        slopes = [slope * drive.ratio for slope, drive in zip(slopes, tree.drives)]
    own = [slope * parameters.friction_scale for slope in joint_efforts(tree, slopes)]
    result: list[list[Number]] = [[slope if i == k else 0.0 for k in range(len(own))]
                                  for i, slope in enumerate(own)]
    for coupling in tree.couplings:
        slope = mean_slope(coupling.friction, coupled_rate(coupling, rates))
        along: list[Number] = [0.0] * len(tree.friction)
        add_coupled(along, coupling, 1.0)
        turned = joint_efforts(tree, along)
        for i, k in product(range(len(own)), repeat=2):
            if turned[i] != 0.0 and turned[k] != 0.0:
                result[i][k] = result[i][k] + slope * (
                    parameters.friction_scale * (turned[i] * turned[k]))
    return result


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
    """
    Acceleration a = M^-1 (tau - h) (n,) and the margin of M (not positive: singular).

    A recording goes the way of fewer operations; numbers go by the factors of M.
    """
    mass, bias = mass_and_bias(tree, parameters, q, v)
    factor = factor_mass(mass)
    half = factor.half_solve([x - y for x, y in zip(tau, bias)])
    found, margin = factor.finish_solve(half), factor.margin
    if not worth_articulating(tree, found):
        return found, margin
    other = articulated_factor(tree, parameters, q, alone=True)
    effort = [x - y for x, y in zip(tau, friction(tree, parameters, v))]
    short = other.finish_solve(other.half_solve(effort, other.wrenches(v, parameters.gravity)))
    return (short, other.margin) if much_shorter([*short, other.margin], [*found, margin]) \
        else (found, margin)


def articulated_factor(tree: Tree, parameters: Parameters, q: Sequence[Number],
                       diagonal: Sequence[Number] = (),
                       alone: bool = False) -> articulated.ArticulatedFactor:
    """Return M as articulated bodies, with something added to its diagonal."""
    return articulated.ArticulatedFactor(
        tree, body_inertias(tree, payload_inertia(parameters)), q, diagonal, alone)


def worth_articulating(tree: Tree, recorded: Sequence[Number]) -> bool:
    """Tell whether articulated bodies are worth recording beside what is recorded already."""
    return len(tree.bodies) >= MANY and articulated.possible(tree) and \
        any(isinstance(x, Scalar) for x in recorded)


def much_shorter(one: Sequence[Number], other: Sequence[Number]) -> bool:
    """Tell whether a recording has clearly fewer operations than another."""
    return operations(one) < MUCH * operations(other)
