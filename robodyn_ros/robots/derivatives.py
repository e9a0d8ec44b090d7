# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Exact derivatives of a robot's dynamics, recorded and compiled when they are first asked for.

Inverse dynamics tau(q, v, a) is differentiated in reverse, a joint's torque at a time. Forward
dynamics follows from it at the acceleration that results,

    da/dz = -M^-1 dtau/dz at (q, v, a),    da/dtau = M^-1

so nothing is differentiated through a factorisation. Joint friction is part of both, as its smooth
law stands in mechanics/friction.py. Mimic joints are in the tree (mechanics/tree.py), and so in
the derivatives; loops are not: see Plant.linearised.
"""
from __future__ import annotations

from typing import Iterable, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import items
from robodyn_ros.codegen.evaluation import Evaluation, Single
from robodyn_ros.errors import UnknownNameError
from robodyn_ros.mechanics import equations
from robodyn_ros.mechanics.factorisation import factor_mass
from robodyn_ros.mechanics.friction import friction_torque
from robodyn_ros.mechanics.inertia import inertia_from, INERTIAL, ten_of
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.mechanics.tree import body_rates, Friction, joint_efforts, Tree
from robodyn_ros.tracing import gradient, Graph, inputs, is_zero, Number, replaced, Scalar

INVERSE, FORWARD = 'inverse_dynamics', 'forward_dynamics'
FRICTION = {
    'viscous': Friction(viscous=1.0), 'coulomb': Friction(coulomb=1.0, breakaway=1.0),
    'peak': Friction(breakaway=1.0), 'saturating': Friction(saturating=1.0)}
"""Laws of one unit, by which friction is linear; peak: breakaway beyond Coulomb friction."""
ROTOR = 'rotor'
"""A rotor's inertia as its joint feels it, times ratio^2."""


class TorqueDerivatives(NamedTuple):
    """What Robot.inverse_dynamics_derivatives returns; a leading axis k for many states."""

    dtau_dq: np.ndarray
    """(n, n), row: torque, column: joint [N m/rad] and its like."""
    dtau_dv: np.ndarray
    """(n, n) [N m s/rad]."""
    dtau_da: np.ndarray
    """M (n, n) [kg m^2]."""
    dtau_dp: np.ndarray
    """By the parameters that were named (n, parameters)."""
    tau: np.ndarray
    """(n,) [N m] or [N]."""


class AccelerationDerivatives(NamedTuple):
    """What Robot.derivatives returns; a leading axis k for many states."""

    da_dq: np.ndarray
    """(n, n), row: acceleration, column: joint [1/s^2] and its like."""
    da_dv: np.ndarray
    """(n, n) [1/s]."""
    da_dtau: np.ndarray
    """M^-1 (n, n) [1/(kg m^2)]."""
    da_dp: np.ndarray
    """By the parameters that were named (n, parameters)."""
    a: np.ndarray
    """(n,) [rad/s^2] or [m/s^2]."""


