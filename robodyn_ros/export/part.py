# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A part of an exported library, and the functions of kernels that most parts consist of.

A function is written once for each code that Python has for it: one with the robot's own gravity
and friction as constants, one with all of them as inputs; which of them runs depends on the values
alone, as in Python, so equal inputs give equal bits.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.codegen import c_text
from robodyn_ros.codegen.c_text import Array
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import PREPARE

OWN, ANY = 'own', 'any'
"""The two codes of a function: for the robot's own parameters, and for any."""
CALL = 256
"""Bytes that a public function needs beside what it calls."""


class Example(NamedTuple):
    """Numbers for the check program: a call with its answers."""

    changed: bool
    """With the changed parameters."""
    inputs: np.ndarray
    outputs: np.ndarray


@dataclass
class Part:
    """What a part adds to header, source and check program."""

    parameters: dict[str, float] = field(default_factory=dict)
    """Run-time parameters with their defaults, by the names that Python knows."""
    fields: list[str] = field(default_factory=list)
    """Members of the struct of what is prepared once."""
    preparing: list[str] = field(default_factory=list)
    """Statements that fill them, from p, the struct of parameters."""
    header: list[str] = field(default_factory=list)
    source: list[str] = field(default_factory=list)
    checks: dict[str, str] = field(default_factory=dict)
    """Functions static long check_NAME(const model *[2]) of the check program, by NAME."""
    programs: list[Program] = field(default_factory=list)
    start: list[float] = field(default_factory=list)
    """Where a plant begins (n), for the example."""
    scheduled: bool = False
    """The law reads a schedule beside q, v and a."""
    stack: int = 0
    """Bytes that the deepest call needs at most."""


class Function(NamedTuple):
    """A kernel as a public function."""

    name: str
    comment: str
    inputs: Sequence[Array]
    outputs: Sequence[Array]
    codes: Mapping[str, Program]
    """Programs by OWN and ANY; ANY alone where there is one code only."""
    kernel: str
    names: Sequence[str]
    """Run-time parameters in the order of the programs' vector; none: it depends on none."""
    guarded: bool = False
    """The last output is a margin: the function returns OK (0) while it is positive."""
    remembers: bool = False
    """The last input and the last output are the memory, which lives in the struct of a state."""

    @property
    def public(self) -> tuple[list[Array], list[Array]]:
        """Return inputs and outputs that a caller passes one by one."""
        inputs = self.inputs[:-1] if self.remembers else self.inputs
        outputs = self.outputs[:-1] if self.remembers or self.guarded else self.outputs
        return list(inputs), list(outputs)


def add_function(part: Part, prefix: str, made: Function) -> None:
    """Write a function of a kernel into a part."""
    calls, width = {}, 1
    for code, program in made.codes.items():
        prepare, kernel = program.routines[PREPARE], program.routines[made.kernel]
        width = max(width, prepare.outputs)
        calls[code] = f'{prefix}_{code}_{made.name}'
        part.source.append(c_text.function(calls[code], kernel, made.inputs, made.outputs))
        part.stack = max(part.stack, CALL + c_text.stack(kernel), CALL + c_text.stack(prepare))
        part.programs.append(program)
    part.preparing += preparation(part, prefix, made, width)
    declared = ([f'const {prefix}_model *model'] if made.names else []) \
        + ([f'{prefix}_state *state'] if made.remembers else []) \
        + [item.declared(written) for items, written in zip(made.public, (False, True))
           for item in items]
    head = f'{"int" if made.guarded else "void"} {prefix}_{made.name}({", ".join(declared)})'
    part.header.append(described(made) + wrapped(head) + ';\n')
    w = f'model->{made.name}' if made.names else '0'
    kept = (made.inputs[-1], made.outputs[-1]) if made.remembers else ()
    arguments = ', '.join([w, *('state->memory' if item in kept else item.name
                                for item in (*made.inputs, *made.outputs))])
    body = [f'    {calls[ANY]}({arguments});'] if len(calls) == 1 else [
        '    if (model->own)', f'        {calls[OWN]}({arguments});', '    else',
        f'        {calls[ANY]}({arguments});']
    if made.guarded:
        margin, upper = made.outputs[-1].name, prefix.upper()
        body = [f'    double {margin}[1];', *body,
                f'    return {margin}[0] > 0.0 ? {upper}_OK : {upper}_SINGULAR;']
    part.source.append('\n'.join([wrapped(head), '{', *body, '}', '']))


