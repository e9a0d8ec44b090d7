# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
How a constrained plant's acceleration changes, recorded: exact, by the implicit equations.

Acceleration a and multipliers l solve

    R1 = M a + h - tau - C - A^T l = 0        R2 = A a - b = 0

so that for any variable z, with dR taken while a and l are held,

    da/dz = -(P dR1/dz + Q dR2/dz),  P = da/dtau,  Q = da/db of the plant's own solve

R1 is recorded with recursive Newton-Euler, and nothing is differentiated through a factorisation.
The corrections of velocity_correction and projection, M u = A^T l, A u = r, go the same way.
"""
from __future__ import annotations

from copy import copy
from typing import Mapping, NamedTuple, Sequence

from robodyn_ros.codegen.loops.integrators import IMPLICIT_SHARE
from robodyn_ros.constraints.rows import Rows, trace_rows
from robodyn_ros.errors import ConstraintError
from robodyn_ros.mechanics import equations, rigid_body, udwadia_kalaba
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.mechanics.udwadia_kalaba import RowFactor
from robodyn_ros.mechanics.vector import ZERO
from robodyn_ros.plant.model import Model
from robodyn_ros.tracing import gradient, Graph, inputs, is_zero, Number, replaced, Scalar

Matrix = list[list[Number]]


class Inputs(NamedTuple):
    """Inputs of a recording."""

    graph: Graph
    t: Scalar
    q: list[Scalar]
    v: list[Scalar]
    tau: list[Scalar]
    extra: list[Scalar]
    """What an implicit step's second stage adds, S extra (n,); empty elsewhere."""
    p: list[Scalar]

    @property
    def x(self) -> list[Scalar]:
        """Return t, q, v, tau and extra side by side."""
        return [self.t, *self.q, *self.v, *self.tau, *self.extra]


