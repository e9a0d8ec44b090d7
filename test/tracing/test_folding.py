# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Folding and sharing make a recording shorter and never change what it computes."""

import math

import numpy as np
import pytest
from robodyn_ros.tracing import (clip, cos, Graph, inputs, is_zero, maximum, Scalar, sin, sqrt,
                                 where)
from tracing.recording import interpret, KINKED, record, same, SMOOTH, Tape

ROUNDING = 1e-12  # two orders of the same few operations

# name: (what is written, what must stand there)
IDENTITIES = {
    'a + 0': (lambda a, b: a + 0.0, lambda a, b: a),
    '0 + a': (lambda a, b: 0 + a, lambda a, b: a),
    'a - 0': (lambda a, b: a - 0.0, lambda a, b: a),
    '0 - a': (lambda a, b: 0.0 - a, lambda a, b: -a),
    'a 1': (lambda a, b: a * 1.0, lambda a, b: a),
    '1 a': (lambda a, b: 1 * a, lambda a, b: a),
    'a (-1)': (lambda a, b: a * -1.0, lambda a, b: -a),
    'a / 1': (lambda a, b: a / 1.0, lambda a, b: a),
    '-(-a)': (lambda a, b: -(-a), lambda a, b: a),
    '+a': (lambda a, b: +a, lambda a, b: a),
    '-(a - b)': (lambda a, b: -(a - b), lambda a, b: b - a),
    'a + (-b)': (lambda a, b: a + (-b), lambda a, b: a - b),
    '-a + b': (lambda a, b: -a + b, lambda a, b: b - a),
    'a - (-b)': (lambda a, b: a - (-b), lambda a, b: a + b),
    '-a - b': (lambda a, b: -a - b, lambda a, b: -(a + b)),
    '(-a) (-b)': (lambda a, b: (-a) * (-b), lambda a, b: a * b),
    '(-a) b': (lambda a, b: (-a) * b, lambda a, b: -(a * b)),
    '(-a) / b': (lambda a, b: (-a) / b, lambda a, b: -(a / b)),
    '2 (3 a)': (lambda a, b: (a * 3.0) * 2.0, lambda a, b: a * 6.0),
    '-(3 a)': (lambda a, b: -(a * 3.0), lambda a, b: a * -3.0),
    'a / 4': (lambda a, b: a / 4.0, lambda a, b: a * 0.25),
    'a + a': (lambda a, b: a + a, lambda a, b: 2.0 * a),
    'a + b': (lambda a, b: a + b, lambda a, b: b + a),
    'a b': (lambda a, b: a * b, lambda a, b: b * a),
    'max(a, b)': (lambda a, b: maximum(a, b), lambda a, b: maximum(b, a)),
    'sin(-a)': (lambda a, b: sin(-a), lambda a, b: -sin(a)),
    'cos(-a)': (lambda a, b: cos(-a), lambda a, b: cos(a)),
    'a ** 2': (lambda a, b: a ** 2, lambda a, b: a * a),
    'a ** 0.5': (lambda a, b: a ** 0.5, lambda a, b: sqrt(a)),
    'a ** 1': (lambda a, b: a ** 1, lambda a, b: a),
    'a ** -1': (lambda a, b: a ** -1, lambda a, b: 1.0 / a),
    'where(a < b, a, a)': (lambda a, b: where(a < b, a, a), lambda a, b: a),
    'a > b': (lambda a, b: where(a > b, a, 0.0), lambda a, b: where(b < a, a, 0.0)),
}
CONSTANTS = {
    'a 0': (lambda a, b: a * 0.0, 0.0),
    'a - a': (lambda a, b: a - a, 0.0),
    '0 / a': (lambda a, b: 0.0 / a, 0.0),
    'a ** 0': (lambda a, b: a ** 0, 1.0),
    'sin^2 + cos^2': (lambda a, b: sin(a) * sin(a) + cos(a) * cos(a), 1.0),
    'cos^2 + sin^2': (lambda a, b: cos(a) ** 2 + sin(a) ** 2, 1.0),
    'sin 1': (lambda a, b: sin(1.0), math.sin(1.0)),
    'clip of 3': (lambda a, b: clip(3.0, 0.0, 2.0), 2.0),
    'where(c, 2, 2)': (lambda a, b: where(a < b, 2.0, 2.0), 2.0),
    'where(True, 3, 4)': (lambda a, b: where(True, 3.0, 4.0), 3.0),
}


