# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a recording cannot follow is a TracingError whose sentence names the way out."""

import math

import numpy as np
import pytest
from robodyn_ros.errors import RobodynError, TracingError
from robodyn_ros.tracing import Graph, inputs, minimum, where


def branch_if(a, b):
    """Branch on a comparison."""
    if a < b:
        return a
    return b


def branch_while(a, b):
    """Loop on a comparison."""
    while a > b:
        a = a - 1.0
    return a


BRANCHES = {
    'if': branch_if,
    'while': branch_while,
    'if on a number': lambda a, b: 1.0 if a else 2.0,
    'and': lambda a, b: a < 1.0 and b < 1.0,
    'or': lambda a, b: a < 1.0 or b < 1.0,
    'not': lambda a, b: not a < b,
    'chain': lambda a, b: 0.0 < a < b,
    'min()': lambda a, b: min(a, b),
    'max()': lambda a, b: max(a, 0.0),
    'sorted()': lambda a, b: sorted([a, b]),
    'in': lambda a, b: a in [b],
    'any()': lambda a, b: any([a < 1.0, b < 1.0]),
    'bool()': lambda a, b: bool(a == b),
    'numpy.minimum': lambda a, b: np.minimum(a, b),
    'numpy.where': lambda a, b: np.where(a < b, a, b),
}
VALUES = {
    'float()': lambda a, b: float(a),
    'int()': lambda a, b: int(a),
    'round()': lambda a, b: round(a),
    'math.sin': lambda a, b: math.sin(a),
    'math.hypot': lambda a, b: math.hypot(a, b),
    'math.floor': lambda a, b: math.floor(a),
    'index': lambda a, b: [1.0, 2.0][a],
    'range': lambda a, b: list(range(a)),
    'array of floats': lambda a, b: np.array([a, b], dtype=float),
    'float of a condition': lambda a, b: float(a < b),
}


@pytest.fixture
def pair():
    """Two inputs of one recording."""
    return inputs(Graph(), 'x', 2)


@pytest.mark.parametrize('name', BRANCHES)
def test_a_branch_is_told_to_use_where(name, pair):
    """The sentence names where, minimum, maximum and clip."""
    with pytest.raises(TracingError) as caught:
        BRANCHES[name](*pair)
    for word in ('branch', 'where(condition, a, b)', 'minimum', 'maximum', 'clip'):
        assert word in str(caught.value), f'{name}: {caught.value}'


@pytest.mark.parametrize('name', VALUES)
def test_a_conversion_is_told_to_use_the_traced_functions(name, pair):
    """The sentence names the functions to use instead of math."""
    with pytest.raises(TracingError) as caught:
        VALUES[name](*pair)
    for word in ('plain number', 'robodyn_ros.tracing', 'math'):
        assert word in str(caught.value), f'{name}: {caught.value}'


def test_unequal_is_told_to_use_where(pair):
    """Comparing with != cannot be recorded and says what to write."""
    with pytest.raises(TracingError, match='where'):
        pair[0] != pair[1]


@pytest.mark.parametrize('power', [lambda a, b: a ** b, lambda a, b: 2.0 ** a])
def test_a_traced_exponent_is_told_to_use_exp(power, pair):
    """The exponent must be known while recording."""
    with pytest.raises(TracingError, match='exponent.*use exp'):
        power(*pair)


@pytest.mark.parametrize('exponent', [1.5, math.inf, math.nan, 'two', None])
def test_an_exponent_that_is_not_whole_is_named(exponent, pair):
    """The sentence shows the exponent and what can be traced."""
    with pytest.raises(TracingError, match='whole numbers and 0.5') as caught:
        pair[0] ** exponent
    assert repr(exponent) in str(caught.value)


def test_two_recordings_do_not_mix(pair):
    """A traced value kept from an earlier call is found out, whatever it is used for."""
    other, = inputs(Graph(), 'y', 1)
    for mix in (lambda: pair[0] + other, lambda: other * pair[0], lambda: pair[0] < other,
                lambda: minimum(pair[0], other), lambda: where(pair[0] < 0.0, other, 1.0)):
        with pytest.raises(TracingError, match='two recordings.*kept from an earlier call'):
            mix()


def test_where_needs_a_comparison(pair):
    """A traced number is no condition."""
    with pytest.raises(TracingError, match='where.*comparison'):
        where(pair[0], 1.0, 2.0)


def test_the_error_is_one_of_ours():
    """One except clause catches everything this package raises on purpose."""
    assert issubclass(TracingError, RobodynError)
