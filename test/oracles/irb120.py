# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
ABB IRB 120: closed forms of paper 003.

Truc, L. N. and Lam, N. T. (2020), 'Quasi-physical modeling of robot IRB 120 using Simscape
Multibody for dynamic and control simulation'. Standard DH. Functions that accept complex q do so
for complex-step derivatives, which are exact to rounding.
"""

import numpy as np

GRAVITY = 9.807  # [m/s^2], along -z of the base (paper)

# DH table, Fig. 1 [m, rad].
DH_OFFSET = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0])
DH_D = np.array([0.290, 0.0, 0.0, 0.302, 0.0, 0.072])
DH_A = np.array([0.0, 0.27, 0.07, 0.0, 0.0, 0.0])
# Twist alpha = -90, 0, -90, +90, -90, 0 deg as exact (cos, sin).
DH_TWIST = ((0.0, -1.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (0.0, -1.0), (1.0, 0.0))

# Eq. (18): masses [kg], centres of mass in DH frame i [m], inertias about them [kg m^2].
MASS = np.array([4.248, 5.412, 4.077, 1.832, 0.755, 0.019])
COM = np.array([
    [0.0, 0.054, 0.0], [-0.169, 0.0, 0.0], [-0.012, 0.0, 0.023],
    [0.0, -0.007, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -0.007]])
INERTIA = np.array([
    np.diag([19.699e-3, 14.484e-3, 19.952e-3]),
    np.diag([35.942e-3, 83.522e-3, 57.569e-3]),
    [[17.562e-3, 0.0, -1.993e-3], [0.0, 23.140e-3, 0.0], [-1.993e-3, 0.0, 11.589e-3]],
    np.diag([7.247e-3, 3.919e-3, 5.551e-3]),
    np.diag([1.120e-3, 1.227e-3, 0.559e-3]),
    np.diag([2.347e-6, 2.347e-6, 4.123e-6])])

# Reference of eq. (24) [rad, rad/s] and outer-loop frequencies [rad/s]; KP = wn^2, KD = 2 wn.
AMPLITUDE = np.array([2.0, 1.5, 1.0, 2.5, 2.0, 3.0])
RATE = 2.0 * np.pi
NATURAL_FREQUENCY = np.array([15.0, 15.0, 15.0, 25.0, 25.0, 30.0])

# Friction: the paper's numbers (Fig. 5c) are lost, these are ours [N m, N m, rad/s, N m s/rad].
COULOMB = np.array([0.70, 1.80, 0.35, 0.014, 0.0032, 1.6e-5])
BREAKAWAY = 1.25 * COULOMB
BREAKAWAY_VELOCITY = np.full(6, 0.1)
VISCOUS = np.array([0.05, 0.20, 0.05, 1.0e-3, 2.5e-4, 8e-7])

COMPLEX_STEP = 1e-30


def link_transforms(q: np.ndarray) -> list[np.ndarray]:
    """Return the six DH frames (4, 4) in the base: Rz(theta) Tz(d) Tx(a) Rx(alpha), eq. (5)."""
    frames, T = [], np.eye(4, dtype=np.asarray(q).dtype)
    for i in range(6):
        c, s = np.cos(q[i] + DH_OFFSET[i]), np.sin(q[i] + DH_OFFSET[i])
        ca, sa = DH_TWIST[i]
        T = T @ np.array([
            [c, -s * ca, s * sa, DH_A[i] * c],
            [s, c * ca, -c * sa, DH_A[i] * s],
            [0.0, sa, ca, DH_D[i]],
            [0.0, 0.0, 0.0, 1.0]])
        frames.append(T)
    return frames


def tool_transform(q: np.ndarray) -> np.ndarray:
    """Return T (4, 4), DH frame 6 in the base frame, eq. (6)."""
    return link_transforms(q)[-1]


def com_jacobians(q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """
    Return (JT, JR) of the six links, each (3, 6): COM velocity in base axes, spin in link axes.

    Eq. (4) prints JT = dp / d(q') where dp / dq must stand.
    """
    frames = link_transforms(q)
    axes = [np.array([0.0, 0.0, 1.0])] + [T[:3, 2] for T in frames[:-1]]
    origins = [np.zeros(3)] + [T[:3, 3] for T in frames[:-1]]
    jacobians = []
    for i, T in enumerate(frames):
        p = T[:3, 3] + T[:3, :3] @ COM[i]
        JT, JR = np.zeros((3, 6), dtype=T.dtype), np.zeros((3, 6), dtype=T.dtype)
        for j in range(i + 1):
            JT[:, j] = np.cross(axes[j], p - origins[j])
            JR[:, j] = T[:3, :3].T @ axes[j]
        jacobians.append((JT, JR))
    return jacobians


def mass_matrix(q: np.ndarray) -> np.ndarray:
    """Return M (6, 6) = sum_i m_i JT^T JT + JR^T I JR, eq. (2) and (14)."""
    return sum(
        MASS[i] * JT.T @ JT + JR.T @ INERTIA[i] @ JR
        for i, (JT, JR) in enumerate(com_jacobians(q)))


def mass_matrix_gradient(q: np.ndarray) -> np.ndarray:
    """Return dM (6, 6, 6), dM[k] = d M / d q_k, by complex steps."""
    steps = np.asarray(q, dtype=complex) + 1j * COMPLEX_STEP * np.eye(6)
    return np.array([mass_matrix(step).imag / COMPLEX_STEP for step in steps])


def coriolis_matrix(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """
    Return C (6, 6) by Christoffel symbols; M' - 2 C is skew.

    C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k. Eqs. (3) and (15) say the same
    with Kronecker products, but print dM / d(q') where dM / dq must stand.
    """
    dM = mass_matrix_gradient(q)
    along = np.einsum('kij,k->ij', dM, v)
    across = np.einsum('jik,k->ij', dM, v)
    return 0.5 * (along + across - across.T)


def gravity_vector(q: np.ndarray) -> np.ndarray:
    """Return g (6,) = (dP/dq)^T = -sum_i m_i JT_i^T g0, eq. (3) [N m]."""
    g0 = np.array([0.0, 0.0, -GRAVITY])
    return -sum(MASS[i] * JT.T @ g0 for i, (JT, _) in enumerate(com_jacobians(q)))


def gravity_closed_form(q: np.ndarray) -> np.ndarray:
    """Return g (6,) as the paper prints it, eqs. (16) and (17)."""
    m2, m3, m4, m5, m6 = MASS[1:]
    (xc2, yc2, _), (xc3, _, zc3), (xc4, yc4, zc4), (xc5, yc5, zc5), (xc6, yc6, zc6) = COM[1:]
    a2, a3, d4, d6, g = DH_A[1], DH_A[2], DH_D[3], DH_D[5], GRAVITY
    s2, s4, s5, s6 = np.sin(q[[1, 3, 4, 5]])
    c2, c4, c5, c6 = np.cos(q[[1, 3, 4, 5]])
    s23, c23 = np.sin(q[1] + q[2]), np.cos(q[1] + q[2])
    across = xc6 * c6 * m6 - yc6 * s6 * m6 + m5 * xc5
    along = (d6 + zc6) * m6 + zc5 * m5
    side = m4 * zc4 - yc6 * m6 * c6 - xc6 * s6 * m6 - m5 * yc5
    g3 = (
        -((across * c5 - along * s5) * c4 + xc4 * m4 * c4 + side * s4
          + a3 * (m4 + m5 + m6) + m3 * (a3 + xc3)) * g * s23
        - (along * c5 + s5 * across + d4 * (m5 + m6) + (d4 + yc4) * m4 + zc3 * m3) * g * c23)
    g2 = g3 - (a2 * (m2 + m3 + m4 + m5 + m6) + xc2 * m2) * g * s2 - c2 * m2 * g * yc2
    g4 = (-(across * c5 - along * s5 + xc4 * m4) * g * c23 * s4
          - (c6 * m6 * yc6 + m6 * s6 * xc6 - m4 * zc4 + m5 * yc5) * g * c23 * c4)
    g5 = (-(along * c5 + s5 * across) * g * c23 * c4
          - (across * c5 - along * s5) * g * s23)
    g6 = (-((c4 * c5 * yc6 + s4 * xc6) * c6 + s6 * (c4 * c5 * xc6 - s4 * yc6)) * m6 * g * c23
          + (c6 * yc6 + s6 * xc6) * m6 * g * s23 * s5)
    return np.array([0.0, g2, g3, g4, g5, g6])


def bias_force(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return h = C v + g (6,), without friction."""
    return coriolis_matrix(q, v) @ v + gravity_vector(q)


def inverse_dynamics(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return tau = M a + C v + g (6,) of eq. (1), without friction [N m]."""
    return mass_matrix(q) @ a + bias_force(q, v)


def friction_torque(
        v: np.ndarray,
        coulomb: np.ndarray = COULOMB,
        breakaway: np.ndarray = BREAKAWAY,
        breakaway_velocity: np.ndarray = BREAKAWAY_VELOCITY,
        viscous: np.ndarray = VISCOUS) -> np.ndarray:
    """
    Return Stribeck + Coulomb + viscous friction (6,) of eq. (21): M a + h = tau - this.

    Eq. (21) prints the factor sqrt(2) e; it must be sqrt(2 e), else the Stribeck peak at the
    breakaway velocity is not breakaway - coulomb.
    """
    stribeck = v / (np.sqrt(2.0) * breakaway_velocity)
    return (np.sqrt(2.0 * np.e) * (breakaway - coulomb) * np.exp(-stribeck**2) * stribeck
            + coulomb * np.tanh(10.0 * v / breakaway_velocity)
            + viscous * v)


def reference(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, v, a (6,) of the desired motion A sin(2 pi t), eq. (24)."""
    s, c = np.sin(RATE * t), np.cos(RATE * t)
    return AMPLITUDE * s, AMPLITUDE * RATE * c, -AMPLITUDE * RATE**2 * s


def computed_torque_error(t: float) -> np.ndarray:
    """
    Return e(t) (6,) = 2 pi A t exp(-wn t): the frictionless error under computed torque.

    From q = v = 0: e(0) = 0, e'(0) = 2 pi A in e'' + 2 wn e' + wn^2 e = 0, eq. (23).
    """
    return RATE * AMPLITUDE * t * np.exp(-NATURAL_FREQUENCY * t)
