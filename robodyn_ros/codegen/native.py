# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Machine code in this process: linking it and calling it by address, without the compiler.

Linking needs LLVM's loader only, so a program from the cache is there in milliseconds, while the
compiler takes most of a second to import.
"""
from __future__ import annotations

import contextlib
import ctypes
from functools import partial
import os
from typing import Any, Callable, NamedTuple, Sequence

from llvmlite import binding
import numpy as np

CELL = ctypes.c_char * 0
"""Stands for an array in a call: it has no size, so an empty array will do."""


class Contiguous:
    """
    An array as an argument: of one type and without gaps, since the code knows its address only.

    ctypes asks from_param for what to pass. It costs less than array.ctypes, checks included.
    """

    def __init__(self, kind: type):
        """Take arrays of one type."""
        self.dtype = np.dtype(kind)

    def from_param(self, array: Any) -> Any:
        """Return what ctypes passes as the address; TypeError if the code must not see it."""
        if array.dtype is not self.dtype and array.dtype != self.dtype:
            raise TypeError(f'an array of {array.dtype} was given to compiled code that takes '
                            f'{self.dtype}: convert it with numpy.asarray')
        try:
            return CELL.from_buffer(array)
        except TypeError:  # it has gaps, or must not be written
            if not array.flags.c_contiguous:
                raise TypeError('an array with gaps or of another order was given to compiled '
                                'code: copy it with numpy.ascontiguousarray') from None
            return CELL.from_address(array.ctypes.data)


KINDS: dict[str, Any] = {'i': ctypes.c_int64, 'd': ctypes.c_double, 'p': Contiguous(np.float64),
                         'n': Contiguous(np.int64)}
"""Types of arguments: whole numbers, floats, arrays of floats, arrays of whole numbers."""


def interpreted() -> bool:
    """Tell whether NUMBA_DISABLE_JIT=1 asks for plain Python: nothing is compiled or linked."""
    return os.environ.get('NUMBA_DISABLE_JIT', '0') not in ('', '0')


class MachineCode(NamedTuple):
    """One compiled function, which returns a whole number."""

    name: str
    symbol: str
    """Its name in the object file."""
    kinds: str
    """One letter of KINDS per argument."""
    code: bytes
    """Object file."""


class Entry:
    """A function at an address; arrays must be contiguous and of the type it was compiled for."""

    def __init__(self, address: int, kinds: str, keep: object = None):
        """Remember what must live as long as the code."""
        self.address, self.kinds, self._keep = address, kinds, keep
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, *(KINDS[k] for k in kinds))(address)

    def __call__(self, *args: Any) -> int:
        """Call it; other threads may run meanwhile."""
        return self._call(*args)


def bind(function: Any, *arrays: np.ndarray, short: bool = False) -> Callable[[], int]:
    """
    Return a call without arguments, which works in always the same arrays.

    :param short: it takes about a microsecond, so that other threads need not run meanwhile
    """
    if not isinstance(function, Entry):  # nothing is compiled
        return partial(function, *arrays)
    kind = ctypes.PYFUNCTYPE if short else ctypes.CFUNCTYPE
    call = kind(ctypes.c_int64, *[ctypes.c_void_p] * len(arrays))(function.address)
    # looked at here, once: a call passes bare addresses
    bound = partial(call, *(ctypes.addressof(KINDS[k].from_param(array))
                            for k, array in zip(function.kinds, arrays, strict=True)))
    bound.keep = function, arrays  # type: ignore[attr-defined]
    return bound


def link(parts: Sequence[MachineCode]) -> dict[str, Entry]:
    """Load the functions of one program; returns them by name."""
    with contextlib.suppress(RuntimeError):  # newer versions do it themselves, and say so
        binding.initialize()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(''), machine)
    for part in parts:
        engine.add_object_file(binding.ObjectFileRef.from_data(part.code))
    engine.finalize_object()
    return {part.name: Entry(engine.get_function_address(part.symbol), part.kinds, engine)
            for part in parts}
