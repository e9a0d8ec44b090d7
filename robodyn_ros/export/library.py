# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""From parts to the files of a library: header, source, example, check program, Makefile."""
from __future__ import annotations

import hashlib
from typing import Mapping, NamedTuple, Sequence

import robodyn_ros
from robodyn_ros.codegen import c_text
from robodyn_ros.codegen.loops.outcomes import (DEPENDENT, INCONSISTENT, NOT_FINITE, NOT_PROJECTED,
                                                OK, SINGULAR)
from robodyn_ros.errors import ArgumentError
from robodyn_ros.export import hold_udp
from robodyn_ros.export.part import literal, Part
from robodyn_ros.mechanics.parameters import NAMES
from robodyn_ros.robots.robot import Robot

OUTCOMES = {'OK': OK, 'DEPENDENT': DEPENDENT, 'SINGULAR': SINGULAR, 'NOT_FINITE': NOT_FINITE,
            'INCONSISTENT': INCONSISTENT, 'NOT_PROJECTED': NOT_PROJECTED}
LONGEST = 48
"""Letters of the name that all names in C begin with."""
FILES = frozenset(('check', 'errno', 'example', 'float', 'inet', 'math', 'rd', 'sample', 'signal',
                   'socket', 'stdint', 'stdio', 'stdlib', 'string', 'time', 'unistd'))
"""Names of our own files and functions, and of headers that a file of ours would hide."""
INNER = 2048
"""Bytes of stack of what every function may call: sine, cosine and the software fma."""
LICENCE = """/* Made by robodyn_ros {version} from {title}.
 * Do not edit: change what it was made from, and export it again.
 * sha256 of what it was made from: {digest} */
"""
MAKEFILE = """# make check: compare with numbers of robodyn_ros {version}, to the last bit.
# Cross-compiling: make CC=aarch64-linux-gnu-gcc ARCH=
# Results are the same for every -O and ARCH; without fused multiply-add in ARCH they come from
# whole-number arithmetic, which takes some thirty times as long.
CC ?= cc
ARCH ?= -march=native
CFLAGS ?= -O2
# gcc 12 makes fused additions and subtractions in turn where it vectorises, contraction or not
BITS = -ffp-contract=off -fno-tree-vectorize -fno-tree-slp-vectorize -fno-math-errno
WARNINGS = -std=c99 -Wall -Wextra -pedantic -Wconversion
LIBS ={libs}

all: example check_{name}

example check_{name}: %: %.c {name}.c {name}.h
\t$(CC) $(WARNINGS) $(CFLAGS) $(ARCH) $(BITS) $(LDFLAGS) -o $@ $< {name}.c $(LIBS)

check: check_{name}
\t./check_{name}
{examples}
clean:
\trm -f example check_{name} examples/hold_udp

.PHONY: all check clean examples
"""


def prefix_of(name: str) -> str:
    """Return what all names in C begin with, given the name of a robot or scenario."""
    prefix = c_text.identifier(name)[:LONGEST]
    if prefix.startswith('_'):  # those belong to the compiler and its library
        prefix = 'n' + prefix
    return f'{prefix}_' if prefix.lower() in FILES else prefix


