# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Dynamics and kinematics of a robot as C: M and h, inverse and forward dynamics, frames."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from robodyn_ros.codegen.c_text import Array, identifier
from robodyn_ros.export.part import add_check, add_function, ANY, Example, Function, OWN, Part
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.robots.robot import Robot

FUNCTIONS = ('mass_and_bias', 'inverse_dynamics', 'forward_dynamics')
EXAMPLES = 12
"""States in the check program, for each of the two codes."""
POSITION = 'joint positions [rad] or [m]'
VELOCITY = 'joint velocities [rad/s] or [m/s]'
ACCELERATION = 'joint accelerations [rad/s^2] or [m/s^2]'
EFFORT = 'joint efforts [N m] or [N]'


def changed_parameters(parameters: Parameters) -> Parameters:
    """Return other values, for the check program: a heavier payload, less friction."""
    x, y, z = parameters.payload_centre
    return parameters._replace(
        payload_mass=parameters.payload_mass + 0.75, payload_centre=(x + 0.01, y - 0.02, z + 0.05),
        friction_scale=parameters.friction_scale * 0.5)


def random_states(robot: Robot, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions within the limits, velocities, and efforts or accelerations (count, n)."""
    rng = np.random.default_rng(20260719)
    lower, upper = (np.where(np.isfinite(limit), limit, side * np.pi) for limit, side in (
        (robot.limits.lower, -1.0), (robot.limits.upper, 1.0)))
    shape = (count, robot.n)
    return rng.uniform(lower, upper, shape), rng.uniform(-1, 1, shape), rng.uniform(-5, 5, shape)


def dynamics_part(robot: Robot, prefix: str, parameters: Parameters,
                  functions: Sequence[str] = FUNCTIONS) -> Part:
    """
    Return M and h, inverse and forward dynamics of the tree, or some of them.

    :param parameters: defaults of payload, gravity and friction
    """
    n = robot.n
    part = Part(dict(parameters.named()))  # type: ignore[arg-type]
    q, v = Array('q', n, POSITION), Array('v', n, VELOCITY)
    loops = ' Loops of the robot are open here: it is the tree.' if robot.loops else ''
    for name, comment, inputs, outputs, guarded in (
            ('mass_and_bias', f'M(q) and h(q, v) of M a + h = tau.{loops}', [q, v],
             [Array('M', n * n, 'mass matrix (n n), row by row [kg m^2], [kg m] or [kg]'),
              Array('h', n, 'Coriolis, gravity and friction [N m] or [N]')], False),
            ('inverse_dynamics', f'tau = M(q) a + h(q, v).{loops}',
             [q, v, Array('a', n, ACCELERATION)], [Array('tau', n, EFFORT)], False),
            ('forward_dynamics', f'a = M(q)^-1 (tau - h(q, v)).{loops}\n'
             'Returns 0, or SINGULAR where M is not positive definite: a must not be used.',
             [q, v, Array('tau', n, EFFORT)],
             [Array('a', n, ACCELERATION), Array('margin', 1)], True)):
        if name not in functions:
            continue
        codes = {OWN: robot.compiled.program(name), ANY: robot.compiled.program(name, True)}
        made = Function(name, comment, inputs, outputs, codes, 'evaluate', NAMES, guarded)
        add_function(part, prefix, made)
        examples = []
        for changed in (False, True):
            values = changed_parameters(parameters) if changed else parameters
            q_, v_, u_ = random_states(robot, EXAMPLES)
            y = robot.compiled(name, values, q_, v_, u_)
            x = np.concatenate([q_, v_, u_][:len(inputs)], axis=1)
            examples += [Example(changed, *pair)
                         for pair in zip(x, y[:, :-1] if guarded else y)]
        add_check(part, prefix, made, examples)
    return part


def kinematics_part(robot: Robot, prefix: str, frames: Sequence[str]) -> Part:
    """Return pose, velocity, drift and Jacobian of frames."""
    n, part = robot.n, Part()
    for frame in frames:
        robot.find_frame(frame)
        name = f'frame {frame}'
        made = Function(
            identifier(f'frame_{frame}'),
            f'Frame {frame} in the base frame: v_frame = J v, a_frame = J a + drift.',
            [Array('q', n, POSITION), Array('v', n, VELOCITY)],
            [Array('R', 9, 'rotation (3 3), row by row [-]'),
             Array('p', 3, 'position [m]'),
             Array('velocity', 6, 'linear [m/s], angular [rad/s]'),
             Array('drift', 6, 'J_dot v: linear [m/s^2], angular [rad/s^2]'),
             Array('J', 6 * n, 'Jacobian (6 n), row by row; linear rows first')],
            {ANY: robot.compiled.program(name)}, 'evaluate', ())
        add_function(part, prefix, made)
        q, v, u = random_states(robot, EXAMPLES)
        y = robot.compiled(name, robot.parameters, q, v, u)
        add_check(part, prefix, made, [
            Example(False, *pair) for pair in zip(np.concatenate([q, v], axis=1), y)])
    return part
