# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
M^-1 without M: articulated bodies (Featherstone 2008, chapter 7), in straight-line form.

From the leaves to the base, each body is given the inertia it shows its joint when all joints
behind it are free. What they come to along the joints, D, are the pivots of M = L^T D L; the way
from the leaves to the base is L^-T, the way back L^-1 (Rodriguez 1987, Jain 1991), so the two ways
serve wherever factors of M do, rows of constraints among them. Their work grows with the joints,
that of factors with their cube.
"""
from __future__ import annotations

import math
from typing import NamedTuple, Sequence

from robodyn_ros.mechanics.alignment import (aligned, aligned_inertias, joint_steps, Link, Shift,
                                             Turn)
from robodyn_ros.mechanics.inertia import express, sum_inertias
from robodyn_ros.mechanics.tree import Inertia, REVOLUTE, Tree
from robodyn_ros.mechanics.vector import add, cross, Matrix, scale, times, Vector, ZERO
from robodyn_ros.tolerances import PIVOT
from robodyn_ros.tracing import cos, is_zero, minimum, Number, sin

Steps = Sequence['Turn | Shift']
OTHERS = ((1, 2), (2, 0), (0, 1))
"""The two axes that a turn about x, y, z mixes."""


class Spatial(NamedTuple):
    """A symmetric inertia of six: moments I w + H v, forces H^T w + M v."""

    turning: list[list[Number]]
    """I [kg m^2]."""
    mixed: list[list[Number]]
    """H [kg m]."""
    moving: list[list[Number]]
    """M [kg]."""


class Wrench(NamedTuple):
    """A moment and a force, or an angular and a linear velocity, in one frame."""

    turning: Vector
    moving: Vector


NONE = Wrench(ZERO, ZERO)


def possible(tree: Tree) -> bool:
    """Tell whether every body has a joint of its own and nothing but joints acts between them."""
    return not (tree.drives or tree.rotors or tree.couplings) and len(tree.bodies) > 1


class ArticulatedFactor:
    """What the pivots of M leave behind: the same use as that of factorisation.MassFactor."""

    def __init__(self, tree: Tree, inertias: Sequence[Inertia], q: Sequence[Number],
                 diagonal: Sequence[Number] = (), alone: bool = False):
        """
        Go from the leaves to the base.

        :param inertias: one per body, in the frames of the tree, regrouped or not
        :param diagonal: what is added to the diagonal of M (n,)
        :param alone: no other equations beside these need the sines and cosines of q
        """
        self.links = aligned(tree)
        self.inertias = aligned_inertias(tree, self.links, inertias)
        self.steps = [_steps(link, x, alone) for link, x in zip(self.links, q)]
        n = len(self.links)
        self.inverse_pivots: list[Number] = [0.0] * n
        self.margin: Number = 1.0
        self._handed: list[Wrench] = [NONE] * n
        """What a joint's effort gives its parent, of 1: moment and force in the parent's frame."""
        sizes = _sizes(self.links, self.inertias)
        bodies = [_spatial(inertia) for inertia in self.inertias]
        for k in reversed(range(n)):
            link, body = self.links[k], bodies[k]
            more = diagonal[k] if diagonal else 0.0
            turns = link.kind == REVOLUTE
            column = (([row[2] for row in body.turning], list(body.mixed[2])) if turns else
                      ([row[2] for row in body.mixed], [row[2] for row in body.moving]))
            along = column[0][2] if turns else column[1][2]
            pivot = along + more
            self.margin = minimum(self.margin, pivot - (sizes[k] + more) * PIVOT)
            inverse = 0.0 if is_zero(pivot) else 1.0 / pivot
            self.inverse_pivots[k] = inverse
            gains = tuple([x * inverse for x in part] for part in column)
            if is_zero(more):  # M has nothing but bodies there: the joint gives way by itself
                gains[not turns][2] = 1.0
            handed = Wrench(*(tuple(part) for part in gains))  # type: ignore[arg-type]
            for step in self.steps[k]:
                handed = _handed_down(handed, step)
            self._handed[k] = handed
            if link.parent >= 0:
                left = _without(body, column, gains, turns and is_zero(more),  # type: ignore
                                not turns and is_zero(more))
                for step in self.steps[k]:
                    left = _carried(left, step)
                bodies[link.parent] = _sum(bodies[link.parent], left)

    def half_solve(self, right: Sequence[Number],
                   wrenches: Sequence[Wrench] | None = None) -> list[Number]:
        """
        Return L^-T right (n,).

        :param wrenches: what each body needs besides, in its own frame: as if right were less
            what they come to along the joints
        """
        given = list(wrenches) if wrenches is not None else [NONE] * len(self.links)
        found: list[Number] = [0.0] * len(self.links)
        for k in reversed(range(len(self.links))):
            link, wrench = self.links[k], given[k]
            turns = link.kind == REVOLUTE
            push = right[k] - (wrench.turning[2] if turns else wrench.moving[2])
            found[k] = push
            if link.parent < 0 or (is_zero(push) and _nothing(wrench)):
                continue
            for step in self.steps[k]:
                wrench = _handed_down(wrench, step)
            # the push comes last: the wrench need not wait for it on its way
            before, gains = given[link.parent], self._handed[k]
            given[link.parent] = Wrench(*(
                add(add(own, part), scale(gain, push))
                for own, part, gain in zip(before, wrench, gains)))
        return found

    def finish_solve(self, half: Sequence[Number]) -> list[Number]:
        """Return L^-1 D^-1 half (n,), which is M^-1 right for half = L^-T right."""
        moved: list[Wrench] = []
        found = []
        for k, link in enumerate(self.links):
            motion = moved[link.parent] if link.parent >= 0 else NONE
            rate = half[k] * self.inverse_pivots[k]
            # as seen from the parent: it need not wait for the motion in the joint's own frame,
            # whose components are taken in the order in which they are known
            (wx, wy, wz), (vx, vy, vz) = motion
            (mx, my, mz), (fx, fy, fz) = self._handed[k]
            for x, gain in ((wx, mx), (wy, my), (vz, fz), (vx, fx), (vy, fy), (wz, mz)):
                rate = rate - x * gain
            found.append(rate)
            motion = _handed_all_up(motion, self.steps[k])
            (wx, wy, wz), (vx, vy, vz) = motion
            moved.append(Wrench((wx, wy, wz + rate), (vx, vy, vz)) if link.kind == REVOLUTE
                         else Wrench((wx, wy, wz), (vx, vy, vz + rate)))
        return found

    def _own(self, k: int, step: Turn | Shift) -> bool:
        """Tell whether a step is the joint's own, along or about its axis."""
        count = len(self.steps[k]) - len(self.links[k].steps)
        return any(step is own for own in self.steps[k][:count])

    def wrenches(self, v: Sequence[Number], gravity: Vector) -> list[Wrench]:
        """Return what each body needs by itself to move at v, without acceleration of joints."""
        moving: list[tuple[Vector, Vector, Vector]] = []
        field: list[Matrix] = []
        found = []
        for k, link in enumerate(self.links):
            if link.parent >= 0:
                omega, alpha, acceleration = moving[link.parent]
                # up to the joint's axis by what is known of the parent, along it further down
                origin = _origin([step for step in self.steps[k] if not self._own(k, step)])
                acceleration = add(acceleration, times(field[link.parent], origin))
            else:
                omega, alpha, acceleration = ZERO, ZERO, scale(gravity, -1.0)
            for step in reversed(self.steps[k]):
                if isinstance(step, Turn):
                    omega, alpha, acceleration = (_turned(x, step, -1.0) for x in (
                        omega, alpha, acceleration))
            rate = v[k]
            across: Vector = (omega[1] * rate, -(omega[0] * rate), 0.0)
            if link.kind == REVOLUTE:
                alpha = add(alpha, across)
                omega = (omega[0], omega[1], omega[2] + rate)
            else:
                acceleration = add(acceleration, scale(across, 2.0))
            inertia, turning = self.inertias[k], _turning(omega, alpha)
            for step in self.steps[k]:
                if isinstance(step, Shift) and self._own(k, step) and link.parent >= 0:
                    # its own turning moves no point of the axis
                    acceleration = add(acceleration, scale(
                        (turning[0][2], turning[1][2], turning[2][2]), step.distance))
            moving.append((omega, alpha, acceleration))
            field.append(turning)
            found.append(Wrench(
                add(_moment(turning, inertia.tensor), cross(inertia.moment, acceleration)),
                add(scale(acceleration, inertia.mass), times(turning, inertia.moment))))
        return found


