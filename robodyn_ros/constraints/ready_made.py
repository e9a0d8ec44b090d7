# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Ready-made constraints: loop closure, following a path, pointing, coupled joints, knife edge.

Each is an ordinary Constraint, written with the same means a user has.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Mapping, Sequence

from robodyn_ros.checks import expect, number, numbers, refusal
from robodyn_ros.constraints.constraint import Constraint, FORCE, POSITION, VELOCITY
from robodyn_ros.errors import ConstraintError, UnknownNameError
from robodyn_ros.mechanics.kinematics import frame_jacobian
from robodyn_ros.mechanics.rotation import difference, from_angles, Quaternion, swing
from robodyn_ros.mechanics.vector import dot, Vector
from robodyn_ros.robots.closure import ANGLES, closure_errors
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.robodyn_tag import AXES
from robodyn_ros.tracing import Number, where
from robodyn_ros.tracing.dataclass_parameters import number_fields, with_numbers


def loop(frame_a: str, frame_b: str, axes: str | Sequence[str] = 'x y z',
         name: str = 'loop') -> Constraint:
    """
    Close a chain: frame_a and frame_b coincide in the given axes.

    x y z: difference of the origins in the base frame [m]; roll pitch yaw: angles of frame_b seen
    from frame_a [rad].
    """
    chosen = _axes(axes, name)

    def phi(robot: Robot, q: Sequence[Number], t: Number) -> list[Number]:
        return closure_errors(robot.pose(frame_a, q), robot.pose(frame_b, q), chosen)

    return Constraint(name, phi, POSITION, rows=tuple(f'{name}.{axis}' for axis in chosen))


def follow(frame: str, path: Callable[[Number], Sequence[Number]],
           axes: str | Sequence[str] = 'x y z', name: str = 'follow') -> Constraint:
    """
    Hold a frame on a path: frame(q) - path(t) = 0 in the given axes (a servo constraint).

    Roll, pitch and yaw together are a whole orientation: its rows are the turn that is missing,
    about the axes of the desired frame (mechanics/rotation.py), which has no corner anywhere. One
    or two of them are differences of angles, for arms that have only those.

    :param frame: '' is the robot's tool
    :param path: path(t) -> one value per axis [m] or [rad], built from traceable functions, or, in
        the place of roll, pitch and yaw at the end, a quaternion x, y, z, w; the number fields of
        a dataclass instance become run-time parameters
    """
    chosen = _axes(axes, name)
    parameters = number_fields(path)

    def phi(robot: Robot, q: Sequence[Number], t: Number, **values: Number) -> list[Number]:
        wanted, led = with_numbers(path, values)(t), frame or robot.tool_frame()
        by_axis = dict(zip(chosen, wanted))
        if chosen[-3:] == ANGLES and len(wanted) == len(chosen) + 1:
            return _pose_errors(robot, led, chosen, q, by_axis,
                                tuple(wanted[-4:]))  # type: ignore[arg-type]
        if len(wanted) != len(chosen):
            raise ConstraintError(f'the path of {name!r} gives {len(wanted)} values for '
                                  f'{len(chosen)} axes ({" ".join(chosen)})')
        if not is_whole_orientation(chosen):
            return _coordinate_errors(robot, led, chosen, q, wanted)
        turn = from_angles(*(by_axis[axis] for axis in ANGLES))
        return _pose_errors(robot, led, chosen, q, by_axis, turn)

    return Constraint(name, phi, POSITION, parameters, tuple(f'{name}.{axis}' for axis in chosen))


def follow_joints(frame: str, axes: str | Sequence[str], q_desired: Sequence[Number],
                  name: str = 'follow') -> Constraint:
    """Hold a frame where it would be at desired joint positions, in the given axes."""
    chosen = _axes(axes, name)

    def phi(robot: Robot, q: Sequence[Number], t: Number) -> list[Number]:
        if not is_whole_orientation(chosen):
            return _coordinate_errors(robot, frame, chosen, q,
                                      frame_coordinates(robot, frame, chosen, q_desired))
        there = dict(zip('xyz', robot.position(frame, q_desired)))
        return _pose_errors(robot, frame, chosen, q, there, robot.quaternion(frame, q_desired))

    return Constraint(name, phi, POSITION, rows=tuple(f'{name}.{axis}' for axis in chosen))


def point(frame: str, axis: Sequence[float] = (0.0, 0.0, 1.0),
          direction: Sequence[float] = (0.0, 0.0, -1.0), name: str = 'point') -> Constraint:
    """
    Let an axis of a frame point somewhere, the spin about it free: two rows (see swing).

    :param axis: in the frame; :param direction: in the base frame; any lengths but zero
    """
    own, there = _direction(axis, f'axis of {name!r}'), _direction(direction,
                                                                   f'direction of {name!r}')

    def phi(robot: Robot, q: Sequence[Number], t: Number) -> list[Number]:
        rotation = robot.pose(frame, q).rotation
        return list(swing(there, tuple(dot(row, own) for row in rotation)))  # type: ignore

    return Constraint(name, phi, POSITION, rows=(f'{name}.1', f'{name}.2'))


