# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Frames along common normals: the same tree, in which a joint's place takes the fewest numbers.

A body's frame may be turned about its joint's axis and moved along it. With x along the common
normal to the next axis (Denavit & Hartenberg 1955, in Khalil & Kleinfinger's form) a joint is

    Rz(q + delta)  Tz(d)  Rx(alpha)  Tx(a)            from the body to its parent

four steps that each change few numbers of an inertia or a force. A parent of several children can
suit one of them, the one with the most bodies behind it; a step or two more lead to the others.
"""
from __future__ import annotations

import math
from typing import NamedTuple, Sequence

from robodyn_ros.mechanics.inertia import express, regroup, split
from robodyn_ros.mechanics.tree import Body, Inertia, REVOLUTE, Tree
from robodyn_ros.mechanics.vector import add, Matrix, product, times, transpose, Vector
from robodyn_ros.tracing import Number

PARALLEL = 0.05
"""Sine of the angle between axes below which their common normal is too far away."""
X, Y, Z = range(3)


class Turn(NamedTuple):
    """A rotation about an axis."""

    axis: int
    cosine: Number
    sine: Number


class Shift(NamedTuple):
    """A translation along an axis."""

    axis: int
    distance: Number


class Link(NamedTuple):
    """A body in its new frame."""

    kind: str
    parent: int
    delta: tuple[float, float]
    """Cosine and sine of what is added to the joint's angle."""
    along: float
    """Shift along the joint's axis [m]."""
    steps: tuple[Turn | Shift, ...]
    """From the joint's frame to that of the parent."""
    rotation: Matrix
    """To the parent's frame at q = 0."""
    translation: Vector
    """Origin in the parent's frame at q = 0 [m]."""


class Normal(NamedTuple):
    """How one axis lies to another: Rz(turn) Tz(height) Ty(beside) Tx(length) Rx Rz(rest) Tz."""

    turn: tuple[float, float]
    height: float
    beside: float
    length: float
    tilt: tuple[float, float]
    rest: tuple[float, float]
    along: float


def about_z(pair: tuple[float, float]) -> Matrix:
    """Return the rotation about z of a cosine and a sine."""
    c, s = pair
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def common_normal(rotation: Matrix, translation: Vector,
                  turn: tuple[float, float] | None = None) -> Normal:
    """
    Return how a frame's z axis lies to that of the frame it is given in.

    :param turn: cosine and sine of the common normal's angle, where they are known
    """
    zx, zy, tilted = (float(row[2]) for row in rotation)  # type: ignore[arg-type]
    slant = math.hypot(zx, zy)
    tx, ty, tz = (float(x) for x in translation)  # type: ignore[arg-type]
    if turn is not None:
        slant = math.copysign(slant, -zy) if slant > 1e-15 else 0.0
    elif slant > 1e-15:
        turn = -zy / slant, zx / slant
    else:
        apart = math.hypot(tx, ty)
        turn = (tx / apart, ty / apart) if apart > 0.0 else (1.0, 0.0)
        slant = 0.0
    x, y = turn[0] * tx + turn[1] * ty, turn[0] * ty - turn[1] * tx
    if slant == 0.0:
        y = 0.0
    crossing = abs(slant) > PARALLEL
    along = -y / slant if crossing else 0.0
    beside = 0.0 if crossing else y
    # Rz(rest) = Rx(-alpha) Rz(-turn) R
    first = times(transpose(about_z(turn)), (rotation[0][0], rotation[1][0], rotation[2][0]))
    rest = first[0], tilted * first[1] + slant * first[2]
    length = math.hypot(*rest)  # type: ignore[arg-type]
    return Normal(turn, tz - along * tilted, beside, x, (tilted, slant),
                  (rest[0] / length, rest[1] / length), along)  # type: ignore[arg-type,operator]


def _together(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] * other[0] - one[1] * other[1], one[1] * other[0] + one[0] * other[1]


def aligned(tree: Tree) -> list[Link]:
    """Return the bodies of a tree in frames along common normals; q stays what it is."""
    bodies = tree.bodies
    behind = [1] * len(bodies)
    for k in reversed(range(len(bodies))):
        if bodies[k].parent >= 0:
            behind[bodies[k].parent] += behind[k]
    suited: dict[int, int] = {}
    for k, body in enumerate(bodies):
        if body.parent >= 0 and behind[k] > behind[suited.get(body.parent, k)] - (
                body.parent not in suited):
            suited[body.parent] = k
    own: list[tuple[tuple[float, float], float]] = []  # turn about and shift along one's own axis
    for k in range(len(bodies)):
        if k in suited:
            normal = common_normal(bodies[suited[k]].rotation, bodies[suited[k]].translation)
            own.append((normal.turn, normal.height))
        else:
            own.append(((1.0, 0.0), 0.0))
    return [_link(body, own[k], own[body.parent] if body.parent >= 0 else ((1.0, 0.0), 0.0),
                  suited.get(body.parent) == k) for k, body in enumerate(bodies)]


def _link(body: Body, own: tuple[tuple[float, float], float],
          parent: tuple[tuple[float, float], float], suits: bool) -> Link:
    turn, height = parent
    back = transpose(about_z(turn))
    x, y, z = times(back, body.translation)
    rotation = product(back, body.rotation)
    normal = common_normal(rotation, (x, y, z - height), (1.0, 0.0) if suits else None)
    if suits:
        normal = normal._replace(height=0.0)
    delta, along = _together(normal.rest, own[0]), normal.along + own[1]
    steps = (Turn(X, *normal.tilt), Shift(X, normal.length), Shift(Y, normal.beside),
             Shift(Z, normal.height), Turn(Z, *normal.turn))
    c, s = normal.tilt
    tilted = product(about_z(normal.turn), ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)))
    origin = times(about_z(normal.turn), (normal.length, normal.beside, normal.height))
    return Link(body.kind, body.parent, delta, along,
                tuple(step for step in steps if not _nothing(step)),
                product(tilted, about_z(delta)),
                add(origin, times(tilted, (0.0, 0.0, along))))


