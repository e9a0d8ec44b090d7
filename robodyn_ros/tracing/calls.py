# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Calls of compiled functions by their address: some tenths of a microsecond instead of several.

numba looks at every argument of every call. A function that always works in the same arrays can be
bound to them once; a call is then a jump.
"""
from __future__ import annotations

import ctypes
from functools import partial
from typing import Any, Callable

import numba
from numba.core import config as numba_config
import numpy as np

config: Any = numba_config


cells: Any = (lambda array, _: array) if config.DISABLE_JIT else numba.carray
"""The array at an address, of so many numbers; where nothing is compiled, addresses are arrays."""


def by_address(signature: str, cache: bool) -> Callable[[Callable], Any]:
    """
    Compile a function of pointers that returns a whole number.

    :param signature: of numba.cfunc
    """
    if config.DISABLE_JIT:
        return lambda function: function
    options: dict[str, Any] = {'error_model': 'numpy', 'cache': cache}
    return numba.cfunc(signature, **options)


def bind(function: Any, *arrays: np.ndarray, short: bool = False) -> Callable[[], int]:
    """
    Return a call without arguments.

    :param short: it takes about a microsecond, so that other threads need not run meanwhile
    """
    if not hasattr(function, 'address'):
        return partial(function, *arrays)
    kind = ctypes.PYFUNCTYPE if short else ctypes.CFUNCTYPE
    call = kind(ctypes.c_int64, *[ctypes.c_void_p] * len(arrays))(function.address)
    bound = partial(call, *(array.ctypes.data for array in arrays))
    bound.arrays = arrays  # type: ignore[attr-defined]  # they must live as long as the call
    return bound
