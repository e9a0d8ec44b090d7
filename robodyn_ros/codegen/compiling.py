# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From the text of a program to machine code; imported only when something must be compiled.

numba compiles the functions a program exports. Its own wrappers, which look at Python objects and
need numba at run time, are left out: what is kept on disk needs nothing but LLVM's loader.
"""
from __future__ import annotations

from types import ModuleType
from typing import Any, Callable

from llvmlite import ir
import numba
from numba import types
from numba.core import compiler, registry, sigutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from robodyn_ros.codegen.native import MachineCode

LETTERS = {types.int64: 'i', types.float64: 'd', types.CPointer(types.float64): 'p',
           types.CPointer(types.int64): 'n'}
"""Types of arguments, as calls.KINDS names them."""
STUB = '.stub'
"""Ends the symbol of a function with C's conventions."""


def njit(function: Callable) -> Any:
    """Compile a function that only compiled functions call."""
    options: dict[str, Any] = {'error_model': 'numpy', '_nrt': False, 'no_cpython_wrapper': True,
                               'no_cfunc_wrapper': True}
    return numba.njit(**options)(function)


class Exported:
    """A function that Python shall be able to call."""

    def __init__(self, function: Callable, signature: str):
        """Compile later, when all that it calls is defined."""
        self.function = function
        self.args, self.result = sigutils.normalize_signature(signature)

    def machine_code(self) -> MachineCode:
        """Compile to an object file without numba's wrappers, which need numba to run."""
        flags: Any = compiler.Flags()
        flags.error_model, flags.nrt = 'numpy', False
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        target = registry.cpu_target
        found = compiler.compile_extra(target.typing_context, target.target_context, self.function,
                                       self.args, self.result, flags, {})
        kinds = ''.join(LETTERS[kind] for kind in self.args)
        return MachineCode(self.function.__name__, found.fndesc.llvm_func_name + STUB, kinds,
                           found.library.serialize_using_object_code()[2][0])


def by_address(signature: str) -> Callable[[Callable], Exported]:
    """Mark a function of numbers and pointers for Python; its first statement is export()."""
    return lambda function: Exported(function, signature)


@intrinsic
def export(_):  # type: ignore[no-untyped-def]
    """Add a function with C's conventions that calls this one and returns its result."""
    def write(context: Any, builder: ir.IRBuilder, _: Any, __: Any) -> ir.Value:
        native = builder.function
        result, error, *rest = native.function_type.args
        stub = ir.Function(builder.module, ir.FunctionType(ir.IntType(64), rest),
                           native.name + STUB)
        inside = ir.IRBuilder(stub.append_basic_block())
        # nothing in a program raises, so the place for an error is never looked at
        place, unused = inside.alloca(ir.IntType(64)), inside.alloca(ir.IntType(64))
        inside.call(native, [inside.bitcast(place, result), inside.bitcast(unused, error),
                             *stub.args])
        inside.ret(inside.load(place))
        return context.get_dummy_value()
    return types.void(), write


@intrinsic
def cells(_, pointer, count):  # type: ignore[no-untyped-def]
    """Return the array at an address; numba.carray counts references, which needs numba."""
    kind = types.Array(pointer.dtype, 1, 'C')

    def write(context: Any, builder: ir.IRBuilder, _: Any, args: Any) -> ir.Value:
        array = make_array(kind)(context, builder)
        size = context.get_constant(types.intp, 8)
        populate_array(array, data=args[0], shape=[args[1]], strides=[size], itemsize=size,
                       meminfo=None)
        return array._getvalue()
    return kind(pointer, types.intp), write


def compile_program(source: str, title: str) -> list[MachineCode]:
    """
    Compile all that a program exports.

    :param title: unique to the text; programs of one process must not share a symbol
    """
    module = ModuleType(title)
    exec(compile(source, f'<{title}>', 'exec'), vars(module))
    return [item.machine_code() for item in vars(module).values() if isinstance(item, Exported)]
