# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Evaluate a kernel at many inputs that lie one after another, several at a time.

    x     count rows of inputs
    y     count rows of outputs
    s     inputs, then outputs, of one group: number k of all lanes side by side

The last group is filled up with its last row, so the bits of a row do not depend on how many
there are. Returns 0, or the number, counted from 1, of the first row whose inputs or results are
not finite.
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple

from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.native import Array, Signature
from robodyn_ros.codegen.routines import Routine


HUGE = 1e300
"""Size from which a number counts as no longer finite."""


class Batch(NamedTuple):
    """The loop around a kernel 'evaluate'; w holds every number once for each lane."""

    inputs: int
    outputs: int
    lanes: int = 4

    def __str__(self) -> str:
        """For the text of the program, which the cache hashes."""
        return f'batch({self.inputs}, {self.outputs}; {self.lanes} side by side)'

    def signatures(self, prepared: int) -> dict[str, Signature]:
        """Return what the function for Python takes, given the length of w."""
        return {'batch': Signature(
            'i', (Array('x'), Array('w'), Array('y', True), Array('s', True)),
            lambda count: (count * self.inputs, prepared * self.lanes, count * self.outputs,
                           self.lanes * (self.inputs + self.outputs)))}

    def make(self, backend: Backend, routines: Mapping[str, Routine],
             kernels: Mapping[str, Callable], signatures: Mapping[str, Signature]) -> None:
        """Make the loop and mark it for Python."""
        lanes, inputs, outputs = self.lanes, self.inputs, self.outputs
        export, cells, kernel = backend.export, backend.cells, kernels['evaluate']
        found = inputs * lanes

        @backend.entry('batch', signatures['batch'])
        def batch(count: Any, x: Any, w: Any, y: Any, s: Any) -> Any:
            """Evaluate group after group."""
            export()
            rows, results, group = cells(x), cells(y), cells(s)
            odd = 0
            for first in range(0, count, lanes):
                here = min(lanes, count - first)
                for lane in range(lanes):
                    row = (first + min(lane, here - 1)) * inputs
                    for k in range(inputs):
                        group[k * lanes + lane] = rows[row + k]
                kernel(group, 0, cells(w), group, found)
                for lane in range(here):
                    row = (first + lane) * outputs
                    for k in range(outputs):
                        results[row + k] = group[found + k * lanes + lane]
                bad = 0
                for k in range((inputs + outputs) * lanes):
                    if not abs(group[k]) < HUGE:
                        bad += 1
                if bad > 0 and odd == 0:
                    for lane in range(here):
                        for k in range(inputs + outputs):
                            if odd == 0 and not abs(group[k * lanes + lane]) < HUGE:
                                odd = first + lane + 1
            return odd
