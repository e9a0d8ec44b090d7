# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Stages of RK4 that share vector registers: the bits of one stage after the other."""

from mechanics.random_urdf import random_urdf
import numpy as np
import pytest

from robodyn_ros import load_robot, Plant, State
from robodyn_ros.codegen import llvm
from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.backend import Interpreter
from robodyn_ros.codegen.layout import Layout
from robodyn_ros.codegen.loops.integrators import make_integrator, make_judge
from robodyn_ros.codegen.loops.pairs import LANES, PAIRED, paired
from robodyn_ros.codegen.python_text import python_function
from robodyn_ros.codegen.routines import Kernel, routines
from robodyn_ros.constraints.ready_made import joint_combination
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.plant import model
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.tracing import cos, Graph, inputs, sin, sqrt, where

H = 2e-3


def arm(path, seed, joints=8):
    """Return a random tree: slanted axes, branches, prismatic joints."""
    path.write_text(random_urdf(np.random.default_rng(seed), joints))
    return load_robot(path)


def step_by_hand(plant, state, tau):
    """RK4 with one derivative after the other; the same sums as in loops/integrators.py."""
    def fused(a, b, c):
        return np.array([fma(a, float(x), float(y)) for x, y in zip(b, c)])

    def rates(t, x):
        n = len(x) // 2
        v, a = plant.derivative(State(t, x[:n], x[n:]), tau)
        return np.concatenate([v, a])

    start = np.concatenate([state.q, state.v])
    x, total = start, np.zeros(len(start))
    t = state.t
    for stage in range(4):
        rate = rates(t, x)
        weight, ahead = (1.0, 2.0, 2.0, 1.0)[stage], 0.5 * H if stage < 2 else H
        t = state.t + ahead
        if stage < 3:
            total, x = fused(weight, rate, total), fused(ahead, rate, start)
    return fused(H / 6.0, total + rate, start)


@pytest.mark.parametrize('kind', ['free', 'baumgarte'])
@pytest.mark.parametrize('seed', range(3))
def test_compiled_steps_have_the_bits_of_single_derivatives(tmp_path, monkeypatch, kind, seed):
    """Free, and with a row that moves with time."""
    monkeypatch.setattr(model, 'SHORT', 0)
    if seed == 2:
        monkeypatch.setattr(llvm, 'LONG', 300)  # both are cut into pieces
    robot, rng = arm(tmp_path / 'arm.urdf', seed), np.random.default_rng(seed)
    rows = [] if kind == 'free' else [joint_combination(
        {robot.joints[0]: 1.0, robot.joints[-1]: 0.5}, lambda t: 0.1 * sin(t),
        name='coupled')]
    plant = Plant(robot, rows, step=H) if kind == 'free' else Plant(
        robot, rows, step=H, stabilisation=stabilisation(kind, time_constant=0.05))
    state = State(0.3, *rng.uniform(-0.4, 0.4, (2, robot.n)))
    if rows:
        state = assemble_start(plant, state).state
    tau = rng.uniform(-1.0, 1.0, robot.n)
    for _ in range(3):
        after = plant.advance(state, tau)
        expected = step_by_hand(plant, state, tau)
        assert np.array_equal(np.concatenate([after.q, after.v]), expected)
        state = after


@pytest.mark.parametrize('seed', range(2))
def test_plain_python_has_the_bits_of_the_loop_over_stages(tmp_path, seed):
    """Both back ends are given the same two routines."""
    robot = arm(tmp_path / 'arm.urdf', seed, 4)
    dynamics = Plant(robot, step=H).program().routines['dynamics']
    layout, backend, rng = Layout(robot.n), Interpreter(), np.random.default_rng(seed)
    judge, pair = make_judge(backend, 1), paired(dynamics, layout)
    positions, rates = python_function(pair.positions, LANES), python_function(pair.rates)
    steps = [make_integrator(backend, layout, 'rk4', python_function(dynamics), judge),
             make_integrator(backend, layout, PAIRED, rates, judge, None, positions, pair.room)]
    x = np.concatenate([[0.1], *rng.uniform(-0.5, 0.5, (3, robot.n))])
    ends = []
    for step in steps:
        found = x.copy()
        assert step(found, np.zeros(0), np.empty(layout.scratch), np.empty(layout.workspace),
                    H) == 0
        ends.append(found)
    assert np.array_equal(*ends)


def test_what_depends_on_velocities_is_left_to_each_stage():
    """Constants, inputs and truths as results, a shared node, a row's margin of positions."""
    t, q, v, u = inputs(Graph(), 'x', 4)
    p = inputs(t.graph, 'p', 1)
    shared = cos(q) * p[0]
    steep = where(shared < 0.5, shared, 0.5)
    outputs = [v, steep * v + u, sqrt(shared), 1.0]
    dynamics = routines([Kernel('dynamics', [t, q, v, u], outputs)], p)[1]
    pair = paired(dynamics, Layout(1))
    both = {*pair.positions.body, *pair.rates.body}
    assert both == set(dynamics.body)
    assert not set(pair.positions.body) & set(pair.rates.body)
    assert pair.positions.one_w
    moving = {dynamics.graph.ops[node] for node in pair.rates.body}
    assert moving == {'fma'}
    turned = Kernel('dynamics', [t, q, v, u], [v * 2.0, *outputs[1:]])
    assert paired(routines([turned], p)[1], Layout(1)) is None
