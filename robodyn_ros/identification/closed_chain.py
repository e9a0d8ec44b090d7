# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Closed chains: what the motors feel of the whole mechanism.

The tree's torques hold what the loops exert, which nobody measures: Y theta = tau + A^T lambda. With
velocities v = Z u of the joints with motors u, A Z = 0, it drops out: Z^T Y theta = Z^T tau. Z is the
identity for motors and -A_p^-1 A_m for passive joints, smooth in q, so that it may be filtered.
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.errors import RobotFileError
from robodyn_ros.robots.closure import closure_errors
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import Graph, inputs, jacobian, Number


def motor_projection(robot: Robot, q: np.ndarray) -> np.ndarray:
    """
    Return Z (k, n, n) of states q (k, n); columns of passive joints are zero.

    A row of Z^T Y belongs to a motor; those of passive joints are zero.
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
    passive = [k for k in range(robot.n) if k not in motors]
    if len(passive) != len(errors):
        raise RobotFileError(
            f'{robot.path}: has {len(passive)} passive joints and {len(errors)} rows of loops; '
            'identification needs as many: name every joint without a motor <passive>')
    Z = np.zeros((len(q), robot.n, robot.n))
    Z[:, motors, motors] = 1.0
    if passive:
        Z[np.ix_(range(len(q)), passive, motors)] = -np.linalg.solve(
            A[:, :, passive], A[:, :, motors])
    return Z
