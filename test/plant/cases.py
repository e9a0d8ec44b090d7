# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The plants the tests share: compiling one takes seconds, so each is built once per session.

Gains, path parameters, payload and gravity are run-time parameters of these plants; tests change
those instead of asking for another plant. A 'baumgarte' plant has the gains 0, which is the bare
equation, until a test gives others.
"""

from functools import cache
import json
from pathlib import Path

import numpy as np
from oracles import parallel_2dof, scara_450, two_link
from robodyn_ros import (Constraint, constraint, follow, joint_combination, load_robot, loop,
                         non_ideal, Plant, stabilisation, State)
from robodyn_ros.constraints.constraint import POSITION
from robodyn_ros.trajectories.paths import Helix, SineLine

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'
TARGETS = json.loads((GOLDEN / 'targets.json').read_text())

robot = cache(load_robot)


def golden(paper):
    """Return the golden vectors of a paper, lists as arrays."""
    data = json.loads((GOLDEN / f'{paper}.json').read_text())
    return {k: np.array(v) if isinstance(v, list) else v for k, v in data.items()}


# --- rows ------------------------------------------------------------------------------------

def mixed(name, base, weights):
    """Make linear combinations of another constraint's rows: dependent, in agreement."""
    def phi(robot, q, t, **values):
        rows = base(robot, q, t, **values)
        return [sum((row * float(w) for row, w in zip(rows, line)), 0.0) for line in weights]
    return Constraint(name, phi, POSITION, base.parameters)


LINE = SineLine(two_link.L1, 0.0, two_link.L1, two_link.L1, two_link.RATE)
PARALLEL_LINE = SineLine(0.21, 0.25, 0.37, 0.25, np.pi)
HELIX = follow('tool0', Helix(), name='helix')
YAW = joint_combination({'joint_1': 1.0, 'joint_2': 1.0, 'joint_3': 1.0}, name='yaw')
LINE_ROWS = follow('tool0', LINE, 'x z', name='line')


@constraint
def on_ball(robot, q, t, *, radius=0.45):
    """Hold the tool at a distance from a point: a user's own constraint with a parameter."""
    x, y, z = robot.position('tool0', q)
    return [x * x + y * y + (z - 0.29) * (z - 0.29) - radius * radius]


@constraint
def on_circle(robot, q, t, *, radius=0.8):
    """Hold the tool on a vertical cylinder."""
    x, y, _ = robot.position('tool0', q)
    return [x * x + y * y - radius * radius]


@non_ideal
def drag(robot, q, v, t, *, coefficient=0.02):
    """Return C = -coefficient times the ABSOLUTE link rates, as forces on the relative joints."""
    force = []
    for k in range(0, 6, 2):
        a, b = -v[k] * coefficient, -(v[k] + v[k + 1]) * coefficient
        force += [a + b, b]
    return force


ROWS = {
    ('scara_450', 'helix'): [HELIX, YAW],
    ('scara_450', 'helix twice'): [
        HELIX, YAW, mixed('again', HELIX, np.eye(3)), mixed('yaw again', YAW, [[1.0]])],
    ('two_link', 'line'): [LINE_ROWS],
    ('two_link', 'line mixed'): [
        mixed('line', LINE_ROWS, [[1, 0], [0, 1], [1, 1], [2, -1], [1, 0]])],
    ('parallel_2dof', 'closure'): [],
    ('parallel_2dof', 'closure twice'): [loop('tip_2', 'tip_3', 'x y', name='closure_23')],
    ('parallel_2dof', 'line'): [follow('tool0', PARALLEL_LINE, 'x y', name='line')],
    ('parallel_2dof', 'drag'): [drag],
    ('irb120', 'ball'): [
        on_ball, joint_combination({'joint_4': 1.0, 'joint_6': -2.0}, 0.3, name='gear')],
    ('scara_1000', 'cylinder'): [
        on_circle, joint_combination({'joint_1': 1.0, 'joint_2': 1.0, 'joint_4': 1.0},
                                     name='yaw')],
}
"""Rows by robot and a short name; the loops of the robot's file come first in the plant."""


