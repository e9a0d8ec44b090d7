# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
One step of a scenario's plant as C: its integrator and its stabilisation.

The loops around the kernels are those of codegen/loops (integrators.py, stepping.py), operation by
operation: every sum and product of theirs stands here in the same order.
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.codegen import c_text
from robodyn_ros.codegen.c_text import Array
from robodyn_ros.codegen.loops.integrators import IMPLICIT
from robodyn_ros.codegen.loops.stepping import HUGE
from robodyn_ros.codegen.program import PREPARING
from robodyn_ros.errors import ArgumentError
from robodyn_ros.export.dynamics import (changed_parameters, EFFORT, EXAMPLES, POSITION,
                                         VELOCITY)
from robodyn_ros.export.part import (add_check, ANY, CALL, described, Example, Function, OWN, Part,
                                     preparation, wrapped)
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.plant.model import CHOLESKY
from robodyn_ros.scenario.simulation import Simulation
from robodyn_ros.tolerances import NEAR_ROWS, NEWTON_STEPS, ON_ROWS, STANDING

HEUN = """    for (k = 0; k < @2N@; ++k)
        s[k] = x[1 + k];
@KEEP@    @rate@(model, x, y);
    reason = @judge@(y + @2N@);
    if (reason)
        return reason;
    for (k = 0; k < @2N@; ++k) {
        s[@2N@ + k] = y[k];
        x[1 + k] = s[k] + h * y[k];
    }
    x[0] = t + h;
@AHEAD@    @rate@(model, x, y);
    for (k = 0; k < @2N@; ++k)
        x[1 + k] = s[k] + 0.5 * h * (s[@2N@ + k] + y[k]);
@BACK@    return @judge@(y + @2N@);
"""


def _heun(rate: str, keep: str = '', ahead: str = '', back: str = '') -> str:
    """Return Heun's step; what is implicit also changes the torque on the way, and restores it."""
    return HEUN.replace('@rate@', rate).replace('@KEEP@', keep).replace(
        '@AHEAD@', ahead).replace('@BACK@', back)


