# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Time derivatives beside Pinocchio and CasADi, and gradients beside the rollouts they belong to.

    python -m benchmarks derivatives [FILE.urdf ...]
    python -m benchmarks derivatives --json

All from Python. Pinocchio's computeABADerivatives and computeRNEADerivatives take one state a
call; ours one state a call, and a thousand. CasADi gets the very recording of our forward
dynamics, writes its own Jacobian of it and runs it in its virtual machine, a thousand states a
call. Answers are compared first; turns are taken alternately, medians count.
"""
from __future__ import annotations

import argparse
from functools import partial
from importlib import metadata
import json
from typing import Any, Callable

from benchmarks.markdown import number, table
from benchmarks.progress import ProgressBars
from benchmarks.sizes import Sizes
from benchmarks.timing import interleave
import numpy as np
from robodyn_ros import Control, load_robot, Plant, RobodynError, Robot, State
from robodyn_ros.mechanics import equations
from robodyn_ros.robots.robot import read_robot
from robodyn_ros.tracing import Graph, inputs

STATES, REPEATS, ALIKE = 1000, 30, 1e-9
ARMS = ('ur5_robot.urdf', 'xarm7.urdf')
SPAN, STEP = 1.0, 1e-3
"""Of the rollout whose gradient is taken [s]."""


def robots(given: list[str]) -> list[Robot]:
    """Return the robots asked for: files, else ours of six joints and those of a wheel."""
    if given:
        return [read_robot(name) for name in given]
    listed = {file.name: file for file in metadata.files('example-robot-data') or []} \
        if _has('example-robot-data') else {}
    return [load_robot('irb120'), *(read_robot(str(listed[name].locate())) for name in ARMS
                                    if name in listed)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('files', nargs='*', metavar='FILE.urdf',
                        help='robots; by default irb120, UR5 and xArm7')
    parser.add_argument('--json', action='store_true', help='print the numbers as JSON')


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; returns the exit code."""
    with ProgressBars() as bars:
        found = measured(robots(arguments.files), bars)
    print(json.dumps(found, indent=1) if arguments.json else '\n'.join(lines_of(found)))
    return 0


def measure(_: Sizes, bars: ProgressBars) -> dict[str, Any]:
    """Measure for the page."""
    return measured(robots([]), bars)


def measured(given: list[Robot], bars: ProgressBars) -> dict[str, Any]:
    """Return the rows of every robot, and the gradient's."""
    if not _has('pin'):
        raise RobodynError('Pinocchio is not installed: pip install pin')
    bars.begin('derivatives', len(given) + 1)
    rows = []
    for robot in given:
        rows += rows_of(robot)
        bars.tick()
    found = {'rows': rows, 'gradient': gradient_row()}
    bars.tick()
    return found


def lines_of(found: dict[str, Any]) -> list[str]:
    """Return the table and the sentence below it as Markdown."""
    def beside(row: dict[str, Any], name: str) -> str:
        return f'{number(row[name])} us, **{row["pinocchio"] / row[name]:.1f}**'

    gradient = found['gradient']
    return [*table(['robot', 'joints', 'of', 'ours, many at once, a state', 'ours, one a call',
                    'Pinocchio [us]', 'CasADi, a state [us]'],
                   [[row['robot'], str(row['joints']), row['of'], beside(row, 'many'),
                     beside(row, 'one'), number(row['pinocchio']), number(row.get('casadi'))]
                    for row in found['rows']]), '',
            f'A closed loop of {SPAN:g} s of irb120 at 1 kHz, recorded: '
            f'{number(gradient["rollout_ms"])} ms; its gradient by {gradient["parameters"]} '
            f'parameters: {number(gradient["gradient_ms"])} ms, the time of '
            f'{gradient["gradient_ms"] / gradient["rollout_ms"]:.1f} rollouts.']


def rows_of(robot: Robot) -> list[dict[str, Any]]:
    """Return the rows of one robot."""
    import pinocchio as pin
    n, rng = robot.n, np.random.default_rng(0)
    model = pin.buildModelFromXML(robot.urdf)
    if model.nq != n or robot.mimics:
        raise RobodynError(f'{robot.name} has joints that follow or turn without end: Pinocchio '
                           'counts its positions otherwise; give another file')
    data = model.createData()
    model.gravity.linear = np.array(robot.parameters.gravity)
    q, v, u = rng.uniform(-1.0, 1.0, (3, STATES, n))
    one = q[0].copy(), v[0].copy(), u[0].copy()
    found = []
    for title, ours, theirs in (
            ('forward', robot.derivatives, pin.computeABADerivatives),
            ('inverse', robot.inverse_dynamics_derivatives, pin.computeRNEADerivatives)):
        theirs(model, data, *one)
        expected = data.ddq_dq if title == 'forward' else data.dtau_dq
        answer = ours(*one, {'friction_scale': 0.0})[0]
        off = np.abs(answer - expected).max() / np.abs(expected).max()
        if not off < ALIKE:
            raise RobodynError(f'{title} derivatives of {robot.name} differ by {off:.1e}')
        tasks: dict[str, Callable[[], object]] = {
            'pinocchio': partial(theirs, model, data, *one), 'one': partial(ours, *one),
            'many': partial(ours, q, v, u)}
        units = {'pinocchio': 1, 'one': 1, 'many': STATES}
        if title == 'forward' and _has('casadi'):
            tasks['casadi'] = casadi_jacobian(robot, q, v, u)
            units['casadi'] = STATES
        for task in tasks.values():
            task()  # compile, which is not to be taken for a run
        found.append({'robot': robot.name, 'joints': n, 'of': f'{title} dynamics',
                      **{name: timing.median for name, timing in interleave(
                          tasks, units, REPEATS).items()}})
    return found


