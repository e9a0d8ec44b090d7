# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A robot as a tree of rigid bodies: constants only, one body per moving joint.

Every body frame sits on its joint with the joint axis along its own z, so a revolute joint is
Rz(q) and a prismatic joint a shift along z; other axes are turned away once, while reading the
robot. Links welded by fixed joints are merged into one body and stay known as frames.

Mimic joints are bodies without a coordinate of their own: q_body = ratio q[joint] + offset, put
into the tree itself. With q_body = G q + offset everything else follows: M = G^T M_body G,
h = G^T h_body, J = J_body G (Featherstone 2008, section 3.4).
"""
from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence, Tuple

from robodyn_ros.mechanics.vector import IDENTITY, Matrix, Vector, ZERO
from robodyn_ros.tracing import Number

REVOLUTE, PRISMATIC = 'revolute', 'prismatic'


class Inertia(NamedTuple):
    """Ten inertial parameters about the origin of the frame they are given in."""

    mass: Number = 0.0
    """[kg]"""
    moment: Vector = ZERO
    """First moment, mass times centre of mass [kg m]."""
    tensor: Matrix = (ZERO, ZERO, ZERO)
    """Second moments about the frame's origin (not the centre of mass) [kg m^2]."""


class Body(NamedTuple):
    """One moving body and the joint that carries it."""

    joint: str
    parent: int
    """Index of the parent body, -1 for the base; always smaller than the body's own index."""
    kind: str
    """REVOLUTE or PRISMATIC."""
    rotation: Matrix
    """From the body frame at q = 0 to the parent frame."""
    translation: Vector
    """Joint origin in the parent frame [m]."""
    inertia: Inertia


class Frame(NamedTuple):
    """A named frame fixed to a body (or to the base, body -1)."""

    body: int
    rotation: Matrix = IDENTITY
    translation: Vector = ZERO


class Rotor(NamedTuple):
    """
    A motor's rotor spinning on a carrier body at ratio times the joint speed.

    Kinetic energy inertia (axis . omega_carrier + ratio v_joint)^2 / 2 (Pawar & Shen, paper 004);
    the rotor's mass belongs to the carrier's own inertial.
    """

    joint: int
    carrier: int
    axis: Vector
    """Spin axis in the carrier's body frame (unit vector)."""
    inertia: float
    """[kg m^2]"""
    ratio: float
    """Motor speed over joint speed [-], or [rad/m] for a prismatic joint."""


class Friction(NamedTuple):
    """
    Joint friction: viscous + Coulomb + Stribeck peak (paper 003, eq. 21 with sqrt(2 e)).

    Lubricants shear thinner the faster they are sheared: a viscous part that ends at saturating.
    """

    viscous: float = 0.0
    """[N m s/rad] or [N s/m]."""
    coulomb: float = 0.0
    """[N m] or [N]."""
    breakaway: float = 0.0
    """Peak at the breakaway velocity, at least coulomb [N m] or [N]."""
    velocity: float = 0.1
    """Breakaway velocity [rad/s] or [m/s]."""
    saturating: float = 0.0
    """Where the viscous part that saturates ends [N m] or [N]."""
    saturation: float = 1.0
    """Velocity at which it does [rad/s] or [m/s]."""


class Coupling(NamedTuple):
    """
    A motor that turns with two joints, u = v_joint + ratio v_other, as in many wrists.

    Its inertia takes inertia du/dt and its friction opposes u, along joint; along other the same
    times ratio (the virtual power of u). What its carrier's own turning adds is 1 / gear ratio of
    that, and left out.
    """

    joint: int
    other: int
    ratio: float
    inertia: float
    """As the joint feels it, rotor times gear ratio squared [kg m^2]."""
    friction: Friction
    """Of u."""


class Drive(NamedTuple):
    """Which coordinate moves a body: q_body = ratio q[joint] + offset."""

    joint: int
    """Place in q; -1: none, the body stays at offset."""
    ratio: float = 1.0
    offset: float = 0.0
    """[rad] or [m]."""


class Tree(NamedTuple):
    """All constants of a robot's mechanics."""

    bodies: Tuple[Body, ...]
    frames: Mapping[str, Frame]
    rotors: Tuple[Rotor, ...] = ()
    """Rotor.joint counts bodies."""
    friction: Tuple[Friction, ...] = ()
    """One per body."""
    payload_frame: str = ''
    """Frame in which a payload's centre and inertia are given."""
    drives: Tuple[Drive, ...] = ()
    """One per body; empty: body k is moved by q[k]."""
    couplings: Tuple[Coupling, ...] = ()
    """Their joints count bodies."""

    @property
    def n(self) -> int:
        """Return the number of coordinates q."""
        if not self.drives:
            return len(self.bodies)
        return 1 + max(drive.joint for drive in self.drives)


def body_positions(tree: Tree, q: Sequence[Number]) -> Sequence[Number]:
    """Return G q + offset, a position per body, of coordinates (n,)."""
    if not tree.drives:
        return q
    return [q[drive.joint] * drive.ratio + drive.offset if drive.joint >= 0 else drive.offset
            for drive in tree.drives]


def body_rates(tree: Tree, v: Sequence[Number]) -> Sequence[Number]:
    """Return G v, a velocity (or acceleration) per body, of coordinates (n,)."""
    if not tree.drives:
        return v
    return [v[drive.joint] * drive.ratio if drive.joint >= 0 else 0.0 for drive in tree.drives]


def joint_efforts(tree: Tree, tau: Sequence[Number]) -> list[Number]:
    """Return G^T tau (n,) of efforts along every body's joint."""
    if not tree.drives:
        return list(tau)
    result: list[Number] = [0.0] * tree.n
    for drive, effort in zip(tree.drives, tau):
        if drive.joint >= 0:
            result[drive.joint] = result[drive.joint] + effort * drive.ratio
    return result


def coupled_rate(coupling: Coupling, rates: Sequence[Number]) -> Number:
    """Return u (or its derivative) of a coupled motor, of velocities of all bodies."""
    return rates[coupling.joint] + rates[coupling.other] * coupling.ratio


def add_coupled(efforts: list[Number], coupling: Coupling, effort: Number) -> None:
    """Add the effort of a coupled motor along u to those along all bodies' joints."""
    efforts[coupling.joint] = efforts[coupling.joint] + effort
    efforts[coupling.other] = efforts[coupling.other] + effort * coupling.ratio


def ancestors(tree: Tree, body: int) -> list[int]:
    """Bodies from the given one up to the base, itself first."""
    chain = []
    while body >= 0:
        chain.append(body)
        body = tree.bodies[body].parent
    return chain