ADVANCE = {
    'rk4': """    for (k = 0; k < @2N@; ++k) {
        s[k] = x[1 + k];
        s[@2N@ + k] = 0.0;
    }
    for (stage = 0; stage < 4; ++stage) {
        const double weight = stage == 0 || stage == 3 ? 1.0 : 2.0;
        const double ahead = stage < 2 ? 0.5 * h : h;
        @dynamics@(model, x, y);
        reason = @judge@(y + @2N@);
        if (reason)
            return reason;
        x[0] = t + ahead;
        for (k = 0; k < @2N@; ++k) {
            if (stage < 3) {
                s[@2N@ + k] = rd_fma(weight, y[k], s[@2N@ + k]);
                x[1 + k] = rd_fma(ahead, y[k], s[k]);
            } else {
                x[1 + k] = rd_fma(h / 6.0, s[@2N@ + k] + y[k], s[k]);
            }
        }
    }
    return 0;
""",
    'euler': """    @dynamics@(model, x, y);
    x[0] = t + h;
    for (k = 0; k < @2N@; ++k)
        x[1 + k] += h * y[k];
    return @judge@(y + @2N@);
""",
    'semi_implicit_euler': """    @dynamics@(model, x, y);
    x[0] = t + h;
    for (k = 0; k < @N@; ++k) {
        x[1 + @N@ + k] += h * y[@N@ + k];
        x[1 + k] += h * (y[k] + h * y[@N@ + k]);
    }
    return @judge@(y + @2N@);
""",
    'taylor': """    @dynamics@(model, x, y);
    x[0] = t + h;
    for (k = 0; k < @N@; ++k) {
        x[1 + k] += h * (y[k] + 0.5 * h * y[@N@ + k]);
        x[1 + @N@ + k] += h * y[@N@ + k];
    }
    return @judge@(y + @2N@);
""",
    'heun': _heun('@dynamics@'),
    IMPLICIT: _heun('@implicit@', """    for (k = 0; k < @N@; ++k)
        s[@4N@ + k] = x[@TAU@ + k];
""", """    for (k = 0; k < @N@; ++k)
        x[@TAU@ + k] = s[@3N@ + k];
    @slopes@(model, x, y);
    for (k = 0; k < @N@; ++k)
        x[@TAU@ + k] = s[@4N@ + k] + 2.0 * y[k];
""", """    for (k = 0; k < @N@; ++k)
        x[@TAU@ + k] = s[@4N@ + k];
""")}
"""Bodies of advance(model, x, y, s), by integrator; s holds 5 n numbers."""
LOOPS = """static int @judge@(const double *margins)
{
    if (!(margins[0] > 0.0))
        return margins[0] <= 0.0 ? @UP@_SINGULAR : @UP@_NOT_FINITE;
    if (!(margins[1] > 0.0))
        return margins[1] == -2.0 ? @UP@_INCONSISTENT : @UP@_DEPENDENT;
    return @UP@_OK;
}

static int @P@_step_advance(const @P@_model *model, double *x, double *y, double *s)
{
    const double h = @UP@_STEP, t = x[0];
    int k, stage, reason;
    (void)s;
    (void)stage;
    (void)reason;
@ADVANCE@}
"""
PROJECT = """/* Newton steps until the rows hold, then the velocity is made to fit them. */
static int @P@_step_project(const @P@_model *model, double *x, double *y)
{
    int k, turn;
    for (turn = 0; turn < @NEWTON_STEPS@; ++turn) {
        double worst = 0.0, last = 0.0;
        @correct@(model, x, y);
        if (!(y[@2N@] > 0.0))
            return @UP@_DEPENDENT;
        for (k = 0; k < @M@; ++k) {
            if (!(rd_abs(y[@2N@ + 1 + k]) < @HUGE@))
                return @UP@_NOT_FINITE;
            worst = rd_larger(worst, rd_abs(y[@2N@ + 1 + k]));
        }
        if (!(worst < @ON_ROWS@)) {
            for (k = 0; k < @N@; ++k) {
                last = rd_larger(last, rd_abs(y[k]));
                x[1 + k] += y[k];
            }
            /* the rounding of q itself limits phi on long arms: stop when a step cannot help */
            if (!(worst < @NEAR_ROWS@ && last < @STANDING@))
                continue;
        }
        for (k = 0; k < @N@; ++k)
            x[1 + @N@ + k] += y[@N@ + k];
        return @UP@_OK;
    }
    return @UP@_NOT_PROJECTED;
}
"""
STEP = """{
    double x[@X@], y[@Y@], s[@5N@], total = 0.0;
    int k, reason;
    x[0] = t;
    for (k = 0; k < @N@; ++k) {
        x[1 + k] = q[k];
        x[1 + @N@ + k] = v[k];
        x[@TAU@ + k] = tau[k];
    }
    reason = @P@_step_advance(model, x, y, s);
@PROJECTED@    if (reason)
        return reason;
    for (k = 0; k < @2N@; ++k)
        total += rd_abs(x[1 + k]);
    if (!(total < @HUGE@))
        return @UP@_NOT_FINITE;
    for (k = 0; k < @N@; ++k) {
        q_next[k] = x[1 + k];
        v_next[k] = x[1 + @N@ + k];
    }
    return @UP@_OK;
}
"""


