# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
From kernels to compiled functions: assemble the source of a program, compile it, call it.

A program is one module of text: the emitted kernels, the loops that run them, and entry points
with fixed signatures. The same text is what `robodyn source` prints and what the cache hashes.
"""
from __future__ import annotations

import inspect
import logging
import threading
import time
from types import ModuleType
from typing import Any, Sequence

import numpy as np

from robodyn_ros.codegen import cache, tolerances
from robodyn_ros.codegen.emit import emit, Kernel
from robodyn_ros.tracing.scalar import Scalar

LOG = logging.getLogger('robodyn_ros')
MARKER = '# --- compiled part: everything below is copied into each program ---\n'
HEADER = """import math

from robodyn_ros.codegen.arithmetic import (atan2, choose, exp, fabs, fma, larger, smaller,
                                            sqrt, tan, tanh)
from robodyn_ros.codegen.dialect import by_address, cells, export, njit, straight_line
from robodyn_ros.codegen.trigonometry import sincos
"""
ENTRY = """
@by_address('i8(CPointer(f8), CPointer(f8))')
def prepare_parameters(p, w):
    export()
    prepare(cells(p, ANY), 0, cells(p, ANY), cells(w, ANY), 0)
    return 0
"""
MANY = """
@by_address('i8(i8, CPointer(f8), CPointer(f8), CPointer(f8))')
def many_{name}(count, x, w, y):
    export()
    for k in range(count):
        {name}(cells(x, ANY), k * {inputs}, cells(w, ANY), cells(y, ANY), k * {outputs})
    return 0


@by_address('i8(CPointer(f8))')
def one_{name}(block):
    export()
    numbers = cells(block, ANY)
    {name}(numbers, 0, numbers[{inputs} + {outputs}:], numbers, {inputs})
    return 0
"""
ANY = 1 << 40
"""Size of an array whose size does not matter: nothing is checked by it."""

_loaded: dict[str, dict[str, Any]] = {}  # programs of this process by their source
_compiling = threading.Lock()


class Program:
    """Compiled kernels of one graph with their run-time parameters."""

    def __init__(self, title: str, kernels: Sequence[Kernel], parameters: Sequence[Scalar],
                 callable_kernels: Sequence[str] = (), constants: dict[str, Any] | None = None,
                 modules: Sequence[ModuleType] = (), lanes: int = 0):
        """
        Emit the source; nothing is compiled before the first use.

        :param title: what is being compiled, for the message
        :param callable_kernels: names of kernels to be called from Python, see evaluate()
        :param constants: names the loops need, such as N
        :param modules: loops to copy in, in order
        :param lanes: runs side by side in every kernel, see emit()
        """
        self.title = title
        self.emitted = emit(kernels, parameters, lanes)
        self.sizes = {k.name: (len(k.inputs), len(k.outputs)) for k in kernels}
        self.source = self._assemble(callable_kernels, constants or {}, modules)
        self._names: dict[str, Any] | None = None
        self._prepared: tuple[bytes, np.ndarray] | None = None

    def _assemble(self, callable_kernels: Sequence[str], constants: dict[str, Any],
                  modules: Sequence[ModuleType]) -> str:
        numbers = {**{k: v for k, v in vars(tolerances).items() if k.isupper()}, **constants,
                   'ANY': ANY}
        parts = [repr(f'{self.title}: straight-line code, made by robodyn_ros.'),
                 HEADER]
        parts += [f'{name} = {value}' for name, value in numbers.items() if name != 'ADVANCE']
        parts.append('\n\n' + self.emitted.source)
        for module in modules:
            text = inspect.getsource(module).split(MARKER, 1)[1]
            parts.append(text.replace('ADVANCE(', str(constants.get('ADVANCE')) + '('))
        parts.append(ENTRY)
        for name in callable_kernels:
            inputs, outputs = self.sizes[name]
            parts.append(MANY.format(name=name, inputs=inputs, outputs=outputs))
        return '\n'.join(parts)

    @property
    def operations(self) -> dict[str, int]:
        """Operations of each kernel."""
        return self.emitted.operations

    @property
    def names(self) -> dict[str, Any]:
        """Compiled functions by name; compiles or loads them on first use."""
        if self._names is None:
            start = time.perf_counter()
            told: list[int] = []

            def announce() -> None:
                told.append(1)
                LOG.info('compiling %s (%d operations); done once where programs can be kept',
                         self.title, sum(self.operations.values()))

            with _compiling:  # threads that need the same program wait for it
                if self.source not in _loaded:
                    _loaded[self.source] = cache.load(self.source, announce)
                self._names = _loaded[self.source]
            if told:
                LOG.info('compiled %s in %.1f s', self.title, time.perf_counter() - start)
        return self._names

    def prepared(self, parameters: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return w for given values of the parameters; it is shared, so it must not be changed."""
        given = np.ascontiguousarray(parameters, dtype=float)
        key, last = given.tobytes(), self._prepared
        if last is None or last[0] != key:  # single calls mostly come with the same values
            w = np.zeros(max(1, self.emitted.prepared))
            self.names['prepare_parameters'](given, w)
            self._prepared = last = key, w
        return last[1]

    def evaluate(self, name: str, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """
        Evaluate a kernel for one input (inputs,) or many (count, inputs).

        :returns: (outputs,) or (count, outputs)
        """
        inputs, outputs = self.sizes[name]
        x = np.ascontiguousarray(x, dtype=float)
        y = np.empty(x.shape[:-1] + (outputs,))
        self.names['many_' + name](x.size // inputs, x.reshape(-1), w, y.reshape(-1))
        return y
