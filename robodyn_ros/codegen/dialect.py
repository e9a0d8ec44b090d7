# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What a program's text is decorated with: the compiler, or, with NUMBA_DISABLE_JIT=1, nothing.

Without the compiler the same text runs as Python, slowly and to the same bits.
"""
from __future__ import annotations

from typing import Any, Callable, TYPE_CHECKING

from robodyn_ros.codegen.native import interpreted


def _leave(function: Callable) -> Callable:
    return function


def _lane_by_lane(lanes: int = 0) -> Callable[[Callable], Callable]:
    def decorate(function: Callable) -> Callable:
        def kernel(x: Any, i: int, w: Any, y: Any, j: int) -> None:
            for lane in range(max(1, lanes)):
                function(x, i + lane, w[lane:], y, j + lane)
        kernel.text = function  # type: ignore[attr-defined]
        return kernel
    return decorate


if TYPE_CHECKING or not interpreted():
    from robodyn_ros.codegen.compiling import by_address, cells, export, njit
    from robodyn_ros.codegen.lower import straight_line
else:
    njit, straight_line = _leave, _lane_by_lane

    def by_address(_: str) -> Callable[[Callable], Callable]:
        """Leave a function as it is."""
        return _leave

    def cells(array: Any, _: int) -> Any:
        """Return an array, which stands for its address here."""
        return array

    def export() -> None:
        """Do nothing: every function can be called."""

__all__ = ['by_address', 'cells', 'export', 'njit', 'straight_line']