class Library(NamedTuple):
    """Everything that is exported of one robot or scenario."""

    name: str
    """What all names in C begin with."""
    title: str
    """What it was made from, in words."""
    robot: Robot
    parts: Sequence[Part]
    changes: Mapping[str, float]
    """Parameters of the second half of the check program, where they differ."""
    loop: str = ''
    """A driver's loop, as an example; '' without a control law."""
    names: Mapping[str, str] = {}
    """What robot or scenario and its frames are called in C."""

    def files(self) -> dict[str, str]:
        """Return the text of every file by its name."""
        name = self.name
        rule = hold_udp.RULE.replace('@P@', name) if self.loop else ''
        loop = {hold_udp.NAME: f'{self._licence()}\n{self.loop}'} if self.loop else {}
        return {f'{name}.h': self._header(), f'{name}.c': self._code(),
                f'check_{name}.c': self._check(), 'example.c': self._example(), **loop,
                'Makefile': MAKEFILE.format(
                    name=name, version=robodyn_ros.__version__, examples=rule,
                    libs=' -lm' if self.library_calls else '')}

    @property
    def parameters(self) -> dict[str, float]:
        """Return all run-time parameters with their defaults."""
        return {key: value for part in self.parts for key, value in part.parameters.items()}

    @property
    def library_calls(self) -> list[str]:
        """Return the functions of the C library that are left."""
        return c_text.library_calls(
            routine for part in self.parts for program in part.programs
            for routine in program.routines.values())

    @property
    def stack(self) -> int:
        """Return the bytes of stack that any call needs at most."""
        return INNER + max(part.stack for part in self.parts) + 8 * len(self.parameters)

    def renamed(self) -> dict[str, str]:
        """Return names that are no names in C, with what they became; refuse two that collide."""
        found: dict[str, str] = {}
        for key in self.parameters:
            made = c_text.identifier(key)
            other = next((k for k, value in found.items() if value == made), None)
            if other is not None:
                raise ArgumentError(f'parameters {other!r} and {key!r} would both be called '
                                    f'{made!r} in C; rename one')
            found[key] = made
        return {key: made for key, made in {**self.names, **found}.items()
                if made != key.replace('.', '_')}

    def _licence(self) -> str:
        facts = [self.robot.urdf, repr(self.parameters),
                 *(program.source for part in self.parts for program in part.programs)]
        digest = hashlib.sha256('\0'.join(facts).encode()).hexdigest()
        return LICENCE.format(version=robodyn_ros.__version__, digest=digest,
                              title=c_text.comment(self.title))

    def _header(self) -> str:
        name, guard, limits = self.name, f'{self.name.upper()}_H', self.robot.limits
        joints = ''.join(
            f' *   {k} {c_text.comment(joint)} [{unit}]: {lower:.6g} .. {upper:.6g}, speed '
            f'{speed:.6g}, effort {effort:.6g}\n'
            for k, (joint, unit, lower, upper, speed, effort) in enumerate(zip(
                limits.joints, limits.units, limits.lower, limits.upper, limits.velocity,
                limits.effort)))
        calls = self.library_calls
        rest = (f'{", ".join(calls)} of the C library, whose last bit is its\n'
                ' * own: the same bits as robodyn_ros only with its library (docs/export.md)'
                ) if calls else 'no function of libm'
        upper = name.upper()
        text = [self._licence(), f"""
#ifndef {guard}
#define {guard}

/*
 * Joints, in the order of all arrays, with their limits:
{joints} *
 * No allocation, no globals, no recursion; any number of threads, each with its own results. A
 * result may lie where an argument lies. Needs {rest};
 * and a processor that rounds to nearest and keeps subnormal numbers, as it does by default.
 * Arguments that are not finite do no harm, but give results that mean nothing: look at both, as
 * the nodes do. A step of the plant does so itself.
 * Stack: at most {self.stack} bytes for any call, without optimisation.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

#define {upper}_VERSION "{robodyn_ros.__version__}"
#define {upper}_JOINTS {self.robot.n}

/* What a function returns that may fail: 0, or why its results must not be used. */
enum {{
    {f',{chr(10)}    '.join(f'{upper}_{key} = {value}' for key, value in OUTCOMES.items())}
}};
"""]
        if self.parameters:
            fields = ''.join(f'    double {c_text.identifier(key)}; /* {c_text.comment(key)}, '
                             f'{c_text.number(value)} unless changed */\n'
                             for key, value in self.parameters.items())
            members = ''.join(f'    {line}\n' for part in self.parts for line in part.fields)
            text.append(f"""/* Run-time parameters [SI]. */
typedef struct {{
{fields}}} {name}_parameters;

/* What depends on parameters alone, computed once: not to be read or written. */
typedef struct {{
    int own;
{members}}} {name}_model;

/* Fill in the defaults. */
void {name}_default_parameters({name}_parameters *p);

/* Compute the model of parameters; once, and whenever they change. */
void {name}_prepare(const {name}_parameters *p, {name}_model *model);
""")
        text += [block for part in self.parts for block in part.header]
        text.append('#ifdef __cplusplus\n}\n#endif\n\n#endif\n')
        return '\n'.join(text)

    def _code(self) -> str:
        name = self.name
        text = [self._licence(), f'#include "{name}.h"\n', c_text.prelude()]
        text += [block for part in self.parts for block in part.source]
        if self.parameters:
            defaults = [f'    p->{c_text.identifier(key)} = {c_text.number(value)};'
                        for key, value in self.parameters.items()]
            own = '1'
            if NAMES[0] in self.parameters:
                own = '\n        && '.join(
                    f'p->{c_text.identifier(key)} == {c_text.number(float(value))}'
                    for key, value in self.robot.parameters.named().items())
            lines = [f'    {line}' for part in self.parts for line in part.preparing]
            used = '' if any(part.preparing for part in self.parts) else '    (void)p;\n'
            text.append('\n'.join([f'void {name}_default_parameters({name}_parameters *p)', '{',
                                   *defaults, '}', '']))
            text.append('\n'.join([
                f'void {name}_prepare(const {name}_parameters *p, {name}_model *model)', '{',
                f'    model->own = {own};', *lines, used + '}', '']))
        return '\n'.join(text)

    def _check(self) -> str:
        name = self.name
        checks = {key: text for part in self.parts for key, text in part.checks.items()}
        calls = '\n'.join(f'    failed += told("{key}", check_{key}(model));' for key in checks)
        model, prepared = '    const MODEL *model = 0;\n', ''
        if self.parameters:
            model = f'    {name}_parameters p;\n    {name}_model model[2];\n'
            changes = ''.join(f'    p.{c_text.identifier(key)} = {literal(value)};\n'
                              for key, value in self.changes.items() if key in self.parameters)
            prepared = (f'    {name}_default_parameters(&p);\n    {name}_prepare(&p, &model[0]);\n'
                        f'{changes}    {name}_prepare(&p, &model[1]);\n')
        return '\n'.join([self._licence(), f"""#include "{name}.h"

#include <stdio.h>
#include <string.h>

#define MODEL {f'{name}_model' if self.parameters else 'void'}

/* Count the numbers that are not equal to the last bit. */
static long differ(const double *got, const double *expected, int count)
{{
    long wrong = 0;
    int k;
    for (k = 0; k < count; ++k)
        wrong += memcmp(got + k, expected + k, sizeof *got) != 0;
    return wrong;
}}

static int told(const char *what, long wrong)
{{
    if (wrong)
        printf("%s: %ld numbers differ from those of robodyn_ros\\n", what, wrong);
    else
        printf("%s: the same bits\\n", what);
    return wrong != 0;
}}
""", *checks.values(), f"""int main(void)
{{
{model}    volatile double small = 2.2250738585072014e-308;
    int failed = 0;
    small *= 0.5;
    if (small == 0.0) {{
        printf("numbers below 2.3e-308 become zero in this program: something in it was linked "
               "with -ffast-math, or asked the processor for it\\n");
        failed = 1;
    }}
{prepared}{calls}
    return failed != 0;
}}
"""])

    def _example(self) -> str:
        name, n = self.name, self.robot.n
        have = {key for part in self.parts for key in part.checks}
        declared, body = [], []
        if self.parameters:
            declared += [f'{name}_parameters p;', f'{name}_model model;']
            body += [f'{name}_default_parameters(&p);', f'{name}_prepare(&p, &model);']
        start = next((part.start for part in self.parts if part.start), [0.0])
        declared += [f'double q[{n}] = {{{", ".join(map(c_text.number, start))}}};',
                     f'double v[{n}] = {{0.0}}, tau[{n}] = {{0.0}};', 'int k;']
        frame = next((key for key in have if key.startswith('frame_')), '')
        if frame:
            declared.append(f'double R[9], x[3], velocity[6], drift[6], J[{6 * n}];')
            body += [f'{name}_{frame}(q, v, R, x, velocity, drift, J);',
                     'printf("position %.9g %.9g %.9g m\\n", x[0], x[1], x[2]);']
        if 'inverse_dynamics' in have:
            declared.append(f'double a[{n}] = {{0.0}};')
            body += ['/* the torque that holds the arm still */',
                     f'{name}_inverse_dynamics(&model, q, v, a, tau);']
        if 'control' in have:
            part = next(part for part in self.parts if 'control' in part.checks)
            remembers = any('_state;' in block for block in part.header)
            follows = 'sample' in part.checks
            if follows:
                declared += ['const int64_t times[1] = {1000000000};',
                             f'double state[{3 * n}] = {{0.0}}, desired[{name.upper()}_DESIRED];',
                             f'double point[{n}], rest[{n}] = {{0.0}};',
                             f'{name}_points points;', f'{name}_plan plan;']
                body += ['/* lead every joint by 0.1 in a second; this is half-way */',
                         f'for (k = 0; k < {n}; ++k) {{', '    state[k] = q[k];',
                         '    point[k] = q[k] + 0.1;', '}',
                         'points.start = 0;', 'points.count = 1;', 'points.times = times;',
                         'points.q = point;', 'points.v = points.a = rest;',
                         *([f'{name}_schedule_at_rest(&points);'] if part.scheduled else []),
                         f'{name}_begin(&plan, &points, 0, state, 0);',
                         f'{name}_sample(&plan, 500000000, desired);']
            if remembers:
                declared.append(f'{name}_state memory;')
                body.append(f'{name}_start(&memory);')
            arguments = [*(['&model'] if part.parameters else []),
                         *(['&memory'] if remembers else []), '0.5', 'q', 'v',
                         *(['desired'] if follows else []), 'tau']
            body += [f'{name}_control({", ".join(arguments)});', f'{name}_limit_efforts(tau);']
        if 'step' in have:
            body += [f'if ({name}_step(&model, 0.0, q, v, tau, q, v) != {name.upper()}_OK)',
                     '    return 1;']
        lines = '\n'.join(f'    {line}' for line in [*declared, *body])
        return '\n'.join([self._licence(), f"""#include "{name}.h"

#include <stdio.h>

int main(void)
{{
{lines}
    for (k = 0; k < {name.upper()}_JOINTS; ++k)
        printf("%.17g\\n", tau[k]);
    return 0;
}}
"""])