def plant_part(simulation: Simulation, prefix: str) -> Part:
    """Return the step of a plant without its control law; refuse one that looks for ranks."""
    plant, robot = simulation.plant, simulation.robot
    model, n, upper = plant.model, robot.n, prefix.upper()
    if model.solver not in ('auto', CHOLESKY):
        raise ArgumentError(
            f'the plant of {robot.name} has {model.layout.m} constraint rows for {n} joints, so '
            'it looks for the rank of the rows while it runs, which is no straight-line code; '
            'leave plant out of --what, or remove rows that repeat others')
    values = dict(zip(model.parameters.names, model.vector(simulation.parameters).tolist()))
    part = Part(values, start=simulation.assembly.state.q.tolist())
    codes = {OWN: plant.program(CHOLESKY), ANY: plant.program(CHOLESKY, True)}
    margin = Array('margin', 1)
    made = Function(
        'step', f'One step of {plant.step_size:g} s ({model.integrator}, stabilisation '
        f'{model.stabilisation.kind}, {model.layout.m} constraint rows).\n'
        'Returns 0, or why the results were left as they were; DEPENDENT: the rows depend on\n'
        'each other, where simulate() would go on by looking for their rank.',
        [Array('t', 1, 'time at the beginning of the step, t0 + k STEP [s]', scalar=True),
         Array('q', n, POSITION), Array('v', n, VELOCITY), Array('tau', n, EFFORT)],
        [Array('q_next', n, f'{POSITION} after the step'),
         Array('v_next', n, f'{VELOCITY} after the step'), margin],
        codes, 'dynamics', model.parameters.names, guarded=True)
    width = max(program.prepared_size for program in codes.values())
    part.preparing += preparation(part, prefix, made, width)
    part.programs += codes.values()
    names = _add_kernels(part, prefix, made)
    projected = 'correct' in names
    longest = max(routine.outputs for program in codes.values()
                  for name, routine in program.routines.items() if name not in PREPARING)
    head = wrapped(f'int {prefix}_step(const {prefix}_model *model, ' + ', '.join(
        item.declared(written) for items, written in zip(made.public, (False, True))
        for item in items) + ')')
    text = LOOPS + ('\n' + PROJECT if projected else '') + '\n' + head + '\n' + STEP
    follow = f'    if (!reason)\n        reason = {prefix}_step_project(model, x, y);\n'
    words = {'ADVANCE': ADVANCE[model.integrator], 'PROJECTED': follow if projected else '',
             'judge': f'{prefix}_step_judge', 'P': prefix, 'UP': upper,
             'TAU': str(1 + 2 * n), 'X': str(1 + 3 * n), 'Y': str(longest),
             'M': str(model.layout.m), 'HUGE': c_text.number(HUGE),
             'ON_ROWS': c_text.number(ON_ROWS), 'NEAR_ROWS': c_text.number(NEAR_ROWS),
             'STANDING': c_text.number(STANDING), 'NEWTON_STEPS': str(NEWTON_STEPS),
             'N': str(n), **names,
             **{f'{k}N': str(k * n) for k in range(2, 6)}}
    for word, meant in words.items():
        text = text.replace(f'@{word}@', meant)
    part.source.append(text)
    part.header.append(f'/* Step of the plant [s]. */\n#define {upper}_STEP '
                       f'{c_text.number(plant.step_size)}\n')
    part.header.append(described(made) + head + ';\n')
    part.stack += 3 * CALL + 8 * (1 + 3 * n + longest + 5 * n)
    add_check(part, prefix, made, _examples(simulation))
    return part


def _add_kernels(part: Part, prefix: str, made: Function) -> dict[str, str]:
    """Write each kernel in both codes, and what chooses; returns their names in C."""
    found = {}
    integrator = any('implicit' in program.routines for program in made.codes.values())
    for name, routine in made.codes[ANY].routines.items():
        # an implicit step never asks for the dynamics themselves
        if name in PREPARING or name == 'observe' or (name == 'dynamics' and integrator):
            continue
        inputs, outputs = [Array('x', routine.inputs)], [Array('y', routine.outputs)]
        for code, program in made.codes.items():
            part.source.append(c_text.function(f'{prefix}_{code}_{name}', program.routines[name],
                                               inputs, outputs))
            part.stack = max(part.stack, c_text.stack(program.routines[name]))
        found[name] = f'{prefix}_step_{name}'
        head = (f'static void {found[name]}(const {prefix}_model *model, const double *x, '
                'double *y)')
        part.source.append(f"""{wrapped(head)}
{{
    if (model->own)
        {prefix}_{OWN}_{name}(model->step, x, y);
    else
        {prefix}_{ANY}_{name}(model->step, x, y);
}}
""")
    return found


def _examples(simulation: Simulation) -> list[Example]:
    """Return steps of the plant from the scenario's start, with its payload and with another."""
    found, plant, robot = [], simulation.plant, simulation.robot
    h, start = plant.step_size, simulation.assembly.state
    rng = np.random.default_rng(23)
    for changed in (False, True):
        values = dict(simulation.parameters)
        if changed:
            own = Parameters.from_flat([values[name] for name in NAMES])
            values = changed_parameters(own).named()  # type: ignore[assignment]
        motion = plant.in_place(start, 1, values)
        for k in range(EXAMPLES):
            tau = rng.uniform(-1.0, 1.0, robot.n)
            motion.tau[:] = tau
            before = np.concatenate([[start.t + k * h], motion.q, motion.v, tau])
            motion.step()
            found.append(Example(changed, before, np.concatenate([motion.q, motion.v])))
    return found
