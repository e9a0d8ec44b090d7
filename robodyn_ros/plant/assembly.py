# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Put an inconsistent start onto the constraints, and tell by how much it had to move.

Positions: the nearest that fit. Velocities: the smallest change that fits A v = c. A motion of the
motors of a closed chain is put onto its loops in the same way, at every sample.
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint, FORCE
from robodyn_ros.errors import ConstraintError, SingularMassError
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.plant.diagnosis import nearest
from robodyn_ros.plant.inputs import one_input
from robodyn_ros.plant.plant import Plant
from robodyn_ros.plant.rollout import rates
from robodyn_ros.robots.parameters import Given
from robodyn_ros.robots.robot import Robot
from robodyn_ros.types import State, Trajectory

TOLERANCE = 1e-12
"""Largest |phi| of an assembled start [m] or [rad]."""
CORRECTIONS = 12
"""Newton's steps of a sample."""
VELOCITY_TOLERANCE = 1e-8
"""Largest |phi rate| of an assembled start over its largest speed [-]."""


class Assembly(NamedTuple):
    """An assembled start."""

    state: State
    moved: np.ndarray
    """Change of q (n,) [rad] or [m]."""
    velocity_changed: np.ndarray
    """Change of v (n,) [rad/s] or [m/s]."""
    violation: float
    """Largest |phi| left [m] or [rad]."""


def assemble_start(plant: Plant, state: State, *, hold: Sequence[str] = (),
                   parameters: Given = None) -> Assembly:
    """
    Move a start onto the plant's constraints.

    :param hold: joints that keep their position (the motors, when a closed chain is assembled)
    """
    robot = plant.robot
    held = [robot.joint_index(name) for name in hold]
    free = [k for k in range(robot.n) if k not in held]
    x = one_input(robot, state, None)
    start_q, start_v = x[1:1 + robot.n], x[1 + robot.n:1 + 2 * robot.n]
    state = State(state.t, start_q.copy(), start_v.copy())
    if not plant.row_names:
        return Assembly(state, np.zeros(robot.n), np.zeros(robot.n), 0.0)
    phi, _, rows = plant.constraint_rows(state, parameters)
    finite = np.isfinite(phi) & np.isfinite(rows).all(axis=1)
    if not finite.all():
        row = plant.row_names[int(np.argmin(finite))]
        raise ConstraintError(f'row {row!r} of {robot.name} is no finite number at q = '
                              f'{np.round(start_q, 6).tolist()}; correct the function, or start '
                              'where it is defined')
    q, phi = nearest(plant.model, state, free, 0.01 * TOLERANCE, parameters)
    worst = np.abs(phi).max()
    if not worst < TOLERANCE:
        row = plant.row_names[int(np.argmax(np.abs(phi)))]
        raise ConstraintError(
            f'{robot.name} cannot be assembled at t = {state.t:g} s from q = '
            f'{np.round(start_q, 6).tolist()}: row {row!r} stays off by {worst:.3g}; start nearer '
            'to the constraint, hold fewer joints, or check that it can be reached and does not '
            'contradict another')
    v = start_v + _velocity_change(plant, State(state.t, q, start_v), parameters)
    rate = np.abs(plant.constraint_rows(State(state.t, q, v), parameters)[1])
    if not rate.max() < VELOCITY_TOLERANCE * max(1.0, np.abs(v).max()):
        raise ConstraintError(
            f'{robot.name} cannot be started at t = {state.t:g} s: no velocity fits row '
            f'{plant.row_names[int(np.argmax(rate))]!r}, which stays off by {rate.max():.3g}; '
            'check that the rows agree with each other')
    return Assembly(State(state.t, q, v), q - start_q, v - start_v, float(worst))


def _velocity_change(plant: Plant, state: State, parameters: Given) -> np.ndarray:
    """Change of v that fits A v = c, smallest in the kinetic energy norm."""
    _, rate, rows = plant.constraint_rows(state, parameters)
    values = Parameters.from_flat(plant.model.vector(parameters)[:len(NAMES)].tolist())
    try:
        lower = np.linalg.cholesky(plant.robot.mass_matrix(state.q, values))
    except np.linalg.LinAlgError:
        raise SingularMassError(f'the mass matrix of {plant.robot.name} is not positive definite '
                                f'at q = {np.round(state.q, 6).tolist()}; give every moving link '
                                'mass and inertia') from None
    half = np.linalg.solve(lower, rows.T).T
    change = np.linalg.lstsq(half, -rate, rcond=1e-10)[0]
    return np.linalg.solve(lower.T, change)


def assembled_motion(robot: Robot, motors: Trajectory, constraints: Sequence[Constraint] = (),
                     start: Sequence[float] = ()) -> Trajectory:
    """
    Return the motion of all joints of a closed chain whose motors move as given.

    The passive joints follow: A_p v_p = -A_m v_m - phi_t and A_p a_p = b - A_m a_m.

    :param motors: of the joints that are not passive, in their order
    :param constraints: beside the robot's loops
    :param start: configuration near the first, which picks the branch (n,); zeros by default
    """
    passive = [k for k, joint in enumerate(robot.joints) if joint in robot.passive]
    driven = [k for k in range(robot.n) if k not in passive]
    plant = Plant(robot, [item for item in constraints if item.level != FORCE], kinematic=True)
    n, count = robot.n, len(motors.t)
    x = np.zeros((count, 1 + 3 * n))
    x[:, 0] = motors.t
    q, v = x[:, 1:1 + n], x[:, 1 + n:1 + 2 * n]
    q[:, driven], v[:, driven] = motors.q, motors.v
    first = robot.array('start', start) if len(start) else np.zeros(n)
    first = np.where(np.isin(np.arange(n), driven), q[0], first)
    held = [robot.joints[k] for k in driven]
    begun = assemble_start(plant, State(float(motors.t[0]), first, np.zeros(n)), hold=held)
    q[0, passive] = begun.state.q[passive]
    for k in range(count):
        if k:  # on from where the last two samples point
            q[k, passive] = q[k - 1, passive] if k < 2 else \
                2.0 * q[k - 1, passive] - q[k - 2, passive]
        for _ in range(CORRECTIONS):
            phi, _, rows = plant.model.rows_at(x[k], None)
            if np.abs(phi).max(initial=0.0) < TOLERANCE:
                break
            q[k, passive] -= np.linalg.lstsq(rows[:, passive], phi, rcond=1e-10)[0]
        else:
            raise ConstraintError(
                f'{robot.name} cannot be assembled at t = {motors.t[k]:.6g} s with its motors at '
                f'{np.round(motors.q[k], 6).tolist()} ({", ".join(held)}): row '
                f'{plant.row_names[int(np.abs(phi).argmax())]!r} stays off by '
                f'{np.abs(phi).max():.3g}; move the motors less, or start in another branch')
    _, rate, rows = plant.model.rows_at(x, None)
    inverse = np.linalg.pinv(rows[:, :, passive], rcond=1e-10)
    v[:, passive] = -(inverse @ rate[..., None])[..., 0]
    a = np.zeros((count, n))
    a[:, driven] = motors.a
    missing = rows @ (rates(plant.model, x, None)[:, n:] - a)[..., None]
    a[:, passive] = (inverse @ missing)[..., 0]
    return Trajectory(motors.t, q.copy(), v.copy(), a)
