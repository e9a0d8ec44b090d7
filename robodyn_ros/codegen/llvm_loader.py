# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""LLVM on this machine: what it knows of the processor, and its own loader of object files."""
from __future__ import annotations

import contextlib
from typing import Any, Iterable, Sequence

from llvmlite import binding


class Loaded:
    """Object files in memory, as object_files.Loaded, on every system that LLVM knows."""

    def __init__(self, objects: Sequence[bytes], symbols: Iterable[str]):
        """
        Put files into memory and link them.

        :param symbols: whose addresses are asked for
        """
        initialise()
        machine = binding.Target.from_default_triple().create_target_machine()
        self._engine: Any = binding.create_mcjit_compiler(binding.parse_assembly(''), machine)
        for part in objects:
            self._engine.add_object_file(binding.ObjectFileRef.from_data(part))
        self._engine.finalize_object()
        self.addresses: dict[str, int] = {
            symbol: self._engine.get_function_address(symbol) for symbol in symbols}


def initialise() -> None:
    """Make LLVM know this machine."""
    with contextlib.suppress(RuntimeError):  # newer versions do it themselves, and say so
        binding.initialize()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


def processor() -> tuple[str, str]:
    """Return the name and the features of this processor, by which LLVM writes its code."""
    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


def instruction_set() -> str:
    """Return the families of vector instructions of this processor, which libraries choose by."""
    features = binding.get_host_cpu_features()
    return ' '.join(name for name in ('fma', 'avx2', 'avx512f', 'avx512dq', 'neon', 'sve')
                    if features.get(name))
