# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Runs of paper 002: a parallel manipulator whose point O runs along a line, driven by three motors.

The robot file counts joint angles from link to link; the paper, and every number here, from the x
axis (absolute): q_rel = T q_abs, so a generalized force in the paper's angles is T^T times that of
the joints.
"""
from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import non_ideal
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import Number
from robodyn_ros.trajectories.paths import SineLine
from robodyn_ros.types import Rollout

CHAIN = np.array([[1.0, 0.0], [-1.0, 1.0]])
RELATIVE = np.kron(np.eye(3), CHAIN)
ABSOLUTE = np.linalg.inv(RELATIVE)
ANGLES = ('qa1', 'qb1', 'qa2', 'qb2', 'qa3', 'qb3')
LINE = SineLine(0.21, 0.25, 0.37, 0.25, np.pi)
START = (1.1259398, -2.2518796, 3.1133220, -1.6282963, -1.4850257, -1.6282963)
DURATION = 4.0
DAMPING = 0.02


@non_ideal
def drag(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number, *,
         coefficient: float = 0.0) -> list[Number]:
    """C = -coefficient times the ABSOLUTE rates, as forces on the joints of the file (6,)."""
    force: list[Number] = []
    for k in range(0, 6, 2):
        far = -(v[k] + v[k + 1]) * coefficient
        force += [far - v[k] * coefficient, far]
    return force


def desired(t: np.ndarray) -> np.ndarray:
    """Wanted position of O (k, 2) [m]."""
    return np.column_stack([0.29 - 0.08 * np.cos(np.pi * t), np.full_like(t, 0.25)])


class OnLine(NamedTuple):
    """The motion along the line at 801 instants, in the paper's absolute angles."""

    t: np.ndarray
    tip: np.ndarray
    """O (k, 2) [m]"""
    q: np.ndarray
    """(k, 6) [rad], with v and a"""
    v: np.ndarray
    a: np.ndarray
    plain: np.ndarray
    """Generalized force of the plain equation, all six rows (k, 6) [N m]."""
    motors: np.ndarray
    """Torques of the motors, of smallest norm (k, 3) [N m]."""
    numbers: Mapping[str, float]
    """Checks along the motion, by name."""


def on_line(robot: Robot, path: Rollout, plain: np.ndarray) -> OnLine:
    """
    Inverse dynamics (N^T S^T) tau = N^T (M a + h) along a motion driven by constraint following.

    N: joint rates = N times the velocity of O; S picks the motors; A_s, A_t: closure, line.
    """
    tips = chain_tips(robot, path.q)
    basis = np.concatenate(np.linalg.inv(tips), axis=1)
    zero = np.zeros_like(tips[0])
    closure = np.block([[tips[0], -tips[1], zero], [tips[0], zero, -tips[2]]])
    rows = np.concatenate([closure, np.block([tips[0], zero, zero])], axis=1)
    load = robot.inverse_dynamics(path.q, path.v, path.a)
    reach = basis[:, ::2].transpose(0, 2, 1)
    motors = _times(np.linalg.pinv(reach), _times(basis.transpose(0, 2, 1), load))
    rest = load.copy()
    rest[:, ::2] -= motors
    pins = _times(np.linalg.pinv(closure.transpose(0, 2, 1)), rest)
    law = path.constraint_force - _times(closure.transpose(0, 2, 1), path.multipliers)
    # what the passive part of the plain force does to O: N^T M N lost = N^T (passive part)
    passive = plain * np.array([0.0, 1.0] * 3) @ ABSOLUTE
    moved = basis.transpose(0, 2, 1) @ robot.mass_matrix(path.q) @ basis
    lost = _times(np.linalg.inv(moved), _times(basis.transpose(0, 2, 1), passive))
    numbers = {
        'balance': np.abs(_times(closure.transpose(0, 2, 1), pins) - rest).max(),
        'formulas': np.abs(law[:, ::2] - motors).max(),
        'passive': np.abs(law[:, 1::2]).max(),
        'pin 12': np.linalg.norm(pins[:, :2], axis=1).max(),
        'pin 13': np.linalg.norm(pins[:, 2:], axis=1).max(),
        'condition': np.linalg.cond(rows @ RELATIVE).max(),
        'lost': np.abs(lost).max()}
    for name, chosen in (('123', [0, 1, 2]), ('12', [0, 1]), ('13', [0, 2]), ('23', [1, 2])):
        values = np.linalg.svd(reach[:, :, chosen], compute_uv=False)
        numbers[f'singular {name}'] = values[:, -1].min()
    tip = robot.frame('tool0', path.q).position[:, :2]
    return OnLine(path.t, tip, path.q @ ABSOLUTE.T, path.v @ ABSOLUTE.T, path.a @ ABSOLUTE.T,
                  plain, motors, numbers)


def chain_tips(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Jacobians of the three chains' ends, each by its own two joints (3, k, 2, 2)."""
    return np.array([robot.frame(f'tip_{k}', q).jacobian[:, :2, 2 * k - 2:2 * k]
                     for k in (1, 2, 3)])


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum('kij,kj->ki', matrices, vectors)
