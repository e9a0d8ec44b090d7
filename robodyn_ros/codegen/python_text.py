# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The back end that writes Python: what `robodyn source` prints and what runs without a compiler.

The text of a routine is the function name(x, i, w, y, j) in plain Python, with the same operations
in the same order as the machine code: slow, and the same bits.
"""
from __future__ import annotations

import math
from typing import Any, Callable

from robodyn_ros.codegen import arithmetic
from robodyn_ros.codegen.routines import expression, Routine
from robodyn_ros.codegen.trigonometry import sincos
from robodyn_ros.tracing.graph import Argument

CALLS = {'abs': 'fabs', 'min': 'smaller', 'max': 'larger', 'where': 'choose'}
"""Functions of arithmetic.py that have another name there."""
IMPORTS = """import math

from robodyn_ros.codegen.arithmetic import (atan2, choose, exp, fabs, fma, larger, smaller, sqrt,
                                            tan, tanh)
from robodyn_ros.codegen.trigonometry import sincos
"""


def text(routine: Routine) -> str:
    """Return the function of a routine as Python."""
    offset = {'x': 'i + ', 'w': '', 'y': 'j + '}
    lines = [f'    {_name(node)} = {array}[{offset[array]}{place}]'
             for node, array, place in routine.loads]
    lines += _statements(routine)
    lines += [f'    y[j + {k}] = {_text(a)}' for k, a in enumerate(routine.results)]
    return '\n'.join([f'def {routine.name}(x, i, w, y, j):', *(lines or ['    pass'])])


def python_function(routine: Routine, lanes: int = 1) -> Callable[..., None]:
    """Return a routine to be called; with lanes, numbers of so many runs lie side by side."""
    names: dict[str, Any] = {**vars(arithmetic), 'math': math, 'sincos': sincos}
    exec(compile(text(routine), f'<{routine.name}>', 'exec'), names)  # our own text
    function = names[routine.name]
    if lanes == 1:
        return function

    def kernel(x: Any, i: int, w: Any, y: Any, j: int) -> None:
        for lane in range(lanes):
            of_lane = [0.0] * routine.outputs
            function(x[i + lane::lanes], 0, w if routine.one_w else w[lane::lanes], of_lane, 0)
            for k, value in enumerate(of_lane):
                y[j + k * lanes + lane] = value
    return kernel


def _statements(routine: Routine) -> list[str]:
    """Return one assignment per node; sin and cos of one angle come from one call."""
    graph, lines = routine.graph, []
    for node, both in routine.statements:
        args = [_text(a) for a in graph.args[node]]
        if both:
            names = [_name(both[f]) if f in both else '_' for f in ('sin', 'cos')]
            lines.append(f'    {names[0]}, {names[1]} = sincos({args[0]})')
        else:
            lines.append(f'    {_name(node)} = {expression(graph.ops[node], args, CALLS)}')
    return lines


def _name(node: Argument) -> str:
    return f't{node}'


def _text(a: Argument) -> str:
    if not isinstance(a, float):
        return _name(a)
    shown = repr(a) if math.isfinite(a) else repr(a).replace('inf', 'math.inf').replace(
        'nan', 'math.nan')
    return f'({shown})' if shown.startswith('-') else shown
