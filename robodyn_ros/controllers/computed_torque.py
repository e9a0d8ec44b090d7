# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Computed torque: the model's inverse dynamics of a corrected acceleration.

    tau = M^ y + h^,   y = a_d + kd (v_d - v) + kp (q_d - q)

where q_d, v_d, a_d is the desired motion. With a perfect model the error obeys edd + kd ed + kp e
= 0 (paper 003; the inverse dynamics control of paper 004). With ki, integral action is added
(integral.py). All joints must have motors; for closed chains use constraint following.
"""
from __future__ import annotations

from typing import Any, Mapping, Sequence

from robodyn_ros.controllers.integral import (checked_period, integral_gains, integral_part,
                                              integrated)
from robodyn_ros.controllers.model import (DESIRED, gains, joint_values, measured_friction,
                                           model_parameters, model_torque, saturated)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.robots.parameters import Given
from robodyn_ros.robots.robot import checked_robot, Robot
from robodyn_ros.tracing import Number
from robodyn_ros.types import Control


def computed_torque(robot: Robot, *, kp: object = None, kd: object = None,
                    natural_frequency: object = None, damping: float = 1.0,
                    model: Given = None, saturate: bool = True,
                    friction_velocity: str = DESIRED, ki: object = None,
                    period: float | None = None) -> Control:
    """
    Computed-torque control with PD gains (see model.gains).

    :param model: the controller's own payload, gravity and friction scale
    :param saturate: limit torques to the efforts of the robot's file
    :param friction_velocity: 'desired' or 'measured', at which friction is compensated
    :param ki: integral gain, one or one per joint [1/s^3]; :param period: it wants to know [s]
    """
    refuse_passive(robot, 'computed_torque')
    measured = measured_friction(friction_velocity)
    parameters = {**gains(robot, kp, kd, natural_frequency, damping),
                  **model_parameters(robot, model)}
    parameters.update(integral_gains(robot, ki, parameters))

    def acceleration(q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
                     values: Mapping[str, Number]) -> list[Number]:
        return corrected_acceleration(robot, q, v, reference, values)

    return torque_law(robot, acceleration, parameters, measured, saturate,
                      None if ki is None else checked_period(period, 'computed_torque'))


def torque_law(robot: Robot, acceleration: Any, parameters: Mapping[str, float], measured: bool,
               saturate: bool, period: float | None) -> Control:
    """
    Return the law tau = M^ y + h^, with integral action if there is a period.

    :param acceleration: y (n,) of q, v, reference and parameters
    :param measured: friction is compensated at the measured velocity
    """
    def torque(q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
               values: Mapping[str, Number], y: Sequence[Number]) -> list[Number]:
        return model_torque(robot, values, q, v, y,
                            None if measured else reference[robot.n:2 * robot.n])

    def law(t: Number, q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
            values: Mapping[str, Number]) -> list[Number]:
        tau = torque(q, v, reference, values, acceleration(q, v, reference, values))
        return saturated(robot, tau) if saturate else tau

    def law_with_integral(t: Number, q: Sequence[Number], v: Sequence[Number],
                          reference: Sequence[Number], values: Mapping[str, Number],
                          memory: Sequence[Number]) -> tuple[list[Number], list[Number]]:
        y = [x + more for x, more in zip(acceleration(q, v, reference, values),
                                         integral_part(robot, values, memory))]
        tau = torque(q, v, reference, values, y)
        kept = integrated(robot, q, reference, tau, memory, period or 0.0)
        return (saturated(robot, tau) if saturate else tau), kept

    if period is None:
        return Control(law, 3 * robot.n, parameters)
    return Control(law_with_integral, 3 * robot.n, parameters, memory=(0.0,) * robot.n)


def corrected_acceleration(robot: Robot, q: Sequence[Number], v: Sequence[Number],
                           reference: Sequence[Number],
                           values: Mapping[str, Number]) -> list[Number]:
    """Return y (n,) of the law above; reference holds q, v, a of the motion one after another."""
    n = robot.n
    kp, kd = joint_values(robot, 'kp', values), joint_values(robot, 'kd', values)
    return [reference[2 * n + k] + kd[k] * (reference[n + k] - v[k])
            + kp[k] * (reference[k] - q[k]) for k in range(n)]


def refuse_passive(robot: Robot, name: str) -> None:
    """Raise when the robot has joints without motors, or is none."""
    if checked_robot(robot).passive:
        raise ArgumentError(f'{name} drives every joint, but {robot.name} has passive joints '
                            f'({", ".join(robot.passive)}); use constraint_following')