def _steps(link: Link, x: Number, alone: bool) -> tuple[Turn | Shift, ...]:
    """Return the steps of a joint at a position."""
    if link.kind != REVOLUTE:
        return joint_steps(link, x, 1.0, 0.0)
    if not alone:
        return joint_steps(link, x, cos(x), sin(x))
    # one sum instead of four products; nobody else asks for sin q and cos q
    c, s = link.delta
    x = x + math.atan2(s, c)
    return joint_steps(link._replace(delta=(1.0, 0.0)), x, cos(x), sin(x))


def _moment(field: Matrix, tensor: Matrix) -> Vector:
    """
    Return the moment that a field of accelerations U r takes, I alpha + omega x I omega.

    With J = (trace I) 1 / 2 - I, the second moments of mass, it is what of U J is not symmetric:
    fewer operations, since forces need U as well.

    :param tensor: I of a body without second moment along z, so that J is known without sums:
        Jxx = Iyy, Jyy = Ixx, Jzz = 0, see alignment.aligned_inertias
    """
    (jyy, xy, xz), (_, jxx, yz), _ = tensor
    (uxx, uxy, uxz), (uyx, uyy, uyz), (uzx, uzy, uzz) = field
    return (uyx * xz + uzy * jyy - (uzz - uyy) * yz - uzx * xy,
            uzy * xy - (uxx - uzz) * xz - uzx * jxx - uxy * yz,
            uyx * jxx - (uyy - uxx) * xy - uyz * xz - uxy * jyy + uxz * yz)


