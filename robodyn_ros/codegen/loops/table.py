# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Evaluate a kernel at many inputs, several side by side as vector instructions.

    x     count blocks of inputs x lanes     number k of the lanes' inputs side by side
    y     count blocks of outputs x lanes
"""
from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple

from robodyn_ros.codegen.backend import Backend
from robodyn_ros.codegen.native import Array, Signature
from robodyn_ros.codegen.routines import Routine


class Table(NamedTuple):
    """The loop around a kernel 'evaluate'; it has no run-time parameters."""

    inputs: int
    outputs: int
    lanes: int = 4

    def __str__(self) -> str:
        """For the text of the program, which the cache hashes."""
        return f'table({self.inputs}, {self.outputs}; {self.lanes} side by side)'

    def signatures(self, prepared: int) -> dict[str, Signature]:
        """Return what the function for Python takes, given the length of w."""
        return {'table': Signature(
            'i', (Array('x'), Array('w'), Array('y', True)),
            lambda count: (count * self.lanes * self.inputs, prepared * self.lanes,
                           count * self.lanes * self.outputs))}

    def make(self, backend: Backend, routines: Mapping[str, Routine],
             kernels: Mapping[str, Callable], signatures: Mapping[str, Signature]) -> None:
        """Make the loop and mark it for Python."""
        export, cells, kernel = backend.export, backend.cells, kernels['evaluate']
        step_x, step_y = self.inputs * self.lanes, self.outputs * self.lanes

        @backend.entry('table', signatures['table'])
        def table(count: Any, x: Any, w: Any, y: Any) -> Any:
            """Evaluate block after block."""
            export()
            for k in range(count):
                kernel(cells(x), k * step_x, cells(w), cells(y), k * step_y)
            return 0