class Mechanics:
    """The plant's equations on one recording, with what holds a and l apart from them."""

    def __init__(self, model: Model, parametric: bool, implicit: bool = False):
        """
        Record M, the force, the rows and their factors.

        :param implicit: of the stages of the integrator that solves for friction: M + S
        """
        if model.damped:
            raise ConstraintError(f'the plant of {model.robot.name} is damped: its rows give way '
                                  'near singularities, which has no derivatives here; make it '
                                  'without damped')
        self.model, self.robot, table = model, model.robot, model.parameters
        graph, n = Graph(), self.robot.n
        t = inputs(graph, 't', 1)[0]
        q, v, tau = (inputs(graph, letter, n) for letter in ('q', 'v', 'u'))
        extra = inputs(graph, 'e', n) if implicit else []
        p = inputs(graph, 'p', len(table.names))
        self.at = Inputs(graph, t, q, v, tau, extra, p)
        self.values = Parameters.from_flat(p[:len(NAMES)]) if parametric else \
            self.robot.parameters
        groups = {item.name: table.group(item.name, p) for item in model.constraints}
        self.rows: Rows = trace_rows(self.robot, model.constraints, q, v, t, groups)
        self.b: list[Number] = list(self.rows.b)
        if model.stabilisation.kind == 'baumgarte':
            gains = table.group('stabilisation', p)
            self.b = [x - rate * gains['alpha'] - phi * gains['beta']
                      for x, rate, phi in zip(self.rows.b, self.rows.rate, self.rows.phi)]
        self.slopes: Matrix = []
        """What an implicit stage adds to M for friction (n, n); empty elsewhere."""
        if model.kinematic:
            mass: Matrix = [[float(i == k) for k in range(n)] for i in range(n)]
            force = list(self.rows.prescribed)
        else:
            mass, bias = equations.mass_and_bias(self.robot.tree, self.values, q, v)
            force = [u - h + c for u, h, c in zip(tau, bias, self.rows.prescribed)]
        self._unstiffened = mass
        if implicit:
            share = IMPLICIT_SHARE * model.step_size
            self.slopes = [[0.0 if is_zero(slope) else slope * share for slope in row]
                           for row in equations.friction_slopes(self.robot.tree, self.values, v)]
            mass = [[x + y for x, y in zip(row, more)] for row, more in zip(mass, self.slopes)]
            force = [x + y for x, y in zip(force, product(self.slopes, extra))]
        self.mass, self.force = mass, force
        self.factor: RowFactor = udwadia_kalaba.factor_rows(mass, self.rows.A)

    def of_projection(self) -> Mechanics:
        """Return the same recording as a projection sees it, which knows of no friction."""
        if not self.slopes:
            return self
        found = copy(self)
        found.slopes, found.mass = [], self._unstiffened
        found.factor = udwadia_kalaba.factor_rows(found.mass, found.rows.A)
        return found

    def terms(self, corrected: bool) -> list[Number]:
        """Return what the rank solver reads: M, force, A, b and what corrects the velocity."""
        return [*(x for row in self.mass for x in row), *self.force,
                *(x for row in self.rows.A for x in row), *self.b,
                *(-rate if corrected else 0.0 for rate in self.rows.rate)]

    def solved(self, force: Sequence[Number], right: Sequence[Number]
               ) -> tuple[list[Number], list[Number], Number, Number]:
        """Return u and l of M u - A^T l = force, A u = right, and the margins of M and rows."""
        found = udwadia_kalaba.solve(self.factor, force, right)
        return found.acceleration, found.multipliers, found.mass_margin, found.row_margin

    def motion_residual(self, a: Sequence[Number], multipliers: Sequence[Number]) -> list[Number]:
        """Return R1, then R2, of given a and l."""
        at = self.at
        if self.model.kinematic:
            needed = list(a)
        else:
            needed = [x - u for x, u in zip(equations.inverse_dynamics(
                self.robot.tree, self.values, at.q, at.v, a), at.tau)]
        if self.slopes:
            needed = [x + y for x, y in zip(needed, product(
                self.slopes, [x - y for x, y in zip(a, at.extra)]))]
        held = self._held(multipliers)
        return [*(x - c - f for x, c, f in zip(needed, self.rows.prescribed, held)),
                *(x - y for x, y in zip(product(self.rows.A, a), self.b))]

    def correction_residual(self, u: Sequence[Number], multipliers: Sequence[Number],
                            right: Sequence[Number]) -> list[Number]:
        """Return M u - A^T l, then A u - right, of given u and l."""
        at, still = self.at, [0.0] * self.robot.n
        moved = list(u) if self.model.kinematic else rigid_body.inverse_dynamics(
            self.robot.tree, equations.inertias(self.robot.tree, self.values), at.q, still, u,
            ZERO)
        if self.slopes:
            moved = [x + y for x, y in zip(moved, product(self.slopes, u))]
        return [*(x - f for x, f in zip(moved, self._held(multipliers))),
                *(x - y for x, y in zip(product(self.rows.A, u), right))]

    def _held(self, multipliers: Sequence[Number]) -> list[Number]:
        found = udwadia_kalaba.constraint_force(self.rows.A, multipliers)
        return found or [0.0] * self.robot.n

    def answers(self) -> tuple[Matrix, Matrix]:
        """Return P (n, n), which is symmetric, and Q (n, m) of the plant's solve."""
        n, m = self.robot.n, len(self.rows.A)
        P: Matrix = [[0.0] * n for _ in range(n)]  # noqa: N806
        for k in range(n):
            unit = [float(i == k) for i in range(n)]
            column = self.solved(unit, [0.0] * m)[0]
            for i in range(k + 1):  # the others are these; what is not read is not computed
                P[i][k] = P[k][i] = column[i]
        columns = [self.solved([0.0] * n, [float(i == r) for i in range(m)])[0]
                   for r in range(m)]
        return P, [list(row) for row in zip(*columns)] if m else [[] for _ in range(n)]


def rates_by_state(mechanics: Mechanics) -> list[Number]:
    """
    Return the rates (2 n), the two margins, and the rates by q, v, tau and extra, row by row.

    The rates are qdot and a, see codegen/layout.py.
    """
    at, n, m = mechanics.at, mechanics.robot.n, len(mechanics.rows.A)
    a, held, mass_margin, row_margin = mechanics.solved(mechanics.force, mechanics.b)
    P, Q = mechanics.answers()  # noqa: N806
    variables = [*at.q, *at.v, *at.tau, *at.extra]
    apart = inputs(at.graph, 'a', n), inputs(at.graph, 'l', m)
    by_z = _negative_answer(P, Q, by_variables(
        mechanics.motion_residual(*apart), variables,
        dict(zip((*apart[0], *apart[1]), (*a, *held)))))
    speed: list[Number] = list(at.v)
    speed_by: Matrix = [[float(k == n + i) for k in range(len(variables))] for i in range(n)]
    if mechanics.model.stabilisation.kind == 'velocity_correction' and m:
        still = [-rate for rate in mechanics.rows.rate]
        u, pull, *_ = mechanics.solved([0.0] * n, still)
        residual = mechanics.correction_residual(*apart, still)
        moved = _negative_answer(P, Q, by_variables(residual, variables, dict(
            zip((*apart[0], *apart[1]), (*u, *pull)))))
        speed = [x + y for x, y in zip(speed, u)]
        speed_by = [[x + y for x, y in zip(row, more)] for row, more in zip(speed_by, moved)]
    return [*speed, *a, mass_margin, row_margin,
            *(x for row in (*speed_by, *by_z) for x in row)]


