# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Projection keeps every robot on its rows to rounding, for as long as the run lasts."""

import numpy as np
from oracles import udwadia_kalaba
from plant import cases
import pytest
from robodyn_ros import assemble_start, load_robot, Plant, State
from robodyn_ros.codegen.backend import Interpreter
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops.integrators import (AT_ONCE, INTEGRATORS, make_integrator,
                                                   make_judge, unrolled)
from robodyn_ros.codegen.python_text import python_function
from robodyn_ros.codegen.routines import Kernel, routines
from robodyn_ros.plant import model
from robodyn_ros.tracing import Graph, inputs

# Required of positions; velocities are a linear solve behind.
ON_ROWS = 1e-12


def start_of(plant, name):
    """Return a moving start on the rows."""
    if name == 'scara_450':
        return cases.helix_start()
    if name == 'two_link':
        return cases.line_start()
    if name == 'parallel_2dof':
        return cases.parallel_start((0.05, 0.03))
    q = {'irb120': [0.3, 0.4, -0.2, 0.5, 0.6, 0.1], 'scara_1000': [-0.5, -1.3, 0.7, 1.2]}[name]
    return assemble_start(plant, State(0.0, q, 0.3 * np.ones(plant.robot.n))).state


@pytest.mark.parametrize('name, rows, step', [
    ('scara_450', 'helix', 1e-3), ('scara_450', 'helix', 1e-2), ('two_link', 'line', 1e-3),
    ('parallel_2dof', 'closure', 1e-3), ('irb120', 'ball', 1e-3),
    ('scara_1000', 'cylinder', 1e-3)])
def test_twenty_seconds_stay_on_the_rows(name, rows, step):
    """|phi| < 1e-12 and the rates as small, at every step of 20 s."""
    plant = cases.plant(name, rows, 'projection', step=step)
    robot = plant.robot
    tau = np.zeros(robot.n)
    tau[0] = 0.002 if name == 'parallel_2dof' else 0.0
    # gravity off where a free arm would fall and whirl around, friction off to keep it moving
    values = {'gravity.z': 0.0, 'friction_scale': 0.0} if name in ('irb120', 'scara_1000') else {}
    motion = plant.rollout(start_of(plant, name), 20.0, tau=tau, parameters=values)
    speed = max(1.0, np.abs(motion.v).max())
    assert np.abs(motion.phi).max() < ON_ROWS
    assert np.abs(motion.phi_rate).max() < ON_ROWS * speed
    if name not in ('scara_450', 'two_link'):
        assert np.abs(motion.q - motion.q[0]).max() > 0.1, 'it moved'


def test_projection_is_the_oracles():
    """One step from a slightly wrong state ends where the oracle's projections put it."""
    plant = cases.plant('two_link', 'line', 'projection')
    bare = cases.plant('two_link', 'line')
    rng = np.random.default_rng(8)
    for _ in range(20):
        t = rng.uniform(0.0, 5.0)
        on = cases.line_start(t)
        state = State(t, on.q + rng.uniform(-1e-3, 1e-3, 2), on.v + rng.uniform(-1e-2, 1e-2, 2))
        ours, free = plant.advance(state), bare.advance(state)

        def phi(q, free=free):
            return bare.constraint_rows(free._replace(q=q))[0]

        def slopes(q, free=free):
            return bare.constraint_rows(free._replace(q=q))[2]
        # rows are square here: one solution, whatever the norm
        q = udwadia_kalaba.project_position(free.q, phi, slopes, iterations=4)
        _, rate, A = bare.constraint_rows(free._replace(q=q))
        v = udwadia_kalaba.project_velocity(plant.robot.mass_matrix(q), A, A @ free.v - rate,
                                            free.v)
        cases.assert_close('q', ours.q, q, 1e-12, state)
        cases.assert_close('v', ours.v, v, 1e-10, state)


def test_velocity_projection_takes_the_smallest_change_of_kinetic_energy():
    """On non-square rows the velocity moves by M^-1 A^T mu only: M dv is in the range of A^T."""
    plant = cases.plant('parallel_2dof', 'closure', 'projection')
    rng = np.random.default_rng(9)
    for _ in range(20):
        start = cases.parallel_start((0.0, 0.0))
        state = start._replace(v=rng.uniform(-0.5, 0.5, 6))
        # a step so short that it does nothing but project
        short = cases.plant('parallel_2dof', 'closure', 'projection', step=1e-9)
        after = short.advance(state)
        A = plant.constraint_rows(start)[2]
        pushed = plant.robot.mass_matrix(start.q) @ (after.v - state.v)
        left = pushed - A.T @ np.linalg.lstsq(A.T, pushed, rcond=None)[0]
        assert np.abs(left).max() < 1e-7, state
        assert np.abs(A @ after.v).max() < 1e-7, state


def test_every_integrator_moves_the_clock_with_the_state():
    """Rows that move with time are projected at the new time: t is there after each step."""
    t, q, v, u = inputs(Graph(), 'x', 4)
    p = inputs(t.graph, 'p', 1)
    falling = routines([Kernel('dynamics', [t, q, v, u], [v, -9.81, 1.0, 1.0])], p)[1]
    no_slopes = python_function(routines([Kernel('slopes', [t, q, v, u], [0.0])], p)[1])
    backend, layout = Interpreter(), Layout(1)
    for name in (*INTEGRATORS, AT_ONCE):
        x = np.array([0.25, 1.0, 0.5, 0.0])
        kernel = python_function(unrolled(falling, 1) if name == AT_ONCE else falling)
        step = make_integrator(backend, layout, name, kernel, make_judge(backend, 1), no_slopes)
        assert step(x, None, np.empty(layout.scratch), np.empty(layout.workspace), 0.5) == 0
        assert x[0] == 0.75, name
        assert abs(x[2] - (0.5 - 0.5 * 9.81)) < 1e-14, name


@pytest.mark.parametrize('robot', ['two_link', 'scara_450'])
def test_rk4_written_out_has_the_bits_of_its_loop(robot, monkeypatch):
    """Short kernels are written out, long ones loop over the stages: one arithmetic."""
    arm = load_robot(robot)
    start = State(0.0, *np.random.default_rng(3).uniform(-0.5, 0.5, (2, arm.n)))
    ends = []
    for most in (0, 10 ** 9):
        monkeypatch.setattr(model, 'SHORT', most)
        ends.append(Plant(arm).rollout(start, steps=50))
    assert all(np.array_equal(a, b) for a, b in zip(*ends))
