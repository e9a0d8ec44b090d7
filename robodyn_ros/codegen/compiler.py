# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The back end that compiles: routines and loops as LLVM's text, optimised, as object files.

Loops and the short routines in them are one module, optimised as a whole; long routines are
modules of their own, which LLVM only translates: their operations were shared and folded when they
were recorded. So a program is compiled once, whatever calls what, in time proportional to its
length. Nothing here needs a compiler beyond LLVM, which llvmlite brings.
"""
from __future__ import annotations

from typing import Any, Callable, Iterator, NamedTuple, Sequence

import llvmlite
from llvmlite import binding

from robodyn_ros.codegen.llvm import Function, functions
from robodyn_ros.codegen.llvm_loader import initialise
from robodyn_ros.codegen.llvm_text import DOUBLE, WHOLE
from robodyn_ros.codegen.loop_compiler import (ARRAY, CalledFunction, CalledRoutine, cells, COUNTS,
                                               export, LoopCompiler, room)
from robodyn_ros.codegen.native import MachineCode, Signature
from robodyn_ros.codegen.processor import asked
from robodyn_ros.codegen.routines import Routine
from robodyn_ros.errors import RobodynError

OLDEST, NEWEST = (0, 41), (0, 50)
"""Versions of llvmlite this was tested with; setup.py has the same bounds."""
KINDS = {'i': WHOLE, 'd': DOUBLE, 'p': ARRAY, 'n': COUNTS}
"""Kinds of arguments by the letters of native.py."""
MODULE = 4000
"""Operations of long routines that are translated together."""
LOOPS = 1500
"""Operations that the loops count for when progress is told."""


class Entered(NamedTuple):
    """What Python calls."""

    name: str
    function: Callable
    signature: Signature


class Compiler:
    """The back end of loops/: see backend.py."""

    export, cells, room = staticmethod(export), staticmethod(cells), staticmethod(room)

    def __init__(self, prefix: str, told: Callable[[float], None] = lambda share: None):
        """
        Compile one program.

        :param prefix: unique to the program; programs of one process must not share a symbol
        :param told: is called with the share that is done, from 0 to 1
        """
        self._prefix, self._told = prefix, told
        self._functions: list[Function] = []
        self._entries: list[Entered] = []

    def kernel(self, routine: Routine, lanes: int = 1) -> Any:
        """Return a routine as loops call it."""
        name = f'{self._prefix}.{len(self._functions)}.{routine.name}'
        self._functions += functions(name, routine, lanes)
        return CalledRoutine(name)

    def function(self, function: Callable) -> Any:
        """Return a function that other loops call; it is written when one does."""
        return CalledFunction(function)

    def entry(self, name: str, signature: Signature) -> Callable[[Callable], None]:
        """Mark a function for Python; its first statement is export()."""
        def mark(function: Callable) -> None:
            self._entries.append(Entered(name, function, signature))
        return mark

    def machine_code(self) -> MachineCode:
        """Compile everything to object files."""
        loops = LoopCompiler(self._prefix, binding.get_default_triple().partition('-')[0])
        symbols = tuple((name, loops.entry(name, function, [KINDS[kind] for kind in
                                                            signature.kinds]))
                        for name, function, signature in self._entries)
        inlined = [function for function in self._functions if function.inlined]
        apart = [function for function in self._functions if not function.inlined]
        called = {line for function in apart for line in [function.declaration]}
        texts = [function.text for function in inlined] + loops.texts
        declared = loops.declared.union(called, *(function.declared for function in inlined))
        total = LOOPS + sum(function.operations for function in apart)
        machine = target_machine()
        objects = [_translated(machine, _module(texts, declared), optimised=True)]
        done = LOOPS
        self._told(done / total)
        for group in _groups(apart):
            own = {function.declaration for function in group}
            declared = set().union(*(function.declared for function in group)) - own
            objects.append(_translated(machine, _module(
                [function.text for function in group], declared)))
            done += sum(function.operations for function in group)
            self._told(done / total)
        return MachineCode(symbols, tuple(objects))


def target_machine() -> binding.TargetMachine:
    """Return the processor that is compiled for: this one, or what the environment names."""
    initialise()
    name, features = asked()
    if features is None:
        features = '' if name is not None else binding.get_host_cpu_features().flatten()
    intel = binding.get_default_triple().startswith(('x86', 'i386', 'i686', 'amd64'))
    return binding.Target.from_default_triple().create_target_machine(
        cpu=name or binding.get_host_cpu_name(), features=features, opt=2,
        reloc='static' if intel else 'default',  # what LLVM's loader wants of each
        codemodel='jitdefault', jit=True)


def check_version(text: str = llvmlite.__version__) -> None:
    """Refuse an llvmlite whose interface is not known here."""
    version = tuple(int(part) for part in text.split('.')[:2])
    if not OLDEST <= version <= NEWEST:
        bounds = ' to '.join('.'.join(map(str, item)) for item in (OLDEST, NEWEST))
        raise RobodynError(f'llvmlite is {text}; expected {bounds}, whose LLVM this package '
                           f'knows: pip install "llvmlite>={OLDEST[0]}.{OLDEST[1]},'
                           f'<{NEWEST[0]}.{NEWEST[1] + 1}"')


check_version()


def _groups(apart: Sequence[Function]) -> Iterator[list[Function]]:
    """Yield functions together that are a module."""
    group: list[Function] = []
    for function in apart:
        group.append(function)
        if sum(item.operations for item in group) >= MODULE:
            yield group
            group = []
    if group:
        yield group


def _module(texts: Sequence[str], declared: set[str]) -> str:
    head = f'target triple = "{binding.get_default_triple()}"'
    return '\n'.join([head, *sorted(declared), *texts])


def _translated(machine: binding.TargetMachine, text: str, optimised: bool = False) -> bytes:
    """Return the object file of a module."""
    module = binding.parse_assembly(text)
    module.data_layout = str(machine.target_data)
    if optimised:
        _optimise(machine, module)
    return machine.emit_object(module)


def _optimise(machine: binding.TargetMachine, module: binding.ModuleRef) -> None:
    if hasattr(binding, 'create_pass_builder'):
        options = binding.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization, options.slp_vectorization = True, False
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return
    old = binding.create_pass_manager_builder()  # llvmlite before 0.44
    old.opt_level, old.loop_vectorize, old.slp_vectorize = 3, True, False
    old.inlining_threshold = 225
    passes = binding.create_module_pass_manager()
    machine.add_analysis_passes(passes)
    old.populate(passes)
    passes.run(module)
