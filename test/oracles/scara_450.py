# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
SCARA on a helix: closed forms of paper 000.

Xu, Y. and Liu, R. (2017), 'Dynamic modeling of SCARA robot based on Udwadia-Kalaba theory',
Advances in Mechanical Engineering 9(10). Joints 1, 2, 3 revolute about z, joint 4 prismatic, up.
At q = 0 the arm lies along +y. Constraint rows in the paper's order: x, y, yaw, z.
"""

import numpy as np

# Parameters printed in the paper [kg, m, kg m^2]; gravity is ours, the paper gives none.
M1, M2, M3, M4 = 20.0, 15.0, 15.0, 0.5
L0, L1, L2 = 0.0, 0.2, 0.25
R1, R2 = 0.1, 0.125
IZ1, IZ2, IZ3, IZ4 = 0.27, 0.31, 0.02, 0.0001
GRAVITY = 9.81

# Lumped inertias of eq. (34) [kg m^2].
ALPHA = IZ1 + R1**2 * M1 + L1**2 * (M2 + M3 + M4)
BETA = IZ2 + IZ3 + IZ4 + L2**2 * (M3 + M4) + M2 * R2**2
GAMMA = L1 * L2 * (M3 + M4) + L1 * M2 * R2
DELTA = IZ3 + IZ4

# Helix of eq. (40): radius [m], rate [rad/s], centre y [m], climb [m/s].
RADIUS, RATE, CENTRE_Y, CLIMB = 0.05, 0.4 * np.pi, 0.35, 0.02

# Baumgarte gains of the paper, phi'' + 0.5 phi' + 200 phi = 0.
BAUMGARTE_ALPHA, BAUMGARTE_BETA = 0.5, 200.0

# Start. The printed (30, 55, 24) deg is far from the helix: either one sign is wrong (q2, elbow
# minus) or two (elbow plus). The exact consistent start is path_position(0.0, elbow).
START_PRINTED = np.append(np.radians([30.0, 55.0, 24.0]), 0.0)
START_ELBOW_MINUS = np.append(np.radians([30.0, -55.0, 24.0]), 0.0)
START_ELBOW_PLUS = np.append(np.radians([-30.0, 55.0, -24.0]), 0.0)
START_VELOCITY = np.array([-0.157, 0.0001, 0.157, 0.0195])


def mass_matrix(q: np.ndarray) -> np.ndarray:
    """Return M (4, 4) of eq. (34)."""
    c2 = np.cos(q[1])
    m11, m12 = ALPHA + BETA + 2.0 * GAMMA * c2, BETA + GAMMA * c2
    return np.array([
        [m11, m12, DELTA, 0.0],
        [m12, BETA, DELTA, 0.0],
        [DELTA, DELTA, DELTA, 0.0],
        [0.0, 0.0, 0.0, M4]])


def coriolis_matrix(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return C (4, 4) of eq. (35); M' - 2 C is skew."""
    C = np.zeros((4, 4))
    k = GAMMA * np.sin(q[1])
    C[0, 0], C[0, 1], C[1, 0] = -k * v[1], -k * (v[0] + v[1]), k * v[0]
    return C


def gravity_vector() -> np.ndarray:
    """Return G (4,) = (0, 0, 0, m4 g) of eq. (36) [N m, N]."""
    return np.array([0.0, 0.0, 0.0, M4 * GRAVITY])


