# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a recording, once and twice, against complex steps, differences and formulas."""

import math

import numpy as np
import pytest
from robodyn_ros.tracing import (absolute, atan2, clip, cos, depends_on, directional, exp, Graph,
                                 inputs, is_zero, jacobian, maximum, minimum, sin, sqrt, tan, tanh,
                                 where)
from tracing.recording import complex_step, interpret, record, same, Tape

EXACT = 1e-11       # rounding of a dozen operations, the derivative's own among them
DIFFERENCE = 1e-8   # fourth-order differences of exact first derivatives, step 1e-3

# name: (function, first derivative, second derivative), of one number
KNOWN = {
    'sin': (sin, math.cos, lambda x: -math.sin(x)),
    'cos': (cos, lambda x: -math.sin(x), lambda x: -math.cos(x)),
    'tan': (tan, lambda x: 1.0 / math.cos(x) ** 2,
            lambda x: 2.0 * math.tan(x) / math.cos(x) ** 2),
    'exp': (exp, math.exp, math.exp),
    'tanh': (tanh, lambda x: 1.0 / math.cosh(x) ** 2,
             lambda x: -2.0 * math.tanh(x) / math.cosh(x) ** 2),
    'sqrt': (lambda x: sqrt(x * x + 1.0), lambda x: x / math.hypot(x, 1.0),
             lambda x: (x * x + 1.0) ** -1.5),
    'atan2 in y': (lambda x: atan2(x, 2.0), lambda x: 2.0 / (4.0 + x * x),
                   lambda x: -4.0 * x / (4.0 + x * x) ** 2),
    'atan2 in x': (lambda x: atan2(2.0, x), lambda x: -2.0 / (4.0 + x * x),
                   lambda x: 4.0 * x / (4.0 + x * x) ** 2),
    'x ** 3': (lambda x: x ** 3, lambda x: 3.0 * x * x, lambda x: 6.0 * x),
    '1 / (2 + x^2)': (lambda x: 1.0 / (x * x + 2.0), lambda x: -2.0 * x / (x * x + 2.0) ** 2,
                      lambda x: (6.0 * x * x - 4.0) / (x * x + 2.0) ** 3),
    'abs': (absolute, lambda x: -1.0 if x < 0.0 else 1.0, lambda x: 0.0),
    'min': (lambda x: minimum(x * x, x + 1.0),
            lambda x: 2.0 * x if x * x < x + 1.0 else 1.0,
            lambda x: 2.0 if x * x < x + 1.0 else 0.0),
    'max': (lambda x: maximum(x * x, x + 1.0),
            lambda x: 2.0 * x if x * x > x + 1.0 else 1.0,
            lambda x: 2.0 if x * x > x + 1.0 else 0.0),
    'clip': (lambda x: clip(x * x, 0.25, 2.0), lambda x: 2.0 * x if 0.25 < x * x < 2.0 else 0.0,
             lambda x: 2.0 if 0.25 < x * x < 2.0 else 0.0),
    'where': (lambda x: where(x < 0.3, sin(x), exp(x)),
              lambda x: math.cos(x) if x < 0.3 else math.exp(x),
              lambda x: -math.sin(x) if x < 0.3 else math.exp(x)),
}


@pytest.mark.parametrize('name', KNOWN)
def test_derivatives_are_the_known_ones(name):
    """First and second derivative at random points are the textbook's."""
    function, first, second = KNOWN[name]
    (x,), outputs = record(lambda x: [function(x)], 1)
    rate = jacobian(outputs, [x])[0]
    twice = jacobian(rate, [x])[0]
    for at in np.random.default_rng(31).uniform(-1.4, 1.4, 200).tolist():
        found = interpret([x], [*rate, *twice], [at])
        assert same(found[0], first(at), EXACT), f'once {name} at {at!r}: {found[0]}'
        assert same(found[1], second(at), EXACT), f'twice {name} at {at!r}: {found[1]}'