def casadi_jacobian(robot: Robot, q: np.ndarray, v: np.ndarray,
                    u: np.ndarray) -> Callable[[], object]:
    """Return the task of CasADi's Jacobian of the same recording, after a look at its answer."""
    import casadi
    graph, n = Graph(), robot.n
    given = [x for letter in 'qvu' for x in inputs(graph, letter, n)]
    a = equations.forward_dynamics(robot.tree, robot.parameters, given[:n], given[n:2 * n],
                                   given[2 * n:])[0]
    x = casadi.SX.sym('x', 3 * n)
    known: dict[int, Any] = {item.node: x[k] for k, item in enumerate(given)}
    names = {'add': casadi.plus, 'sub': casadi.minus, 'mul': casadi.times, 'div': casadi.rdivide,
             'neg': lambda a: -a, 'abs': casadi.fabs, 'min': casadi.fmin, 'max': casadi.fmax,
             'where': casadi.if_else}
    ends = [item.node for item in a]  # type: ignore[union-attr]
    for node in graph.reachable(list(ends)):
        if node not in known:
            op = graph.ops[node]
            function: Any = names.get(op) or getattr(casadi, op)
            known[node] = function(*(arg if isinstance(arg, float) else known[arg]
                                     for arg in graph.args[node]))
    outputs = casadi.vertcat(*(known[node] for node in ends))
    made = casadi.Function('jacobian', [x], [casadi.jacobian(outputs, x)], {'cse': True})
    points = np.concatenate([q, v, u], axis=1).T
    whole = made.map(points.shape[1])
    first = np.asarray(made(points[:, 0]))
    ours = np.concatenate(robot.derivatives(q[0], v[0], u[0])[:3], axis=1)
    if not np.abs(first - ours).max() <= ALIKE * np.abs(ours).max():
        raise RobodynError(f"CasADi's derivatives of {robot.name} differ")
    return lambda: whole(points)


def gradient_row() -> dict[str, Any]:
    """Time the gradient of a closed loop of the six-joint arm by twenty parameters."""
    arm = load_robot('irb120')
    n, names = arm.n, [f'{letter}{k}' for letter in 'pd' for k in range(6)]
    gains = dict(zip(names, [60.0, 60.0, 40.0, 1.0, 1.0, 0.1, 8.0, 8.0, 4.0, 0.05, 0.05, 0.004]))

    def law(t: Any, q: Any, v: Any, reference: Any, parameters: Any) -> list:
        return [parameters[f'p{k}'] * (reference[k] - q[k])
                - parameters[f'd{k}'] * (v[k] - reference[n + k]) for k in range(n)]

    def stage(t: Any, q: Any, v: Any, tau: Any, reference: Any) -> Any:
        return sum((x - r) * (x - r) for x, r in zip(q, reference)) \
            + sum(x * x for x in tau) * 1e-4
    plant = Plant(arm, control=Control(law, 2 * n, gains), step=STEP)
    t = np.arange(round(SPAN / STEP))[:, None] * STEP
    turn = np.arange(1.0, n + 1.0)
    reference = np.hstack([0.3 * np.sin(2.0 * t * turn), 0.6 * turn * np.cos(2.0 * t * turn)])
    start, payload = State(0.0, np.zeros(n), np.zeros(n)), {'payload.mass': 0.5}
    by = [*(f'controller.{name}' for name in names), 'payload.mass', 'payload.centre.x',
          'payload.centre.y', 'payload.centre.z', 'friction_scale', 'gravity.x', 'gravity.y',
          'gravity.z']
    tasks: dict[str, Callable[[], object]] = {
        'rollout': partial(plant.rollout, start, SPAN, reference=reference, parameters=payload),
        'gradient': partial(plant.rollout_gradient, start, SPAN, stage=stage, by=by,
                            reference=reference, parameters=payload)}
    for task in tasks.values():
        task()
    times = interleave(tasks, dict.fromkeys(tasks, 1), REPEATS)
    return {'parameters': len(by), 'rollout_ms': times['rollout'].median * 1e-3,
            'gradient_ms': times['gradient'].median * 1e-3}


def _has(package: str) -> bool:
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True