def projection_by_state(mechanics: Mechanics) -> list[Number]:
    """
    Return a Newton step onto the rows with its derivatives, and the margin of the rows.

    dq (n), by q (n, n), then the move dv (n) of the velocity, by q and v (n, 2 n), margin and
    phi (m).
    """
    at, n, m = mechanics.at, mechanics.robot.n, len(mechanics.rows.A)
    P, Q = mechanics.answers()  # noqa: N806
    apart = inputs(at.graph, 'a', n), inputs(at.graph, 'l', m)
    found: list[Number] = []
    for wanted, variables in ((mechanics.rows.phi, at.q), (mechanics.rows.rate, [*at.q, *at.v])):
        right = [-x for x in wanted]
        u, pull, _, margin = mechanics.solved([0.0] * n, right)
        moved = _negative_answer(P, Q, by_variables(
            mechanics.correction_residual(*apart, right), variables,
            dict(zip((*apart[0], *apart[1]), (*u, *pull)))))
        found += [*u, *(x for row in moved for x in row)]
    return [*found, margin, *mechanics.rows.phi]


def product(matrix: Sequence[Sequence[Number]], vector: Sequence[Number]) -> list[Number]:
    """Return matrix times vector, without what is structurally zero."""
    return [sum((x * y for x, y in zip(row, vector) if not is_zero(x) and not is_zero(y)), 0.0)
            for row in matrix]


def by_variables(residual: Sequence[Number], variables: Sequence[Scalar],
                 at: Mapping[Scalar, Number] | None = None) -> Matrix:
    """Differentiate a residual by variables while a and l are held, then put these in."""
    rows = [gradient([x], [1.0], variables) for x in residual]
    flat = replaced([x for row in rows for x in row], at or {})
    width = len(variables)
    return [flat[k * width:(k + 1) * width] for k in range(len(residual))]


def _negative_answer(P: Matrix, Q: Matrix, rows: Matrix) -> Matrix:  # noqa: N803
    """Return -(P, Q) rows."""
    both = [[*p, *q] for p, q in zip(P, Q)]
    columns = [product(both, column) for column in zip(*rows)]
    return [[-x for x in row] for row in zip(*columns)]


class Pull(NamedTuple):
    """How weights of the rates are carried back to what the rates depend on."""

    weights: list[Scalar]
    """Inputs: of qdot (n), then of a (n); behind a projection, of q and v."""
    outputs: list[Number]
    """Weights of q, v, tau, extra and of what the parameters were made into; the two margins."""
    made: list[Scalar]
    """What the parameters were made into: recorded numbers that depend on them alone."""
    positions: list[Number]
    """Of a projection's step in q, by weights of q: those of q (n) and of made; or empty."""
    velocities: list[Number]
    """Of its step in v, by weights of v: those of q (n), of v (n) and of made; or empty."""


def rates_alone(mechanics: Mechanics) -> list[Number]:
    """Return qdot, a and the two margins."""
    n, m = mechanics.robot.n, len(mechanics.rows.A)
    a, _, mass_margin, row_margin = mechanics.solved(mechanics.force, mechanics.b)
    speed: list[Number] = list(mechanics.at.v)
    if mechanics.model.stabilisation.kind == 'velocity_correction' and m:
        moved = mechanics.solved([0.0] * n, [-rate for rate in mechanics.rows.rate])[0]
        speed = [x + y for x, y in zip(speed, moved)]
    return [*speed, *a, mass_margin, row_margin]


def projection_alone(mechanics: Mechanics) -> list[Number]:
    """Return a Newton step onto the rows: dq, dv, the margin of the rows and phi."""
    still = [0.0] * mechanics.robot.n
    found: list[Number] = []
    for wanted in (mechanics.rows.phi, mechanics.rows.rate):
        move, _, _, margin = mechanics.solved(still, [-x for x in wanted])
        found += move
    return [*found, margin, *mechanics.rows.phi]


class _Part(NamedTuple):
    """A solve to go back through: what it makes zero, weights of its answer, the answer."""

    mechanics: Mechanics
    residual: list[Number]
    weights: list[Scalar]
    answer: list[Number]

    def back(self, apart: Sequence[Scalar], variables: Sequence[Scalar]) -> list[Number]:
        """Return weights of variables; apart: what stands for the answer in the residual."""
        w, y, *_ = self.mechanics.solved(self.weights, [0.0] * len(self.mechanics.rows.A))
        return replaced(gradient(self.residual, [*(-x for x in w), *y], variables),
                        dict(zip(apart, self.answer)))