def _nothing(step: Turn | Shift) -> bool:
    if isinstance(step, Shift):
        return bool(step.distance == 0.0)
    return bool(step.sine == 0.0 and step.cosine > 0.0)  # type: ignore[operator]


def aligned_inertias(tree: Tree, links: Sequence[Link],
                     inertias: Sequence[Inertia]) -> list[Inertia]:
    """
    Return regrouped inertias in the new frames.

    :param inertias: one per body, in the frames of the tree
    """
    found = []
    places: list[tuple[Matrix, Vector]] = []  # of the new frames in the base, at q = 0
    before: list[tuple[Matrix, Vector]] = []
    for body, link, inertia in zip(tree.bodies, links, inertias):
        for known, rotation, translation in ((before, body.rotation, body.translation),
                                             (places, link.rotation, link.translation)):
            if link.parent >= 0:
                turned, origin = known[link.parent]
                rotation, translation = (product(turned, rotation),
                                         add(origin, times(turned, translation)))
            known.append((rotation, translation))
        (old, start), (new, end) = before[-1], places[-1]
        back = transpose(new)
        apart = (start[0] - end[0], start[1] - end[1], start[2] - end[2])
        turn, away = product(back, old), times(back, apart)
        # about the joint's axis, whatever rounding says
        c, s = turn[0][0], turn[1][0]
        found.append(express(inertia, about_z((c, s)), (0.0, 0.0, away[2])))  # type: ignore
    bodies = [Body('', link.parent, link.kind, link.rotation, link.translation, inertia)
              for link, inertia in zip(links, found)]
    return regroup(bodies, found, flat)


def flat(kind: str, inertia: Inertia) -> tuple[Inertia, Inertia]:
    """
    Split into (kept, moved to the parent): what is kept has no second moment of mass along z.

    Like inertia.split, but for diag(a, a, 0) with a = (Ixx + Iyy - Izz) / 2, which leaves
    Izz = Ixx + Iyy: fewer products where moments follow from the second moments.
    """
    if kind != REVOLUTE:
        return split(kind, inertia)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    along = (xx + yy - zz) * 0.5
    kept = Inertia(0.0, (inertia.moment[0], inertia.moment[1], 0.0),
                   ((xx - along, xy, xz), (xy, yy - along, yz), (xz, yz, zz)))
    moved = Inertia(inertia.mass, (0.0, 0.0, inertia.moment[2]),
                    ((along, 0.0, 0.0), (0.0, along, 0.0), (0.0, 0.0, 0.0)))
    return kept, moved


def joint_steps(link: Link, q: Number, c: Number, s: Number) -> tuple[Turn | Shift, ...]:
    """
    Return all steps from a body's frame to that of its parent.

    :param c: cosine and s: sine of q, for a revolute joint
    """
    cosine, sine = link.delta
    if link.kind == REVOLUTE:
        turn = Turn(Z, c * cosine - s * sine, s * cosine + c * sine)
        shift = Shift(Z, link.along)
    else:
        turn, shift = Turn(Z, cosine, sine), Shift(Z, q + link.along)
    own = [step for step in (turn, shift)
           if not (isinstance(step[1], float) and _nothing(step))]
    return (*own, *link.steps)