class Derivatives:
    """Compiled derivatives of one robot."""

    def __init__(self, title: str, tree: Tree, own: Parameters):
        """
        Record nothing yet.

        :param own: gravity and friction of the robot's file and no payload: constants of the code
            as long as no others are given
        """
        self.title, self.tree, self.own = title, tree, own
        self._known: dict[tuple[str, bool, tuple[str, ...]], Evaluation] = {}
        # one waiting for each thread that calls at a time
        self._spare: dict[str, list[Single]] = {INVERSE: [], FORWARD: []}
        self._none = np.zeros((tree.n, 0))
        self._parts = [slice(k * tree.n, (k + 1) * tree.n) for k in range(3)]
        self._margin = -tree.n

    @property
    def names(self) -> list[str]:
        """Return all that torques can be differentiated by, beside q, v and a."""
        tree = self.tree
        found = [*NAMES, *(f'{body.joint} {name}' for body in tree.bodies for name in INERTIAL)]
        found += [f'{tree.bodies[rotor.joint].joint} {ROTOR}' for rotor in tree.rotors]
        return found + [f'{body.joint} {name}' for body in tree.bodies for name in FRICTION]

    def checked(self, by: Iterable[str]) -> tuple[str, ...]:
        """Return names of parameters; the error lists those there are."""
        found = tuple(items(str, 'by', [by] if isinstance(by, str) else by,
                            "names such as 'payload.mass'"))
        known = set(self.names) if found else set()
        for name in found:
            if name not in known:
                raise UnknownNameError('parameter', name, self.names)
        return found

    def recorded(self, name: str, parametric: bool = False,
                 by: tuple[str, ...] = ()) -> Evaluation:
        """
        Return INVERSE or FORWARD, recorded on first use.

        :param parametric: payload, gravity and friction are inputs, not the robot's own
        """
        key = name, parametric or bool(set(by) & set(NAMES)), by
        if key not in self._known:
            graph, n = Graph(), self.tree.n
            q, v, u = (inputs(graph, letter, n) for letter in 'qvu')
            p = inputs(graph, 'p', len(NAMES))
            values = Parameters.from_flat(p) if key[1] else self.own
            outputs = (_forward if name == FORWARD else _inverse)(
                _Recorder(self.tree, values, p, by), q, v, u)
            text = f' by {", ".join(by)}' if by else ''
            self._known[key] = Evaluation(
                f'derivatives of {name} of {self.title}{text}'
                f'{" with payload" if key[1] else ""}', [*q, *v, *u], outputs, p)
        return self._known[key]

    def quick(self, name: str, q: object, v: object, u: object) -> tuple[np.ndarray, ...] | None:
        """
        Evaluate at one state of plain arrays, by the shortest way.

        :returns: as cut; None where arrays, numbers or M want to be looked at first
        """
        if not type(q) is type(v) is type(u) is np.ndarray:
            return None
        spare = self._spare[name]
        try:
            function = spare.pop()
        except IndexError:
            if not self.tree.n:
                return None
            function = Single(self.recorded(name), self.own.flat(), 3,  # type: ignore[arg-type]
                              self.tree.n)
        first, second, third = function.cells
        rows = None
        try:
            first[:], second[:], third[:] = q, v, u
            if not function.call():
                rows = function.rows.copy()
        except ValueError:  # of another type or size
            pass
        spare.append(function)
        if rows is None or not rows.item(self._margin) > 0.0:
            return None
        by_q, by_v, by_u = self._parts
        return rows[by_q], rows[by_v], rows[by_u], self._none, rows[-2]

    def __call__(self, name: str, parameters: Parameters, by: tuple[str, ...], q: np.ndarray,
                 v: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return all outputs at one state (n,) or many (k, n)."""
        return self.recorded(name, parameters != self.own, by)(
            np.concatenate([q, v, u], axis=-1), parameters.flat())  # type: ignore[arg-type]


def cut(y: np.ndarray, n: int) -> tuple[np.ndarray, ...]:
    """Cut outputs (..., outputs): matrices by q, v, a or tau, and parameters; the vector."""
    many, begin = y.shape[:-1], (3 * n + 2) * n
    rows = y[..., :begin].reshape(*many, 3 * n + 2, n)
    return (rows[..., :n, :], rows[..., n:2 * n, :], rows[..., 2 * n:3 * n, :],
            y[..., begin:].reshape(*many, n, -1 if n else 0), rows[..., 3 * n, :])


class _Recorder(NamedTuple):
    """What torques are recorded of."""

    tree: Tree
    values: Parameters
    p: list[Scalar]
    by: tuple[str, ...]

    def torque_by(self, q: list[Scalar], v: list[Scalar], a: list[Scalar]
                  ) -> tuple[list[Number], list[list[Number]], list[list[Number]]]:
        """Return tau (n,), its rows by q, v and the named parameters, and M, which is by a."""
        n, tau = len(q), equations.inverse_dynamics(self.tree, self.values, q, v, a)
        # M is symmetric; what is not read is not computed
        rows = [gradient([x], [1.0], [*q, *v, *a[:k + 1]]) for k, x in enumerate(tau)]
        mass = [[rows[max(i, k)][2 * n + min(i, k)] for k in range(n)] for i in range(n)]
        columns = [self._by(name, tau, q, v, a) for name in self.by]
        return tau, [[*row[:2 * n], *(column[k] for column in columns)]
                     for k, row in enumerate(rows)], mass

    def _by(self, name: str, tau: list[Number], q: list[Scalar], v: list[Scalar],
            a: list[Scalar]) -> list[Number]:
        if name in NAMES:
            return [gradient([x], [1.0], [self.p[NAMES.index(name)]])[0] for x in tau]
        joint, _, kind = name.rpartition(' ')
        tree = self.tree
        body = next(k for k, one in enumerate(tree.bodies) if one.joint == joint)
        if kind in FRICTION:
            law = tree.friction[body] if tree.friction else Friction()
            unit = FRICTION[kind]._replace(velocity=law.velocity, saturation=law.saturation)
            torques: list[Number] = [0.0] * len(tree.bodies)
            torques[body] = friction_torque(unit, body_rates(tree, v)[body]) \
                * self.values.friction_scale
            return joint_efforts(tree, torques)
        theta = inputs(q[0].graph, 'theta', 1)[0]
        if kind == ROTOR:
            rotors = list(tree.rotors)
            at = next(k for k, one in enumerate(rotors) if one.joint == body)
            share = 1.0 / rotors[at].ratio ** 2
            value = rotors[at].inertia
            rotors[at] = rotors[at]._replace(inertia=theta * share)  # type: ignore[arg-type]
            value /= share
            tree = tree._replace(rotors=tuple(rotors))
        else:
            ten: list[Number] = list(ten_of(tree.bodies[body].inertia))
            place = INERTIAL.index(kind)
            value = float(ten[place])  # type: ignore[arg-type]
            ten[place] = theta
            bodies = list(tree.bodies)
            bodies[body] = bodies[body]._replace(inertia=inertia_from(ten))
            tree = tree._replace(bodies=tuple(bodies))
        moved = equations.inverse_dynamics(tree, self.values, q, v, a)
        return replaced([gradient([x], [1.0], [theta])[0] for x in moved], {theta: value})


def _inverse(recorder: _Recorder, q: list[Scalar], v: list[Scalar],
             a: list[Scalar]) -> list[Number]:
    """Return dtau/dq, dtau/dv, M, tau, a row that begins with 1, and dtau/dp, row by row."""
    tau, rows, mass = recorder.torque_by(q, v, a)
    return _laid_out(rows, mass, tau, 1.0)


def _forward(recorder: _Recorder, q: list[Scalar], v: list[Scalar],
             tau: list[Scalar]) -> list[Number]:
    """Return da/dq, da/dv, M^-1, a, a row that begins with M's margin, and da/dp, row by row."""
    n = len(q)
    mass, bias = equations.mass_and_bias(recorder.tree, recorder.values, q, v)
    factor = factor_mass(mass)
    a = factor.finish_solve(factor.half_solve([x - y for x, y in zip(tau, bias)]))
    inverse: list[list[Number]] = [[0.0] * n for _ in range(n)]
    for k in range(n):
        column = factor.finish_solve(factor.half_solve([float(i == k) for i in range(n)]))
        for i in range(k + 1):  # the others are these; what is not read is not computed
            inverse[i][k] = inverse[k][i] = column[i]
    apart = inputs(q[0].graph, 'a', n)
    rows = recorder.torque_by(q, v, apart)[1]
    width = len(rows[0])
    flat = replaced(_flat(rows, 0, width), dict(zip(apart, a)))
    rows = [flat[k * width:(k + 1) * width] for k in range(n)]
    by = [[-_dot(line, column) for column in zip(*rows)] for line in inverse]
    return _laid_out(by, inverse, a, factor.margin)


def _laid_out(by: list[list[Number]], third: list[list[Number]], vector: list[Number],
              margin: Number) -> list[Number]:
    n = len(by)
    return [*_flat(by, 0, n), *_flat(by, n, 2 * n), *_flat(third, 0, n), *vector,
            margin, *[0.0] * (n - 1), *_flat(by, 2 * n, len(by[0]))]


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    return sum((x * y for x, y in zip(a, b) if not is_zero(x) and not is_zero(y)), 0.0)


def _flat(rows: Sequence[Sequence[Number]], begin: int, end: int) -> list[Number]:
    return [x for row in rows for x in row[begin:end]]