def bias_force(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return h = C v + G (4,), so that M a + h = tau + Qc."""
    return coriolis_matrix(q, v) @ v + gravity_vector()


def tool_pose(q: np.ndarray) -> np.ndarray:
    """Return (x, y, z, yaw) of the tool; eq. (43) prints c124 where c123 must stand."""
    q1, q12 = q[0], q[0] + q[1]
    return np.array([
        -L1 * np.sin(q1) - L2 * np.sin(q12),
        L1 * np.cos(q1) + L2 * np.cos(q12),
        L0 + q[3],
        q[0] + q[1] + q[2]])


def helix(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, velocity, acceleration, each (x, y, yaw, z), of eq. (40) with yaw = 0."""
    s, c = np.sin(RATE * t), np.cos(RATE * t)
    position = np.array([RADIUS * s, CENTRE_Y + RADIUS * c, 0.0, CLIMB * t])
    velocity = np.array([RADIUS * RATE * c, -RADIUS * RATE * s, 0.0, CLIMB])
    acceleration = np.array([-RADIUS * RATE**2 * s, -RADIUS * RATE**2 * c, 0.0, 0.0])
    return position, velocity, acceleration


def constraint_position(q: np.ndarray, t: float) -> np.ndarray:
    """Return phi (4,) of eq. (48): rows x, y, yaw, z."""
    x, y, z, yaw = tool_pose(q)
    return np.array([x, y, yaw, z]) - helix(t)[0]


def constraint_jacobian(q: np.ndarray) -> np.ndarray:
    """Return A (4, 4) = d phi / d q; det A = +-l1 l2 sin q2."""
    q1, q12 = q[0], q[0] + q[1]
    return np.array([
        [-L1 * np.cos(q1) - L2 * np.cos(q12), -L2 * np.cos(q12), 0.0, 0.0],
        [-L1 * np.sin(q1) - L2 * np.sin(q12), -L2 * np.sin(q12), 0.0, 0.0],
        [1.0, 1.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0]])


def constraint_rate(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
    """Return phi' = A v - c (4,), c the velocity of the helix."""
    return constraint_jacobian(q) @ v - helix(t)[1]


def constraint_bias(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
    """Return b (4,) of eq. (49), A a = b."""
    q1, q12 = q[0], q[0] + q[1]
    w1, w12 = v[0]**2, (v[0] + v[1])**2
    drift = np.array([
        w1 * L1 * np.sin(q1) + w12 * L2 * np.sin(q12),
        -w1 * L1 * np.cos(q1) - w12 * L2 * np.cos(q12),
        0.0, 0.0])
    return helix(t)[2] - drift


def inverse_kinematics(x: float, y: float, z: float, yaw: float, elbow: int = -1) -> np.ndarray:
    """Return q (4,) that puts the tool at (x, y, z, yaw); elbow = sign of q2."""
    c2 = (x * x + y * y - L1 * L1 - L2 * L2) / (2.0 * L1 * L2)
    q2 = elbow * np.arccos(c2)
    q1 = np.arctan2(y, x) - np.arctan2(L1 + L2 * c2, -L2 * np.sin(q2))
    q1 = np.arctan2(np.sin(q1), np.cos(q1))
    return np.array([q1, q2, yaw - q1 - q2, z - L0])


def path_position(t: float, elbow: int = -1) -> np.ndarray:
    """Return q (4,) on the helix at time t."""
    x, y, yaw, z = helix(t)[0]
    return inverse_kinematics(x, y, z, yaw, elbow)


def rest_to_rest(t: float, duration: float = 20.0, ramp: float = 1.0) -> float:
    """Return the helix's own time at time t of the scenario, which starts and ends at rest."""
    cruise = duration / (duration - ramp)
    t = min(max(t, 0.0), duration)
    x = min(t, duration - t) / ramp
    if x >= 1.0:
        return cruise * (t - ramp / 2.0)
    risen = cruise * ramp * (x ** 3 - x ** 4 / 2.0)
    return risen if t < ramp else duration - risen


def path_velocity(t: float, elbow: int = -1) -> np.ndarray:
    """Return v = A^-1 c (4,) on the helix at time t."""
    return np.linalg.solve(constraint_jacobian(path_position(t, elbow)), helix(t)[1])


def path_acceleration(t: float, elbow: int = -1) -> np.ndarray:
    """Return a = A^-1 b (4,) on the helix at time t."""
    q, v = path_position(t, elbow), path_velocity(t, elbow)
    return np.linalg.solve(constraint_jacobian(q), constraint_bias(q, v, t))