def _turning(omega: Vector, alpha: Vector) -> Matrix:
    """Return U of the acceleration field: alpha x r + omega x (omega x r) = U r."""
    (x, y, z), (ax, ay, az) = omega, alpha
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return ((-(yy + zz), xy - az, xz + ay), (xy + az, -(xx + zz), yz - ax),
            (xz - ay, yz + ax, -(xx + yy)))


def _nothing(wrench: Wrench) -> bool:
    return all(is_zero(x) for part in wrench for x in part)


def _sizes(links: Sequence[Link], inertias: Sequence[Inertia]) -> list[Number]:
    """Return the diagonal of M at q = 0: what pivots are compared with (n,)."""
    whole = list(inertias)
    for k in reversed(range(len(links))):
        if links[k].parent >= 0:
            whole[links[k].parent] = sum_inertias(whole[links[k].parent], express(
                whole[k], links[k].rotation, links[k].translation))
    return [part.tensor[2][2] if link.kind == REVOLUTE else part.mass
            for link, part in zip(links, whole)]


def _origin(steps: Steps) -> Vector:
    """Return where a body's origin lies in the frame of its parent."""
    place = NONE._replace(moving=ZERO)
    at = place.moving
    for step in steps:
        if isinstance(step, Turn):
            at = _turned(at, step, 1.0)
        else:
            moved = list(at)
            moved[step.axis] = moved[step.axis] + step.distance
            at = (moved[0], moved[1], moved[2])
    return at


def _turned(a: Vector, step: Turn, sign: float) -> Vector:
    """Return a vector in the frame that a turn leads to (sign 1) or comes from (-1)."""
    i, k = OTHERS[step.axis]
    c, s = step.cosine, step.sine * sign
    found = list(a)
    found[i], found[k] = a[i] * c - a[k] * s, a[k] * c + a[i] * s
    return (found[0], found[1], found[2])


def _handed_down(wrench: Wrench, step: Turn | Shift) -> Wrench:
    """Return a moment and a force in the next frame towards the base."""
    if isinstance(step, Turn):
        return Wrench(_turned(wrench.turning, step, 1.0), _turned(wrench.moving, step, 1.0))
    return wrench._replace(turning=_across(wrench.turning, wrench.moving, step, 1.0))


def _handed_up(motion: Wrench, step: Turn | Shift) -> Wrench:
    """Return a motion in the next frame towards the leaves."""
    if isinstance(step, Turn):
        return Wrench(_turned(motion.turning, step, -1.0), _turned(motion.moving, step, -1.0))
    return motion._replace(moving=_across(motion.moving, motion.turning, step, -1.0))


def _handed_all_up(motion: Wrench, steps: Steps) -> Wrench:
    """Return a motion in the last frame, behind all steps."""
    left = list(steps)
    while left:
        step = left.pop()
        if isinstance(step, Shift) and left and isinstance(left[-1], Turn) \
                and left[-1].axis == step.axis:
            motion = _handed_along(motion, left.pop(), step)  # type: ignore[arg-type]
        else:
            motion = _handed_up(motion, step)
    return motion


def _handed_along(motion: Wrench, turn: Turn, shift: Shift) -> Wrench:
    """
    Return a motion behind a shift and a turn about one axis, which commute.

    As many operations as one after the other, but velocities, which are known last, pass two of
    them instead of three.
    """
    i, k = OTHERS[turn.axis]
    c, s, d = turn.cosine, turn.sine, shift.distance
    turning, old = _turned(motion.turning, turn, -1.0), motion.moving
    found = list(old)
    found[i] = (old[i] * c + turning[k] * d) + old[k] * s
    found[k] = (old[k] * c - turning[i] * d) - old[i] * s
    return Wrench(turning, (found[0], found[1], found[2]))


def _across(a: Vector, b: Vector, step: Shift, sign: float) -> Vector:
    """Return a + sign r x b with r along an axis."""
    i, k = OTHERS[step.axis]
    d = step.distance * sign
    found = list(a)
    found[i], found[k] = a[i] - b[k] * d, a[k] + b[i] * d
    return (found[0], found[1], found[2])


