# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Machine code in this process: linking it, and calling it with arrays that were looked at first.

Machine code sees addresses only: an array that is too short, of another type, with gaps or not to
be written would crash it, or give wrong numbers. So every call from Python comes through here and
is checked against the function's signature; what does not fit is a sentence. A program from the
cache is there in a fraction of a millisecond, without LLVM where object_files.py can link it.
"""
from __future__ import annotations

import ctypes
from functools import partial
import os
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from robodyn_ros.codegen import object_files
from robodyn_ros.errors import ArgumentError

CELL = ctypes.c_char * 0
"""Stands for an array in a call: it has no size, so an empty array will do."""
SCALARS: dict[str, Any] = {'i': ctypes.c_int64, 'd': ctypes.c_double}
ARRAYS = {'p': np.dtype(np.float64), 'n': np.dtype(np.int64)}
"""Letters of arguments: whole numbers and floats, arrays of floats and of whole numbers."""


class Array(NamedTuple):
    """An array as an argument."""

    name: str
    written: bool = False
    kind: str = 'p'


class Signature(NamedTuple):
    """What a function takes: scalars first, then arrays; it returns a whole number."""

    scalars: str
    """One letter of SCALARS each."""
    arrays: tuple[Array, ...]
    lengths: Callable[..., Sequence[int]]
    """Least length of each array, given the scalars."""

    @property
    def kinds(self) -> str:
        """One letter per argument."""
        return self.scalars + ''.join(array.kind for array in self.arrays)


class MachineCode(NamedTuple):
    """A compiled program."""

    symbols: tuple[tuple[str, str], ...]
    """Functions for Python: names, and their names in the object files."""
    objects: tuple[bytes, ...]
    """Object files."""


def interpreted() -> bool:
    """Tell whether ROBODYN_INTERPRET=1 asks for plain Python: nothing is compiled or linked."""
    return os.environ.get('ROBODYN_INTERPRET', '0') not in ('', '0')


class Entry:
    """A function that Python may call: machine code at an address, or plain Python."""

    def __init__(self, name: str, signature: Signature, code: int | Callable[..., int],
                 keep: object = None):
        """
        Make a function callable.

        :param code: an address, or the function itself where nothing is compiled
        :param keep: what must live as long as the code
        """
        self.name, self.signature, self._code, self._keep = name, signature, code, keep
        self._scalars = len(signature.scalars)
        self._call: Callable[..., int] = code if callable(code) else ctypes.CFUNCTYPE(
            ctypes.c_int64, *(SCALARS[kind] for kind in signature.scalars),
            *(ctypes.c_void_p for _ in signature.arrays))(code)

    def __call__(self, *args: Any) -> int:
        """Call it with scalars and arrays; other threads may run meanwhile."""
        scalars, arrays = args[:self._scalars], args[self._scalars:]
        cells = self._checked(scalars, arrays)
        return self._call(*args) if callable(self._code) else self._call(*scalars, *cells)

    def bind(self, *args: Any, short: bool = False) -> Callable[[], int]:
        """
        Return a call without arguments: always the same scalars, and work in the same arrays.

        :param args: scalars first, as in a call
        :param short: it takes about a microsecond, so that other threads need not run meanwhile
        """
        scalars, arrays = args[:self._scalars], args[self._scalars:]
        # looked at here, once: a call passes bare addresses
        cells = self._checked(scalars, arrays)
        if callable(self._code):
            return partial(self._code, *args)
        kind = ctypes.PYFUNCTYPE if short else ctypes.CFUNCTYPE
        # without argument types ctypes passes on what was made for it before, and converts nothing
        bound = partial(kind(ctypes.c_int64)(self._code),
                        *(SCALARS[letter](value) for letter, value in zip(
                            self.signature.scalars, scalars)), *map(ctypes.byref, cells))
        bound.keep = self, arrays  # type: ignore[attr-defined]
        return bound

    def _checked(self, scalars: Sequence[Any], arrays: Sequence[Any]) -> list[Any]:
        signature = self.signature
        if len(scalars) != self._scalars or len(arrays) != len(signature.arrays):
            names = ', '.join(array.name for array in signature.arrays)
            raise ArgumentError(f'{self.name} was given {len(scalars) + len(arrays)} arguments; '
                                f'expected {self._scalars} numbers and the arrays {names}')
        return [cell_of(self.name, array, wanted, least) for array, wanted, least in zip(
            arrays, signature.arrays, signature.lengths(*scalars))]


def cell_of(function: str, array: Any, wanted: Array, least: int) -> Any:
    """Return what ctypes passes as the address of an array; refuse what code must not see."""
    dtype = ARRAYS[wanted.kind]
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f'{wanted.name} of {function} is {array!r:.80}; expected a numpy '
                            f'array of {dtype}')
    if array.dtype is not dtype and array.dtype != dtype:
        raise ArgumentError(f'{wanted.name} of {function} is an array of {array.dtype}; expected '
                            f'{dtype}: convert it with numpy.asarray')
    if array.size < least:
        raise ArgumentError(f'{wanted.name} of {function} has {array.size} numbers; expected '
                            f'{least} or more')
    try:
        return CELL.from_buffer(array)  # type: ignore[arg-type]  # cheaper than array.ctypes
    except TypeError:  # it has gaps, or must not be written
        if not array.flags.c_contiguous:
            raise ArgumentError(f'{wanted.name} of {function} has gaps or another order of its '
                                'axes: copy it with numpy.ascontiguousarray') from None
        if wanted.written:
            raise ArgumentError(f'{wanted.name} of {function} is read-only, but is to be written: '
                                'give a copy') from None
        return CELL.from_address(array.ctypes.data)


def link(code: MachineCode, signatures: dict[str, Signature]) -> dict[str, Entry]:
    """Load the functions of one program; returns them by name."""
    loaded = _loaded(code)
    return {name: Entry(name, signatures[name], loaded.addresses[symbol], loaded)
            for name, symbol in code.symbols}


def _loaded(code: MachineCode) -> Any:
    """Put a program into memory: by our own means, or by LLVM's."""
    try:
        return object_files.Loaded(code.objects)
    except object_files.Unfamiliar:
        from robodyn_ros.codegen import llvm_loader
        return llvm_loader.Loaded(code.objects, [symbol for _, symbol in code.symbols])
