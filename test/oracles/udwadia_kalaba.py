# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The Udwadia-Kalaba equation, from its definition and by the KKT system.

Unconstrained motion ``M a0 = Q``, constraints ``A a = b``; with ``B = A M^-1/2``:

    Qc = M^1/2 B^+ (b - A a0)                paper 000, eq. (7)
    a  = a0 + M^-1/2 B^+ (b - A a0)          paper 000, eq. (9)

Eq. (8) of paper 000 prints M^-1/2 in front of B^+ where M^+1/2 must stand; (7) and (9) are right.
"""

from typing import Callable, NamedTuple

import numpy as np

RANK_TOLERANCE = 1e-12  # singular values below this fraction of the largest count as zero


class ConstrainedMotion(NamedTuple):
    """Acceleration (n,) and generalized constraint force (n,) of a constrained system."""

    acceleration: np.ndarray
    constraint_force: np.ndarray


class KktSolution(NamedTuple):
    """Acceleration (n,), multipliers (m,) and constraint force A^T lambda (n,)."""

    acceleration: np.ndarray
    multipliers: np.ndarray
    constraint_force: np.ndarray


def mass_roots(M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the symmetric roots M^1/2 and M^-1/2, both (n, n), of a positive definite M."""
    eigenvalues, vectors = np.linalg.eigh(M)
    root = np.sqrt(eigenvalues)
    return (vectors * root) @ vectors.T, (vectors / root) @ vectors.T


def constrained_motion(
        M: np.ndarray, Q: np.ndarray, A: np.ndarray, b: np.ndarray) -> ConstrainedMotion:
    """
    Solve for ideal constraints with the pseudo-inverse form, valid for any rank of A.

    M (n, n), Q (n,), A (m, n), b (m,). Of all forces that enforce consistent rows, Qc is the one
    of smallest M^-1 norm.
    """
    root, inverse_root = mass_roots(M)
    a0 = np.linalg.solve(M, Q)
    push = np.linalg.pinv(A @ inverse_root, rcond=RANK_TOLERANCE) @ (b - A @ a0)
    return ConstrainedMotion(a0 + inverse_root @ push, root @ push)


def kkt_solution(M: np.ndarray, Q: np.ndarray, A: np.ndarray, b: np.ndarray) -> KktSolution:
    """Solve [[M, -A^T], [A, 0]] [a; lambda] = [Q; b] (paper 000, eq. (10)); A of full row rank."""
    n, m = M.shape[0], A.shape[0]
    matrix = np.block([[M, -A.T], [A, np.zeros((m, m))]])
    solution = np.linalg.solve(matrix, np.concatenate([Q, b]))
    return KktSolution(solution[:n], solution[n:], A.T @ solution[n:])


def nonideal_force(M: np.ndarray, A: np.ndarray, C_ni: np.ndarray) -> np.ndarray:
    """
    Return M^1/2 (I - B^+ B) M^-1/2 C_ni (n,), the force of a constraint that does work.

    C_ni (n,) is prescribed, w^T Qc = w^T C_ni for every w with A w = 0. Zero when A is square and
    regular. Force it adds to the right-hand side: M a = Q + Qc + this.
    """
    root, inverse_root = mass_roots(M)
    B = A @ inverse_root
    free = np.eye(M.shape[0]) - np.linalg.pinv(B, rcond=RANK_TOLERANCE) @ B
    return root @ free @ inverse_root @ C_ni


def baumgarte(
        b: np.ndarray, phi: np.ndarray, phi_rate: np.ndarray,
        alpha: float, beta: float) -> np.ndarray:
    """
    Return b - alpha phi' - beta phi (m,).

    Then phi'' + alpha phi' + beta phi = 0 (paper 000, eq. (52)); alpha [1/s] and
    beta [1/s^2] as in the paper, not the common 2 alpha and beta^2.
    """
    return b - alpha * phi_rate - beta * phi


def velocity_correction(
        M: np.ndarray, A: np.ndarray, c: np.ndarray, v: np.ndarray) -> np.ndarray:
    """
    Return M^-1/2 B^+ (c - A v) (n,), to be added to v in q' (paper 001, eq. (27), reconstructed).

    The printed equation is lost; this form agrees with all that the paper's text says about it.
    """
    _, inverse_root = mass_roots(M)
    return inverse_root @ np.linalg.pinv(A @ inverse_root, rcond=RANK_TOLERANCE) @ (c - A @ v)


def project_velocity(M: np.ndarray, A: np.ndarray, c: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return v - M^-1 A^T (A M^-1 A^T)^-1 (A v - c) (n,): the nearest velocity with A v = c."""
    M_inv_At = np.linalg.solve(M, A.T)
    return v - M_inv_At @ np.linalg.solve(A @ M_inv_At, A @ v - c)


def project_position(
        q: np.ndarray,
        phi: Callable[[np.ndarray], np.ndarray],
        jacobian: Callable[[np.ndarray], np.ndarray],
        iterations: int = 3) -> np.ndarray:
    """Return q (n,) after Newton steps q <- q - A^+ phi towards phi(q) = 0."""
    for _ in range(iterations):
        q = q - np.linalg.pinv(jacobian(q), rcond=RANK_TOLERANCE) @ phi(q)
    return q