def test_jacobian_is_the_complex_step_derivative():
    """Every column of the Jacobian of a random function is exact to rounding."""
    rng = np.random.default_rng(32)
    for _ in range(150):
        tape, point = Tape(rng, 3), rng.normal(size=3)
        x, outputs = record(lambda *x: tape.play(x), 3)
        J = jacobian(outputs, x)
        for column, direction in enumerate(np.eye(3)):
            expected = complex_step(tape, point, direction)
            found = interpret(x, [row[column] for row in J], point)
            for ours, theirs in zip(found, expected):
                assert same(ours, theirs, EXACT), f'{ours} != {theirs} at {point} of {tape}'


def test_directional_derivative_is_the_jacobian_times_the_direction():
    """Rates may be numbers or recorded themselves, such as velocities."""
    rng = np.random.default_rng(33)
    for _ in range(60):
        tape, point, speed = Tape(rng, 3), rng.normal(size=3), rng.normal(size=3)
        graph = Graph()
        x, v = inputs(graph, 'x', 3), inputs(graph, 'v', 3)
        outputs = tape.play(x)
        values = [*point, *speed]
        along = interpret(x + v, directional(outputs, dict(zip(x, v))), values)
        fixed = interpret(x + v, directional(outputs, dict(zip(x, speed))), values)
        J = jacobian(outputs, x)
        rows = [sum((a * b for a, b in zip(row, v)), 0.0) for row in J]
        for one, two, three in zip(along, fixed, interpret(x + v, rows, values)):
            assert same(one, two, EXACT) and same(one, three, EXACT), f'{values} of {tape}'


def test_second_derivative_is_the_difference_of_first_ones():
    """d/ds of the rate along a line, by differences of complex steps, in and across the line."""
    rng = np.random.default_rng(34)
    h = 1e-3
    for _ in range(100):
        tape, point = Tape(rng, 2, 10), rng.normal(size=2)
        u, v = rng.normal(size=(2, 2))
        x, outputs = record(lambda *x: tape.play(x), 2)
        twice = directional(directional(outputs, dict(zip(x, u))), dict(zip(x, v)))
        ahead = {k: complex_step(tape, point + k * h * v, u) for k in (-2, -1, 1, 2)}
        expected = (8.0 * (ahead[1] - ahead[-1]) - (ahead[2] - ahead[-2])) / (12.0 * h)
        for ours, theirs in zip(interpret(x, twice, point), expected):
            # the error of the differences grows with the fifth derivative: allow for wild tapes
            allowed = DIFFERENCE * max(1.0, abs(theirs)) ** 3
            assert abs(ours - theirs) <= allowed, f'{ours} != {theirs} at {point} of {tape}'


def test_second_derivatives_commute():
    """The Hessian of a random function is symmetric."""
    rng = np.random.default_rng(35)
    for _ in range(60):
        tape, point = Tape(rng, 2), rng.normal(size=2)
        x, outputs = record(lambda *x: tape.play(x), 2)
        J = jacobian(outputs[-1:], x)[0]
        one, other = jacobian(J, x)[0][1], jacobian(J, x)[1][0]
        a, b = interpret(x, [one, other], point)
        assert same(a, b, EXACT), f'{a} != {b} at {point} of {tape}'


def test_what_does_not_move_has_the_plain_rate_zero():
    """Constants and functions of other inputs have a structural zero as their rate."""
    (a, b), outputs = record(lambda a, b: [sin(b) * 3.0, 2.5, a * 0.0 + b], 2)
    assert all(is_zero(rate) for rate in directional(outputs, {a: 1.0}))
    assert jacobian([1.0, 2.0], [a, b]) == [[0.0, 0.0], [0.0, 0.0]]
    assert depends_on(outputs, [b]) and not depends_on(outputs, [a]) and not depends_on([1.0], [a])


def test_derivative_of_abs_at_zero_is_from_the_right():
    """The docstring of absolute promises a side; minimum and maximum take either of a tie."""
    (x,), outputs = record(lambda x: [absolute(x), minimum(x, -x), maximum(x, -x)], 1)
    at_zero = interpret([x], [row[0] for row in jacobian(outputs, [x])], [0.0])
    assert at_zero[0] == 1.0 and all(abs(rate) == 1.0 for rate in at_zero[1:])
