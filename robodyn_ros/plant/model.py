# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A plant as it was traced: everything about it that does not change while it runs.

As long as gravity, friction and payload are the robot's own, they are constants of the code: a
quarter of an arm's operations folds away. Other values have code of their own, with all of them as
inputs. Which of the two runs depends on the values alone, so equal inputs give equal bits. Each
variant is traced and compiled when it is first needed.
"""
from __future__ import annotations

from functools import cached_property
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import number, whole_number
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops.integrators import INTEGRATORS
from robodyn_ros.codegen.native import Entry
from robodyn_ros.codegen.program import Program
from robodyn_ros.constraints.constraint import checked_constraints, Constraint
from robodyn_ros.constraints.ready_made import loops_of
from robodyn_ros.constraints.stabilisation import checked_stabilisation
from robodyn_ros.errors import ConstraintError, UnknownNameError
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.plant import program as programs
from robodyn_ros.plant.control_law import checked_control
from robodyn_ros.plant.inputs import one_input
from robodyn_ros.plant.program import BATCH, CHOLESKY, RANK_SOLVER, Traced
from robodyn_ros.robots.payload import checked_parameters, Given, named_values
from robodyn_ros.robots.robot import checked_robot, Robot
from robodyn_ros.types import State

AUTO = 'auto'
SOLVERS = (AUTO, CHOLESKY, RANK_SOLVER)
RESERVED = ('gravity', 'payload', 'stabilisation', 'controller')
"""First words of other run-time parameters, which no constraint may be called."""
TITLES = {RANK_SOLVER: ' (rank-finding)', BATCH: ' (many runs side by side)'}


class Ready(NamedTuple):
    """What a call of the compiled loop needs."""

    functions: Mapping[str, Entry]
    w: np.ndarray
    """Prepared parameters."""


class Model:
    """A robot under constraints, traced; see Plant for the arguments."""

    def __init__(self, robot: Robot, constraints: Sequence[Constraint], stabilisation: Any,
                 integrator: str, step: float, control: Any, control_period: int, solver: str,
                 close_loops: bool, kinematic: bool, damped: bool):
        """Check everything and trace the plant with the robot's own parameters."""
        self.robot = checked_robot(robot)
        for kind, chosen, known in (('integrator', integrator, INTEGRATORS),
                                    ('solver', solver, SOLVERS)):
            if chosen not in known:
                raise UnknownNameError(kind, chosen, known)
        self.integrator = integrator
        self.step_size = number(f'step of the plant of {robot.name}', step,
                                'a positive number of seconds', above=0.0)
        self.control_period = whole_number('control_period', control_period,
                                           '1 or more whole steps', 1)
        self.control = checked_control(control)
        self.constraints = [*(loops_of(robot) if close_loops else []),
                            *checked_constraints('constraints', constraints)]
        _check_names(self.constraints)
        self.stabilisation = checked_stabilisation(stabilisation)
        self._kinematic, self._damped = kinematic, damped
        self.parameters = programs.parameter_table(robot, self.constraints, self.stabilisation,
                                                   self.control)
        """Run-time parameters: their names and defaults."""
        self._own = np.array(robot.parameters.flat(), dtype=float)
        self._traced = {False: self._trace(False)}
        self._programs: dict[tuple[str, bool], Program] = {}
        self._usual: dict[str, Ready] = {}
        self.row_names: tuple[str, ...] = tuple(self._traced[False].rows.names)
        self.delay = self.control.delay if self.control else 0
        self.layout: Layout = programs.layout_of(self._traced[False], self.delay)
        many = len(self.row_names) > robot.n
        self.solver = RANK_SOLVER if many and solver == AUTO else solver
        self.solvers = (CHOLESKY, RANK_SOLVER) if self.solver == AUTO else (self.solver,)

    # --- run-time parameters --------------------------------------------------------------

    def vector(self, changes: Given = None) -> np.ndarray:
        """Return all run-time parameters, some changed; what no payload can have is refused."""
        vector = self.parameters.vector(named_values(changes))
        if changes:
            checked_parameters(Parameters.from_flat(vector[:len(NAMES)].tolist()))
        return vector

    def parametric(self, changes: Given) -> bool:
        """Tell whether values differ from the robot's own gravity, friction and no payload."""
        return bool(changes) and self._differs(self.vector(changes))

    def _differs(self, vector: np.ndarray) -> bool:
        return not np.array_equal(vector[:len(NAMES)], self._own)

    # --- compiled code --------------------------------------------------------------------

    def _trace(self, parametric: bool) -> Traced:
        return programs.trace(self.robot, self.constraints, self.stabilisation, self.control,
                              self.parameters, self._kinematic, parametric)

    def program(self, variant: str, parametric: bool = False) -> Program:
        """Return a program; nothing is compiled yet."""
        key = variant, parametric
        if key not in self._programs:
            if parametric not in self._traced:
                self._traced[parametric] = self._trace(parametric)
            title = (f'the plant of {self.robot.name} with {self.layout.m} constraint '
                     f'rows{TITLES.get(variant, "")}{" and payload" if parametric else ""}')
            self._programs[key] = programs.link_program(
                title, self._traced[parametric], self.stabilisation, self.integrator, variant,
                self.delay, self._damped)
        return self._programs[key]

    def ready(self, variant: str, changes: Given) -> Ready:
        """Return a variant's compiled functions and its parameters; the usual ones are kept."""
        if not changes and variant in self._usual:
            return self._usual[variant]
        vector = self.vector(changes)
        program = self.program(variant, self._differs(vector))
        found = Ready(program.functions(), program.prepared(vector))
        if not changes:
            self._usual[variant] = found
        return found

    def used(self, variant: str) -> bool:
        """Tell whether a variant was asked for before."""
        return any(name == variant for name, _ in self._programs)

    @cached_property
    def batch_possible(self) -> bool:
        """Tell whether runs can share vector registers."""
        return self.solver != RANK_SOLVER and programs.batch_possible(
            self._traced[False], self.stabilisation, self.integrator)

    # --- constraint rows ------------------------------------------------------------------

    @cached_property
    def rows_program(self) -> Program:
        """Program with the kernel rows -> phi, rate, A."""
        return programs.rows_program(f'the constraint rows of {self.robot.name}',
                                     self._traced[False])

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


def _check_names(constraints: Sequence[Constraint]) -> None:
    """Refuse names that occur twice or belong to other parameters."""
    names = [item.name for item in constraints]
    for name in names:
        if names.count(name) > 1:
            raise ConstraintError(f'two constraints are called {name!r}; give each its own name')
        if '.' in name or name in RESERVED:
            raise ConstraintError(f'a constraint is called {name!r}; use a name without dots that '
                                  f'is none of {", ".join(RESERVED)}')
