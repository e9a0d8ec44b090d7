# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Compiled functions for single calls from Python, bound to arrays of their own."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from robodyn_ros.checks import numbers
from robodyn_ros.codegen.program import Program
from robodyn_ros.errors import SizeError
from robodyn_ros.mechanics.parameters import Parameters


class InPlace:
    """
    A compiled function for loops in Python: numbers are not looked at, and no array is made.

    Called with q, v and, where there is one, tau or a, arrays of floats (n,); returns `result`,
    the same array each time, which the next call overwrites. Not to be shared between threads.
    """

    def __init__(self, program: Program, parameters: Parameters, outputs: int):
        """
        Compile the function, or load it, and make room.

        :param outputs: how many of the function's outputs are the result
        """
        routine = program.routines['evaluate']
        inputs_, every = routine.inputs, routine.outputs
        w = program.prepared(parameters.flat())  # type: ignore[arg-type]
        block = np.concatenate([np.zeros(inputs_ + every), w])
        # memoryviews copy a few numbers in half the time of arrays
        rows: Any = block[:inputs_].reshape(3, -1)
        self._cells: list[Any] = [memoryview(row) for row in rows]
        self._q, self._v, self._u = self._cells
        self._none = np.zeros(inputs_ // 3)
        self.whole = block[inputs_:inputs_ + every]
        """All outputs."""
        self.result = self.whole[:outputs]
        self._call = program.functions()['one_evaluate'].bind(block, short=True)

    def __call__(self, q: np.ndarray, v: np.ndarray, u: np.ndarray | None = None) -> np.ndarray:
        """Evaluate at one state."""
        if u is None:
            u = self._none
        try:
            self._q[:], self._v[:], self._u[:] = q, v, u
        except (TypeError, ValueError):  # no arrays of floats, or of another size
            self._copy(q, v, u)
        self._call()
        return self.result

    def _copy(self, *given: object) -> None:
        for name, cell, values in zip(('q', 'v', 'tau or a'), self._cells, given):
            array = numbers(name, values, f'{self._none.size} numbers')
            if array.shape != self._none.shape:
                raise SizeError(name, self._none.shape, array.shape)
            cell[:] = array


class Spare:
    """Functions in place that wait for a call: one for each thread that calls at a time."""

    def __init__(self, make: Callable[[], InPlace], n: int):
        """Compile with the first."""
        self.shape, self._make = (n,), make
        self._waiting = [make()]

    def evaluate(self, q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the outputs at one state; nothing is checked."""
        try:
            function = self._waiting.pop()
        except IndexError:
            function = self._make()
        function(q, v, u)
        y = function.whole.copy()
        self._waiting.append(function)
        return y