def is_whole_orientation(axes: Iterable[str]) -> bool:
    """Tell whether axes have roll, pitch and yaw."""
    return set(ANGLES) <= set(axes)


def _coordinate_errors(robot: Robot, frame: str, axes: Sequence[str], q: Sequence[Number],
                       wanted: Sequence[Number]) -> list[Number]:
    return [here - value for here, value in zip(frame_coordinates(robot, frame, axes, q), wanted)]


def _pose_errors(robot: Robot, frame: str, axes: Sequence[str], q: Sequence[Number],
                 position: Mapping[str, Number], turn: Quaternion) -> list[Number]:
    """Return x y z minus those wanted [m], and the turn from the orientation wanted [rad]."""
    errors: dict[str, Number] = dict(zip(ANGLES, difference(turn, robot.quaternion(frame, q))))
    if set(axes) - set(ANGLES):
        here = dict(zip('xyz', robot.position(frame, q)))
        errors.update({axis: here[axis] - position[axis] for axis in axes if axis in here})
    return [errors[axis] for axis in axes]


def frame_coordinates(robot: Robot, frame: str, axes: Sequence[str],
                      q: Sequence[Number]) -> list[Number]:
    """Return coordinates of a frame along some of x y z [m] roll pitch yaw [rad]."""
    here: dict[str, Number] = dict(zip('xyz', robot.position(frame, q)))
    if set(axes) & set(ANGLES):
        here.update(zip(ANGLES, robot.orientation(frame, q)))
    return [here[axis] for axis in axes]


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
    direction = _direction(across, f'across of {name!r}')

    def psi(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number) -> list[Number]:
        linear, _ = robot.velocity(frame, q, v)
        rotation = robot.pose(frame, q).rotation
        sideways = tuple(dot(row, direction) for row in rotation)
        return [dot(linear, sideways)]  # type: ignore[arg-type]

    return Constraint(name, psi, VELOCITY, rows=(name,))


def viscous_non_ideal(coefficient: float, name: str = 'viscous') -> Constraint:
    """Constraints that drag: prescribed force C = -coefficient v on every joint."""
    def force(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number, *,
              coefficient: Number) -> list[Number]:
        return [-(rate * coefficient) for rate in v]

    return Constraint(name, force, FORCE, {
        'coefficient': number(f'coefficient of {name!r}', coefficient, error=ConstraintError)})


def push(frame: str, force: Sequence[float] = (0.0, 0.0, 0.0),
         torque: Sequence[float] = (0.0, 0.0, 0.0), start: float = 0.0, duration: float = 0.1,
         name: str = 'push') -> Constraint:
    """
    Push a frame from outside: J^T (force, torque) on the joints, from start on for a duration.

    :param force: at the frame's origin, in the base frame [N]; :param torque: [N m]
    """
    parameters = {f'{kind}_{axis}': number(f'{kind} of {name!r}', value, error=ConstraintError)
                  for kind, values in (('force', force), ('torque', torque))
                  for axis, value in zip('xyz', values)}
    for key, value in (('start', start), ('duration', duration)):
        parameters[key] = number(f'{key} of {name!r}', value, 'seconds, 0 or more', 0.0,
                                 error=ConstraintError)
    if len(parameters) != 8:
        raise ConstraintError(f'force and torque of {name!r} are {force} and {torque}; expected '
                              'three numbers each')

    def efforts(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number,
                **values: Number) -> list[Number]:
        since = t - values['start']
        late = where(since < values['duration'], 1.0, 0.0)  # type: ignore[operator]
        acts = where(since < 0.0, 0.0, late)  # type: ignore[operator]
        wrench = [values[f'{kind}_{axis}'] for kind in ('force', 'torque') for axis in 'xyz']
        jacobian = frame_jacobian(robot.tree, robot.find_frame(frame), q)
        return [acts * sum((jacobian[i][k] * wrench[i] for i in range(6)), 0.0)
                for k in range(robot.n)]

    return Constraint(name, efforts, FORCE, parameters)


def loops_of(robot: Robot) -> list[Constraint]:
    """Constraints of the loops named in the robot's file."""
    return [loop(item.frame_a, item.frame_b, item.axes, item.name) for item in robot.loops]


def _direction(values: Sequence[float], what: str) -> Vector:
    """Return three numbers as a unit vector."""
    expected = 'three numbers that are not all zero'
    given = numbers(what, values, expected)
    length = math.sqrt(sum(x ** 2 for x in given.ravel().tolist()))
    if given.shape != (3,) or not 0.0 < length < math.inf:
        raise refusal(what, values, expected, ConstraintError)
    return tuple(x / length for x in given.tolist())  # type: ignore[return-value]


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
