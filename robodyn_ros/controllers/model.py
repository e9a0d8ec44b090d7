# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A controller's own model of the robot, apart from the plant's: mismatch is a parameter.

Run-time parameters 'model.payload.mass', 'model.friction_scale', ... are those of the model; a
friction scale of 1, the default, compensates the friction the robot's file states, 0 leaves it
alone. It is compensated at the desired velocity: what a file states may be more than there is, and
at the measured velocity that would drive the arm by itself. The papers' laws use the measured one.
"""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from robodyn_ros.checks import number, numbers
from robodyn_ros.errors import ArgumentError, SizeError, UnknownNameError
from robodyn_ros.mechanics import equations
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.robots.parameters import Given, parameters_from
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import clip, Number

DESIRED, MEASURED = FRICTION_VELOCITIES = ('desired', 'measured')


def model_parameters(robot: Robot, model: Given) -> dict[str, float]:
    """Run-time parameters of the model; by default the file's gravity and friction, no payload."""
    chosen = parameters_from(model, robot.parameters)
    return {f'model.{name}': float(value)  # type: ignore[arg-type]
            for name, value in chosen.named().items()}


def model_of(parameters: Mapping[str, Number]) -> Parameters:
    """Rebuild the model's parameters from the run-time ones."""
    return Parameters.from_flat([parameters[f'model.{name}'] for name in NAMES])


def model_torque(robot: Robot, values: Mapping[str, Number], q: Sequence[Number],
                 v: Sequence[Number], y: Sequence[Number], desired: Sequence[Number] | None
                 ) -> list[Number]:
    """
    Return M^ y + h^ of the model (n,).

    :param desired: velocity at which friction is compensated (n,); None: the measured one, v
    """
    model = model_of(values)
    if desired is None:
        return equations.inverse_dynamics(robot.tree, model, q, v, y)
    rest = equations.inverse_dynamics(robot.tree, model._replace(friction_scale=0.0), q, v, y)
    return [x + f for x, f in zip(rest, equations.friction(robot.tree, model, desired))]


def measured_friction(chosen: object) -> bool:
    """Tell whether friction is compensated at the measured velocity."""
    if chosen not in FRICTION_VELOCITIES:
        raise UnknownNameError('friction_velocity', chosen, FRICTION_VELOCITIES)
    return chosen == MEASURED


def per_joint(robot: Robot, name: str, value: object, signed: bool = False) -> dict[str, float]:
    """One number for all joints, or one each, as parameters 'name.joint'; signed: any sign."""
    array = numbers(f'{name} of {robot.name}', value, f'one number or {robot.n}')
    if array.ndim == 0:
        array = np.full(robot.n, float(array))
    if array.shape != (robot.n,):
        raise SizeError(f'{name} of {robot.name}', f'one number or {robot.n}', array.shape,
                        f'joints are {", ".join(robot.joints)}')
    if not np.all(np.isfinite(array)) or (np.any(array < 0.0) and not signed):
        raise ArgumentError(f'{name} of {robot.name} is {array.tolist()}; expected finite numbers'
                            + ('' if signed else ' that are not negative'))
    return {f'{name}.{joint}': float(x) for joint, x in zip(robot.joints, array)}


def joint_values(robot: Robot, name: str, parameters: Mapping[str, Number]) -> list[Number]:
    """Values of the parameters 'name.joint' in the order of the joints."""
    return [parameters[f'{name}.{joint}'] for joint in robot.joints]


def gains(robot: Robot, kp: object = None, kd: object = None, natural_frequency: object = None,
          damping: float = 1.0) -> dict[str, float]:
    """PD gains per joint: kp [1/s^2] and kd [1/s], or of natural frequency and damping ratio."""
    if natural_frequency is not None:
        if kp is not None or kd is not None:
            raise ArgumentError('gains were given as kp or kd and as natural_frequency; give one '
                                'or the other')
        checked = per_joint(robot, 'natural_frequency', natural_frequency)
        omega = np.array(list(checked.values()))
        number('damping', damping)
        kp, kd = from_frequency(omega, damping)
    if kp is None or kd is None:
        raise ArgumentError('a controller needs kp and kd, or natural_frequency')
    return {**per_joint(robot, 'kp', kp), **per_joint(robot, 'kd', kd)}


def from_frequency(omega: np.ndarray, damping: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return kp [1/s^2] and kd [1/s] of natural frequencies [rad/s] and damping ratios."""
    return omega ** 2, 2.0 * damping * omega


def saturated(robot: Robot, tau: Sequence[Number]) -> list[Number]:
    """Torques within the effort limits of the robot's file."""
    return [x if np.isinf(limit) else clip(x, -limit, limit)
            for x, limit in zip(tau, robot.limits.effort.tolist())]
