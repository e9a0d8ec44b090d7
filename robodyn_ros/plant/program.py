# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Trace a constrained plant and link its program.

Two solvers for one plant: CHOLESKY is straight-line code for independent rows, RANK_SOLVER finds
the rank of the rows in compiled loops (codegen/loops/rank_solver.py); both leave the same results.
BATCH is the first for many runs side by side. Each of them is there with the robot's own gravity,
friction and no payload as constants, and with all of them as inputs ('parametric').
"""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops.integrators import AT_ONCE
from robodyn_ros.codegen.loops.stepping import Stepping
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import calls_library, Kernel, size
from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.rows import Rows, trace_rows
from robodyn_ros.constraints.stabilisation import Stabilisation
from robodyn_ros.mechanics import equations, udwadia_kalaba
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.plant.control_law import trace_law
from robodyn_ros.plant.parameters import ParameterTable
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import Graph, inputs, Number, Scalar
from robodyn_ros.types import Control

CHOLESKY, RANK_SOLVER, BATCH = 'cholesky', 'rank', 'batch'
LANES = 16
"""Runs side by side: two or four vector registers of any width, which hides their latency."""
SHORT = 550
"""Recorded operations up to which the stages of RK4 are written out, to stay in registers."""


class Traced(NamedTuple):
    """A recorded plant: inputs and everything that was computed from them."""

    t: Scalar
    q: list[Scalar]
    v: list[Scalar]
    tau: list[Scalar]
    reference: list[Scalar]
    p: list[Scalar]
    mass: list[list[Number]]
    force: list[Number]
    """tau - h + C, everything applied except the ideal constraint force (n,)."""
    rows: Rows
    b: list[Number]
    """Right side of the rows with Baumgarte's terms (m,)."""
    control: list[Number]


def parameter_table(robot: Robot, constraints: Sequence[Constraint], chosen: Stabilisation,
                    control: Control | None) -> ParameterTable:
    """All run-time parameters of a plant, in the order of its compiled inputs."""
    entries: list[tuple[str, Any]] = list(zip(NAMES, robot.parameters.flat()))
    entries += [('stabilisation.alpha', chosen.alpha), ('stabilisation.beta', chosen.beta)]
    for item in constraints:
        entries += [(f'{item.name}.{key}', value) for key, value in item.parameters.items()]
    if control is not None:
        entries += [(f'controller.{key}', value) for key, value in control.parameters.items()]
    return ParameterTable(entries)


def trace(robot: Robot, constraints: Sequence[Constraint], chosen: Stabilisation,
          control: Control | None, table: ParameterTable, kinematic: bool = False,
          parametric: bool = True) -> Traced:
    """
    Run the mechanics once with recording scalars.

    :param kinematic: unit mass, no forces
    :param parametric: payload, gravity and friction are inputs; else the robot's own numbers
    """
    graph, n = Graph(), robot.n
    t = inputs(graph, 't', 1)[0]
    q, v, tau = (inputs(graph, letter, n) for letter in ('q', 'v', 'u'))
    reference = inputs(graph, 'r', control.reference_size if control else 0)
    p = inputs(graph, 'p', len(table.names))
    groups = {item.name: table.group(item.name, p) for item in constraints}
    if kinematic:
        mass: list[list[Number]] = [[float(i == k) for k in range(n)] for i in range(n)]
        bias: list[Number] = list(tau)
    else:
        values = Parameters.from_flat(p[:len(NAMES)]) if parametric else robot.parameters
        mass, bias = equations.mass_and_bias(robot.tree, values, q, v)
    rows = trace_rows(robot, constraints, q, v, t, groups)
    force = [u - h + c for u, h, c in zip(tau, bias, rows.prescribed)]
    b = rows.b
    if chosen.kind == 'baumgarte':
        gains = table.group('stabilisation', p)
        b = [x - rate * gains['alpha'] - phi * gains['beta']
             for x, rate, phi in zip(rows.b, rows.rate, rows.phi)]
    law = trace_law(control, t, q, v, reference, table.group('controller', p)) if control \
        else []
    return Traced(t, q, v, tau, reference, p, mass, force, rows, b, law)


