# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From constraint functions to A a = b: trace them, differentiate exactly, check what came back.

    phi(q, t) = 0:     rate = A v + phi_t,   A = dphi/dq,   b = -(d/dt (A v + phi_t) at a = 0)
    psi(q, v, t) = 0:  rate = psi,           A = dpsi/dv,   b = -(d/dt psi at a = 0)
"""
from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from robodyn_ros.constraints.constraint import Constraint, FORCE, VELOCITY
from robodyn_ros.errors import ConstraintError
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import depends_on, directional, is_zero, jacobian, Number, Scalar
from robodyn_ros.tracing.blame import blamed


class Rows(NamedTuple):
    """Traced constraint rows at (q, v, t); m rows, n joints."""

    names: list[str]
    phi: list[Number]
    """Position error of each row, 0 for velocity rows (m,)."""
    rate: list[Number]
    """Its rate of change; for velocity rows psi itself (m,)."""
    A: list[list[Number]]  # noqa: N815  the letter of the equations
    """(m, n)"""
    b: list[Number]
    """(m,)"""
    prescribed: list[Number]
    """Non-ideal force C (n,) [N m] or [N]."""


def trace_rows(robot: Robot, constraints: Sequence[Constraint], q: Sequence[Scalar],
               v: Sequence[Scalar], t: Scalar,
               parameters: Mapping[str, Mapping[str, Number]],
               moving: Mapping[Scalar, Number] | None = None) -> Rows:
    """
    Trace all constraints of a robot.

    :param parameters: per constraint name, its run-time parameters by name
    :param moving: rates of further inputs that the rows depend on, such as a desired motion
    """
    rows = Rows([], [], [], [], [], [0.0] * robot.n)
    flow: dict[Scalar, Number] = {**dict(zip(q, v)), t: 1.0, **(moving or {})}
    for item in constraints:
        values = _call(item, robot, q, v, t, parameters.get(item.name, {}))
        if item.level == FORCE:
            if len(values) != robot.n:
                raise ConstraintError(f'non-ideal force {item.name!r} returned {len(values)} '
                                      f'numbers; expected one per joint, {robot.n}')
            rows.prescribed[:] = [x + y for x, y in zip(rows.prescribed, values)]
            continue
        if item.rows and len(item.rows) != len(values):
            raise ConstraintError(f'constraint {item.name!r} returned {len(values)} rows; '
                                  f'expected {len(item.rows)} ({", ".join(item.rows)})')
        rows.names.extend(item.rows or ([item.name] if len(values) == 1 else [
            f'{item.name}.{k}' for k in range(len(values))]))
        if item.level == VELOCITY:
            A = jacobian(values, v)  # noqa: N806
            if any(depends_on(row, v) for row in A):
                raise ConstraintError(f'constraint {item.name!r} is not linear in v; write it as '
                                      'A(q, t) v - c(q, t)')
            rows.phi.extend([0.0] * len(values))
            rate = values
        else:
            A = jacobian(values, q)  # noqa: N806
            rows.phi.extend(values)
            rate = directional(values, flow)
        for name, row in zip(rows.names[len(rows.A):], A):
            if all(is_zero(x) for x in row):
                raise ConstraintError(f'row {name!r} does not depend on any joint of '
                                      f'{robot.name}; use q in it (or v for velocities)')
        rows.rate.extend(rate)
        rows.A.extend(A)
        rows.b.extend(-x for x in directional(rate, flow))
    return rows


def _call(item: Constraint, robot: Robot, q: Sequence[Scalar], v: Sequence[Scalar], t: Scalar,
          parameters: Mapping[str, Number]) -> list[Number]:
    arguments = (robot, q, t) if item.level == 'position' else (robot, q, v, t)
    with blamed(f'constraint {item.name!r}', 'correct the function', ConstraintError):
        values = item.function(*arguments, **parameters)
    if isinstance(values, (Scalar, float, int)):
        values = [values]
    try:
        result = list(values)
    except TypeError:
        result = []
    good = [x for x in result if isinstance(x, (Scalar, float, int)) and not isinstance(x, bool)]
    if not result or len(good) != len(result):
        raise ConstraintError(f'constraint {item.name!r} returned {values!r}; expected a list of '
                              'one number per row')
    return [x if isinstance(x, Scalar) else float(x) for x in result]
