# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is refused before a plant is built, and the sentences for a run that had to stop."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from robodyn_ros.checks import expect, number, refusal, whole_number
from robodyn_ros.codegen.loops import stepping
from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.stabilisation import INTEGRATORS
from robodyn_ros.errors import (ConstraintError, RobodynError, SimulationError, SingularMassError,
                                UnknownNameError)
from robodyn_ros.plant.program import CHOLESKY, RANK
from robodyn_ros.robots.robot import checked_robot, Robot
from robodyn_ros.types import Control, State

SOLVERS = ('auto', CHOLESKY, RANK)
RESERVED = ('gravity', 'payload', 'stabilisation', 'controller')
"""First words of other run-time parameters, which no constraint may be called."""
WHOLE = 'a whole number, 0 or more'
FAR = 1e9
"""Position beyond which an integration has diverged [rad] or [m]."""


def place(state: State) -> str:
    """Return time and configuration for a sentence."""
    return f't = {state.t:.6g} s, q = {np.round(state.q, 6).tolist()}'


def failure(robot: Robot, row_names: Sequence[str], code: int, state: State) -> RobodynError:
    """
    Return the error for a code of the compiled loop (codegen/loops/stepping.py).

    :param state: the last good one
    """
    name, rows = robot.name, ', '.join(row_names)
    if code == stepping.SINGULAR:
        return SingularMassError(f'the mass matrix of {name} is not positive definite at '
                                 f'{place(state)}; give every moving link mass and inertia')
    if code == stepping.DEPENDENT:
        return ConstraintError(f'constraint rows of {name} ({rows}) are dependent at '
                               f"{place(state)}; use solver='auto' or 'rank'")
    return SimulationError(f'{name} left the finite numbers after {place(state)}; use a smaller '
                           'step or check torques and gains')


def not_a_number(robot: Robot, row_names: Sequence[str], phi: np.ndarray, state: State
                 ) -> RobodynError | None:
    """
    Return the error for a row that is no finite number at a state; None if all are.

    :param phi: errors of the rows (m,)
    """
    bad = ~np.isfinite(phi)
    if not bad.any():
        return None
    return ConstraintError(f'row {row_names[int(np.argmax(bad))]!r} of {robot.name} is no finite '
                           f'number at {place(state)}; correct the function, or start where it '
                           'is defined')


def check_names(constraints: Sequence[Constraint]) -> None:
    """Refuse names that occur twice or belong to other parameters."""
    names = [item.name for item in constraints]
    for name in names:
        if names.count(name) > 1:
            raise ConstraintError(f'two constraints are called {name!r}; give each its own name')
        if '.' in name or name in RESERVED:
            raise ConstraintError(f'a constraint is called {name!r}; use a name without dots that '
                                  f'is none of {", ".join(RESERVED)}')


def checked_control(given: Any) -> Control | None:
    """Return the control law, if there is one; refuse sizes and parameters that cannot be."""
    if given is None:
        return None
    control = expect(Control, 'control', given, 'Control(law, reference_size, parameters)')
    if not callable(control.law):
        raise refusal('law of the control', control.law, 'a function of t, q, v, reference and '
                      'parameters')
    size = whole_number('reference_size of the control', control.reference_size, WHOLE)
    delay = whole_number('delay of the control', control.delay, WHOLE)
    expect(Mapping, 'parameters of the control', control.parameters,  # type: ignore[type-abstract]
           "a mapping such as {'stiffness': 30.0}")
    for name, value in control.parameters.items():
        number(f'parameter {name!r} of the control', value)
    return control._replace(reference_size=size, delay=delay)


def check_options(robot: Robot, integrator: str, step: float, period: int, solver: str) -> None:
    """Refuse what is no robot, an unknown integrator or solver and impossible steps."""
    checked_robot(robot)
    if integrator not in INTEGRATORS:
        raise UnknownNameError('integrator', integrator, INTEGRATORS)
    if solver not in SOLVERS:
        raise UnknownNameError('solver', solver, SOLVERS)
    number(f'step of the plant of {robot.name}', step, 'a positive number of seconds', above=0.0)
    whole_number('control_period', period, '1 or more whole steps', 1)
