# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Ten-parameter inertias: shifting, adding, and moving what a joint cannot feel to its parent.

Regrouping (Khalil & Dombre, ch. 9): the part of a body's inertia that is symmetric about its joint
axis acts as if it sat on the parent; moving it there leaves every equation of motion as it is and
empties most parameters of a serial arm, which the recording then folds away.
"""
from __future__ import annotations

from typing import Callable, Sequence

from robodyn_ros.mechanics.tree import Body, Inertia, Rotor, Tree
from robodyn_ros.mechanics.vector import (add, Matrix, rotate_inertia, scale, sum_matrices, times,
                                          Vector, ZERO)
from robodyn_ros.tracing import Number

INERTIAL = ('mass', 'mx', 'my', 'mz', 'Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz', 'Izz')
"""Numbers of a body, about the origin of its frame [kg], [kg m], [kg m^2]."""


def inertia_from(ten: Sequence[Number]) -> Inertia:
    """Return a body's inertia from its ten numbers."""
    mass, x, y, z, xx, xy, xz, yy, yz, zz = ten
    return Inertia(mass, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def ten_of(inertia: Inertia) -> list[float]:
    """Return the ten numbers of an inertia."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    return [float(x) for x in (inertia.mass, *inertia.moment,  # type: ignore[arg-type]
                               xx, xy, xz, yy, yz, zz)]


def sum_inertias(a: Inertia, b: Inertia) -> Inertia:
    """Inertia of two bodies moving as one, both given in the same frame."""
    return Inertia(a.mass + b.mass, add(a.moment, b.moment), sum_matrices(a.tensor, b.tensor))


def express(inertia: Inertia, rotation: Matrix, translation: Vector) -> Inertia:
    """
    Return the inertia in the frame where its own frame sits at (rotation, translation).

    moment' = R s + m r;  tensor' = R I R^T + (2 r.s' + m r.r) 1 - r s'^T - s' r^T - m r r^T with
    s' = R s (parallel axes for a first moment that is not zero).
    """
    moment = times(rotation, inertia.moment)
    shifted = add(moment, scale(translation, inertia.mass))
    tensor = rotate_inertia(rotation, inertia.tensor)
    # with w = 2 s' + m r:  tensor' = tensor + (r.w) 1 - (r w^T + w r^T) / 2
    w = add(scale(moment, 2.0), scale(translation, inertia.mass))
    along = (translation[0] * w[0], translation[1] * w[1], translation[2] * w[2])
    rows: list[list[Number]] = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        others = along[(i + 1) % 3] + along[(i + 2) % 3]
        rows[i][i] = tensor[i][i] + others
        for j in range(i + 1, 3):
            outer = (translation[i] * w[j] + w[i] * translation[j]) * 0.5
            rows[i][j] = rows[j][i] = tensor[i][j] - outer
    return Inertia(inertia.mass, shifted, tuple(map(tuple, rows)))  # type: ignore[arg-type]


def rotor_on_carrier(rotor: Rotor) -> Inertia:
    """Return the part of a rotor that turns with its carrier, inertia axis axis^T."""
    outer = tuple(scale(rotor.axis, rotor.inertia * component) for component in rotor.axis)
    return Inertia(0.0, ZERO, outer)  # type: ignore[arg-type]


def body_inertias(tree: Tree, payload: Inertia) -> list[Inertia]:
    """Inertia of each body with its carried rotors and the payload, in its own frame."""
    inertias = [body.inertia for body in tree.bodies]
    for rotor in tree.rotors:
        if rotor.carrier >= 0:
            inertias[rotor.carrier] = sum_inertias(inertias[rotor.carrier],
                                                   rotor_on_carrier(rotor))
    frame = tree.frames[tree.payload_frame]
    if frame.body >= 0:
        carried = express(payload, frame.rotation, frame.translation)
        inertias[frame.body] = sum_inertias(inertias[frame.body], carried)
    return inertias


def regroup(bodies: Sequence[Body], inertias: Sequence[Inertia],
            parts: Callable[[str, Inertia], tuple[Inertia, Inertia]] | None = None
            ) -> list[Inertia]:
    """
    Move to each parent what its children's joints cannot feel; same M and h, fewer numbers.

    :param parts: splits what a joint of a kind carries into what is kept and what is moved; split
        unless another is given
    """
    result = list(inertias)
    # leaves to base: a body has received everything from its children before it gives itself
    for index in reversed(range(len(bodies))):
        kept, moved = (parts or split)(bodies[index].kind, result[index])
        result[index] = kept
        parent = bodies[index].parent
        if parent >= 0:
            body = bodies[index]
            result[parent] = sum_inertias(result[parent],
                                          express(moved, body.rotation, body.translation))
    return result


def split(kind: str, inertia: Inertia) -> tuple[Inertia, Inertia]:
    """
    Split into (kept, moved to the parent).

    Revolute: mass, the moment along z and diag(Iyy, Iyy, 0) look the same for every angle and do
    not spin with the joint. Prismatic: the tensor turns with the parent whatever the position.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    if kind == 'prismatic':
        return (Inertia(inertia.mass, inertia.moment),
                Inertia(0.0, ZERO, inertia.tensor))
    kept = Inertia(0.0, (inertia.moment[0], inertia.moment[1], 0.0),
                   ((xx - yy, xy, xz), (xy, 0.0, yz), (xz, yz, zz)))
    moved = Inertia(inertia.mass, (0.0, 0.0, inertia.moment[2]),
                    ((yy, 0.0, 0.0), (0.0, yy, 0.0), (0.0, 0.0, 0.0)))
    return kept, moved
