# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Recordings evaluated with complex numbers: Im f(x + i h d) / h is the exact derivative."""

import numpy as np
from robodyn_ros.tracing.scalar import argument, Scalar

H = 1e-30
FUNCTIONS = {
    'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b,
    'div': lambda a, b: a / b, 'neg': lambda a: -a, 'sin': np.sin, 'cos': np.cos, 'tan': np.tan,
    'sqrt': np.sqrt, 'exp': np.exp, 'tanh': np.tanh,
    'lt': lambda a, b: a.real < b.real, 'le': lambda a, b: a.real <= b.real,
    'eq': lambda a, b: a.real == b.real, 'where': lambda c, a, b: a if c else b,
    'abs': lambda a: -a if a.real < 0.0 else a, 'min': lambda a, b: a if a.real < b.real else b,
    'max': lambda a, b: a if a.real > b.real else b,
    'atan2': lambda y, x: np.arctan2(y.real, x.real) + 1j * (
        (x.real * y.imag - y.real * x.imag) / abs(x.real + 1j * y.real) ** 2),
}


def rate(outputs, values, direction):
    """Return the rates of outputs (k,), at inputs by Scalar, along rates of inputs by Scalar."""
    graph = next(y.graph for y in outputs if isinstance(y, Scalar))
    nodes = [argument(y, graph) for y in outputs]
    known = {x.node: complex(value, H * direction.get(x, 0.0)) for x, value in values.items()}

    def value(a):
        return complex(a) if isinstance(a, float) else known[a]
    for node in graph.reachable(nodes):
        if graph.ops[node] != 'input':
            known[node] = FUNCTIONS[graph.ops[node]](*map(value, graph.args[node]))
    return np.array([value(a).imag / H for a in nodes])


def jacobian(outputs, values, variables):
    """Return the Jacobian (k, variables) by complex steps."""
    return np.array([rate(outputs, values, {x: 1.0}) for x in variables]).T
