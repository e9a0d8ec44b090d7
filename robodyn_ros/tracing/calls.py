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

KINDS: dict[str, Any] = {'i': ctypes.c_int64, 'd': ctypes.c_double, 'p': ctypes.c_void_p}
"""Types of arguments: whole numbers, floats, arrays."""


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
    """A function at an address; arrays must be contiguous and of doubles or 64-bit integers."""

    def __init__(self, address: int, kinds: str, keep: object = None):
        """Remember what must live as long as the code."""
        self.address, self.kinds, self._keep = address, kinds, keep
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, *(KINDS[k] for k in kinds))(address)

    def __call__(self, *args: Any) -> int:
        """Call it; other threads may run meanwhile."""
        return self._call(*[_address(a) if type(a) is np.ndarray else a for a in args])


def _address(array: np.ndarray) -> int:
    try:  # five times faster than array.ctypes
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):  # it is empty, or must not be written
        assert array.flags.c_contiguous
        return array.ctypes.data


def bind(function: Any, *arrays: np.ndarray, short: bool = False) -> Callable[[], int]:
    """
    Return a call without arguments, which works in always the same arrays.

    :param short: it takes about a microsecond, so that other threads need not run meanwhile
    """
    if not isinstance(function, Entry):  # nothing is compiled
        return partial(function, *arrays)
    kind = ctypes.PYFUNCTYPE if short else ctypes.CFUNCTYPE
    call = kind(ctypes.c_int64, *(KINDS[k] for k in function.kinds))(function.address)
    bound = partial(call, *map(_address, arrays))
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
