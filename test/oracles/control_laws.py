# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Control laws of papers 003 and 004 in plain numpy.

Tracking error ``e = q_d - q``; scalar or per-joint gains ``kp`` [1/s^2], ``kd`` [1/s].
"""

import numpy as np


def computed_torque(
        M: np.ndarray, h: np.ndarray, a_d: np.ndarray, e: np.ndarray, e_rate: np.ndarray,
        kp: np.ndarray, kd: np.ndarray) -> np.ndarray:
    """Return tau (n,) = M (a_d + kd e' + kp e) + h (paper 003, eq. (22))."""
    return M @ (a_d + kd * e_rate + kp * e) + h


def lyapunov_scalar(kp: float, kd: float, p1: float, p2: float) -> np.ndarray:
    """
    Return Q (2, 2) of H^T Q + Q H = -diag(p1, p2), H = [[0, 1], [-kp, -kd]].

    With scalar gains the (2 n, 2 n) solution is this one, Kronecker the identity. p1 = 18000 and
    p2 = 100 with kp = 900, kd = 60 give [[1500, 10], [10, 1]].
    """
    q12 = p1 / (2.0 * kp)
    q22 = (p2 + 2.0 * q12) / (2.0 * kd)
    return np.array([[kd * q12 + kp * q22, q12], [q12, q22]])


def robust_term(
        e: np.ndarray, e_rate: np.ndarray, Q: np.ndarray, rho: float, eps: float) -> np.ndarray:
    """
    Return w (n,) = rho z / |z|, or rho z / eps inside |z| < eps; z = Q12 e + Q22 e' (paper 004).

    The paper prints rho z eps for the inner branch. Q (2, 2) from lyapunov_scalar.
    """
    z = Q[1, 0] * e + Q[1, 1] * e_rate
    size = np.linalg.norm(z)
    return rho * z / max(size, eps)
