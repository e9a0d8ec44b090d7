# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Robust control: computed torque plus a term that outweighs a bounded model error (paper 004).

    y = a_d + kd ed + kp e + w,   z = Q12 e + Q22 ed,   w = rho z / max(|z|, eps)

Q solves H^T Q + Q H = -P for H = [[0, 1], [-kp, -kd]], joint by joint, P = diag(p1, p2). Inside
the boundary layer |z| < eps the term is linear: it is then nothing but more PD gain.
"""
from __future__ import annotations

from numbers import Real
from typing import Mapping, Sequence

import numpy as np

from robodyn_ros.checks import items, number
from robodyn_ros.controllers.computed_torque import (corrected_acceleration, refuse_passive,
                                                     torque_law)
from robodyn_ros.controllers.integral import checked_period, integral_gains
from robodyn_ros.controllers.model import (DESIRED, gains, joint_values, measured_friction,
                                           model_parameters)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.robots.parameters import Given
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import maximum, Number, sqrt
from robodyn_ros.types import Control


def robust(robot: Robot, *, rho: float, epsilon: float, kp: object = None, kd: object = None,
           natural_frequency: object = None, damping: float = 1.0,
           p: tuple[float, float] = (1.0, 1.0), model: Given = None,
           saturate: bool = True, weights: Sequence[tuple[float, float]] | None = None,
           friction_velocity: str = DESIRED, ki: object = None,
           period: float | None = None) -> Control:
    """
    Robust computed-torque control.

    :param rho: size of the robust term, at least the bound on the model error [rad/s^2]
    :param epsilon: boundary layer of z
    :param p: diagonal of P for every joint
    :param weights: (Q12, Q22) per joint instead of a Lyapunov solution (to reproduce a study)
    :param friction_velocity: 'desired' or 'measured', at which friction is compensated
    :param ki: integral gain, one or one per joint [1/s^3]; :param period: it wants to know [s]
    """
    refuse_passive(robot, 'robust')
    measured = measured_friction(friction_velocity)
    number('rho of robust control', rho, 'a finite number that is not negative', 0.0)
    number('epsilon of robust control', epsilon, 'a positive finite number', above=0.0)
    items(Real, 'p of robust control', p, 'two numbers')  # type: ignore[type-abstract]
    if len(p) != 2 or (weights is not None and len(weights) != robot.n):
        raise ArgumentError(f'robust control was given p {p} and weights {weights}; expected two '
                            f'numbers p, and (Q12, Q22) for each of {robot.n} joints or none')
    parameters = {**gains(robot, kp, kd, natural_frequency, damping),
                  **model_parameters(robot, model), 'rho': float(rho), 'epsilon': float(epsilon)}
    for k, joint in enumerate(robot.joints):
        q12, q22 = weights[k] if weights is not None else lyapunov_weights(
            parameters[f'kp.{joint}'], parameters[f'kd.{joint}'], p)
        parameters[f'q12.{joint}'], parameters[f'q22.{joint}'] = float(q12), float(q22)

    parameters.update(integral_gains(robot, ki, parameters))

    def acceleration(q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
                     values: Mapping[str, Number]) -> list[Number]:
        n = robot.n
        q12, q22 = joint_values(robot, 'q12', values), joint_values(robot, 'q22', values)
        z = [q12[k] * (reference[k] - q[k]) + q22[k] * (reference[n + k] - v[k]) for k in range(n)]
        length = sqrt(sum((x * x for x in z), 0.0))
        size = values['rho'] / maximum(length, values['epsilon'])
        y = corrected_acceleration(robot, q, v, reference, values)
        return [x + size * s for x, s in zip(y, z)]

    return torque_law(robot, acceleration, parameters, measured, saturate,
                      None if ki is None else checked_period(period, 'robust'))


def lyapunov_weights(kp: float, kd: float, p: tuple[float, float]) -> tuple[float, float]:
    """Q12 and Q22 of H^T Q + Q H = -diag(p) for one joint."""
    if not (kp > 0.0 and kd > 0.0 and p[0] > 0.0 and p[1] > 0.0):
        raise ArgumentError(f'robust control needs positive gains and p, not kp {kp}, kd {kd}, p '
                            f'{p}')
    matrix = np.array([[0.0, 1.0], [-kp, -kd]])
    from scipy.linalg import solve_continuous_lyapunov  # slow to import, for robust control only
    solution = solve_continuous_lyapunov(matrix.T, -np.diag(p))
    return float(solution[0, 1]), float(solution[1, 1])


def rho_from_bounds(robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray, *,
                    model: Parameters, plants: Sequence[Parameters],
                    correction: float = 0.0) -> float:
    """
    Smallest rho that theory asks for, along a motion and for every plant that is thought possible.

    rho = (alpha (max|a| + correction) + max|M^-1 (h^ - h)|) / (1 - alpha) with
    alpha = max|1 - M^-1 M^| (Siciliano et al. 2009, eq. 8.75).

    :param q: motion (k, n), with v and a
    :param plants: corners of the uncertainty, such as no payload and the heaviest one
    :param correction: bound on |kp e + kd ed| [rad/s^2]
    """
    mass_model, bias_model = robot.dynamics(q, v, model)
    alpha = bias = 0.0
    for plant in plants:
        mass, h = robot.dynamics(q, v, plant)
        mismatch = np.eye(robot.n) - np.linalg.solve(mass, mass_model)
        alpha = max(alpha, float(np.linalg.norm(mismatch, 2, axis=(1, 2)).max()))
        error = np.linalg.solve(mass, (bias_model - h)[..., None])[..., 0]
        bias = max(bias, float(np.linalg.norm(error, axis=1).max()))
    if not alpha < 1.0:
        raise ArgumentError(f'the model is too far from the plants for robust control: '
                            f'|1 - M^-1 M^| reaches {alpha:.3g}, it must stay below 1; use a '
                            'model payload nearer to the middle')
    largest = float(np.linalg.norm(a, axis=1).max())
    return (alpha * (largest + correction) + bias) / (1.0 - alpha)