@cache
def plant(name, rows='', kind='none', step=1e-3, integrator='rk4', solver='auto'):
    """Return the plant of a robot with the rows of a short name; rows '' is the free tree."""
    chosen = stabilisation(kind, 0.0, 0.0) if kind == 'baumgarte' else stabilisation(kind)
    return Plant(robot(name), ROWS[name, rows] if rows else [], stabilisation=chosen,
                 integrator=integrator, step=step, solver=solver, close_loops=bool(rows))


def gains(alpha, beta):
    """Return run-time parameters for Baumgarte's gains."""
    return {'stabilisation.alpha': alpha, 'stabilisation.beta': beta}


# --- states ----------------------------------------------------------------------------------

PAPER_ORDER = [0, 1, 3, 2]
"""Places of paper 000's rows x, y, yaw, z among our x, y, z, yaw."""


def helix_start(elbow=-1, t=0.0):
    """Return the state of scara_450 exactly on the helix."""
    return State(t, scara_450.path_position(t, elbow), scara_450.path_velocity(t, elbow))


def line_start(t=0.0):
    """Return the state of two_link exactly on its line; the URDF counts angles as the paper."""
    return State(t, two_link.path_position(t), two_link.path_velocity(t))


def relative(vector):
    """Return URDF joint values of parallel_2dof's absolute angles or rates."""
    return parallel_2dof.relative_angles(np.asarray(vector))


def parallel_start(tip_velocity=None, t=0.0):
    """Return a closed state of parallel_2dof on its line, with the line's or another velocity."""
    q = parallel_2dof.path_position(t)
    p = parallel_2dof.line(t)[1] if tip_velocity is None else np.asarray(tip_velocity)
    return State(t, relative(q), relative(parallel_2dof.motion_basis(q) @ p))


def random_states(n, count, seed, reach=1.2, speed=2.0):
    """Return seeded random states (t, q, v) that have nothing to do with any constraint."""
    rng = np.random.default_rng(seed)
    return [State(rng.uniform(0.0, 5.0), rng.uniform(-reach, reach, n),
                  rng.uniform(-speed, speed, n)) for _ in range(count)]


def assert_close(what, ours, theirs, tolerance, state=None):
    """Compare to a fraction of the largest entry (at least one unit); print the failing input."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, (what, ours.shape, theirs.shape)
    off = np.abs(ours - theirs).max(initial=0.0)
    allowed = tolerance * max(1.0, np.abs(theirs).max(initial=0.0))
    assert off <= allowed, (f'{what}: off by {off:.3e} > {allowed:.1e}\nours   {ours.tolist()}\n'
                            f'theirs {theirs.tolist()}\nstate  {state}')


def assert_printed(what, ours, targets, digits):
    """Compare with rounded numbers: half a unit of the last digit (a little more for ties)."""
    ours, targets = np.asarray(ours, dtype=float).ravel(), np.asarray(targets, float).ravel()
    assert ours.shape == targets.shape, (what, ours.shape, targets.shape)
    for one, target in zip(ours, targets):
        unit = 10.0 ** (np.floor(np.log10(abs(target))) - digits + 1)
        assert abs(one - target) <= 0.51 * unit, (
            f'{what}: {one:.6g} is not {target:.{digits - 1}e} to {digits} digits; '
            f'all: {ours.tolist()}, targets: {targets.tolist()}')


def rates(plant, tau=None, parameters=None):
    """Return the function x'(t, x), x = (q, v), of a plant for integrators in Python."""
    n = plant.robot.n

    def function(t, x):
        force = tau(t) if callable(tau) else tau
        return np.concatenate(plant.derivative(State(t, x[:n], x[n:]), force, parameters))
    return function


def errors(plant, t, x, parameters=None):
    """Return phi (k, m) at times t (k,) and states x (k, 2 n)."""
    n = plant.robot.n
    return np.array([plant.constraint_rows(State(s, y[:n], y[n:]), parameters)[0]
                     for s, y in zip(t, x)])
