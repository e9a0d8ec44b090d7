# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Constants 0.0 and -0.0 are equal to Python and different to atan2: each stays what it is."""

import math

import numpy as np
import pytest
from robodyn_ros.codegen.compiler import Compiler
from robodyn_ros.codegen.native import Array, link, Signature
from robodyn_ros.codegen.routines import Kernel, routines
from robodyn_ros.tracing import atan2, Graph, inputs, is_zero, Scalar, where
from tracing.recording import interpret, program, record, run

LANES = 4
# name: (what is written with a zero, its value at y = 1, -1 for +0.0 and for -0.0)
KEPT = {
    'atan2(0, y)': (lambda y, zero: atan2(zero, y), [0.0, math.pi], [-0.0, -math.pi]),
    'where(y < 0, 0, 1)': (lambda y, zero: where(y < 0.0, zero, 1.0), [1.0, 0.0], [1.0, -0.0]),
    'where(y < 0, 0, -0)': (lambda y, zero: where(y < 0.0, zero, -zero), [-0.0, 0.0],
                            [0.0, -0.0]),
    'an output': (lambda y, zero: zero, [0.0, 0.0], [-0.0, -0.0]),
}
FOLDED = {
    'y + 0': (lambda y, zero: y + zero, lambda y: y),
    '0 + y': (lambda y, zero: zero + y, lambda y: y),
    'y - 0': (lambda y, zero: y - zero, lambda y: y),
    '0 - y': (lambda y, zero: zero - y, lambda y: -y),
    'where(c, 0, 0)': (lambda y, zero: where(y < 1.0, zero, zero) + y, lambda y: y),
}
VANISHED = {
    'y 0': lambda y, zero: y * zero,
    '0 y': lambda y, zero: zero * y,
    '0 / y': lambda y, zero: zero / y,
}


@pytest.mark.parametrize('name', KEPT)
def test_a_zero_keeps_its_sign(name):
    """Both signs in one recording: interpreted and compiled, they do not share a value."""
    function, *expected = KEPT[name]
    y, outputs = record(lambda y: [function(y, 0.0), function(y, -0.0)], 1)
    compiled = program(lambda y: [function(y, 0.0), function(y, -0.0)], 1)
    for k, point in enumerate([[1.0], [-1.0]]):
        wanted = [repr(signed[k]) for signed in expected]
        assert list(map(repr, interpret(y, outputs, point))) == wanted
        assert list(map(repr, run(compiled, point).tolist())) == wanted


def test_lanes_keep_the_sign():
    """As vectors, of one value per run."""
    graph = Graph()
    (x,), p = inputs(graph, 'x', 1), inputs(graph, 'p', 1)
    made = routines([Kernel('evaluate', [x], [where(x < 0.0, 0.0, -0.0), -0.0])], p)[1]
    compiler = Compiler('signs')
    kernel = compiler.kernel(made, LANES)
    export, cells = compiler.export, compiler.cells
    signature = Signature('', (Array('x'), Array('y', True)), lambda: (LANES, 2 * LANES))

    @compiler.entry('evaluate', signature)
    def evaluate(x, y):
        export()
        kernel(cells(x), 0, cells(x), cells(y), 0)
        return 0

    functions = link(compiler.machine_code(), {'evaluate': signature})
    y = np.ones(2 * LANES)
    functions['evaluate'](np.array([1.0, -1.0, 2.0, -2.0]), y)
    assert repr(y.tolist()) == '[-0.0, 0.0, -0.0, 0.0, -0.0, -0.0, -0.0, -0.0]'


@pytest.mark.parametrize('zero', [0.0, -0.0])
@pytest.mark.parametrize('name', FOLDED)
def test_sums_with_either_zero_fold(name, zero):
    """A structural zero costs nothing, whatever its sign."""
    written, kept = FOLDED[name]
    _, (one, other) = record(lambda y: [written(y, zero), kept(y)], 1)
    assert isinstance(one, Scalar) and one.node == other.node


@pytest.mark.parametrize('zero', [0.0, -0.0])
@pytest.mark.parametrize('name', VANISHED)
def test_products_with_either_zero_vanish(name, zero):
    """A structural zero stays one."""
    _, (value,) = record(lambda y: [VANISHED[name](y, zero)], 1)
    assert is_zero(value) and repr(value) == '0.0'
