# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A plant as it was traced: everything about it that does not change while it runs.

Two solvers for one plant: CHOLESKY is straight-line code for independent rows, RANK_SOLVER finds
the rank of the rows in compiled loops (codegen/loops/rank_solver.py); both leave the same results.
BATCH is the first for many runs side by side. Each is traced and compiled when first needed.

As long as gravity, friction and payload are the robot's own, they are constants of the code: a
quarter of an arm's operations folds away. Other values have code of their own, with all of them as
inputs ('parametric'). Which of the two runs depends on the values alone, so equal inputs give
equal bits.
"""
from __future__ import annotations

from functools import cached_property
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import number, whole_number
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops.integrators import (AT_ONCE, IMPLICIT, IMPLICIT_SHARE,
                                                   INTEGRATORS)
from robodyn_ros.codegen.loops.stepping import Stepping
from robodyn_ros.codegen.native import Entry
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import calls_library, Kernel, size
from robodyn_ros.constraints.constraint import checked_constraints, Constraint
from robodyn_ros.constraints.ready_made import loops_of
from robodyn_ros.constraints.rows import Rows, trace_rows
from robodyn_ros.constraints.stabilisation import checked_stabilisation
from robodyn_ros.errors import ConstraintError, RobotFileError, UnknownNameError
from robodyn_ros.mechanics import equations, udwadia_kalaba
from robodyn_ros.mechanics.articulated import ArticulatedFactor, Wrench
from robodyn_ros.mechanics.factorisation import factor_mass
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.plant.control_law import checked_control, traced_law, TracedLaw
from robodyn_ros.plant.inputs import one_input
from robodyn_ros.robots.mass_check import friction_rate
from robodyn_ros.robots.parameters import checked_parameters, Given, named_values, ParameterTable
from robodyn_ros.robots.robot import checked_robot, Robot
from robodyn_ros.tracing import Graph, inputs, Number, Scalar
from robodyn_ros.types import State

AUTO, CHOLESKY, RANK_SOLVER, BATCH = 'auto', 'cholesky', 'rank', 'batch'
SOLVERS = (AUTO, CHOLESKY, RANK_SOLVER)
LANES = 16
"""Runs side by side: two or four vector registers of any width, which hides their latency."""
SHORT = 550
"""Recorded operations up to which the stages of RK4 are written out, to stay in registers."""
RESERVED = ('gravity', 'payload', 'stabilisation', 'controller')
"""First words of other run-time parameters, which no constraint may be called."""
STIFF = 2.0
"""Rate of friction times the step from which on it is solved for; RK4 bears 2.78 [-]."""
TITLES = {RANK_SOLVER: ' (rank-finding)', BATCH: ' (many runs side by side)'}


class Traced(NamedTuple):
    """A recorded plant: inputs and everything that was computed from them."""

    t: Scalar
    q: list[Scalar]
    v: list[Scalar]
    tau: list[Scalar]
    p: list[Scalar]
    mass: list[list[Number]]
    force: list[Number]
    """tau - h + C, everything applied except the ideal constraint force (n,)."""
    rows: Rows
    b: list[Number]
    """Right side of the rows with Baumgarte's terms (m,)."""
    slopes: list[list[Number]]
    """What an implicit step adds to M for friction (n, n)."""
    robot: Robot
    values: Parameters
    """Those of the mechanics, recorded or the robot's own."""
    articulated: bool = True
    """Articulated bodies may stand for M."""
    stiff: bool = False
    """The slopes are added to M."""

    @property
    def x(self) -> list[Scalar]:
        """Return the inputs of the kernels: t, q, v, tau side by side (1 + 3 n,)."""
        return [self.t, *self.q, *self.v, *self.tau]


class Ready(NamedTuple):
    """What a call of the compiled loop needs."""

    functions: Mapping[str, Entry]
    w: np.ndarray
    """Prepared parameters."""


class Measuring(NamedTuple):
    """How runs are measured instead of recorded, see codegen/loops/measuring.py."""

    targets: bool
    """There is a reference, from which the joints' errors are measured."""
    frame: str = ''
    """Frame whose distance from the desired positions is measured; empty: none."""
    own: bool = False
    """Runs side by side have references and targets of their own."""

    def width(self, n: int) -> int:
        """Numbers of a target."""
        return (n if self.targets else 0) + (3 if self.frame else 0)


