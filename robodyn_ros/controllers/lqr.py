# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Linear-quadratic tracking: the model's torque of the desired motion, and the best linear feedback.

    tau = M^(q_d) a_d + h^(q_d, v_d) + K(t) [q_d - q, v_d - v]

K minimises the sum over control instants of (q_d - q)^2 / position^2 + (v_d - v)^2 / velocity^2
+ (tau - tau_d)^2 / effort^2, joint by joint, for the robot linearised along the motion; at its end
it is the regulator that goes on for ever. The derivatives are exact ones of the recorded model.
Gains are made for a whole trajectory (Schedule), at knots, with lines between them.

The friction of the model is part of tau_d but not of the gains: its slope at rest is that of the
smoothing, not of the joint, and where it damps the feedback need not.
"""
from __future__ import annotations

from typing import Mapping, Sequence

import numpy as np

from robodyn_ros.checks import number, refusal
from robodyn_ros.controllers.computed_torque import refuse_passive
from robodyn_ros.controllers.integral import checked_period
from robodyn_ros.controllers.model import model_parameters, model_torque, per_joint, saturated
from robodyn_ros.controllers.riccati import discretised, gains_along
from robodyn_ros.errors import StateError
from robodyn_ros.robots.parameters import Given, parameters_from
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import Number
from robodyn_ros.types import Control, Schedule, Trajectory

POSITION, VELOCITY = 0.01, 0.5
"""Errors that weigh as much as the effort [rad] or [m], [rad/s] or [m/s]."""
SPACING = 0.05
"""Time between the knots of the gains [s]."""
AGILE = 100.0
"""Acceleration whose torque is the effort of a joint without a limit [rad/s^2] or [m/s^2]."""


def lqr(robot: Robot, *, period: float, position: object = POSITION, velocity: object = VELOCITY,
        effort: object = None, spacing: float = SPACING, model: Given = None,
        saturate: bool = True) -> Control:
    """
    Linear-quadratic tracking along the trajectory in force.

    :param period: between control instants [s]
    :param position: error that weighs as much as the effort, one or one per joint [rad] or [m]
    :param velocity: the same of its rate [rad/s] or [m/s]
    :param effort: torque beyond tau_d that weighs as much [N m] or [N]; None: the joint's limit,
        or what accelerates a joint without one by 100 per s^2
    :param spacing: time between knots, at which gains are computed [s]
    :param model: the controller's own payload, gravity and friction scale
    :param saturate: limit torques to the efforts of the robot's file
    """
    refuse_passive(robot, 'lqr')
    n = robot.n
    seconds = checked_period(period, 'lqr')
    periods = max(1, round(number('spacing of lqr', spacing, 'seconds between knots',
                                  above=0.0) / seconds))
    allowed = [_sizes(robot, 'position', position), _sizes(robot, 'velocity', velocity)]
    efforts = _efforts(robot) if effort is None else _sizes(robot, 'effort', effort)
    weights = np.diag(1.0 / np.concatenate(allowed) ** 2), np.diag(1.0 / efforts ** 2)
    chosen = parameters_from(model, robot.parameters)

    def rows(motion: Trajectory) -> np.ndarray:
        tau = robot.inverse_dynamics(motion.q, motion.v, motion.a,
                                     chosen._replace(friction_scale=0.0))
        by = robot.derivatives(motion.q, motion.v, tau, chosen._replace(friction_scale=0.0))
        A = np.zeros((len(tau), 2 * n, 2 * n))
        A[:, :n, n:], A[:, n:, :n], A[:, n:, n:] = np.eye(n), by.da_dq, by.da_dv
        B = np.concatenate([np.zeros((len(tau), n, n)), by.da_dtau], axis=1)
        gains = gains_along(*discretised(A, B, seconds), *weights, periods)
        if not np.isfinite(gains).all():
            raise StateError(f'lqr finds no gains for {robot.name} along this trajectory; give '
                             'controller.lqr.position, velocity and effort sizes that are nearer '
                             'to one another')
        return gains.reshape(len(tau), 2 * n * n)

    def law(t: Number, q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
            values: Mapping[str, Number]) -> list[Number]:
        wanted, rates, accelerations = (reference[k * n:(k + 1) * n] for k in range(3))
        tau = model_torque(robot, values, wanted, rates, accelerations, None)
        errors = [d - x for d, x in zip([*wanted, *rates], [*q, *v])]
        for k in range(n):
            row = reference[3 * n + 2 * n * k:3 * n + 2 * n * (k + 1)]
            tau[k] = tau[k] + sum((gain * e for gain, e in zip(row, errors)), 0.0)
        return saturated(robot, tau) if saturate else tau

    return Control(law, 3 * n + 2 * n * n, model_parameters(robot, model),
                   schedule=Schedule(2 * n * n, periods * seconds, rows))


def _sizes(robot: Robot, name: str, value: object) -> np.ndarray:
    """Return one size per joint (n,), above zero."""
    found = np.array(list(per_joint(robot, f'{name} of lqr', value).values()))
    if not (found > 0.0).all():
        raise refusal(f'{name} of lqr', value, 'numbers above 0: how large an error (or effort) '
                      'weighs as much as the others')
    return found


def _efforts(robot: Robot) -> np.ndarray:
    """Return the joints' limits (n,), or where there is none what makes a joint agile."""
    ends = np.array([robot.limits.lower, robot.limits.upper])
    middle = np.where(np.isfinite(ends).all(axis=0), ends, 0.0).sum(axis=0) / 2.0
    needed = AGILE * np.diag(robot.mass_matrix(middle))
    return np.where(np.isfinite(robot.limits.effort), robot.limits.effort, needed)
