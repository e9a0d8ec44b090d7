# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The back end that compiles: numba for the loops, LLVM instructions for the routines in them.

This is the one file that relies on numba's compiler interface, beyond numba.njit and
numba.extending: compile_extra and Flags of numba.core.compiler, the contexts of cpu_target, the
calling convention (a pointer for the result, one for an error, then the arguments), make_array and
populate_array, serialize_using_object_code of a library, and the option _nrt. They are the same
from numba 0.58 to NEWEST; another version is refused with a sentence. Imported only when something
must be compiled.

numba's own wrappers, which look at Python objects and need numba at run time, are left out: what
is kept on disk needs nothing but LLVM's loader. Reference counts are off: nothing owns memory.
"""
from __future__ import annotations

from typing import Any, Callable

from llvmlite import ir
import numba
from numba import types
from numba.core import compiler, registry
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array, populate_array

from robodyn_ros.codegen import environment
from robodyn_ros.codegen.arithmetic import fma
from robodyn_ros.codegen.llvm import Place, Writer
from robodyn_ros.codegen.native import MachineCode, Signature
from robodyn_ros.codegen.routines import Routine
from robodyn_ros.errors import RobodynError
from robodyn_ros.interruption import INTERRUPTION

OLDEST, NEWEST = (0, 58), (0, 68)
"""Versions of numba this was tested with; setup.py has the same bounds."""
TYPES = {'i': types.int64, 'd': types.float64, 'p': types.CPointer(types.float64),
         'n': types.CPointer(types.int64)}
"""Types of arguments by the letters of native.py."""
STUB = '.stub'
"""Ends the symbol of a function with C's conventions."""
UNCHECKED = 1 << 40
"""Length that compiled code sees of its arrays; native.py has checked the true one."""


def check_version(text: str = numba.__version__) -> None:
    """Refuse a numba whose compiler interface is not known here."""
    version = tuple(int(part) for part in text.split('.')[:2])
    if not OLDEST <= version <= NEWEST:
        bounds = ' to '.join('.'.join(map(str, item)) for item in (OLDEST, NEWEST))
        raise RobodynError(f'numba is {text}; expected {bounds}, whose compiler this package '
                           f'knows: pip install "numba>={OLDEST[0]}.{OLDEST[1]},'
                           f'<{NEWEST[0]}.{NEWEST[1] + 1}"')


check_version()


@intrinsic
def _fused(_, a, b, c):  # type: ignore[no-untyped-def]
    def write(_: Any, builder: ir.IRBuilder, __: Any, args: Any) -> ir.Value:
        return Writer(builder).call('fma', *args)
    return types.float64(types.float64, types.float64, types.float64), write


@overload(fma)  # for the loops around the kernels; numba compares bare signatures
def _fma_in_loops(a, b, c):  # type: ignore[no-untyped-def]
    return lambda a, b, c: _fused(a, b, c)  # type: ignore[call-arg]


@intrinsic
def _export(_):  # type: ignore[no-untyped-def]
    """Add a function with C's conventions: this one with default arithmetic, and its result."""
    def write(context: Any, builder: ir.IRBuilder, _: Any, __: Any) -> ir.Value:
        native = builder.function
        result, error, *rest = native.function_type.args
        stub = ir.Function(builder.module, ir.FunctionType(ir.IntType(64), rest),
                           native.name + STUB)
        inside = ir.IRBuilder(stub.append_basic_block())
        # nothing in a program raises, so the place for an error is never looked at
        place, unused = inside.alloca(ir.IntType(64)), inside.alloca(ir.IntType(64))
        environment.call(inside, builder.module.triple.partition('-')[0], native, [
            inside.bitcast(place, result), inside.bitcast(unused, error), *stub.args])
        inside.ret(inside.load(place))
        return context.get_dummy_value()
    return types.void(), write


@intrinsic
def _cells(_, pointer):  # type: ignore[no-untyped-def]
    """Return the array at an address; numba.carray counts references, which needs numba."""
    kind = types.Array(pointer.dtype, 1, 'C')

    def write(context: Any, builder: ir.IRBuilder, _: Any, args: Any) -> ir.Value:
        array = make_array(kind)(context, builder)
        size = context.get_constant(types.intp, 8)
        populate_array(array, data=args[0], shape=[context.get_constant(types.intp, UNCHECKED)],
                       strides=[size], itemsize=size, meminfo=None)
        return array._getvalue()
    return kind(pointer), write


class Compiler:
    """The back end of loops/: see loops/backend.py."""

    export: Any = staticmethod(_export)
    cells: Any = staticmethod(_cells)

    def __init__(self, title: str):
        """
        Compile one program.

        :param title: unique to the program; programs of one process must not share a symbol
        """
        self.title = title
        self._entries: list[tuple[str, Callable, Signature]] = []

    def kernel(self, routine: Routine, lanes: int = 1) -> Callable[..., None]:
        """Return a routine, written into its caller, whose optimisation it shares."""
        # every function of its own would be optimised again with each that calls it
        def write(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
            x, w, y = (context.make_array(signature.args[k])(context, builder, args[k]).data
                       for k in (0, 2, 3))
            Writer(builder, lanes).routine(routine, {
                'x': Place(x, args[1]), 'w': Place(w), 'y': Place(y, args[4])})
            return context.get_dummy_value()

        @intrinsic
        def kernel(_: Any, x: Any, i: Any, w: Any, y: Any, j: Any) -> Any:
            return types.void(x, types.intp, w, y, types.intp), write
        return kernel

    def function(self, function: Callable) -> Any:
        """Compile a function that only compiled functions call."""
        options: dict[str, Any] = {'error_model': 'numpy', '_nrt': False,
                                   'no_cpython_wrapper': True, 'no_cfunc_wrapper': True}
        return numba.njit(**options)(self._named(function))

    def entry(self, name: str, signature: Signature) -> Callable[[Callable], None]:
        """Mark a function for Python; its first statement is export()."""
        def mark(function: Callable) -> None:
            self._entries.append((name, self._named(function), signature))
        return mark

    def _named(self, function: Callable) -> Callable:
        function.__qualname__ = f'{self.title}.{function.__name__}'
        return function

    def machine_code(self) -> list[MachineCode]:
        """Compile every entry to an object file without numba's wrappers."""
        flags: Any = compiler.Flags()
        flags.error_model, flags.nrt = 'numpy', False
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        target = registry.cpu_target
        found = []
        for name, function, signature in self._entries:
            with INTERRUPTION.held():  # LLVM calls Python, where an exception would be lost
                made = compiler.compile_extra(
                    target.typing_context, target.target_context, function,
                    tuple(TYPES[kind] for kind in signature.kinds), types.int64, flags, {})
                found.append(MachineCode(name, made.fndesc.llvm_func_name + STUB,
                                         made.library.serialize_using_object_code()[2][0]))
        return found
