# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A program: the kernels of one recording and the loops around them, compiled or found on disk.

```
kernels ─routines─▶ Routine ─┬─ python_text ─▶ source, which the cache hashes and people read
                            └─ llvm, loop_compiler ─▶ objects ─ cache ─ native ─▶ functions
```
"""
from __future__ import annotations

import logging
import os
import threading
import time
from typing import Any, Callable, Mapping, Protocol, Sequence

import numpy as np

from robodyn_ros.checks import numbers
from robodyn_ros.codegen import cache, environment, progress, python_text
from robodyn_ros.codegen.backend import Backend, Interpreter
from robodyn_ros.codegen.native import Array, Entry, interpreted, link, MachineCode, Signature
from robodyn_ros.codegen.routines import (Kernel, PREPARE, PREPARE_LAW, prepared_size,
                                          Routine, routines)
from robodyn_ros.errors import SizeError, UnknownNameError
from robodyn_ros.tracing.graph import Graph
from robodyn_ros.tracing.scalar import Scalar

LOG = logging.getLogger('robodyn_ros')
_loaded: dict[str, dict[str, Entry]] = {}  # programs of this process by their source
# A fork waits until the compiler is through: its locks, LLVM's among them, would stay closed in
# the child, where no thread is left to open them. The thread that compiles may fork itself.
_compiling = threading.RLock()
os.register_at_fork(before=_compiling.acquire, after_in_parent=_compiling.release,
                    after_in_child=_compiling.release)
PREPARING = (PREPARE, PREPARE_LAW)
NOTHING = Routine(PREPARE_LAW, 0, 0, Graph(), (), (), ())
"""What is to be prepared for a law where there is none."""


class Loops(Protocol):
    """Loops around the kernels of a program; its text is part of the program's source."""

    @property
    def lanes(self) -> int:
        """Return how many runs go side by side."""

    def signatures(self, prepared: int) -> dict[str, Signature]:
        """Return what the functions for Python take, given the length of w."""

    def make(self, backend: Backend, routines: Mapping[str, Routine],
             kernels: Mapping[str, Callable], signatures: Mapping[str, Signature]) -> None:
        """Make the loops of a program and mark those that Python calls."""


