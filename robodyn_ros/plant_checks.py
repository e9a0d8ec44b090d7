# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is refused before a plant is built, and the sentences for a run that had to stop."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.stabilisation import INTEGRATORS
from robodyn_ros.errors import (ConstraintError, RobodynError, SimulationError,
                                SingularMassError, StateError, UnknownNameError)
from robodyn_ros.plant_program import CHOLESKY, RANK
from robodyn_ros.robots.robot import Robot
from robodyn_ros.signals import State
from robodyn_ros.tracing.program import loops

SOLVERS = ('auto', CHOLESKY, RANK)
RESERVED = ('gravity', 'payload', 'stabilisation', 'controller')
"""First words of other run-time parameters, which no constraint may be called."""

FAR = 1e9
"""Position beyond which an integration has diverged [rad] or [m]."""


def failure(robot: Robot, row_names: Sequence[str], code: int, x: np.ndarray) -> RobodynError:
    """
    Return the error for a code of the compiled loop (tracing/loops.py), with the last good state.

    :param x: t, q, v, tau of that state
    """
    n, name = robot.n, robot.name
    if np.abs(x[1:1 + n]).max() > FAR:
        code = loops.NOT_FINITE  # whatever failed there, it ran away before
    place = f't = {x[0]:.6g} s, q = {np.round(x[1:1 + n], 6).tolist()}'
    rows = ', '.join(row_names)
    error: RobodynError
    if code == loops.SINGULAR:
        error = SingularMassError(f'the mass matrix of {name} is not positive definite at '
                                  f'{place}; give every moving link mass and inertia')
    elif code == loops.DEPENDENT:
        error = ConstraintError(f'constraint rows of {name} ({rows}) are dependent at {place};'
                                " use solver='auto' or 'rank'")
    elif code == loops.INCONSISTENT:
        error = ConstraintError(f'constraint rows of {name} ({rows}) contradict each other at '
                                f'{place}; remove one or make them agree')
    elif code == loops.NOT_PROJECTED:
        error = ConstraintError(f'{name} cannot be moved onto its constraint rows ({rows}) '
                                f'near {place}; start nearer or check the path is reachable')
    else:
        error = SimulationError(f'{name} left the finite numbers after {place}; use a smaller '
                                'step or check torques and gains')
    error.state = State(float(x[0]), x[1:1 + n].copy(), x[1 + n:1 + 2 * n].copy())
    return error


def not_a_number(robot: Robot, row_names: Sequence[str], phi: np.ndarray, state: State
                 ) -> RobodynError | None:
    """
    Return the error for a row that is no finite number at a state; None if all are.

    :param phi: errors of the rows (m,)
    """
    bad = ~np.isfinite(phi)
    if not bad.any() or np.abs(state.q).max() > FAR:  # it ran away: no function's fault
        return None
    error = ConstraintError(f'row {row_names[int(np.argmax(bad))]!r} of {robot.name} is no finite '
                            f'number at t = {state.t:.6g} s, q = '
                            f'{np.round(state.q, 6).tolist()}; correct the function, or start '
                            'where it is defined')
    error.state = state
    return error


def check_names(constraints: Sequence[Constraint]) -> None:
    """Refuse what is no constraint, names that occur twice or belong to other parameters."""
    for item in constraints:
        if not isinstance(item, Constraint):
            raise ConstraintError(f'{item!r} is no constraint; decorate the function with '
                                  '@constraint')
    names = [item.name for item in constraints]
    for name in names:
        if names.count(name) > 1:
            raise ConstraintError(f'two constraints are called {name!r}; give each its own name')
        if '.' in name or name in RESERVED:
            raise ConstraintError(f'a constraint is called {name!r}; use a name without dots that '
                                  f'is none of {", ".join(RESERVED)}')


def check_options(robot: Robot, integrator: str, step: float, period: int, solver: str) -> None:
    """Refuse an unknown integrator or solver and impossible steps."""
    if integrator not in INTEGRATORS:
        raise UnknownNameError('integrator', integrator, INTEGRATORS)
    if solver not in SOLVERS:
        raise UnknownNameError('solver', solver, SOLVERS)
    if not (np.isfinite(step) and step > 0.0):
        raise StateError(f'the step of the plant of {robot.name} is {step}; expected a positive '
                         'number of seconds')
    if period < 1:
        raise StateError(f'the control period is {period}; expected 1 or more steps')
