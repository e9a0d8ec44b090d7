# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Ready-made constraints: loop closure, following a path, coupled joints, knife edge.

Each is an ordinary Constraint, written with the same means a user has.
"""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Iterable, Mapping, Sequence

from robodyn_ros.checks import expect, number, numbers, refusal
from robodyn_ros.constraints.constraint import Constraint, FORCE, POSITION, VELOCITY
from robodyn_ros.errors import ConstraintError, UnknownNameError
from robodyn_ros.mechanics.vector import dot, product, transpose
from robodyn_ros.robots.orientation import angles_of
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.robodyn_tag import AXES
from robodyn_ros.tracing import Number
from robodyn_ros.tracing.dataclass_parameters import number_fields


def loop(frame_a: str, frame_b: str, axes: str | Sequence[str] = 'x y z',
         name: str = 'loop') -> Constraint:
    """
    Close a chain: frame_a and frame_b coincide in the given axes.

    x y z: difference of the origins in the base frame [m]; roll pitch yaw: angles of frame_b seen
    from frame_a [rad].
    """
    chosen = _axes(axes, name)

    def phi(robot: Robot, q: Sequence[Number], t: Number) -> list[Number]:
        a, b = robot.pose(frame_a, q), robot.pose(frame_b, q)
        values: dict[str, Number] = {
            axis: x - y for axis, x, y in zip('xyz', a.position, b.position)}
        if set(chosen) & set(AXES[3:]):
            values.update(zip(AXES[3:], angles_of(product(transpose(a.rotation), b.rotation))))
        return [values[axis] for axis in chosen]

    return Constraint(name, phi, POSITION, rows=tuple(f'{name}.{axis}' for axis in chosen))


def follow(frame: str, path: Callable[[Number], Sequence[Number]],
           axes: str | Sequence[str] = 'x y z', name: str = 'follow') -> Constraint:
    """
    Hold a frame on a path: frame(q) - path(t) = 0 in the given axes (a servo constraint).

    :param path: path(t) -> one value per axis [m] or [rad], built from traceable functions; the
        number fields of a dataclass instance become run-time parameters
    """
    chosen = _axes(axes, name)
    parameters = number_fields(path)

    def phi(robot: Robot, q: Sequence[Number], t: Number, **values: Number) -> list[Number]:
        here = dict(zip('xyz', robot.position(frame, q)))
        if set(chosen) & set(AXES[3:]):
            here.update(zip(AXES[3:], robot.orientation(frame, q)))
        wanted = (dataclasses.replace(path, **values) if values else path)(t)  # type: ignore
        if len(wanted) != len(chosen):
            raise ConstraintError(f'the path of {name!r} gives {len(wanted)} values for '
                                  f'{len(chosen)} axes ({" ".join(chosen)})')
        return [here[axis] - value for axis, value in zip(chosen, wanted)]

    return Constraint(name, phi, POSITION, parameters, tuple(f'{name}.{axis}' for axis in chosen))


def joint_combination(coefficients: Mapping[str, float], value: Any = 0.0,
                      name: str = 'joints') -> Constraint:
    """
    Couple joints linearly: sum of coefficient times q equals value (a number or value(t)).

    Mimic joints, gears and belts: joint_combination({'joint_1': 1.0, 'joint_2': -2.0}).
    """
    expect(Mapping, f'coefficients of {name!r}', coefficients,  # type: ignore[type-abstract]
           "factors by joint, such as {'joint_1': 1.0}", ConstraintError)
    for joint, factor in coefficients.items():
        number(f'coefficient of {joint!r} in {name!r}', factor, error=ConstraintError)
    parameters = {} if callable(value) else {
        'value': number(f'value of {name!r}', value, 'a finite number or value(t)',
                        error=ConstraintError)}

    def phi(robot: Robot, q: Sequence[Number], t: Number, **values: Number) -> list[Number]:
        total: Number = 0.0
        for joint, factor in coefficients.items():
            total = total + q[robot.joint_index(joint)] * factor
        return [total - (value(t) if callable(value) else values['value'])]

    return Constraint(name, phi, POSITION, parameters, (name,))


def knife_edge(frame: str, across: Sequence[float] = (0.0, 1.0, 0.0),
               name: str = 'knife_edge') -> Constraint:
    """
    Forbid sideways motion: the frame's velocity along its own direction across is zero.

    A skate, a blade or a wheel that does not slip sideways; non-holonomic.
    """
    expected = 'three numbers that are not all zero'
    values = numbers(f'across of {name!r}', across, expected)
    length = math.sqrt(sum(x ** 2 for x in values.ravel().tolist()))
    if values.shape != (3,) or not 0.0 < length < math.inf:
        raise refusal(f'across of {name!r}', across, expected, ConstraintError)
    direction = tuple(x / length for x in values.tolist())

    def psi(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number) -> list[Number]:
        linear, _ = robot.velocity(frame, q, v)
        rotation = robot.pose(frame, q).rotation
        sideways = tuple(dot(row, direction) for row in rotation)  # type: ignore[arg-type]
        return [dot(linear, sideways)]  # type: ignore[arg-type]

    return Constraint(name, psi, VELOCITY, rows=(name,))


def viscous_non_ideal(coefficient: float, name: str = 'viscous') -> Constraint:
    """Constraints that drag: prescribed force C = -coefficient v on every joint."""
    def force(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number, *,
              coefficient: Number) -> list[Number]:
        return [-(rate * coefficient) for rate in v]

    return Constraint(name, force, FORCE, {
        'coefficient': number(f'coefficient of {name!r}', coefficient, error=ConstraintError)})


def loops_of(robot: Robot) -> list[Constraint]:
    """Constraints of the loops named in the robot's file."""
    return [loop(item.frame_a, item.frame_b, item.axes, item.name) for item in robot.loops]


def _axes(axes: str | Sequence[str], name: str) -> tuple[str, ...]:
    chosen = tuple(axes.split() if isinstance(axes, str) else expect(
        Iterable, f'axes of constraint {name!r}', axes,  # type: ignore[type-abstract]
        f'some of {" ".join(AXES)}', ConstraintError))
    for axis in chosen:
        if axis not in AXES:
            raise UnknownNameError('axis', axis, AXES, f'constraint {name!r}')
    if not chosen or len(set(chosen)) != len(chosen):
        raise ConstraintError(f'axes of constraint {name!r} are {" ".join(chosen)!r}; name each '
                              f'of {" ".join(AXES)} at most once and at least one')
    return chosen
