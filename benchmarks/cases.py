# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The three comparisons that the package promises, and the closed chain once more with projection.

scara_450.servo.rk4         four servo rows (helix x y z and yaw) against MuJoCo without any row
parallel_2dof.closure.rk4   four closure rows, exact against MuJoCo's soft ones
irb120.terms                mass matrix and bias in a compiled loop against Pinocchio from Python
"""
from __future__ import annotations

from benchmarks.internals import mass_and_bias_loop, operations_of
from benchmarks.peers import find, missing, MUJOCO, PINOCCHIO, require_same
from benchmarks.plants import closed_plant, NEAR_CLOSED, NEAR_HELIX, servo_plant, STEP
from benchmarks.progress import ProgressBars
from benchmarks.row import compared, Row
from benchmarks.sizes import Sizes
from benchmarks.timing import interleave
from benchmarks.with_mujoco import Mujoco
from benchmarks.with_pinocchio import Pinocchio
import numpy as np
from robodyn_ros import assemble_start, load_robot, State


def servo_row(sizes: Sizes, bars: ProgressBars) -> Row:
    """Four servo rows, RK4, per step of a 20 s rollout that records start and end."""
    plant = servo_plant()
    start = assemble_start(plant, NEAR_HELIX).state
    robot, steps = plant.robot, sizes.servo_steps
    peer = Mujoco(robot, STEP)
    require_same('scara_450', robot.forward_dynamics(start.q, start.v, np.zeros(robot.n)),
                 peer.acceleration(start))
    timings = interleave(
        {'ours': lambda: plant.rollout(start, steps=steps, every=steps),
         MUJOCO: lambda: peer.run(start, steps)},
        {'ours': steps, MUJOCO: steps}, sizes.repeats, bars.tick)
    motion = plant.rollout(start, steps=steps, every=max(1, steps // 100))
    return compared('scara_450.servo.rk4', MUJOCO, timings, rows=len(plant.row_names),
                    peer_rows=0, operations=operations_of(plant),
                    violation=float(motion.violation.max()))


def closure_rows(sizes: Sizes, bars: ProgressBars) -> list[Row]:
    """Closure rows, RK4, per step of a run without torque; bare, then projected."""
    bare, exact = closed_plant(), closed_plant('projection')
    start = assemble_start(bare, NEAR_CLOSED).state
    steps = sizes.closure_steps
    peer = Mujoco(bare.robot, STEP)
    both = {name: interleave({'ours': lambda: plant.advance(start, steps=steps),
                              MUJOCO: lambda: peer.run(start, steps)},
                             {'ours': steps, MUJOCO: steps}, sizes.repeats, bars.tick)
            for name, plant in (('bare', bare), ('exact', exact))}
    gap = peer.violation(start, steps)
    rows = []
    for name, key, plant in (('parallel_2dof.closure.rk4', 'bare', bare),
                             ('parallel_2dof.closure.projection.rk4', 'exact', exact)):
        rows.append(compared(
            name, MUJOCO, both[key], rows=len(plant.row_names), operations=operations_of(plant),
            violation=float(plant.rollout(start, steps=steps).violation.max()),
            peer_violation=gap))
    return rows


def terms_row(sizes: Sizes, bars: ProgressBars) -> Row:
    """Mass matrix and bias at many states, ours with friction, Pinocchio's without."""
    robot = load_robot('irb120')
    random, n = np.random.default_rng(0), robot.n
    q, v = random.uniform(-1.5, 1.5, (2, sizes.states, n))
    peer = Pinocchio(robot)
    still = robot.parameters._replace(friction_scale=0.0)
    require_same('irb120', robot.forward_dynamics(q[0], v[0], np.zeros(n), still),
                 peer.acceleration(State(0.0, q[0], v[0])))
    ours, operations = mass_and_bias_loop(robot, q, v)
    pairs, pin, model, data = list(zip(q, v)), peer.engine, peer.model, peer.data

    def theirs() -> None:
        crba, effects = pin.crba, pin.nonLinearEffects
        for position, velocity in pairs:
            crba(model, data, position)
            effects(model, data, position, velocity)

    timings = interleave({'ours': ours, PINOCCHIO: theirs},
                         {'ours': sizes.states, PINOCCHIO: sizes.states}, sizes.repeats,
                         bars.tick)
    return compared('irb120.terms', PINOCCHIO, timings, 'evaluation', operations=operations)


def measure(sizes: Sizes, bars: ProgressBars) -> list[Row]:
    """Measure what there are peers for: the three promised rows first."""
    with_mujoco, with_pinocchio = find(MUJOCO) is not None, find(PINOCCHIO) is not None
    bars.begin('promised comparisons', sizes.repeats * (3 * with_mujoco + with_pinocchio))
    rows: list[Row] = []
    projected: list[Row] = []
    if with_mujoco:
        rows.append(servo_row(sizes, bars))
        closed, *projected = closure_rows(sizes, bars)
        rows.append(closed)
    if with_pinocchio:
        rows.append(terms_row(sizes, bars))
    for name, there in ((MUJOCO, with_mujoco), (PINOCCHIO, with_pinocchio)):
        if not there:
            bars.say(missing(name))
    return rows + projected
