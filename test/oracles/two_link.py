# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Two-link arm in the vertical plane on a vertical line: closed forms for paper 001.

Liu and Liu (2016). The paper's equations and parameters are lost: the standard forms and our
numbers stand here. q1 from the horizontal +x, q2 relative to link 1; y is up (the URDF's z).
"""

import numpy as np

# All parameters are our choice [m, kg, kg m^2, m/s^2].
L1, L2 = 0.5, 0.5
R1, R2 = 0.25, 0.25
M1, M2 = 5.0, 4.0
I1, I2 = M1 * L1**2 / 12.0, M2 * L2**2 / 12.0
GRAVITY = 9.81
PERIOD = 5.0
RATE = 2.0 * np.pi / PERIOD


def mass_matrix(q: np.ndarray) -> np.ndarray:
    """Return M (2, 2)."""
    c2 = np.cos(q[1])
    m11 = I1 + I2 + M1 * R1**2 + M2 * (L1**2 + R2**2) + 2.0 * M2 * L1 * R2 * c2
    m12 = I2 + M2 * R2**2 + M2 * L1 * R2 * c2
    return np.array([[m11, m12], [m12, I2 + M2 * R2**2]])


def coriolis_matrix(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return C (2, 2); M' - 2 C is skew."""
    k = M2 * L1 * R2 * np.sin(q[1])
    return np.array([[-k * v[1], -k * (v[0] + v[1])], [k * v[0], 0.0]])


def gravity_vector(q: np.ndarray) -> np.ndarray:
    """Return G (2,) [N m]."""
    c1, c12 = np.cos(q[0]), np.cos(q[0] + q[1])
    g2 = M2 * R2 * GRAVITY * c12
    return np.array([(M1 * R1 + M2 * L1) * GRAVITY * c1 + g2, g2])


def bias_force(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return h = C v + G (2,), so that M a + h = tau + Qc."""
    return coriolis_matrix(q, v) @ v + gravity_vector(q)


def tool_position(q: np.ndarray) -> np.ndarray:
    """Return (x, y) of the tool, y up."""
    q12 = q[0] + q[1]
    return np.array([
        L1 * np.cos(q[0]) + L2 * np.cos(q12), L1 * np.sin(q[0]) + L2 * np.sin(q12)])


def line(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, velocity, acceleration (x, y) on x = l1, y = (l1/2)(1 - cos w t)."""
    half = L1 / 2.0
    position = np.array([L1, half * (1.0 - np.cos(RATE * t))])
    velocity = np.array([0.0, half * RATE * np.sin(RATE * t)])
    acceleration = np.array([0.0, half * RATE**2 * np.cos(RATE * t)])
    return position, velocity, acceleration


def constraint_position(q: np.ndarray, t: float) -> np.ndarray:
    """Return phi (2,) = tool - line."""
    return tool_position(q) - line(t)[0]


def constraint_jacobian(q: np.ndarray) -> np.ndarray:
    """Return A (2, 2) = d phi / d q."""
    s1, s12 = np.sin(q[0]), np.sin(q[0] + q[1])
    c1, c12 = np.cos(q[0]), np.cos(q[0] + q[1])
    return np.array([[-L1 * s1 - L2 * s12, -L2 * s12], [L1 * c1 + L2 * c12, L2 * c12]])


def constraint_rate(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
    """Return phi' = A v - c (2,)."""
    return constraint_jacobian(q) @ v - line(t)[1]


def constraint_bias(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
    """Return b (2,), A a = b."""
    q12, w1, w12 = q[0] + q[1], v[0]**2, (v[0] + v[1])**2
    centripetal = np.array([
        L1 * np.cos(q[0]) * w1 + L2 * np.cos(q12) * w12,
        L1 * np.sin(q[0]) * w1 + L2 * np.sin(q12) * w12])
    return line(t)[2] + centripetal


def path_position(t: float) -> np.ndarray:
    """
    Return q (2,) on the line at time t, elbow up (q2 < 0).

    Starts at (60, -120) deg; link 1 swings 60 -> 90 -> 60 deg.
    """
    x, y = line(t)[0]
    c2 = (x * x + y * y - L1 * L1 - L2 * L2) / (2.0 * L1 * L2)
    q2 = -np.arccos(c2)
    q1 = np.arctan2(y, x) - np.arctan2(L2 * np.sin(q2), L1 + L2 * c2)
    return np.array([q1, q2])


def path_velocity(t: float) -> np.ndarray:
    """Return v = A^-1 c (2,) on the line at time t."""
    return np.linalg.solve(constraint_jacobian(path_position(t)), line(t)[1])


def path_acceleration(t: float) -> np.ndarray:
    """Return a = A^-1 b (2,) on the line at time t."""
    q, v = path_position(t), path_velocity(t)
    return np.linalg.solve(constraint_jacobian(q), constraint_bias(q, v, t))
