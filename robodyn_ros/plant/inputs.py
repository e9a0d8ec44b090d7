# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a user hands to a plant, checked and laid out as the compiled loop reads it."""
from __future__ import annotations

import math

import numpy as np

from robodyn_ros.checks import MOST, number, numbers, refusal, whole_number
from robodyn_ros.errors import SizeError, StateError
from robodyn_ros.robots.robot import Robot
from robodyn_ros.types import State

FLOAT = np.dtype(float)
SAMPLES = '1 or more whole steps between samples'
STEP_ROUNDING = 1e-6
"""Part of a step by which a duration may miss a whole number of them: rounding, no more."""


def one_input(robot: Robot, state: State, tau: object) -> np.ndarray:
    """Return t, q, v, tau of one state side by side (1 + 3 n,)."""
    x = inputs_of(robot, state, tau)
    if x.ndim != 1:
        raise SizeError(f'q, v, tau of {robot.name}', f'({robot.n},) each',
                        f'{len(x)} states at once')
    return x


def inputs_of(robot: Robot, state: State, tau: object) -> np.ndarray:
    """Return t, q, v, tau side by side, (1 + 3 n,) or (k, 1 + 3 n)."""
    try:
        n, q, v = robot.n, state.q, state.v
        if (tau is None and type(q) is type(v) is np.ndarray and q.shape == v.shape == (n,)
                and q.dtype is v.dtype is FLOAT):
            x = np.zeros(1 + 3 * n)
            x[0], x[1:1 + n], x[1 + n:1 + 2 * n] = state.t, q, v
            if math.isfinite(x.dot(x)):  # the usual case; the checks below say what is wrong
                return x
        t = state.t
    except AttributeError:
        raise refusal('the state', state, 'State(t, q, v)') from None
    except (TypeError, ValueError, OverflowError):
        raise refusal('time of the state', state.t, 'finite seconds') from None
    q, v = robot.array('q', q), robot.array('v', v)
    torque = np.zeros_like(q) if tau is None else robot.array('tau', tau)
    if not q.shape == v.shape == torque.shape:
        raise SizeError(f'q, v, tau of {robot.name}', f'({n},) each',
                        f'{q.shape}, {v.shape}, {torque.shape}')
    if q.ndim > 1 and np.ndim(t) == 1:
        times = numbers('times of the states', t, 'finite seconds')
        if times.shape != q.shape[:1] or not np.isfinite(times).all():
            raise refusal('times of the states', times.tolist(), f'{len(q)} finite seconds, one '
                          'for each state', StateError)
    else:
        times = np.asarray(number('time of the state', t, 'finite seconds'))
    x = np.empty((*q.shape[:-1], 1 + 3 * n))
    x[..., 0], x[..., 1:1 + n] = times, q
    x[..., 1 + n:1 + 2 * n], x[..., 1 + 2 * n:] = v, torque
    return x


def step_count(duration: float | None, steps: int | None, step_size: float) -> int:
    """Return the steps of a rollout, given as such or as a duration [s]."""
    if duration is None and type(steps) is int and 0 <= steps <= MOST:
        return steps  # the usual case of a single step
    if (duration is None) == (steps is None):
        raise StateError('give either duration or steps')
    if duration is None:
        return whole_number('steps', steps, 'a whole number, none or more')
    exact = number('duration', duration, 'finite seconds that are not negative', 0.0) / step_size
    if exact > MOST:
        raise refusal('duration', duration, f'at most {MOST} steps of {step_size:g} s')
    count = round(exact)
    if abs(count - exact) > STEP_ROUNDING + 4.0 * np.spacing(exact):
        near = ' or '.join(f'{k * step_size:.9g}' for k in (math.floor(exact), math.ceil(exact)))
        raise refusal('duration', duration, f'a whole number of steps of {step_size:g} s: give '
                      f'{near}, or steps instead')
    return count


def reference_rows(reference: np.ndarray | None, size: int, instants: int) -> np.ndarray:
    """
    Return the rows of a reference as one vector.

    :param size: numbers the control law wants of it; 0: none
    :param instants: control instants that need a row
    """
    if size == 0:
        return np.empty(1)
    array = np.zeros((0, size)) if reference is None else numbers(
        'reference', reference, f'{size} numbers for each control instant')
    if array.ndim != 2 or array.shape[0] < instants or array.shape[1] != size:
        raise SizeError('reference', f'({instants} or more, {size})', array.shape,
                        'one row per control instant')
    return np.ascontiguousarray(array).reshape(-1)
