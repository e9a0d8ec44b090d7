# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Planar parallel manipulator of three RR chains pinned at O: closed forms for paper 002.

The paper's equations and table are lost: the standard forms stand here, with the geometry of the
GPM2002 manipulator (remembered, unchecked) and our inertias. q = (qa1, qb1, qa2, qb2, qa3, qb3)
are ABSOLUTE link angles from +x, as in the paper; the 'absolute' and 'relative' functions convert
to and from the joint angles of the URDF.
"""

import numpy as np

# Bases [m], link length [m] (GPM2002), masses [kg] and slender-rod inertias [kg m^2] (our choice).
BASES = np.array([[0.0, 0.25], [0.433, 0.0], [0.433, 0.5]])
L = 0.244
MA, MB = 1.2, 0.8
JA, JB = MA * L**2 / 12.0, MB * L**2 / 12.0
ALPHA = MA * (L / 2.0)**2 + JA + MB * L**2
BETA = JB + MB * (L / 2.0)**2
GAMMA = MB * L * (L / 2.0)

# Line of the end-point: x = 0.29 - 0.08 cos(pi t), y = 0.25 (our choice).
LINE_Y, CENTRE_X, AMPLITUDE, RATE = 0.25, 0.29, 0.08, np.pi

# q_absolute = TO_ABSOLUTE q_relative: the passive angle is added to the active one.
TO_ABSOLUTE = np.kron(np.eye(3), np.array([[1.0, 0.0], [1.0, 1.0]]))
TO_RELATIVE = np.kron(np.eye(3), np.array([[1.0, 0.0], [-1.0, 1.0]]))

# Picks the motor coordinates qa1, qa2, qa3 out of q.
MOTORS = np.zeros((3, 6))
MOTORS[[0, 1, 2], [0, 2, 4]] = 1.0


def absolute_angles(q_relative: np.ndarray) -> np.ndarray:
    """Return absolute angles (or velocities, accelerations) (6,) of URDF joint values (6,)."""
    return TO_ABSOLUTE @ q_relative


def relative_angles(q_absolute: np.ndarray) -> np.ndarray:
    """Return URDF joint angles (or velocities, accelerations) (6,) of absolute ones (6,)."""
    return TO_RELATIVE @ q_absolute


def relative_force(force_absolute: np.ndarray) -> np.ndarray:
    """
    Return the generalized force (6,) on the URDF joints, same power.

    Active joint: sum of both; passive joint: the force on the absolute qb.
    """
    return TO_ABSOLUTE.T @ force_absolute


def absolute_force(force_relative: np.ndarray) -> np.ndarray:
    """Return the force (6,) on the absolute angles: qa gets tau_A - tau_B, qb gets tau_B."""
    return TO_RELATIVE.T @ force_relative


def relative_mass_matrix(M_absolute: np.ndarray) -> np.ndarray:
    """Return the mass matrix (6, 6) in URDF joint angles, same kinetic energy."""
    return TO_ABSOLUTE.T @ M_absolute @ TO_ABSOLUTE


def mass_matrix(q: np.ndarray) -> np.ndarray:
    """Return M (6, 6), block diagonal, in absolute angles."""
    M = np.zeros((6, 6))
    for i in (0, 2, 4):
        coupling = GAMMA * np.cos(q[i] - q[i + 1])
        M[i:i + 2, i:i + 2] = [[ALPHA, coupling], [coupling, BETA]]
    return M


def coriolis_matrix(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return C (6, 6), block diagonal, in absolute angles; M' - 2 C is skew."""
    C = np.zeros((6, 6))
    for i in (0, 2, 4):
        k = GAMMA * np.sin(q[i] - q[i + 1])
        C[i, i + 1], C[i + 1, i] = k * v[i + 1], -k * v[i]
    return C


