# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Reverse mode against forward mode and complex steps, on random recordings; twice, too."""

import numpy as np
import pytest
from robodyn_ros.tracing import (absolute, atan2, exp, gradient, Graph, inputs, is_zero, jacobian,
                                 maximum, minimum, replaced, sin, sqrt, tan, where)
from tracing.recording import (complex_step, interpret, KINKED, record, same, SMOOTH, Tape)

EXACT = 1e-11       # rounding of a dozen operations, the derivative's own among them
DIFFERENCE = 1e-8   # fourth-order differences of exact first derivatives, step 1e-3


@pytest.mark.parametrize('operations', [SMOOTH, SMOOTH + KINKED], ids=['smooth', 'kinked'])
def test_reverse_is_forward(operations):
    """The gradient is the transposed Jacobian times the weights, on any recording."""
    rng = np.random.default_rng(41)
    for _ in range(200):
        tape, point = Tape(rng, 3, 20, operations), rng.normal(size=3)
        weights = rng.normal(size=3).tolist()
        x, outputs = record(lambda *x: tape.play(x), 3)
        J = np.array([interpret(x, row, point) for row in jacobian(outputs, x)])
        found = interpret(x, gradient(outputs, weights, x), point)
        for ours, theirs in zip(found, weights @ J):
            assert same(ours, theirs, EXACT), f'{ours} != {theirs} at {point} of {tape}'


def test_reverse_is_the_complex_step():
    """The gradient of a smooth recording is exact to rounding."""
    rng = np.random.default_rng(42)
    for _ in range(150):
        tape, point = Tape(rng, 3), rng.normal(size=3)
        weights = rng.normal(size=3).tolist()
        x, outputs = record(lambda *x: tape.play(x), 3)
        found = interpret(x, gradient(outputs, weights, x), point)
        for ours, direction in zip(found, np.eye(3)):
            theirs = float(weights @ complex_step(tape, point, direction))
            assert same(ours, theirs, EXACT), f'{ours} != {theirs} at {point} of {tape}'


def test_second_derivatives_agree_whatever_the_modes():
    """Forward of reverse, reverse of reverse, reverse of forward: one Hessian, symmetric."""
    rng = np.random.default_rng(43)
    for _ in range(60):
        tape, point = Tape(rng, 2, 10), rng.normal(size=2)
        x, outputs = record(lambda *x: tape.play(x), 2)
        first = gradient(outputs[-1:], [1.0], x)
        by_hand = [gradient([slope], [1.0], x) for slope in first]
        ways = [jacobian(first, x), by_hand,
                [gradient([slope], [1.0], x) for slope in jacobian(outputs[-1:], x)[0]],
                jacobian(jacobian(outputs[-1:], x)[0], x)]
        found = [np.array([interpret(x, row, point) for row in way]) for way in ways]
        size = max(1.0, np.abs(found[0]).max())
        for other in found:
            assert np.abs(other - found[0].T).max() <= 1e3 * EXACT * size, f'{tape} at {point}'


def test_second_derivatives_are_differences_of_complex_steps():
    """The rate of the gradient along a line, by differences of complex steps."""
    rng = np.random.default_rng(44)
    h = 1e-3
    for _ in range(60):
        tape, point, v = Tape(rng, 2, 10), rng.normal(size=2), rng.normal(size=2)
        x, outputs = record(lambda *x: tape.play(x), 2)
        rows = jacobian(gradient(outputs[-1:], [1.0], x), x)
        for row, u in zip(rows, np.eye(2)):
            ahead = {k: complex_step(tape, point + k * h * v, u)[-1] for k in (-2, -1, 1, 2)}
            theirs = (8.0 * (ahead[1] - ahead[-1]) - (ahead[2] - ahead[-2])) / (12.0 * h)
            ours = float(np.dot(interpret(x, row, point), v))
            allowed = DIFFERENCE * max(1.0, abs(theirs)) ** 3
            assert abs(ours - theirs) <= allowed, f'{ours} != {theirs} at {point} of {tape}'


STEEP = {
    'square root': lambda x: where(x < 1e-3, 0.0, sqrt(x)),
    'quotient': lambda x: where(x < 1e-3, x, 1.0 / where(x < 0.0, 1.0, x)),
    'angle': lambda x: where(x < 1e-3, x * 2.0, atan2(x, x * 1.0)),
    'exponential': lambda x: maximum(x * 3.0 + 5.0, minimum(sin(x), sqrt(absolute(x)))),
    'tangent': lambda x: where(x < 1e-3, x, tan(x) / sqrt(x)),
}


@pytest.mark.parametrize('name', STEEP)
def test_a_branch_that_is_not_taken_does_not_count(name):
    """Its slope may be infinite: neither mode multiplies it by zero."""
    (x,), outputs = record(lambda x: [STEEP[name](x)], 1)
    for at in (0.0, 0.5):
        forward = interpret([x], jacobian(outputs, [x])[0], [at])[0]
        reverse = interpret([x], gradient(outputs, [1.0], [x]), [at])[0]
        assert np.isfinite(forward) and same(forward, reverse, EXACT), f'{name} at {at}'


def test_any_recorded_number_may_be_a_variable():
    """What lies behind it is not looked at, and other ways to the input count in full."""
    graph = Graph()
    x, y = inputs(graph, 'x', 2)
    middle = sin(x) * y
    end = middle * middle + x * 3.0 + exp(middle)
    found = gradient([end], [1.0], [middle, x])
    at = [0.3, 0.7]
    z = np.sin(0.3) * 0.7
    assert np.allclose(interpret([x, y], found, at), [2.0 * z + np.exp(z), 3.0], rtol=1e-15)


def test_a_gradient_costs_a_few_evaluations():
    """Operations of a gradient by a hundred variables stay below five times the function's."""
    graph = Graph()
    x = inputs(graph, 'x', 100)
    value = x[0]
    for k in range(1, 100):
        value = sin(value) * x[k] + value / (x[k] * x[k] + 2.0)
    own = len(graph.reachable([value.node]))
    found = gradient([value], [1.0], x)
    assert len(graph.reachable([g.node for g in found])) < 5 * own


def test_replaced_records_anew():
    """Inputs become other numbers; constants fold, and what does not depend stays the same."""
    graph = Graph()
    x, y, z = inputs(graph, 'x', 3)
    outputs = [sin(x) * y + z, y * 2.0, 1.5]
    again = replaced(outputs, {x: z * z, z: x})
    assert same(interpret([x, y, z], again, [0.1, 0.2, 0.3])[0], np.sin(0.09) * 0.2 + 0.1, 1e-15)
    assert again[1].node == outputs[1].node and again[2] == 1.5
    assert replaced([x * y], {x: 0.0}) == [0.0]
    assert replaced([1.0], {}) == [1.0]


def test_what_nothing_depends_on_has_gradient_zero():
    """Structural zeros, as in forward mode."""
    (a, b), outputs = record(lambda a, b: [sin(b) * 3.0, 2.5], 2)
    found = gradient(outputs, [1.0, 1.0], [a, b])
    assert is_zero(found[0]) and not is_zero(found[1])
    assert gradient([2.0], [1.0], [a]) == [0.0] and gradient(outputs, [0.0, 0.0], [b]) == [0.0]
    assert gradient([a], [2.0], [a]) == [2.0]