@pytest.mark.parametrize('name', IDENTITIES)
def test_equal_expressions_are_one_node(name):
    """Two ways of writing the same thing record one node."""
    left, right = IDENTITIES[name]
    (a, b), (one, other) = record(lambda a, b: (left(a, b), right(a, b)), 2)
    assert one.node == other.node, f'{name}: nodes {one.node} and {other.node} of {a.graph.ops}'


@pytest.mark.parametrize('name', CONSTANTS)
def test_a_constant_expression_is_a_plain_float(name):
    """What does not depend on an input is not recorded."""
    function, expected = CONSTANTS[name]
    _, (value,) = record(lambda a, b: [function(a, b)], 2)
    assert type(value) is float and value == expected, f'{name} gave {value!r}'


def test_structural_zero_is_known_while_recording():
    """is_zero sees the plain number 0 and nothing else."""
    (a, b), _ = record(lambda a, b: [], 2)
    assert is_zero(a * 0.0) and is_zero(0) and is_zero(0.0)
    assert not is_zero(a) and not is_zero(1e-300) and not is_zero(a - b)


def test_recording_again_adds_nothing():
    """The same function on the same inputs gives the same nodes, and the graph does not grow."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        tape = Tape(rng, 3, 20, SMOOTH + KINKED)
        graph = Graph()
        x = inputs(graph, 'x', 3)
        first, size = tape.play(x), len(graph.ops)
        again = tape.play(x)
        assert len(graph.ops) == size, tape
        assert [getattr(y, 'node', y) for y in first] == [getattr(y, 'node', y) for y in again]


def test_folding_never_changes_the_value():
    """A recording evaluated at x is the function called with x."""
    rng = np.random.default_rng(2)
    for _ in range(400):
        tape, point = Tape(rng, 3, 20, SMOOTH + KINKED), rng.normal(size=3)
        x, outputs = record(lambda *x: tape.play(x), 3)
        for ours, theirs in zip(interpret(x, outputs, point), tape.play(map(float, point))):
            assert same(ours, theirs, ROUNDING), f'{ours} != {theirs} at {point} of {tape}'


def test_constants_are_not_confused_with_nodes_of_the_same_number():
    """Node 7 and the constant 7.0 are equal to Python and different to the recording."""
    graph = Graph()
    x = inputs(graph, 'x', 12)
    values = {s: 0.1 * k + 20.5 for k, s in enumerate(x)}
    for k, s in enumerate(x):
        pairs = [(x[0] + s, x[0] + float(k)), (x[0] - s, x[0] - float(k)), (x[0] * s, x[0] * k),
                 (x[0] / s, x[0] / (k or 0.5)), (maximum(x[0], s), maximum(x[0], float(k))),
                 (where(x[0] < s, x[1], s), where(x[0] < s, x[1], float(k)))]
        for with_node, with_constant in pairs:
            assert getattr(with_node, 'node', None) != getattr(with_constant, 'node', None) or \
                (isinstance(with_node, Scalar) and k == 0 and with_node.node == 0), k
    assert interpret(list(values), [where(x[1] < 30.0, x[1], 1.0)], values.values()) == [20.6]


def test_sine_times_its_own_node_number_is_no_square():
    """Products 3.0 sin(a) and 4.0 cos(a) with sin(a) node 3 and cos(a) node 4 do not sum to 1."""
    for lead in range(1, 6):
        graph = Graph()
        a = inputs(graph, 'x', lead)[-1]
        s, c = sin(a), cos(a)
        total = s * float(s.node) + c * float(c.node)
        assert isinstance(total, Scalar), f'{lead} inputs folded the sum to {total}'
