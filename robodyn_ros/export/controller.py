# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The control law of a scenario as C, as the controller node computes it, and motors' limits."""
from __future__ import annotations

import numpy as np

from robodyn_ros.codegen.c_text import Array, number
from robodyn_ros.codegen.program import Program
from robodyn_ros.export.dynamics import EFFORT, EXAMPLES, POSITION, random_states, VELOCITY
from robodyn_ros.export.part import add_check, add_function, ANY, Example, Function, Part
from robodyn_ros.export.trajectory import add_trajectory
from robodyn_ros.plant.control_law import CompiledLaw, traced_law
from robodyn_ros.robots.parameters import ParameterTable
from robodyn_ros.robots.robot import Robot
from robodyn_ros.trajectories.joint_plan import ScheduleTable
from robodyn_ros.types import Control

GROUP = 'controller.'
"""What the names of a law's parameters begin with, as the plant calls them."""
CHANGED = 1.0625
"""Factor on the law's parameters in the second half of the check program."""


def controller_part(robot: Robot, prefix: str, control: Control, period: float,
                    beside: ScheduleTable | None = None) -> Part:
    """
    Return the law, its memory, and the limits of the motors.

    :param period: between control instants [s]
    :param beside: what a law with a schedule reads of the scenario's own trajectory
    """
    n, kept = robot.n, len(control.memory)
    own = ParameterTable(control.parameters.items())
    law = traced_law(control, n, own)
    program = Program(f'the controller of {robot.name}', [law.kernel], law.parameters)
    part = Part({GROUP + name: float(value) for name, value in control.parameters.items()})
    reference = Array('reference', control.reference_size,
                      'desired q (n), v (n), a (n), in the units of the joints'
                      + (', then the schedule' if control.schedule else ''))
    inputs = [Array('t', 1, 'time since the motion began [s]', scalar=True),
              Array('q', n, f'measured {POSITION}'), Array('v', n, f'measured {VELOCITY}'),
              *([reference] if control.reference_size else []),
              *([Array('memory', kept)] if kept else [])]
    outputs = [Array('tau', n, f'{EFFORT} to be held until the next control instant'),
               *([Array('next', kept)] if kept else [])]
    comment = f'Control law: tau of the measured state; to be called every {period:g} s.'
    if control.delay:
        comment += (f'\nThe scenario lets a torque arrive {control.delay} control instants later: '
                    'that is for the loop to do.')
    if kept:
        comment += '\nThe memory in state moves on with each call; begin with start().'
        part.header.append(
            f'/* What the control law remembers from one control instant to the next. */\n'
            f'typedef struct {{\n    double memory[{kept}];\n}} {prefix}_state;\n\n'
            f'/* Let the memory start anew. */\nvoid {prefix}_start({prefix}_state *state);\n')
        lines = [f'    state->memory[{k}] = {number(float(x))};'
                 for k, x in enumerate(control.memory)]
        part.source.append('\n'.join([f'void {prefix}_start({prefix}_state *state)', '{', *lines,
                                      '}', '']))
    made = Function('control', comment, inputs, outputs, {ANY: program}, 'control',
                    list(part.parameters) or ['none'], remembers=bool(kept))
    if not part.parameters:
        made = made._replace(names=())
    add_function(part, prefix, made)
    add_check(part, prefix, made, _examples(robot, control, period, beside))
    _add_limits(part, prefix, robot)
    if control.reference_size:
        add_trajectory(part, prefix, robot, beside)
    return part


def _examples(robot: Robot, control: Control, period: float,
              beside: ScheduleTable | None) -> list[Example]:
    """Return answers of the law as the node compiles it, with its parameters and with others."""
    law = CompiledLaw(robot.name, robot.n, control)
    rng = np.random.default_rng(19)
    found = []
    for changed in (False, True):
        law.use(law.prepared({name: value * CHANGED for name, value in
                              control.parameters.items()} if changed else None))
        law.reset()
        q, v, a = random_states(robot, EXAMPLES)
        for k in range(EXAMPLES):
            wanted = np.concatenate([q[k], v[k], a[k]]) + rng.uniform(-0.1, 0.1, 3 * robot.n)
            if beside is not None:
                wanted = np.concatenate([wanted, beside.rows[k % len(beside.rows)]])
            wanted = wanted[:control.reference_size]
            tau = law(k * period, q[k], v[k], wanted)
            found.append(Example(changed, np.concatenate([[k * period], q[k], v[k], wanted]),
                                 np.concatenate([tau, law.memory])))
    return found


def _add_limits(part: Part, prefix: str, robot: Robot) -> None:
    head = f'void {prefix}_limit_efforts(double tau[{robot.n}])'
    part.header.append('/* Cut torques to what the motors can do, as the plant of the nodes does '
                       '(n) [N m] or [N].\n * One that is infinite is cut, one that is no number '
                       'stays: look at them before. */\n' + head + ';\n')
    lines = [f'    tau[{k}] = rd_smaller(rd_larger(tau[{k}], {number(-most)}), {number(most)});'
             for k, most in enumerate(robot.limits.effort.tolist()) if np.isfinite(most)]
    part.source.append('\n'.join([head, '{', *(lines or ['    (void)tau;']), '}', '']))
