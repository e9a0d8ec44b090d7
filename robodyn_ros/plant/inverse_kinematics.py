# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Second-order closed-loop inverse kinematics: a path in space becomes a motion of the joints.

    a = J^+ (xdd_d + kd (xd_d - J v) + kp (x_d - x) - Jdot v)         (paper 004)

This is the plant's own equation with a unit mass matrix, no forces and Baumgarte gains kd, kp, so
it runs in the same compiled loop, for any frame, any axes and closed chains (their loops are rows
like the others). The start configuration chooses the branch (elbow). What the rows leave open, a
redundant arm or fingers, moves with the smallest accelerations, or comes to rest at a posture away
from the joint limits: a prescribed force that the rows let pass, (I - J^+ J) C(q, v). The step is
Taylor's, q += h v + h^2/2 a, or explicit Euler; the samples can be put exactly onto the task.
"""
from __future__ import annotations

from typing import Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint, FORCE
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.errors import ConstraintError, SimulationError, SingularityError
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.model import CHOLESKY
from robodyn_ros.plant.plant import Plant
from robodyn_ros.plant.rollout import rates
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import maximum, Number
from robodyn_ros.types import Reference, Rollout, State

KP, KD = 900.0, 60.0
"""Default gains: critically damped, 30 rad/s (the public solution of paper 004)."""
FLATTEST = 1e-4
"""Volume spanned by the unit rows of a task below which a direction counts as lost [-]."""
FASTEST = 1e4
"""Joint speed at which a motion counts as lost, not as fast [rad/s] or [m/s]."""
HOMING = 8.0
"""Natural frequency with which what the task leaves open goes to its posture [rad/s]."""
REPELLING = 30.0
"""Natural frequency of the push away from a joint limit [rad/s]."""
MARGIN, MARGIN_SHARE = 0.1, 0.1
"""Distance from a limit at which it begins [rad] or [m]; at most this share of the range."""
ON_TASK = 1e-12
"""Error of a sample that was put onto the task [m] or [rad]."""


def joint_motion(robot: Robot, task: Sequence[Constraint], start: np.ndarray, duration: float, *,
                 step: float = 1e-3, kp: float = KP, kd: float = KD, integrator: str = 'taylor',
                 assemble: bool = True, start_time: float = 0.0,
                 through_singularities: bool = False, posture: np.ndarray | None = None,
                 exact: bool = False) -> Reference:
    """
    Joint motion that performs a task.

    :param task: constraints such as follow('tool0', path, 'x y z'); the robot's loops are added
    :param start: configuration near the start of the path; picks the branch (n,)
    :param assemble: put the start exactly onto the task first (else the gains pull it there)
    :param through_singularities: give way where the task loses a direction (damped) and catch up
        behind, instead of refusing
    :param posture: configuration at which what the task leaves open comes to rest (n,)
    :param exact: put every sample onto the task, to rounding
    """
    settings: dict = {
        'stabilisation': stabilisation('baumgarte', kd, kp), 'step': step,
        'integrator': integrator, 'kinematic': True, 'solver': CHOLESKY,
        'damped': through_singularities}
    plant = Plant(robot, task, **settings)
    if posture is not None and len(plant.row_names) < robot.n:
        plant = Plant(robot, [*task, _stay_near(robot, posture)], **settings)
    state = State(start_time, np.asarray(start, dtype=float), np.zeros(robot.n))
    if assemble:
        state = assemble_start(plant, state).state
    failure: Exception | None = None
    try:
        motion = plant.rollout(state, duration)
    except (ConstraintError, SimulationError) as error:
        if getattr(error, 'partial', None) is None:
            raise
        motion, failure = error.partial, error  # type: ignore[union-attr]
    lost = None if through_singularities else first_singular(plant, motion)
    wild = np.flatnonzero(np.abs(motion.v).max(axis=1) > FASTEST)
    if lost is None and (failure is not None or wild.size):
        lost = max(0, int(wild[0]) - 1) if wild.size else len(motion.t) - 1
    if lost is not None:
        hint = ', or allow it with through_singularities'
        refused = SingularityError(
            f'{robot.name} passes a singularity at t = {motion.t[lost]:.4g} s, q = '
            f'{np.round(motion.q[lost], 4).tolist()}: the rows {", ".join(plant.row_names)} lose '
            f'a direction; change the path or the branch{"" if through_singularities else hint}')
        refused.state = State(float(motion.t[lost]), motion.q[lost], motion.v[lost])
        raise refused from failure
    reference = Reference(motion.t, motion.q, motion.v, motion.a)
    return _on_task(plant, reference) if exact and not through_singularities else reference


def _stay_near(robot: Robot, posture: np.ndarray) -> Constraint:
    """Return the force that leads to a posture, and away from the limits of joints."""
    limits = robot.limits
    room = np.minimum(MARGIN, MARGIN_SHARE * (limits.upper - limits.lower))

    def force(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number,
              **values: Number) -> list[Number]:
        made = []
        for k in range(robot.n):
            pull = (q[k] - values[f'at_{k}']) * HOMING ** 2 + v[k] * (2.0 * HOMING)
            for sign, bound in ((1.0, limits.upper[k]), (-1.0, -limits.lower[k])):
                if np.isfinite(bound):
                    # a posture near a limit, such as closed fingers, is a place to rest, too
                    begin = maximum(values[f'at_{k}'] * sign, float(bound - room[k]))
                    pull = pull + maximum(q[k] * sign - begin, 0.0) * (sign * REPELLING ** 2)
            made.append(-pull)
        return made

    wanted = {f'at_{k}': float(x) for k, x in enumerate(np.asarray(posture, dtype=float))}
    return Constraint('posture', force, FORCE, wanted)


def _on_task(plant: Plant, motion: Reference) -> Reference:
    """Put every sample of a motion onto the rows, by the shortest way: position, then rate."""
    n = plant.robot.n
    if not plant.row_names:
        return motion
    x = np.column_stack([motion.t, motion.q, motion.v, np.zeros_like(motion.q)])
    q, v = x[:, 1:1 + n], x[:, 1 + n:1 + 2 * n]
    for _ in range(5):
        phi, _, rows = plant.model.rows_at(x, None)
        if np.abs(phi).max() < ON_TASK:
            break
        q -= _shortest(rows, phi)
    _, rate, rows = plant.model.rows_at(x, None)
    v -= _shortest(rows, rate)
    return Reference(motion.t, q.copy(), v.copy(), rates(plant.model, x, None)[:, n:])


def _shortest(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the smallest x with A x = b, of many A (k, m, n) and b (k, m)."""
    gram = rows @ rows.transpose(0, 2, 1)
    return (np.linalg.solve(gram, wanted[..., None]).transpose(0, 2, 1) @ rows)[:, 0]


def first_singular(plant: Plant, motion: Rollout) -> int | None:
    """
    Place of the first sample at which the rows lose a direction, or have lost one since the last.

    The rows of A, each of unit length, span a volume; it vanishes at a singularity, and for as
    many rows as joints the determinant changes its sign where a step has jumped over one.
    """
    n, m = plant.robot.n, len(plant.row_names)
    if not 0 < m <= n:
        return None
    x = np.column_stack([motion.t, motion.q, motion.v, np.zeros_like(motion.q)])
    finite = np.isfinite(x).all(axis=1)
    rows = plant.model.rows_at(np.where(finite[:, None], x, 0.0), None)[2]
    with np.errstate(all='ignore'):  # a motion that ran away is found by what it leaves
        rows = rows / np.linalg.norm(rows, axis=2, keepdims=True)
        volume = np.linalg.det(rows @ rows.transpose(0, 2, 1))
        bad = ~finite | ~(volume > FLATTEST ** 2)
        if m == n:
            sign = np.sign(np.linalg.det(rows))
            bad |= sign != sign[0]
    return int(np.argmax(bad)) if bad.any() else None
