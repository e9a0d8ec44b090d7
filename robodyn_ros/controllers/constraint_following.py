# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Constraint following: the Udwadia-Kalaba force itself as control.

The task rows are the plant's kind of constraints, with gains that pull errors to zero:
A a = b - kd (rate) - kp phi. With a motor at every joint and no loops the torque is the UK force
of the rows, smallest in the M^-1 norm (Gauss's principle decides what the rows leave open). With
loops or passive joints only motors may act (paper 002): the rows of the loops are physics,
realised by the pins, and the motors' torques u are the smallest with

    A_t (a_0 + P M^-1 S^T u) = b_t,   u nearest to the pre-tension,

where a_0 is the acceleration without motors and P M^-1 S^T u what the loops let pass of theirs.

With adaptation, a robust term of a size that is learnt is added to the rows (adaptive robust
constraint following, after Chen and Zhang 2010; the leakage lets the size fall where it is not
needed, so it stays bounded):

    s = rate + kp/kd phi,   wanted = b - kd rate - kp phi - size s / max(|s|, epsilon)
    size' = size + period (adaptation |s| - leakage size)
"""
from __future__ import annotations

from typing import Mapping, NamedTuple, Sequence

from robodyn_ros.checks import number
from robodyn_ros.constraints.constraint import checked_constraints, Constraint
from robodyn_ros.constraints.ready_made import follow_joints, loops_of
from robodyn_ros.constraints.rows import trace_rows
from robodyn_ros.controllers.integral import checked_period
from robodyn_ros.controllers.model import (joint_values, model_of, model_parameters, per_joint,
                                           saturated)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.mechanics import equations, udwadia_kalaba
from robodyn_ros.mechanics.factorisation import solve_symmetric
from robodyn_ros.robots.parameters import Given
from robodyn_ros.robots.robot import checked_robot, Robot
from robodyn_ros.tracing import maximum, Number, sqrt
from robodyn_ros.types import Control


class FrameTask(NamedTuple):
    """The task to lead a frame as the trajectory in force does, in some axes."""

    frame: str
    axes: tuple[str, ...]
    """Some of x y z roll pitch yaw, at most one per motor."""


def constraint_following(robot: Robot, task: Sequence[Constraint] | FrameTask, *,
                         kp: float = 100.0, kd: float = 20.0, model: Given = None,
                         saturate: bool = True, pretension: object = 0.0,
                         adaptation: float = 0.0, leakage: float = 1.0, epsilon: float = 0.01,
                         period: float | None = None) -> Control:
    """
    Control that makes the robot follow constraints.

    :param task: a FrameTask, whose frame goes where the desired joint positions would have it; or
        constraints of your own, functions of time, which follow no trajectory
    :param kp: gain on phi [1/s^2]; :param kd: gain on its rate [1/s]
    :param pretension: torque that motors keep where the task leaves a choice (n,) [N m]
    :param adaptation: rate at which the robust term learns its size, 0 for none; the law then
        needs to know the period between control instants [s]
    :param leakage: rate at which the size falls [1/s]; :param epsilon: boundary layer of s
    """
    checked_robot(robot)
    frame_task = task if isinstance(task, FrameTask) else None
    own_task = checked_constraints('task', task) if frame_task is None else []
    parameters = {name: number(f'{name} of constraint_following', value, 'a finite number that is '
                               'not negative', 0.0) for name, value in (('kp', kp), ('kd', kd))}
    parameters.update(model_parameters(robot, model))
    parameters.update(per_joint(robot, 'pretension', pretension, signed=True))
    for item in own_task:
        parameters.update({f'{item.name}.{key}': x for key, x in item.parameters.items()})
    motors = [k for k, joint in enumerate(robot.joints) if joint not in robot.passive]
    seconds = 0.0
    if adaptation:
        seconds = checked_period(period, 'constraint_following')
        parameters.update({
            name: number(f'{name} of constraint_following', value, 'a positive number', least)
            for name, value, least in (('adaptation', adaptation, 0.0), ('leakage', leakage, 0.0),
                                       ('epsilon', epsilon, 1e-12))})

    def law(t: Number, q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
            values: Mapping[str, Number]) -> list[Number]:
        return torques(t, q, v, reference, values, 0.0)[0]

    def adaptive_law(t: Number, q: Sequence[Number], v: Sequence[Number],
                     reference: Sequence[Number], values: Mapping[str, Number],
                     memory: Sequence[Number]) -> tuple[list[Number], list[Number]]:
        tau, length = torques(t, q, v, reference, values, memory[0])
        grown = length * values['adaptation'] - memory[0] * values['leakage']
        return tau, [memory[0] + grown * seconds]

    def torques(t: Number, q: Sequence[Number], v: Sequence[Number], reference: Sequence[Number],
                values: Mapping[str, Number], size: Number) -> tuple[list[Number], Number]:
        own = {item.name: {key: values[f'{item.name}.{key}'] for key in item.parameters}
               for item in own_task}
        wanted_q, wanted_v, wanted_a = (reference[k * robot.n:(k + 1) * robot.n]
                                        for k in range(3))
        followed = own_task if frame_task is None else [
            follow_joints(frame_task.frame, frame_task.axes, wanted_q, 'path')]
        moving = {**dict(zip(wanted_q, wanted_v)), **dict(zip(wanted_v, wanted_a))}
        rows = trace_rows(robot, followed, q, v, t, own, moving)  # type: ignore[arg-type]
        if len(rows.names) > len(motors):
            raise ArgumentError(f'the task has {len(rows.names)} rows ({", ".join(rows.names)}) '
                                f'for {len(motors)} motors of {robot.name}; give at most one per '
                                'motor')
        wanted = [b - rate * values['kd'] - phi * values['kp']
                  for b, rate, phi in zip(rows.b, rows.rate, rows.phi)]
        length: Number = 0.0
        if adaptation:
            s = [rate + phi * (values['kp'] / maximum(values['kd'], 1e-9))
                 for rate, phi in zip(rows.rate, rows.phi)]
            length = sqrt(_dot(s, s))
            share = size / maximum(length, values['epsilon'])
            wanted = [x - y * share for x, y in zip(wanted, s)]
        mass, bias = equations.mass_and_bias(robot.tree, model_of(values), q, v)
        applied = [-x for x in bias]
        if len(motors) == robot.n and not robot.loops:
            factor = udwadia_kalaba.factor_rows(mass, rows.A)
            solution = udwadia_kalaba.solve(factor, applied, wanted)
            tau = udwadia_kalaba.constraint_force(rows.A, solution.multipliers)
        else:
            closure = trace_rows(robot, loops_of(robot), q, v, t, {})  # type: ignore[arg-type]
            factor = udwadia_kalaba.factor_rows(mass, closure.A)
            rest = joint_values(robot, 'pretension', values)
            tau = _motor_torques(factor, applied, closure.b, rows.A, wanted, motors, rest)
        return (saturated(robot, tau) if saturate else tau), length

    read = 3 * robot.n if frame_task is not None else 0
    if adaptation:
        return Control(adaptive_law, read, parameters, memory=(0.0,))
    return Control(law, read, parameters)


def _motor_torques(factor: udwadia_kalaba.RowFactor, applied: Sequence[Number],
                   closure_b: Sequence[Number], task: Sequence[Sequence[Number]],
                   wanted: Sequence[Number], motors: Sequence[int],
                   rest: Sequence[Number]) -> list[Number]:
    """Torques of the motors only, nearest to rest, that give A_t a = wanted (n,)."""
    n = len(applied)
    free = udwadia_kalaba.solve(factor, applied, closure_b).acceleration
    still: list[Number] = [0.0] * len(closure_b)
    passed = []  # acceleration that one unit of each motor's torque causes
    for motor in motors:
        unit: list[Number] = [float(k == motor) for k in range(n)]
        passed.append(udwadia_kalaba.solve(factor, unit, still).acceleration)
    effect = [[_dot(row, column) for column in passed] for row in task]  # (rows, motors)
    held = [rest[motor] for motor in motors]
    missing = [w - _dot(row, free) - _dot(line, held)
               for w, row, line in zip(wanted, task, effect)]
    gram = [[_dot(a, b) for b in effect] for a in effect]
    (share,), _ = solve_symmetric(gram, [missing])
    tau: list[Number] = [0.0] * n
    for k, motor in enumerate(motors):
        tau[motor] = held[k] + _dot([line[k] for line in effect], share)
    return tau


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    total: Number = 0.0
    for x, y in zip(a, b):
        total = total + x * y
    return total