class Program:
    """Compiled kernels of one recording with their run-time parameters."""

    def __init__(self, title: str, kernels: Sequence[Kernel], parameters: Sequence[Scalar],
                 loops: Loops | None = None,
                 law: tuple[Kernel, Sequence[Scalar]] | None = None):
        """
        Write the routines; nothing is compiled before the first use.

        :param title: what is being compiled, for the message
        :param law: a kernel of another recording, with its own inputs for the same parameters:
            its operations, and so its bits, do not depend on the kernels beside it
        :param loops: around the kernels; without them each kernel can be called from Python, see
            evaluate()
        """
        self.title, self._loops = title, loops
        self.routines: dict[str, Routine] = {
            routine.name: routine for routine in routines(kernels, parameters)}
        if law is not None:
            more = routines([law[0]], law[1], prepare=PREPARE_LAW,
                            first=prepared_size(self.routines))
            self.routines |= {routine.name: routine for routine in more}
        self.prepared_size = prepared_size(self.routines)
        self._functions: dict[str, Entry] | None = None
        self._prepared: tuple[bytes, np.ndarray] | None = None

    @property
    def source(self) -> str:
        """Return the routines as Python: to be read, to be run, and to be hashed."""
        loops = f'# in the loops of {self._loops}\n' if self._loops else ''
        texts = [python_text.text(routine) for routine in self.routines.values()]
        head = f'"""{self.title}: straight-line code, made by robodyn_ros."""\n{loops}'
        return '\n\n\n'.join([head + python_text.IMPORTS.rstrip(), *texts]) + '\n'

    @property
    def operations(self) -> dict[str, int]:
        """Operations of each routine."""
        return {name: routine.operations for name, routine in self.routines.items()}

    def functions(self) -> Mapping[str, Entry]:
        """Return the functions for Python by name; compiles or loads them on first use."""
        environment.warn()
        if self._functions is None:
            source = self.source
            with _compiling:  # threads that need the same program wait for it
                if source not in _loaded:
                    _loaded[source] = self.interpret() if interpreted() else link(
                        cache.load(source, self.machine_code), self.signatures)
                self._functions = _loaded[source]
        return self._functions

    def machine_code(self) -> MachineCode:
        """Compile it anew, whatever the cache holds."""
        start = time.perf_counter()
        LOG.info('compiling %s (%d operations); done once where programs can be kept',
                 self.title, sum(self.operations.values()))
        from robodyn_ros.codegen.compiler import Compiler  # here: most starts compile nothing
        with progress.told(self.title, sum(self.operations.values())) as told:
            compiler = Compiler('robodyn_program_' + cache.digest(self.source), told)
            self._make(compiler)
            found = compiler.machine_code()
        LOG.info('compiled %s in %.1f s', self.title, time.perf_counter() - start)
        return found

    def interpret(self) -> dict[str, Entry]:
        """Return the functions as plain Python: slow, and the same bits."""
        backend = Interpreter()
        self._make(backend)
        return backend.entries

    @property
    def signatures(self) -> dict[str, Signature]:
        """Return what the functions for Python take, by name."""
        prepared, none = self.prepared_size, self.routines[PREPARE].inputs
        found = {'prepare_parameters': Signature(
            'i', (Array('p'), Array('w', True)), lambda count: (count * none, count * prepared))}
        if self._loops is not None:
            return {**found, **self._loops.signatures(prepared)}
        for name, routine in self.routines.items():
            if name not in PREPARING:
                found.update(_signatures(name, routine.inputs, routine.outputs, prepared))
        return found

    def _make(self, backend: Backend) -> None:
        """Make kernels and loops, and mark what Python calls."""
        signatures, loops = self.signatures, self._loops
        lanes = loops.lanes if loops is not None else 1
        prepare = backend.kernel(self.routines[PREPARE])
        own = max(1, self.routines[PREPARE].outputs)
        none, prepared = self.routines[PREPARE].inputs, self.prepared_size
        prepare_law = backend.kernel(self.routines.get(PREPARE_LAW, NOTHING))
        export, cells = backend.export, backend.cells

        @backend.entry('prepare_parameters', signatures['prepare_parameters'])
        def prepare_parameters(count: Any, p: Any, w: Any) -> Any:
            """Compute w of many values of the parameters, one after another."""
            export()
            for k in range(count):
                prepare(cells(p), k * none, cells(p), cells(w), k * prepared)
                prepare_law(cells(p), k * none, cells(p), cells(w), k * prepared + own)
            return 0

        kernels = {name: backend.kernel(routine, lanes)
                   for name, routine in self.routines.items() if name not in PREPARING}
        if loops is not None:
            loops.make(backend, self.routines, kernels, signatures)
            return
        for name, kernel in kernels.items():
            routine = self.routines[name]
            _make_calls(backend, name, kernel, routine.inputs, routine.outputs, signatures)

    def prepared(self, parameters: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return w for given values of the parameters; it is shared, so it must not be changed."""
        given = np.ascontiguousarray(parameters, dtype=float)
        key, last = given.tobytes(), self._prepared
        if last is None or last[0] != key:  # single calls mostly come with the same values
            self._prepared = last = key, self.prepared_each(given[None])[0]
        return last[1]

    def prepared_each(self, parameters: np.ndarray) -> np.ndarray:
        """Return w of many values of the parameters: (count, parameters) to (count, prepared)."""
        found = np.zeros((len(parameters), self.prepared_size))
        self.functions()['prepare_parameters'](
            len(parameters), np.ascontiguousarray(parameters).reshape(-1), found.reshape(-1))
        return found

    def evaluate(self, name: str, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """
        Evaluate a kernel for one input (inputs,) or many (count, inputs).

        :returns: (outputs,) or (count, outputs)
        """
        if name not in self.routines or name in PREPARING:
            raise UnknownNameError('kernel', name, set(self.routines) - set(PREPARING), self.title)
        routine = self.routines[name]
        x = np.ascontiguousarray(numbers(f'x of {name}', x, f'{routine.inputs} numbers'))
        if x.shape[-1:] != (routine.inputs,):
            raise SizeError(f'x of {name}', f'(..., {routine.inputs})', x.shape)
        y = np.empty(x.shape[:-1] + (routine.outputs,))
        # flat, as plain Python sees more than an address
        self.functions()['many_' + name](x.size // max(1, routine.inputs), x.reshape(-1), w,
                                         y.reshape(-1))
        return y


def _signatures(name: str, inputs: int, outputs: int, prepared: int) -> dict[str, Signature]:
    """Signatures of the two ways to call a kernel."""
    return {
        'many_' + name: Signature('i', (Array('x'), Array('w'), Array('y', True)),
                                  lambda count: (count * inputs, prepared, count * outputs)),
        'one_' + name: Signature('', (Array('block', True),),
                                 lambda: (inputs + outputs + prepared,))}


def _make_calls(backend: Backend, name: str, kernel: Callable, inputs: int, outputs: int,
                signatures: Mapping[str, Signature]) -> None:
    export, cells, both = backend.export, backend.cells, inputs + outputs

    @backend.entry('many_' + name, signatures['many_' + name])
    def many(count: Any, x: Any, w: Any, y: Any) -> Any:
        """Evaluate at many inputs, one after another."""
        export()
        for k in range(count):
            kernel(cells(x), k * inputs, cells(w), cells(y), k * outputs)
        return 0

    @backend.entry('one_' + name, signatures['one_' + name])
    def one(block: Any) -> Any:
        """Evaluate in a block that holds x, y and w."""
        export()
        numbers = cells(block)
        kernel(numbers, 0, numbers[both:], numbers, inputs)
        return 0
