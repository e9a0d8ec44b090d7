# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Second-order closed-loop inverse kinematics: a path in space becomes a motion of the joints.

    a = J^+ (xdd_d + kd (xd_d - J v) + kp (x_d - x) - Jdot v)         (paper 004)

This is the plant's own equation with a unit mass matrix, no forces and Baumgarte gains kd, kp, so
it runs in the same compiled loop, for any frame, any axes and closed chains (their loops are rows
like the others). A redundant arm moves with the smallest accelerations; the start configuration
chooses the branch (elbow). The step is Taylor's, q += h v + h^2/2 a, or explicit Euler.
"""
from __future__ import annotations

from typing import Sequence

import numpy as np

from robodyn_ros.assembly import assemble_start
from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.errors import ConstraintError, SingularityError
from robodyn_ros.plant import Plant
from robodyn_ros.plant_program import CHOLESKY
from robodyn_ros.robots.robot import Robot
from robodyn_ros.signals import Reference, State

KP, KD = 900.0, 60.0
"""Default gains: critically damped, 30 rad/s (the public solution of paper 004)."""


def joint_motion(robot: Robot, task: Sequence[Constraint], start: np.ndarray, duration: float, *,
                 step: float = 1e-3, kp: float = KP, kd: float = KD, integrator: str = 'taylor',
                 assemble: bool = True, start_time: float = 0.0,
                 through_singularities: bool = False) -> Reference:
    """
    Joint motion that performs a task.

    :param task: constraints such as follow('tool0', path, 'x y z'); the robot's loops are added
    :param start: configuration near the start of the path; picks the branch (n,)
    :param assemble: put the start exactly onto the task first (else the gains pull it there)
    :param through_singularities: go on with the least motion where the task loses a direction,
        instead of refusing
    """
    plant = Plant(robot, task, stabilisation=stabilisation('baumgarte', kd, kp), step=step,
                  integrator=integrator, kinematic=True,
                  solver='auto' if through_singularities else CHOLESKY)
    state = State(start_time, np.asarray(start, dtype=float), np.zeros(robot.n))
    if assemble:
        state = assemble_start(plant, state).state
    try:
        motion = plant.rollout(state, duration)
    except ConstraintError as error:
        partial = getattr(error, 'partial', None)
        if partial is None:
            raise
        raise SingularityError(
            f'{robot.name} passes a singularity at t = {partial.t[-1]:.4g} s, q = '
            f'{np.round(partial.q[-1], 4).tolist()}: the rows {", ".join(plant.row_names)} lose a '
            'direction; change the path or the branch, or allow it with '
            'through_singularities') from error
    return Reference(motion.t, motion.q, motion.v, motion.a)
