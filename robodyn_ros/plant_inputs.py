# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a user hands to a plant, checked and laid out as the compiled loop reads it."""
from __future__ import annotations

import math

import numpy as np

from robodyn_ros.errors import SizeError, StateError
from robodyn_ros.robots.robot import Robot
from robodyn_ros.signals import State

FLOAT = np.dtype(float)


def one_input(robot: Robot, state: State, tau: object) -> np.ndarray:
    """Return t, q, v, tau of one state side by side (1 + 3 n,)."""
    x = inputs_of(robot, state, tau)
    if x.ndim != 1:
        raise SizeError(f'q, v, tau of {robot.name}', f'({robot.n},) each',
                        f'{len(x)} states at once')
    return x


def inputs_of(robot: Robot, state: State, tau: object) -> np.ndarray:
    """Return t, q, v, tau side by side, (1 + 3 n,) or (k, 1 + 3 n)."""
    n, q, v = robot.n, state.q, state.v
    if (tau is None and type(q) is type(v) is np.ndarray and q.shape == v.shape == (n,)
            and q.dtype is v.dtype is FLOAT):
        x = np.zeros(1 + 3 * n)
        x[0], x[1:1 + n], x[1 + n:1 + 2 * n] = state.t, q, v
        if math.isfinite(x.dot(x)):  # the usual case; the checks below say what is wrong
            return x
    q, v = robot.array('q', q), robot.array('v', v)
    torque = np.zeros_like(q) if tau is None else robot.array('tau', tau)
    if not q.shape == v.shape == torque.shape:
        raise SizeError(f'q, v, tau of {robot.name}', f'({n},) each',
                        f'{q.shape}, {v.shape}, {torque.shape}')
    if not np.isfinite(state.t):
        raise StateError(f'time of the state is {state.t}; expected finite seconds')
    x = np.empty((*q.shape[:-1], 1 + 3 * n))
    x[..., 0], x[..., 1:1 + n] = state.t, q
    x[..., 1 + n:1 + 2 * n], x[..., 1 + 2 * n:] = v, torque
    return x


def step_count(duration: float | None, steps: int | None, step_size: float) -> int:
    """Return the steps of a rollout, given as such or as a duration [s]."""
    if (duration is None) == (steps is None):
        raise StateError('give either duration or steps')
    if duration is not None and not np.isfinite(duration):
        raise StateError(f'the duration is {duration}; expected finite seconds')
    count = steps if steps is not None else int(round(float(duration or 0.0) / step_size))
    if count != int(count) or count < 0:
        raise StateError(f'the rollout has {count} steps; expected a whole number, none or more')
    return int(count)


def reference_rows(reference: np.ndarray | None, size: int, instants: int) -> np.ndarray:
    """
    Return the rows of a reference as one vector.

    :param size: numbers the control law wants of it; 0: none
    :param instants: control instants that need a row
    """
    if size == 0:
        return np.empty(1)
    array = np.zeros((0, size)) if reference is None else np.asarray(reference, dtype=float)
    if array.ndim != 2 or array.shape[0] < instants or array.shape[1] != size:
        raise SizeError('reference', f'({instants} or more, {size})', array.shape,
                        'one row per control instant')
    return np.ascontiguousarray(array).reshape(-1)