def link_program(title: str, traced: Traced, chosen: Stabilisation, integrator: str,
                 variant: str, delay: int = 0, damped: bool = False) -> Program:
    """Make the program of one variant; nothing is compiled yet."""
    x = [traced.t, *traced.q, *traced.v, *traced.tau]
    kernels = _rank_kernels(traced, x, chosen) if variant == RANK_SOLVER else \
        _straight_kernels(traced, x, chosen, damped)
    if traced.control:
        kernels.append(Kernel('control', [traced.t, *traced.q, *traced.v, *traced.reference],
                              traced.control))
    if integrator == 'rk4' and variant == CHOLESKY and size(kernels[0].outputs) <= SHORT:
        integrator = AT_ONCE
    layout = layout_of(traced, delay, LANES if variant == BATCH else 1)
    projected = chosen.kind == 'projection' and layout.m > 0
    return Program(title, kernels, traced.p, Stepping(
        layout, integrator, bool(traced.control), projected, variant == RANK_SOLVER))


def layout_of(traced: Traced, delay: int, lanes: int = 1) -> Layout:
    """Return the sizes of a plant's arrays."""
    return Layout(len(traced.q), len(traced.rows.names), len(traced.reference), delay, lanes)


def batch_possible(traced: Traced, chosen: Stabilisation, integrator: str) -> bool:
    """Tell whether many runs can share one program: RK4, arithmetic only, no iteration."""
    rows = traced.rows
    matrices = [x for row in (*traced.mass, *rows.A) for x in row]
    return (integrator == 'rk4' and not (chosen.kind == 'projection' and rows.names)
            and not calls_library([*matrices, *traced.force, *traced.b, *traced.control, *rows.phi,
                                   *rows.rate, *rows.prescribed]))


def rows_program(title: str, traced: Traced) -> Program:
    """Kernel rows -> phi, rate, A, for assembling a start."""
    rows = traced.rows
    outputs = [*rows.phi, *rows.rate, *(x for row in rows.A for x in row)]
    kernel = Kernel('rows', [traced.t, *traced.q, *traced.v, *traced.tau], outputs)
    return Program(title, [kernel], traced.p)


def _straight_kernels(traced: Traced, x: list[Scalar], chosen: Stabilisation,
                      damped: bool) -> list[Kernel]:
    rows = traced.rows
    factor = udwadia_kalaba.factor_rows(traced.mass, rows.A)
    applied = traced.force
    if damped:  # and what moves fades, since the rows no longer say where to
        factor, share = udwadia_kalaba.damped(factor)
        applied = [f - share * v * udwadia_kalaba.BRAKE for f, v in zip(applied, traced.v)]
    still = [-rate for rate in rows.rate]
    corrected = chosen.kind == 'velocity_correction'
    solution = udwadia_kalaba.solve(factor, applied, traced.b, still if corrected else None)
    speed = [v + dv for v, dv in zip(traced.v, solution.correction)]
    ideal = udwadia_kalaba.constraint_force(rows.A, solution.multipliers)
    force = [c + f for c, f in zip(rows.prescribed, ideal or [0.0] * len(traced.q))]
    kernels = [
        Kernel('dynamics', x, [*speed, *solution.acceleration, solution.mass_margin,
                               solution.row_margin]),
        Kernel('observe', x, [*solution.acceleration, *force, *solution.multipliers, *rows.phi,
                              *rows.rate])]
    if chosen.kind == 'projection' and rows.names:
        zero = [0.0] * len(traced.q)
        moved = udwadia_kalaba.solve(factor, zero, [-phi for phi in rows.phi], still)
        kernels.append(Kernel('correct', x, [*moved.acceleration, *moved.correction,
                                             moved.row_margin, *rows.phi]))
    return kernels


def _rank_kernels(traced: Traced, x: list[Scalar], chosen: Stabilisation) -> list[Kernel]:
    rows, m = traced.rows, len(traced.rows.names)
    matrix = [value for row in traced.mass for value in row]
    slopes = [value for row in rows.A for value in row]
    still = [-rate for rate in rows.rate]
    extra = still if chosen.kind == 'velocity_correction' else [0.0] * m
    zero = [0.0] * len(traced.q)
    return [
        Kernel('dynamics_terms', x, [*matrix, *traced.force, *slopes, *traced.b, *extra]),
        Kernel('correct_terms', x, [*matrix, *zero, *slopes, *(-phi for phi in rows.phi),
                                    *still]),
        Kernel('row_values', x, [*rows.phi, *rows.rate, *rows.prescribed])]
