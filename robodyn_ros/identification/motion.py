# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The second stage: fit the motion itself (output error) and not the torques.

The model is moved by the measured torques and held to the measured motion by an observer,

    M(q^) q^'' + h(q^, v^) = tau + M (w^2 (q - q^) + 2 w (v - v^)),

since an arm that is moved by torques alone drifts away from any recording. What is made small is
e = q^ - q. It is small, so that the equations linearised along the measured motion tell it:

    e'' + 2 w e' + w^2 e + M^-1 (K e + D e') = M^-1 (tau - Y theta)

K and D are the derivatives of the torque by q and v, Y (its derivative by theta) is that of the
trace; the sensitivities de/dtheta obey the same equation with -M^-1 Y on the right. Accelerations
enter as M^-1 (tau - Y theta) only, where noise of differentiation is integrated away again, and
joints are weighted by what their errors do to the motion. The result is linear equations for theta
again (Gauss-Newton), with rows where those of the torques are.
"""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from robodyn_ros.identification.equations import edge_of, Equations, free_of, friction_columns
from robodyn_ros.identification.filtering import decimated, States
from robodyn_ros.identification.regressor import Regressor

SHARE = 0.5
"""Of the filter's cut-off: the observer's natural frequency, above that of the motion."""
STEP = 1e-5
"""For differences of torques by q and v [rad] or [m]."""


def motion_equations(regressor: Regressor, limits: np.ndarray, equations: Equations,
                     theta: np.ndarray) -> Equations:
    """
    Return e(theta) = 0, linearised at theta, as equations with the rows of those of torques.

    :param limits: of efforts (n,), as for equations_of
    """
    found = [_errors(regressor, equations, states, limits, theta) for states in equations.states]
    e, S = (np.concatenate([decimated(pair[k], states, edge_of(states))
                            for pair, states in zip(found, equations.states)]) for k in (0, 1))
    return replace(equations, Y=S, tau=S @ theta - e, known=None)


def _errors(regressor: Regressor, equations: Equations, states: States, limits: np.ndarray,
            theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return e (k, n) and its sensitivities (k, n, size) of one piece, from rest at zero."""
    assert states.cutoff is not None
    chosen, velocity = equations.chosen, equations.velocity
    Y = regressor(states.q, states.v, states.a, velocity)
    for name, columns in friction_columns(chosen, states, velocity, equations.lag):
        Y[:, :, chosen.of_axes(name)] = columns
    free = free_of(states, limits)
    known = np.where(free, states.tau, 0.0)
    # rows that do not count are taken as explained
    right = np.concatenate([(known - Y @ theta)[..., None], -Y], axis=2) * free[..., None]
    M, K, D = _linearised(regressor, equations, states, theta)
    n, k = states.q.shape[1], len(states.t)
    still = ~free.any(axis=0)
    M[:, still] = 0.0
    M[:, :, still] = 0.0
    M[:, still, still] = 1.0
    inverse = np.linalg.inv(M)
    w = 2.0 * np.pi * SHARE * states.cutoff
    A = np.zeros((k, 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    A[:, n:, :n] = -inverse @ K - w ** 2 * np.eye(n)
    A[:, n:, n:] = -inverse @ D - 2.0 * w * np.eye(n)
    push = inverse @ right
    half = 0.5 / states.rate
    backward = np.linalg.inv(np.eye(2 * n) - half * A)
    forward = np.eye(2 * n) + half * A
    z = np.zeros((2 * n, push.shape[2]))
    out = np.zeros((k, n, push.shape[2]))
    for i in range(1, k):  # trapezoidal rule: stable for any stiffness
        z = forward[i - 1] @ z
        z[n:] += half * (push[i - 1] + push[i])
        z = backward[i] @ z
        out[i] = z[:n]
    return out[..., 0], out[..., 1:]


def _linearised(regressor: Regressor, equations: Equations, states: States,
                theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return M, and the derivatives K and D of the torque by q and v, (k, n, n) each."""
    chosen = equations.chosen
    smooth = theta.copy()  # dry friction changes its sign too fast for a slope to tell
    smooth[chosen.of_axes('coulomb')] = smooth[chosen.of_axes('peak')] = 0.0

    def torque(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        return regressor(q, v, a, equations.velocity) @ smooth

    q, v, a = states.q, states.v, states.a
    here, columns = torque(q, v, a), []
    for one in np.eye(q.shape[1]):
        columns.append((torque(q, v, a + one) - here,
                        (torque(q + STEP * one, v, a) - torque(q - STEP * one, v, a))
                        / (2.0 * STEP),
                        (torque(q, v + STEP * one, a) - torque(q, v - STEP * one, a))
                        / (2.0 * STEP)))
    M, K, D = (np.stack(part, axis=2) for part in zip(*columns))
    return M, K, D
