# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Computed torque: the model's inverse dynamics of a corrected acceleration.

    tau = M^ y + h^,   y = a_d + kd (v_d - v) + kp (q_d - q)

where q_d, v_d, a_d is the desired motion. With a perfect model the error obeys edd + kd ed + kp e
= 0 (paper 003; the inverse dynamics control of paper 004). All joints must have motors; for closed
chains use constraint following.
"""
from __future__ import annotations

from typing import Mapping, Sequence

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
                    friction_velocity: str = DESIRED) -> Control:
    """
    Computed-torque control with PD gains (see model.gains).

    :param model: the controller's own payload, gravity and friction scale
    :param saturate: limit torques to the efforts of the robot's file
    :param friction_velocity: 'desired' or 'measured', at which friction is compensated
    """
    refuse_passive(robot, 'computed_torque')
    measured = measured_friction(friction_velocity)
    parameters = {**gains(robot, kp, kd, natural_frequency, damping),
                  **model_parameters(robot, model)}

    def law(t: Number, q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
            values: Mapping[str, Number]) -> list[Number]:
        y = corrected_acceleration(robot, q, v, reference, values)
        tau = model_torque(robot, values, q, v, y,
                           None if measured else reference[robot.n:2 * robot.n])
        return saturated(robot, tau) if saturate else tau

    return Control(law, 3 * robot.n, parameters)


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
