# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Record, compile and evaluate small functions: what the tests of the tracer share."""

import math

import numpy as np
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.tracing import evaluate, functions, Graph, inputs

SMOOTH = ('add', 'sub', 'mul', 'div', 'neg', 'sin', 'cos', 'tan', 'sqrt', 'exp', 'tanh', 'atan2',
          'square')
KINKED = ('abs', 'min', 'max', 'clip', 'where')
CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5, -3.0)


def record(function, count):
    """Return the inputs and the recorded outputs of a function of count numbers."""
    graph = Graph()
    x = inputs(graph, 'x', count)
    return x, list(function(*x))


def program(function, count, parameters=1):
    """Return the program of a function of count inputs and then its parameters."""
    graph = Graph()
    x, p = inputs(graph, 'x', count), inputs(graph, 'p', parameters)
    given = [*x, *p] if parameters > 1 else x
    outputs = list(function(*given))
    return Program('a test', [Kernel('evaluate', x, outputs)], p)


def run(compiled, points, parameters=(0.0,)):
    """Evaluate a program at points (k, inputs)."""
    return compiled.evaluate('evaluate', np.asarray(points), compiled.prepared(parameters))


def interpret(x, outputs, point):
    """Evaluate a recording without the compiler."""
    return evaluate(outputs, dict(zip(x, map(float, point))))


class Tape:
    """
    A random straight-line function: play(x, library) runs it on floats, recordings or complex.

    Arguments of div, sqrt, tan and exp are kept where these are smooth and of moderate size.
    """

    def __init__(self, rng, variables, length=14, operations=SMOOTH):
        """Draw the operations; later steps like recent results, so that all of it is used."""
        self.variables, self.steps = variables, []
        for k in range(length):
            op = str(rng.choice(operations))
            size = variables + k
            recent = [int(i) for i in rng.integers(max(0, size - 5), size, 3)]
            constant = float(rng.choice(CONSTANTS))
            self.steps.append((op, recent, constant, bool(rng.integers(4) == 0)))

    def play(self, x, library=functions):
        """Return the last three results."""
        values = list(x)
        for op, (i, j, k), constant, fixed in self.steps:
            a, b, c = values[i], constant if fixed else values[j], values[k]
            values.append(_step(library, op, a, b, c))
        return values[-3:]

    def __repr__(self):
        """Print everything needed to play it again."""
        return f'Tape({self.variables}, {self.steps})'


def _step(f, op, a, b, c):
    tame = {
        'add': lambda: a + b, 'sub': lambda: a - b, 'mul': lambda: f.tanh(a) * b,
        'div': lambda: a / (2.0 + f.sin(b)), 'neg': lambda: -a, 'square': lambda: f.sin(a) ** 2,
        'sin': lambda: f.sin(a), 'cos': lambda: f.cos(a), 'tan': lambda: f.tan(f.sin(a)),
        'sqrt': lambda: f.sqrt(1.5 + f.sin(a)), 'exp': lambda: f.exp(f.cos(a)),
        'tanh': lambda: f.tanh(a), 'atan2': lambda: f.atan2(f.sin(a), 2.0 + f.cos(c)),
        'abs': lambda: f.absolute(a), 'min': lambda: f.minimum(a, b),
        'max': lambda: f.maximum(a, b), 'clip': lambda: f.clip(a, -0.7, 0.8),
        'where': lambda: f.where(a < c, a * b, f.sin(b)),
    }
    return tame[op]()


class Complex:
    """The same functions on complex numbers: Im f(x + i h) / h is the exact derivative."""

    sin, cos, tan, sqrt, exp, tanh = map(staticmethod, (
        np.sin, np.cos, np.tan, np.sqrt, np.exp, np.tanh))

    @staticmethod
    def atan2(y, x):
        """Return the angle; x is positive on every tape."""
        return np.arctan(y / x)

    @staticmethod
    def absolute(x):
        """Keep the sign of the real part positive."""
        return x if x.real >= 0.0 else -x


def complex_step(tape, x, direction):
    """Return the rate of the tape's outputs when x moves along direction, to rounding."""
    h = 1e-30
    moved = np.asarray(x) + 1j * h * np.asarray(direction)
    return np.array([np.imag(y) / h for y in tape.play(list(moved), Complex)])


def same(ours, theirs, relative):
    """Tell if two numbers agree, relative to the larger of 1 and their size."""
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    return abs(ours - theirs) <= relative * max(1.0, abs(ours), abs(theirs))