def pulled_back(mechanics: Mechanics, by: Sequence[Scalar]) -> Pull:
    """
    Record the adjoint: the same symmetric solve for the weights, then one gradient.

    M w - A^T y = weights of a, A w = 0; weights of z: -(w . dR1/dz - y . dR2/dz).

    :param by: parameters whose weights are wanted
    """
    at, n, m = mechanics.at, mechanics.robot.n, len(mechanics.rows.A)
    graph, kind = at.graph, mechanics.model.stabilisation.kind
    a, held, mass_margin, row_margin = mechanics.solved(mechanics.force, mechanics.b)
    of_speed, of_a = inputs(graph, 'wv', n), inputs(graph, 'wa', n)
    apart = [*inputs(graph, 'a', n), *inputs(graph, 'l', m)]

    def corrected(seen: Mechanics, error: Sequence[Number], weights: list[Scalar]) -> _Part:
        right = [-x for x in error]
        move, force, *_ = seen.solved([0.0] * n, right)
        return _Part(seen, seen.correction_residual(apart[:n], apart[n:], right), weights,
                     [*move, *force])
    stages = [_Part(mechanics, mechanics.motion_residual(apart[:n], apart[n:]), of_a,
                    [*a, *held])]
    if kind == 'velocity_correction' and m:
        stages.append(corrected(mechanics, mechanics.rows.rate, of_speed))
    moves = []
    if kind == 'projection' and m:
        seen = mechanics.of_projection()
        moves = [corrected(seen, seen.rows.phi, of_speed), corrected(seen, seen.rows.rate, of_a)]
    made = _made_of(graph, at.p, by, [x for part in (*stages, *moves) for x in part.residual])
    variables = [*at.q, *at.v, *at.tau, *at.extra, *made]
    total: list[Number] = [0.0] * len(variables)
    for part in stages:
        total = [x + y for x, y in zip(total, part.back(apart, variables))]
    for k in range(n):
        total[n + k] = total[n + k] + of_speed[k]
    positions, velocities = (part.back(apart, [*seen, *made]) for part, seen in zip(
        moves, (at.q, [*at.q, *at.v]))) if moves else ([], [])
    return Pull([*of_speed, *of_a], [*total, mass_margin, row_margin], made, positions, velocities)


def pulled_back_apart(mechanics: Mechanics, by: Sequence[Scalar]) -> tuple[list[Scalar], Pull]:
    """
    Record the adjoint for whoever solves: a and l, then w and y, are inputs, and no margins left.

    Behind the weights come a, l and the same of the velocity's correction; then w and y of
    pulled_back for either. Returns these inputs, too.
    """
    at, n, m = mechanics.at, mechanics.robot.n, len(mechanics.rows.A)
    of_speed, of_a = inputs(at.graph, 'wv', n), inputs(at.graph, 'wa', n)
    solved = [[*inputs(at.graph, f'a{k}', n), *inputs(at.graph, f'l{k}', m)] for k in range(4)]
    residuals = [mechanics.motion_residual(solved[0][:n], solved[0][n:])]
    if mechanics.model.stabilisation.kind == 'velocity_correction':
        residuals.append(mechanics.correction_residual(
            solved[1][:n], solved[1][n:], [-rate for rate in mechanics.rows.rate]))
    made = _made_of(at.graph, at.p, by, [x for residual in residuals for x in residual])
    variables = [*at.q, *at.v, *at.tau, *at.extra, *made]
    total: list[Number] = [0.0] * n + list(of_speed) + [0.0] * (len(variables) - 2 * n)
    for residual, w in zip(residuals, solved[2:]):
        total = [x + y for x, y in zip(total, gradient(
            residual, [*(-x for x in w[:n]), *w[n:]], variables))]
    return [x for part in solved for x in part], Pull(
        [*of_speed, *of_a], [*total, 0.0, 0.0], made, [], [])


def _made_of(graph: Graph, p: Sequence[Scalar], by: Sequence[Scalar],
             outputs: Sequence[Number]) -> list[Scalar]:
    """Return the numbers that depend on parameters alone, on one of by, and are read further."""
    fixed, wanted = {x.node for x in p}, {x.node for x in by}
    read: set[int] = set()
    ends = [y.node for y in outputs if isinstance(y, Scalar)]
    for node in graph.reachable(list(ends)):
        args = [a for a in graph.args[node] if not isinstance(a, float)]
        if graph.ops[node] == 'input':
            continue
        if all(a in fixed for a in args):
            fixed.add(node)
            if any(a in wanted for a in args):
                wanted.add(node)
        else:
            read.update(args)
    truths = ('lt', 'le', 'eq')
    return [Scalar(graph, node) for node in sorted((read | set(ends)) & wanted)
            if graph.ops[node] not in truths]