def preparation(part: Part, prefix: str, made: Function, width: int) -> list[str]:
    """Return the statements that compute w of a function; its place is a member of the model."""
    if not made.names:
        return []
    part.fields.append(f'double {made.name}[{width}];')
    lines = ['{', f'    double values[{max(1, len(made.names))}];']
    lines += [f'    values[{k}] = p->{c_text.identifier(name)};'
              for k, name in enumerate(made.names)] or ['    values[0] = 0.0;']
    for code, program in made.codes.items():
        prepare = program.routines[PREPARE]
        part.source.append(c_text.function(
            f'{prefix}_prepare_{code}_{made.name}', prepare,
            [Array('p', max(1, len(made.names)))], [Array('w', prepare.outputs)], prepared=False))
        test = '' if len(made.codes) == 1 else f'if ({"" if code == OWN else "!"}model->own) '
        lines.append(f'    {test}{prefix}_prepare_{code}_{made.name}(values, '
                     f'model->{made.name});')
    return [*lines, '}']


def described(made: Function) -> str:
    """Return the comment of a function: equation, then each argument with shape and unit."""
    lines = [c_text.comment(line) for line in made.comment.splitlines()]
    for items, mark in zip(made.public, ('', ' (result)')):
        for item in items:
            size = '' if item.scalar else f' ({item.size})'
            lines.append(c_text.comment(f'{item.name}{size}: {item.what}{mark}'))
    return '/*\n' + ''.join(f' * {line}\n' for line in lines) + ' */\n'


def wrapped(head: str) -> str:
    """Return a declaration in lines that people can read."""
    if len(head) < 99:
        return head
    start, _, rest = head.partition('(')
    return f'{start}(\n    ' + ',\n    '.join(rest.split(', '))


def literal(value: float) -> str:
    """Return a reference number, exact to the bit."""
    return c_text.number(value) if np.isinf(value) or np.isnan(value) else float(value).hex()


def table(name: str, rows: np.ndarray) -> str:
    """Return reference numbers as an array of C."""
    text = ',\n    '.join('{' + ', '.join(map(literal, row)) + '}' for row in rows.tolist())
    return f'static const double {name}[{len(rows)}][{rows.shape[1]}] = {{\n    {text}}};\n'


def add_check(part: Part, prefix: str, made: Function, examples: Sequence[Example]) -> None:
    """Write the comparison of a function with numbers that Python computed."""
    given, expected = (np.array([item[k] for item in examples]) for k in (1, 2))
    arguments, at = [], 0
    for item in made.public[0]:
        place = f'{made.name}_given[k]'
        arguments.append(f'{place}[{at}]' if item.scalar else f'{place} + {at}')
        at += item.size
    at = 0
    for item in made.public[1]:
        arguments.append(f'got + {at}')
        at += item.size
    changed = ', '.join(str(int(item.changed)) for item in examples)
    model = [f'&model[{made.name}_changed[k]]'] if made.names else []
    model += ['&state'] if made.remembers else []
    call = f'{prefix}_{made.name}({", ".join([*model, *arguments])})'
    parts = [table(f'{made.name}_given', given), table(f'{made.name}_expected', expected)]
    if made.names:
        parts.append(f'static const int {made.name}_changed[{len(examples)}] = {{{changed}}};\n')
    line = f'wrong += {call} != 0;' if made.guarded else f'{call};'
    state, begin, more = '', '', ''
    if made.remembers:  # it starts anew with other parameters
        state, before = f'    {prefix}_state state;\n', f'{made.name}_changed'
        begin = (f'        if (k == 0 || {before}[k] != {before}[k - 1])\n'
                 f'            {prefix}_start(&state);\n')
        more = (f'        wrong += differ(state.memory, {made.name}_expected[k] + {at}, '
                f'{made.outputs[-1].size});\n')
    parts.append(f"""static long check_{made.name}(const MODEL *model)
{{
    double got[{max(1, at)}];
{state}    long wrong = 0;
    int k;
    (void)model;
    for (k = 0; k < {len(examples)}; ++k) {{
{begin}        {line}
        wrong += differ(got, {made.name}_expected[k], {at});
{more}    }}
    return wrong;
}}
""")
    part.checks[made.name] = '\n'.join(parts)
