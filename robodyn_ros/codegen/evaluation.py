# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A recorded function of a state, compiled for one state at a time and for many side by side.

Both are made of one recording, so that a state has the same bits in either; each is compiled when
it is first asked for. One state in the code for many would take the time of all their lanes.
"""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from robodyn_ros.codegen.loops.batch import Batch
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.tracing import Number, Scalar

LANES = 4
"""States side by side."""


class Evaluation:
    """Outputs of one recording by its inputs."""

    def __init__(self, title: str, inputs: Sequence[Scalar], outputs: Sequence[Number],
                 parameters: Sequence[Scalar]):
        """Compile nothing yet; title: for the message."""
        self.title, self.inputs, self.outputs = title, len(inputs), len(outputs)
        self._kernel, self._parameters = Kernel('evaluate', inputs, outputs, True), parameters
        self._programs: dict[int, Program] = {}

    def program(self, lanes: int) -> Program:
        """Return the program of so many states side by side."""
        if lanes not in self._programs:
            self._programs[lanes] = Program(self.title, [self._kernel], self._parameters,
                                            Batch(self.inputs, self.outputs, lanes))
        return self._programs[lanes]

    def __call__(self, x: np.ndarray, parameters: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return outputs (..., outputs) of inputs (..., inputs), finite or not."""
        count = x.size // self.inputs
        lanes = LANES if count > 1 else 1
        program = self.program(lanes)
        y = np.empty((*x.shape[:-1], self.outputs))
        program.functions()['batch'](
            count, np.ascontiguousarray(x).reshape(-1),
            np.repeat(program.prepared(parameters), lanes), y.reshape(-1),
            np.empty(lanes * (self.inputs + self.outputs)))
        return y


class Single:
    """An evaluation at one state at a time, in arrays of its own."""

    def __init__(self, of: Evaluation, parameters: Sequence[float], rows: int, width: int):
        """
        Compile the function, or load it, and make room.

        :param rows: how many vectors the inputs are
        :param width: numbers of a row of outputs
        """
        program, x, y = of.program(1), np.zeros((rows, of.inputs // rows)), np.zeros(of.outputs)
        # memoryviews copy a few numbers in half the time of arrays, and none of another kind
        vectors: Any = x
        self.cells: list[Any] = [memoryview(row) for row in vectors]
        """Inputs, a vector each."""
        self.rows: np.ndarray = y.reshape(-1, width)
        """Outputs."""
        self.call = program.functions()['batch'].bind(
            1, x, program.prepared(parameters), y, np.empty(of.inputs + of.outputs), short=True)
        """Evaluate; 0 where everything is finite."""