def _spatial(inertia: Inertia) -> Spatial:
    x, y, z = inertia.moment
    m = inertia.mass
    return Spatial([list(row) for row in inertia.tensor],
                   [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]],
                   [[m, 0.0, 0.0], [0.0, m, 0.0], [0.0, 0.0, m]])


def _sum(one: Spatial, other: Spatial) -> Spatial:
    return Spatial(*([[x + y for x, y in zip(*rows)] for rows in zip(*parts)]
                     for parts in zip(one, other)))


def _without(body: Spatial, column: tuple[list[Number], list[Number]],
             gains: tuple[list[Number], list[Number]], no_turn: bool, no_move: bool) -> Spatial:
    """Return what is left of an inertia when its joint gives way, body - column gains^T."""
    (ut, um), (gt, gm) = column, gains
    turning, mixed, moving = ([list(row) for row in part] for part in body)
    for i in range(3):
        for k in range(3):
            if k >= i:
                turning[i][k] = turning[k][i] = turning[i][k] - ut[k] * gt[i]
                moving[i][k] = moving[k][i] = moving[i][k] - um[k] * gm[i]
            mixed[i][k] = mixed[i][k] - gt[i] * um[k] if i != 2 or not no_turn else 0.0
    for k in range(3):  # zeros that rounding would hide
        if no_turn:
            turning[2][k] = turning[k][2] = 0.0
            mixed[2][k] = 0.0
        if no_move:
            moving[2][k] = moving[k][2] = 0.0
            mixed[k][2] = 0.0
    return Spatial(turning, mixed, moving)


def _carried(body: Spatial, step: Turn | Shift) -> Spatial:
    """Return an inertia in the next frame towards the base."""
    i, k = OTHERS[step.axis]
    o = step.axis
    turning, mixed, moving = ([list(row) for row in part] for part in body)
    if isinstance(step, Turn):
        c, s = step.cosine, step.sine
        for part in (turning, moving):
            _turn_symmetric(part, i, k, o, c, s)
        _turn_block(mixed, i, k, o, c, s)
        return Spatial(turning, mixed, moving)
    # r along the axis: H' = H + r x M, I' = I + r x H'^T - H r x
    d = step.distance
    old = [list(row) for row in mixed]
    for j in range(3):
        mixed[i][j] = old[i][j] - moving[k][j] * d
        mixed[k][j] = old[k][j] + moving[i][j] * d
    turning[i][i] = turning[i][i] - (mixed[i][k] + old[i][k]) * d
    turning[k][k] = turning[k][k] + (mixed[k][i] + old[k][i]) * d
    turning[i][k] = turning[k][i] = turning[i][k] - mixed[k][k] * d + old[i][i] * d
    turning[o][i] = turning[i][o] = turning[o][i] - old[o][k] * d
    turning[o][k] = turning[k][o] = turning[o][k] + old[o][i] * d
    return Spatial(turning, mixed, moving)


def _turn_symmetric(part: list[list[Number]], i: int, k: int, o: int, c: Number,
                    s: Number) -> None:
    """Turn a symmetric matrix about axis o, in place: six operations and a vector's four."""
    x, y, xy = part[i][i], part[k][k], part[i][k]
    w = (x - y) * s + xy * (c * 2.0)
    part[i][i], part[k][k] = x - w * s, y + w * s
    part[i][k] = part[k][i] = w * c - xy
    a, b = part[i][o], part[k][o]
    part[i][o] = part[o][i] = a * c - b * s
    part[k][o] = part[o][k] = b * c + a * s


def _turn_block(part: list[list[Number]], i: int, k: int, o: int, c: Number, s: Number) -> None:
    """Turn any matrix about axis o, in place."""
    both = part[i][k] + part[k][i]
    w = (part[i][i] - part[k][k]) * s + both * c
    change = w * c - both
    part[i][i], part[k][k] = part[i][i] - w * s, part[k][k] + w * s
    part[i][k], part[k][i] = part[i][k] + change, part[k][i] + change
    a, b = part[i][o], part[k][o]
    part[i][o], part[k][o] = a * c - b * s, b * c + a * s
    a, b = part[o][i], part[o][k]
    part[o][i], part[o][k] = a * c - b * s, b * c + a * s


def forward_dynamics(tree: Tree, inertias: Sequence[Inertia], q: Sequence[Number],
                     v: Sequence[Number], force: Sequence[Number],
                     gravity: Vector) -> tuple[list[Number], Number]:
    """
    Return M^-1 (force - C v - g) (n,) and the margin of M.

    :param force: efforts at the joints, friction taken off (n,)
    """
    factor = ArticulatedFactor(tree, inertias, q, alone=True)
    half = factor.half_solve(force, factor.wrenches(v, gravity))
    return factor.finish_solve(half), factor.margin
