# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What only a fresh process can tell: the first compile, start-up from the cache, peak memory.

    python -m benchmarks.fresh_process chain 8      prints one JSON object
    python -m benchmarks.fresh_process robot scara_450
"""
from __future__ import annotations

from contextlib import contextmanager
import json
import os
import sys
import time
from typing import Any, Iterator

from benchmarks.children import environment, output_of
from benchmarks.internals import build
from benchmarks.memory import peak_memory
from benchmarks.plants import any_plant, chain, chain_start, STEP
from robodyn_ros import Plant

CACHE = 'ROBODYN_CACHE_DIR'
"""Environment variable: where compiled programs are kept."""


@contextmanager
def programs_in(folder: str) -> Iterator[None]:
    """Keep compiled programs of this process and its children in a folder for a while."""
    kept = os.environ.get(CACHE)
    os.environ[CACHE] = folder
    try:
        yield
    finally:
        if kept is None:
            del os.environ[CACHE]
        else:
            os.environ[CACHE] = kept


def run_fresh(kind: str, what: str, folder: str) -> dict[str, Any]:
    """
    Build a plant and take one step in a new process.

    :param folder: where that process keeps its compiled programs
    :returns: what the process measured, and process_s, its whole life [s]
    """
    own, begin = environment(**{CACHE: folder}), time.perf_counter()
    printed = output_of('benchmarks.fresh_process', kind, what, env=own)
    seconds = time.perf_counter() - begin
    return {**json.loads(printed), 'process_s': seconds}


def main() -> None:
    """Measure in this process and print."""
    kind, what = sys.argv[1:]
    before, begin = peak_memory(), time.perf_counter()
    if kind == 'chain':
        plant, start = Plant(chain(int(what)), step=STEP), chain_start(int(what))
    else:
        plant, start = any_plant(what)
    built = build(plant)
    plant.advance(start)
    print(json.dumps({
        'operations': built.operations, 'source_kB': built.source_kB,
        'trace_s': built.traced - begin, 'compile_s': built.compile_s,
        'compile_cpu_s': built.compile_cpu_s, 'memory_MB': peak_memory() - before}))


if __name__ == '__main__':
    main()
