# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Closed chains: what the motors feel of the whole mechanism.

The tree's torques hold what the loops exert, which nobody measures: Y theta = tau + A^T lambda.
With velocities v = Z u of as many motors u as there are freedoms, A Z = 0, it drops out:
Z^T Y theta = Z^T tau. Z is the identity for these motors and -A_o^+ A_u for all other joints,
smooth in q, so that it may be filtered; more motors than freedoms are felt by those.
"""
from __future__ import annotations

from itertools import combinations

import numpy as np

from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.errors import RobotFileError
from robodyn_ros.robots.closure import closure_errors
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import Graph, inputs, jacobian, Number


def motor_projection(robot: Robot, q: np.ndarray) -> np.ndarray:
    """
    Return Z (k, n, n) of states q (k, n); columns of dependent joints are zero.

    A row of Z^T Y belongs to an independent motor; those of other joints are zero.
    """
    graph = Graph()
    angles = inputs(graph, 'q', robot.n)
    errors: list[Number] = []
    for loop in robot.loops:
        errors += closure_errors(robot.pose(loop.frame_a, angles),
                                 robot.pose(loop.frame_b, angles), loop.axes)
    rows = jacobian(errors, angles)
    program = Program(f'loops of {robot.name}', [Kernel(
        'evaluate', angles, [x for row in rows for x in row])], inputs(graph, 'p', 1))
    A = program.evaluate('evaluate', q, program.prepared([0.0])).reshape(
        len(q), len(errors), robot.n)
    motors = [k for k, joint in enumerate(robot.joints) if joint not in robot.passive]
    few = A[::max(1, len(q) // 20)]
    freedom = robot.n - int(np.linalg.matrix_rank(few, tol=1e-6).max())
    best = 0.0
    chosen: tuple[int, ...] = ()
    for tried in combinations(motors, freedom):
        others = [k for k in range(robot.n) if k not in tried]
        # the others must follow: the smallest singular value of their columns tells how surely
        values = np.linalg.svd(few[:, :, others], compute_uv=False)
        low = float(values[:, len(others) - 1].min()) if values.shape[1] >= len(others) else 0.0
        if low > best:
            best, chosen = low, tried
    if best < 1e-6:
        raise RobotFileError(
            f'{robot.path}: its motors do not determine its passive joints '
            f'({", ".join(robot.passive)}) by its loops; name only joints without a motor '
            '<passive>')
    others = [k for k in range(robot.n) if k not in chosen]
    Z = np.zeros((len(q), robot.n, robot.n))
    Z[:, chosen, chosen] = 1.0
    Z[np.ix_(range(len(q)), others, chosen)] = -(
        np.linalg.pinv(A[:, :, others]) @ A[:, :, list(chosen)])
    return Z