def bias_force(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return h = C v (6,); the plane is horizontal, so gravity does no work."""
    return coriolis_matrix(q, v) @ v


def tip_positions(q: np.ndarray) -> np.ndarray:
    """Return the ends (3, 2) of the chains [m]."""
    qa, qb = q[0::2], q[1::2]
    return BASES + L * np.column_stack([np.cos(qa) + np.cos(qb), np.sin(qa) + np.sin(qb)])


def tip_jacobian(q: np.ndarray, chain: int) -> np.ndarray:
    """Return J (2, 2) of chain 0, 1 or 2 with respect to its own (qa, qb)."""
    qa, qb = q[2 * chain], q[2 * chain + 1]
    return L * np.array([[-np.sin(qa), -np.sin(qb)], [np.cos(qa), np.cos(qb)]])


def tip_drift(q: np.ndarray, v: np.ndarray, chain: int) -> np.ndarray:
    """Return J' v (2,) of chain 0, 1 or 2."""
    i = 2 * chain
    return -L * np.array([
        np.cos(q[i]) * v[i]**2 + np.cos(q[i + 1]) * v[i + 1]**2,
        np.sin(q[i]) * v[i]**2 + np.sin(q[i + 1]) * v[i + 1]**2])


def closure_position(q: np.ndarray) -> np.ndarray:
    """Return phi_s (4,) = (tip1 - tip2, tip1 - tip3)."""
    tips = tip_positions(q)
    return np.concatenate([tips[0] - tips[1], tips[0] - tips[2]])


def closure_jacobian(q: np.ndarray) -> np.ndarray:
    """Return A_s (4, 6)."""
    J1, J2, J3 = (tip_jacobian(q, i) for i in range(3))
    zero = np.zeros((2, 2))
    return np.block([[J1, -J2, zero], [J1, zero, -J3]])


def closure_bias(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return b_s (4,), A_s a = b_s."""
    d1, d2, d3 = (tip_drift(q, v, i) for i in range(3))
    return np.concatenate([d2 - d1, d3 - d1])


def line(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, velocity, acceleration (x, y) of O on its line."""
    s, c = np.sin(RATE * t), np.cos(RATE * t)
    position = np.array([CENTRE_X - AMPLITUDE * c, LINE_Y])
    velocity = np.array([AMPLITUDE * RATE * s, 0.0])
    acceleration = np.array([AMPLITUDE * RATE**2 * c, 0.0])
    return position, velocity, acceleration


def servo_position(q: np.ndarray, t: float) -> np.ndarray:
    """Return phi_t (2,) = tip1 - line."""
    return tip_positions(q)[0] - line(t)[0]


def servo_jacobian(q: np.ndarray) -> np.ndarray:
    """Return A_t (2, 6)."""
    return np.hstack([tip_jacobian(q, 0), np.zeros((2, 4))])


def servo_bias(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
    """Return b_t (2,), A_t a = b_t."""
    return line(t)[2] - tip_drift(q, v, 0)


def inverse_kinematics(point: np.ndarray) -> np.ndarray:
    """Return q (6,) with O at point (2,), all elbows alike: qa = psi + k, qb = psi - k."""
    d = point - BASES
    psi = np.arctan2(d[:, 1], d[:, 0])
    k = np.arccos(np.hypot(d[:, 0], d[:, 1]) / (2.0 * L))
    return np.column_stack([psi + k, psi - k]).ravel()


def motion_basis(q: np.ndarray) -> np.ndarray:
    """Return N (6, 2), v = N p' for the velocity p' of O; A_s N = 0."""
    return np.vstack([np.linalg.inv(tip_jacobian(q, i)) for i in range(3)])


def path_position(t: float) -> np.ndarray:
    """Return q (6,) on the line at time t."""
    return inverse_kinematics(line(t)[0])


def path_velocity(t: float) -> np.ndarray:
    """Return v = N p' (6,) on the line at time t."""
    return motion_basis(path_position(t)) @ line(t)[1]


def path_acceleration(t: float) -> np.ndarray:
    """Return a (6,) on the line at time t: J_i a_i = p'' - J_i' v_i for each chain."""
    q, v = path_position(t), path_velocity(t)
    pdd = line(t)[2]
    return np.concatenate([
        np.linalg.solve(tip_jacobian(q, i), pdd - tip_drift(q, v, i)) for i in range(3)])


def plain_constraint_force(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
    """
    Return Qc = M A^-1 b + C v (6,) of all six rows, closure and line.

    What the paper describes. It loads the passive joints too: the equation does not know which
    coordinates carry motors.
    """
    A = np.vstack([closure_jacobian(q), servo_jacobian(q)])
    b = np.concatenate([closure_bias(q, v), servo_bias(q, v, t)])
    return mass_matrix(q) @ np.linalg.solve(A, b) + bias_force(q, v)


def motor_torques(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """
    Return the three motor torques (3,) of smallest norm for a closed motion, passive joints free.

    (N^T S^T) tau = N^T (M a + C v): two equations, three motors.
    """
    N = motion_basis(q)
    needed = N.T @ (mass_matrix(q) @ a + bias_force(q, v))
    return np.linalg.pinv(N.T @ MOTORS.T) @ needed


def pin_forces(q: np.ndarray, v: np.ndarray, a: np.ndarray, torques: np.ndarray) -> np.ndarray:
    """Return the multipliers (4,) [N] of the closure rows: A_s^T lambda = M a + C v - S^T tau."""
    force = mass_matrix(q) @ a + bias_force(q, v) - MOTORS.T @ torques
    return np.linalg.lstsq(closure_jacobian(q).T, force, rcond=None)[0]
