# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Integral action: what a law adds for errors that stay.

    y = ... + ki z,   z' = z + e period

so that the error obeys eddd + kd edd + kp ed + ki e = 0: what is unknown and constant leaves no
error at rest. A joint whose torque is at its limit does not integrate (anti-windup).
"""
from __future__ import annotations

from typing import Mapping, Sequence

import numpy as np

from robodyn_ros.checks import number
from robodyn_ros.controllers.model import joint_values, per_joint
from robodyn_ros.errors import ArgumentError
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import absolute, Number, where


def integral_gains(robot: Robot, ki: object, parameters: Mapping[str, float]) -> dict[str, float]:
    """
    Return the gains per joint [1/s^3], none where ki is None; unstable ones are refused.

    :param parameters: kp and kd of the law; Routh: ki < kp kd
    """
    if ki is None:
        return {}
    found = per_joint(robot, 'ki', ki)
    for joint in robot.joints:
        most = parameters[f'kp.{joint}'] * parameters[f'kd.{joint}']
        if not found[f'ki.{joint}'] < most:
            raise ArgumentError(f'ki of {joint!r} is {found[f"ki.{joint}"]:g}; expected less than '
                                f'kp kd = {most:g}, from where on the integral makes the arm '
                                'swing by itself')
    return found


def checked_period(period: object, law: str) -> float:
    """Return the time between control instants, which a law with memory needs to know [s]."""
    return number(f'period of {law}', period, 'the seconds between control instants: a law with '
                  'memory moves on with them', above=0.0)


def integral_part(robot: Robot, values: Mapping[str, Number],
                  memory: Sequence[Number]) -> list[Number]:
    """Return ki z (n,) [rad/s^2]."""
    return [gain * z for gain, z in zip(joint_values(robot, 'ki', values), memory)]


def integrated(robot: Robot, q: Sequence[Number], reference: Sequence[Number],
               tau: Sequence[Number], memory: Sequence[Number], period: float) -> list[Number]:
    """
    Return the next memory (n,) [rad s].

    :param tau: torques before they are limited
    """
    made = []
    for z, wanted, here, torque, limit in zip(memory, reference, q, tau,
                                              robot.limits.effort.tolist()):
        more = z + (wanted - here) * period
        made.append(more if np.isinf(limit) else
                    where(absolute(torque) < limit, more, z))  # type: ignore[operator]
    return made
