# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Joint friction as one smooth law (Truc & Lam 2020, paper 003, eq. 21 with sqrt(2 e))."""
from __future__ import annotations

import math
from typing import Sequence

from robodyn_ros.mechanics.tree import Friction
from robodyn_ros.tracing import exp, Number, tanh, where

REST = 1e-9
"""Velocity below which tanh is its slope, to the last bit [rad/s] or [m/s]."""


def friction_torque(law: Friction, v: Number) -> Number:
    """
    Torque that opposes the joint velocity v, positive for positive v [N m] or [N].

    sqrt(2 e) (breakaway - coulomb) exp(-(v/vs)^2) v/vs + coulomb tanh(v/vc) + viscous v, with
    vs = sqrt(2) velocity and vc = velocity / 10: the peak at the breakaway velocity is breakaway.
    Where a file says so, saturating tanh(v / saturation) is added, which is not the paper's.
    """
    torque: Number = v * law.viscous
    if law.coulomb:
        torque = torque + tanh(v * (10.0 / law.velocity)) * law.coulomb
    peak = law.breakaway - law.coulomb
    if law.breakaway and peak:
        x = v * (1.0 / (math.sqrt(2.0) * law.velocity))
        torque = torque + exp(-(x * x)) * x * (math.sqrt(2.0 * math.e) * peak)
    if law.saturating:
        torque = torque + tanh(v * (1.0 / law.saturation)) * law.saturating
    return torque


def mean_slope(law: Friction, v: Number) -> Number:
    """
    Friction over velocity, torque(v) / v: the damper that would hold the joint as much.

    Positive, largest at rest, and finite there: an implicit step with it neither overshoots rest
    nor depends on where Coulomb friction changes its sign [N m s/rad] or [N s/m].
    """
    slope: Number = law.viscous
    for size, rate in ((law.coulomb, 10.0 / law.velocity),
                       (law.saturating, 1.0 / law.saturation)):
        if size:
            still = v * v < REST * REST
            slope = slope + where(still, rate, tanh(v * rate) / where(still, 1.0, v)) * size
    peak = law.breakaway - law.coulomb
    if law.breakaway and peak:
        x = v * (1.0 / (math.sqrt(2.0) * law.velocity))
        slope = slope + exp(-(x * x)) * (math.sqrt(math.e) * peak / law.velocity)
    return slope


def friction_torques(laws: Sequence[Friction], v: Sequence[Number],
                     factor: Number) -> list[Number]:
    """Return the friction of every joint, times factor."""
    return [friction_torque(law, speed) * factor for law, speed in zip(laws, v)]
