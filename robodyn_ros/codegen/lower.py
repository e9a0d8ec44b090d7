# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From the text of a kernel to instructions of the processor, without numba's own analysis.

A kernel is straight-line Python: it is run once with numbers that append an LLVM instruction for
each operation. numba compiles the loops around it, and need not infer the types of thousands of
lines whose only type is the double. With lanes, every number is a vector of so many runs.
"""
from __future__ import annotations

from typing import Any, Callable

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.instructions import Cells, Place, Writer


@intrinsic
def _fused(_, a, b, c):  # type: ignore[no-untyped-def]
    def write(_: Any, builder: ir.IRBuilder, __: Any, args: Any) -> ir.Value:
        return Writer(builder, 0).call('fma', *args)
    return types.float64(types.float64, types.float64, types.float64), write


@overload(fma)  # for the loops around the kernels; numba compares bare signatures
def _fma_in_loops(a, b, c):  # type: ignore[no-untyped-def]
    return lambda a, b, c: _fused(a, b, c)  # type: ignore[call-arg]


def straight_line(lanes: int = 0) -> Callable[[Callable], Callable]:
    """
    Compile a kernel(x, i, w, y, j) by running it once with numbers that write instructions.

    :param lanes: every number stands for so many, side by side in the arrays; 0: one
    """
    def decorate(function: Callable) -> Callable:
        def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
            writer = Writer(builder, lanes)
            x, w, y = (Cells(writer, context.make_array(signature.args[k])(
                context, builder, args[k]).data) for k in (0, 2, 3))
            function(x, Place(args[1]), w, y, Place(args[4]))
            return context.get_dummy_value()

        # written into its caller, whose optimisation it shares: every function of its own would
        # be optimised again with each that calls it
        @intrinsic
        def lowered(_: Any, x: Any, i: Any, w: Any, y: Any, j: Any) -> Any:
            return types.void(x, types.intp, w, y, types.intp), codegen

        lowered.text = function  # type: ignore[attr-defined]  # for kernels within another one
        return lowered
    return decorate