class Model:
    """A robot under constraints, traced; see Plant for the arguments."""

    def __init__(self, robot: Robot, constraints: Sequence[Constraint], stabilisation: Any,
                 integrator: str, step: float, control: Any, control_period: int, solver: str,
                 close_loops: bool, kinematic: bool, damped: bool):
        """Check everything and trace the plant with the robot's own parameters."""
        self.robot = checked_robot(robot)
        for kind, chosen, known in (('integrator', integrator, (AUTO, *INTEGRATORS)),
                                    ('solver', solver, SOLVERS)):
            if chosen not in known:
                raise UnknownNameError(kind, chosen, known)
        if not robot.n:
            raise RobotFileError(f'{robot.path}: no joint moves, so there is nothing to simulate; '
                                 'it can be viewed')
        self.step_size = number(f'step of the plant of {robot.name}', step,
                                'a positive number of seconds', above=0.0)
        if integrator == AUTO:
            integrator = 'rk4'
            if not kinematic and self.step_size * friction_rate(robot) > STIFF:
                integrator = IMPLICIT
        self.integrator = integrator
        self.control_period = whole_number('control_period', control_period,
                                           '1 or more whole steps', 1)
        self.control = checked_control(control)
        self.constraints = [*(loops_of(robot) if close_loops else []),
                            *checked_constraints('constraints', constraints)]
        names = [item.name for item in self.constraints]
        for name in names:
            if names.count(name) > 1:
                raise ConstraintError(f'two constraints are called {name!r}; give each its own '
                                      'name')
            if '.' in name or name in RESERVED:
                raise ConstraintError(f'a constraint is called {name!r}; use a name without dots '
                                      f'that is none of {", ".join(RESERVED)}')
        self.stabilisation = checked_stabilisation(stabilisation)
        self.kinematic, self.damped = kinematic, damped
        self.parameters = self._table()
        """Run-time parameters: their names and defaults."""
        self._own = np.array(robot.parameters.flat(), dtype=float)
        self._law: TracedLaw | None = None
        if self.control is not None:
            self._law = traced_law(self.control, robot.n, self.parameters, 'controller')
        traced = self._trace(False)
        self._traced = {False: traced}
        self._programs: dict[tuple[str, bool, Measuring | None], Program] = {}
        self._usual: dict[str, Ready] = {}
        self.row_names: tuple[str, ...] = tuple(traced.rows.names)
        law = self.control
        self.layout = Layout(robot.n, len(self.row_names),
                             law.reference_size + 2 * robot.n * law.noisy if law else 0,
                             law.delay if law else 0, 1, len(law.memory) if law else 0)
        many = len(self.row_names) > robot.n
        self.solver = RANK_SOLVER if many and solver == AUTO else solver
        self.solvers = (CHOLESKY, RANK_SOLVER) if self.solver == AUTO else (self.solver,)
        self._projected = self.stabilisation.kind == 'projection' and self.layout.m > 0

    # --- run-time parameters --------------------------------------------------------------

    def _table(self) -> ParameterTable:
        """All run-time parameters, in the order of the compiled inputs."""
        chosen = self.stabilisation
        entries: list[tuple[str, Any]] = list(zip(NAMES, self.robot.parameters.flat()))
        entries += [('stabilisation.alpha', chosen.alpha), ('stabilisation.beta', chosen.beta)]
        for item in self.constraints:
            entries += [(f'{item.name}.{key}', x) for key, x in item.parameters.items()]
        if self.control is not None:
            entries += [(f'controller.{key}', x) for key, x in self.control.parameters.items()]
        return ParameterTable(entries)

    def vector(self, changes: Given = None) -> np.ndarray:
        """Return all run-time parameters, some changed; what no payload can have is refused."""
        vector = self.parameters.vector(named_values(changes))
        if changes:
            checked_parameters(Parameters.from_flat(vector[:len(NAMES)].tolist()))
        return vector

    def parametric(self, changes: Given) -> bool:
        """Tell whether values differ from the robot's own gravity, friction and no payload."""
        return bool(changes) and bool(self.differs(self.vector(changes)))

    def differs(self, vectors: np.ndarray) -> np.ndarray:
        """Tell the same of all run-time parameters, in the table's order: (..., p) to (...)."""
        return np.any(vectors[..., :len(NAMES)] != self._own, axis=-1)

    # --- compiled code --------------------------------------------------------------------

    def _trace(self, parametric: bool) -> Traced:
        """
        Run the mechanics once with recording scalars.

        :param parametric: payload, gravity and friction are inputs; else the robot's own numbers
        """
        robot, table = self.robot, self.parameters
        graph, n = Graph(), robot.n
        t = inputs(graph, 't', 1)[0]
        q, v, tau = (inputs(graph, letter, n) for letter in ('q', 'v', 'u'))
        p = inputs(graph, 'p', len(table.names))
        groups = {item.name: table.group(item.name, p) for item in self.constraints}
        values = Parameters.from_flat(p[:len(NAMES)]) if parametric else robot.parameters
        if self.kinematic:
            mass: list[list[Number]] = [[float(i == k) for k in range(n)] for i in range(n)]
            bias: list[Number] = list(tau)
            slopes: list[list[Number]] = [[0.0] * n for _ in range(n)]
        else:
            mass, bias = equations.mass_and_bias(robot.tree, values, q, v)
            slopes = equations.friction_slopes(robot.tree, values, v)
        rows = trace_rows(robot, self.constraints, q, v, t, groups)
        force = [u - h + c for u, h, c in zip(tau, bias, rows.prescribed)]
        b = rows.b
        if self.stabilisation.kind == 'baumgarte':
            gains = table.group('stabilisation', p)
            b = [x - rate * gains['alpha'] - phi * gains['beta']
                 for x, rate, phi in zip(rows.b, rows.rate, rows.phi)]
        share = IMPLICIT_SHARE * self.step_size
        return Traced(t, q, v, tau, p, mass, force, rows, b,
                      [[_times(slope, share) for slope in row] for row in slopes], robot, values,
                      not self.kinematic and equations.worth_articulating(
                          robot.tree, [x for row in mass for x in row]))

    def program(self, variant: str, parametric: bool = False,
                measuring: Measuring | None = None) -> Program:
        """Return a program; nothing is compiled yet."""
        key = variant, parametric, measuring
        if key not in self._programs:
            if parametric not in self._traced:
                self._traced[parametric] = self._trace(parametric)
            self._programs[key] = self._link(variant, parametric, measuring)
        return self._programs[key]

    def _link(self, variant: str, parametric: bool, measuring: Measuring | None) -> Program:
        traced, kind = self._traced[parametric], self.stabilisation.kind
        title = (f'the plant of {self.robot.name} with {self.layout.m} constraint '
                 f'rows{TITLES.get(variant, "")}{" and payload" if parametric else ""}'
                 f'{", measured" if measuring else ""}')
        kernels = _rank_kernels(traced, kind) if variant == RANK_SOLVER else \
            _straight_kernels(traced, kind, self.damped)
        if self.integrator == IMPLICIT:
            stiffer = traced._replace(mass=[
                [x if _nothing(slope) else x + slope for x, slope in zip(row, slopes)]
                for row, slopes in zip(traced.mass, traced.slopes)], stiff=True)
            stage = (_rank_kernels(stiffer, kind) if variant == RANK_SOLVER
                     else _straight_kernels(stiffer, kind, self.damped))[0]
            name = stage.name.replace('dynamics', 'implicit')
            kernels += [stage._replace(name=name), Kernel('slopes', traced.x, [
                sum((slope * u for slope, u in zip(row, traced.tau) if not _nothing(slope)), 0.0)
                for row in traced.slopes])]
        at_once = self.integrator == 'rk4' and variant == CHOLESKY \
            and size(kernels[0].outputs) <= SHORT
        layout = self.layout._replace(lanes=LANES if variant == BATCH else 1)
        loops = Stepping(
            layout, AT_ONCE if at_once else self.integrator, self._law is not None,
            self._projected, variant == RANK_SOLVER,
            self.control is not None and self.control.noisy)
        if measuring is not None:
            loops = loops._replace(measured=True, targets=measuring.width(layout.n),
                                   own=measuring.own)
            if measuring.frame:
                place = self.robot.position(measuring.frame, traced.q)
                kernels.append(Kernel('frame', traced.x, list(place)))
        return Program(title, kernels, traced.p, loops, self._law)

    def ready(self, variant: str, changes: Given) -> Ready:
        """Return a variant's compiled functions and its parameters; the usual ones are kept."""
        if not changes and variant in self._usual:
            return self._usual[variant]
        vector = self.vector(changes)
        program = self.program(variant, bool(self.differs(vector)))
        found = Ready(program.functions(), program.prepared(vector))
        if not changes:
            self._usual[variant] = found
        return found

    def used(self, variant: str) -> bool:
        """Tell whether a variant was asked for before."""
        return any(name == variant for name, *_ in self._programs)

    @cached_property
    def batch_possible(self) -> bool:
        """Tell whether runs can share vector registers: RK4, arithmetic only, no iteration."""
        if self.solver == RANK_SOLVER or self.integrator != 'rk4' or self._projected:
            return False
        traced, rows = self._traced[False], self._traced[False].rows
        matrices = [x for row in (*traced.mass, *rows.A) for x in row]
        law = self._law.kernel.outputs if self._law else ()
        return not calls_library(law) and not calls_library(
            [*matrices, *traced.force, *traced.b, *rows.phi, *rows.rate, *rows.prescribed])

    # --- constraint rows ------------------------------------------------------------------

    @cached_property
    def rows_program(self) -> Program:
        """Program with the kernel rows -> phi, rate, A, for assembling a start."""
        traced, rows = self._traced[False], self._traced[False].rows
        outputs = [*rows.phi, *rows.rate, *(x for row in rows.A for x in row)]
        return Program(f'the constraint rows of {self.robot.name}',
                       [Kernel('rows', traced.x, outputs)], traced.p)

    def rows_at(self, x: np.ndarray, parameters: Given
                ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Errors phi and rates (..., m), A (..., m, n) at inputs t, q, v, tau side by side."""
        n, m = self.layout.n, self.layout.m
        w = self.rows_program.prepared(self.vector(parameters))
        y = self.rows_program.evaluate('rows', x, w)
        return y[..., :m], y[..., m:2 * m], y[..., 2 * m:].reshape(*y.shape[:-1], m, n)

    def constraint_rows(self, state: State, parameters: Given = None
                        ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position errors phi (m,), their rates (m,) and A (m, n) at a state."""
        return self.rows_at(one_input(self.robot, state, None), parameters)


def _nothing(slope: Number) -> bool:
    """Tell a place where no friction acts from one that is recorded."""
    return isinstance(slope, float) and slope == 0.0


def _times(slope: Number, share: float) -> Number:
    return slope if _nothing(slope) else slope * share


def _straight_kernels(traced: Traced, kind: str, damped: bool) -> list[Kernel]:
    """Return the kernels for independent rows, by the way to M^-1 that takes fewer operations."""
    factored = _kernels_with(traced, kind, damped, factor_mass(traced.mass), traced.force, None)
    if not traced.articulated:
        return factored
    tree, values = traced.robot.tree, traced.values
    bodies = equations.articulated_factor(
        tree, values, traced.q,
        [row[i] for i, row in enumerate(traced.slopes)] if traced.stiff else (),
        alone=not traced.rows.names)
    friction = equations.friction(tree, values, traced.v)
    effort = [u - f + c for u, f, c in zip(traced.tau, friction, traced.rows.prescribed)]
    articulated = _kernels_with(traced, kind, damped, bodies, effort,
                                bodies.wrenches(traced.v, values.gravity))
    return articulated if equations.much_shorter(
        articulated[0].outputs, factored[0].outputs) else factored


def _kernels_with(traced: Traced, kind: str, damped: bool, mass: udwadia_kalaba.Factor,
                  applied: list[Number], wrenches: list[Wrench] | None) -> list[Kernel]:
    """
    Return the kernels for independent rows.

    :param applied: efforts on the joints, without what bodies need, if that is given as wrenches
    """
    rows, x = traced.rows, traced.x
    factor = udwadia_kalaba.with_rows(mass, rows.A)
    if damped:  # and what moves fades, since the rows no longer say where to
        factor, share = udwadia_kalaba.damped(factor)
        applied = [f - share * v * udwadia_kalaba.BRAKE for f, v in zip(applied, traced.v)]
    still = [-rate for rate in rows.rate]
    corrected = kind == 'velocity_correction'
    solution = udwadia_kalaba.solve(
        factor, applied, traced.b, still if corrected else None,
        mass.half_solve(applied, wrenches) if isinstance(mass, ArticulatedFactor) else None)
    speed = [v + dv for v, dv in zip(traced.v, solution.correction)]
    ideal = udwadia_kalaba.constraint_force(rows.A, solution.multipliers)
    force = [c + f for c, f in zip(rows.prescribed, ideal or [0.0] * len(traced.q))]
    kernels = [
        Kernel('dynamics', x, [*speed, *solution.acceleration, solution.mass_margin,
                               solution.row_margin]),
        Kernel('observe', x, [*solution.acceleration, *force, *solution.multipliers, *rows.phi,
                              *rows.rate])]
    if kind == 'projection' and rows.names:
        zero = [0.0] * len(traced.q)
        moved = udwadia_kalaba.solve(factor, zero, [-phi for phi in rows.phi], still)
        kernels.append(Kernel('correct', x, [*moved.acceleration, *moved.correction,
                                             moved.row_margin, *rows.phi]))
    return kernels


def _rank_kernels(traced: Traced, kind: str) -> list[Kernel]:
    rows, x = traced.rows, traced.x
    matrix = [value for row in traced.mass for value in row]
    slopes = [value for row in rows.A for value in row]
    still = [-rate for rate in rows.rate]
    extra = still if kind == 'velocity_correction' else [0.0] * len(still)
    zero = [0.0] * len(traced.q)
    return [
        Kernel('dynamics_terms', x, [*matrix, *traced.force, *slopes, *traced.b, *extra]),
        Kernel('correct_terms', x, [*matrix, *zero, *slopes, *(-phi for phi in rows.phi),
                                    *still]),
        Kernel('row_values', x, [*rows.phi, *rows.rate, *rows.prescribed])]
