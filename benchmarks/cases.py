# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The three comparisons that the package promises, and the closed chain once more with projection.

scara_450.servo.rk4         four servo rows (helix x y z and yaw) against MuJoCo without any row
parallel_2dof.closure.rk4   four closure rows, exact against MuJoCo's soft ones
irb120.terms                mass matrix and bias in a compiled loop against Pinocchio from Python
"""
from __future__ import annotations

import numpy as np

from benchmarks.peers import find, missing, MUJOCO, PINOCCHIO, require_same
from benchmarks.plants import closed_plant, NEAR_CLOSED, NEAR_HELIX, servo_plant, STEP
from benchmarks.progress import Watch
from benchmarks.row import compared, Row
from benchmarks.sizes import Effort
from benchmarks.timing import interleave
from benchmarks.with_mujoco import Mujoco
from benchmarks.with_pinocchio import Pinocchio
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.types import State


def servo_row(effort: Effort, watch: Watch) -> Row:
    """Four servo rows, RK4, per step of a 20 s rollout that records start and end."""
    plant = servo_plant()
    start = assemble_start(plant, NEAR_HELIX).state
    robot, steps = plant.robot, effort.servo_steps
    peer = Mujoco(robot, STEP)
    require_same('scara_450', robot.forward_dynamics(start.q, start.v, np.zeros(robot.n)),
                 peer.acceleration(start))
    timings = interleave(
        {'ours': lambda: plant.rollout(start, steps=steps, every=steps),
         MUJOCO: lambda: peer.run(start, steps)},
        {'ours': steps, MUJOCO: steps}, effort.repeats, watch.tick)
    motion = plant.rollout(start, steps=steps, every=max(1, steps // 100))
    return compared('scara_450.servo.rk4', MUJOCO, timings, rows=len(plant.row_names),
                    peer_rows=0, operations=plant.program().operations['dynamics'],
                    violation=float(motion.violation.max()))


def closure_rows(effort: Effort, watch: Watch) -> list[Row]:
    """Closure rows, RK4, per step of a run without torque; bare, then projected."""
    bare, exact = closed_plant(), closed_plant('projection')
    start = assemble_start(bare, NEAR_CLOSED).state
    steps = effort.closure_steps
    peer = Mujoco(bare.robot, STEP)
    both = {name: interleave({'ours': lambda: plant.advance(start, steps=steps),
                              MUJOCO: lambda: peer.run(start, steps)},
                             {'ours': steps, MUJOCO: steps}, effort.repeats, watch.tick)
            for name, plant in (('bare', bare), ('exact', exact))}
    gap = peer.violation(start, steps)
    rows = []
    for name, key, plant in (('parallel_2dof.closure.rk4', 'bare', bare),
                             ('parallel_2dof.closure.projection.rk4', 'exact', exact)):
        operations = plant.program().operations
        rows.append(compared(
            name, MUJOCO, both[key], rows=len(plant.row_names),
            operations=operations['dynamics'],
            violation=float(plant.rollout(start, steps=steps).violation.max()),
            peer_violation=gap))
    return rows


def terms_row(effort: Effort, watch: Watch) -> Row:
    """Mass matrix and bias at many states, ours with friction, Pinocchio's without."""
    robot = load_robot('irb120')
    random, n = np.random.default_rng(0), robot.n
    q, v = random.uniform(-1.5, 1.5, (2, effort.states, n))
    peer = Pinocchio(robot)
    still = robot.parameters._replace(friction_scale=0.0)
    require_same('irb120', robot.forward_dynamics(q[0], v[0], np.zeros(n), still),
                 peer.acceleration(State(0.0, q[0], v[0])))
    program = robot.compiled.program('mass_and_bias')
    evaluate, w = program.names['many_evaluate'], program.prepared(
        robot.parameters.flat())  # type: ignore[arg-type]
    x = np.concatenate([q, v, np.zeros_like(q)], axis=1).reshape(-1)
    y = np.empty(effort.states * (n * n + n))
    pairs, pin, model, data = list(zip(q, v)), peer.engine, peer.model, peer.data

    def theirs() -> None:
        crba, effects = pin.crba, pin.nonLinearEffects
        for position, velocity in pairs:
            crba(model, data, position)
            effects(model, data, position, velocity)

    timings = interleave({'ours': lambda: evaluate(effort.states, x, w, y), PINOCCHIO: theirs},
                         {'ours': effort.states, PINOCCHIO: effort.states}, effort.repeats,
                         watch.tick)
    return compared('irb120.terms', PINOCCHIO, timings, 'evaluation',
                    operations=program.operations['evaluate'])


def measure(effort: Effort, watch: Watch) -> list[Row]:
    """Measure what there are peers for: the three promised rows first."""
    with_mujoco, with_pinocchio = find(MUJOCO) is not None, find(PINOCCHIO) is not None
    watch.begin('promised comparisons',
                effort.repeats * (3 * with_mujoco + with_pinocchio))
    rows: list[Row] = []
    projected: list[Row] = []
    if with_mujoco:
        rows.append(servo_row(effort, watch))
        closed, *projected = closure_rows(effort, watch)
        rows.append(closed)
    if with_pinocchio:
        rows.append(terms_row(effort, watch))
    for name, there in ((MUJOCO, with_mujoco), (PINOCCHIO, with_pinocchio)):
        if not there:
            watch.say(missing(name))
    return rows + projected
