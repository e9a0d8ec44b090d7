# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Loops mean the same as machine code and as Python."""

import math

import numpy as np
import pytest
from robodyn_ros.codegen.backend import Interpreter
from robodyn_ros.codegen.compiler import Compiler
from robodyn_ros.codegen.native import Array, link, Signature
from robodyn_ros.errors import TracingError

SIGNATURE = Signature('id', (Array('x'), Array('y', True), Array('k', True, 'n')),
                      lambda count, h: (16, 32, 4))


def loops(backend, n=3, wide=False):
    """Make a function that uses all that loops may use."""
    export, cells = backend.export, backend.cells

    @backend.function
    def pair(a, b):
        """Return two values of different kinds."""
        if a > b:
            return a, 1
        return b * 2.0, 0

    @backend.function
    def fill(y, at, value):
        for i in range(n):
            y[at + i] = value
            if i == 1:
                continue
            y[at + i] += 0.5

    @backend.entry('call', SIGNATURE)
    def call(count, h, x, y, k):
        export()
        numbers, out, whole = cells(x), cells(y), cells(k)
        total = 0
        for i in range(count):
            total += numbers[i] * h
        out[0] = total
        best, which = pair(numbers[0], numbers[1])
        out[1], out[2] = best, which
        fill(out[3:], 1, -h)
        for back in range(5, 0, -2):
            out[7 + back] = back / 2
        if wide:
            out[20] = unknown(x)  # noqa: F821  never looked at
        state = whole[0]
        while True:
            state = (state * 25214903917 + 11) & 281474976710655
            if state % 7 == 3 or not state % 5 != 1:
                break
        whole[1] = state >> 3
        whole[2] = -7 // 2 + (-whole[0]) // 3 * 100 + (-whole[0]) % 3
        out[13] = max(min(h, 2.0), -1.0, numbers[2]) if h < 1.5 <= numbers[3] + 9.0 else -h
        out[14] = abs(numbers[1]) + math.sqrt(h) + float(abs(-3)) + int(h)
        out[15] = numbers[5] / numbers[4] if numbers[4] != 0.0 and h > 0.0 else math.inf
        flag = numbers[0] > 0.0 and (numbers[1] < 0.0 or which == 1)
        out[16] = 1.0 if flag else -math.nan
        return count if flag else -1


def test_python_and_machine_code_agree():
    """To the last bit, and in the whole numbers."""
    compiler, interpreter = Compiler('robodyn_loops'), Interpreter()
    loops(compiler), loops(interpreter)
    compiled = link(compiler.machine_code(), {'call': SIGNATURE})['call']
    rng = np.random.default_rng(2)
    for trial in range(40):
        x, h = rng.uniform(-2.0, 2.0, 16), float(rng.uniform(0.1, 2.0))
        given = np.array([int(rng.integers(1, 1000)), 0, 0, 0])
        found = []
        for function in (compiled, interpreter.entries['call']):
            y, k = np.zeros(32), given.copy()
            with np.errstate(over='ignore'):
                result = function(int(trial % 9), h, x, y, k)
            found.append((result, y.tobytes(), k.tolist()))
        assert found[0] == found[1], trial


def test_what_is_not_known_names_the_line():
    """A sentence with the file, not a failure of LLVM."""
    compiler = Compiler('robodyn_unknown')
    loops(compiler, wide=True)
    with pytest.raises(TracingError, match=r"test_loop_compiler\.py:\d+: the unknown name"):
        compiler.machine_code()
