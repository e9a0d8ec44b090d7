# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What only a fresh process can tell: the first compile, start-up from the cache, peak memory.

    python -m benchmarks.subprocess_timing chain 8      prints one JSON object
    python -m benchmarks.subprocess_timing robot scara_450
"""
from __future__ import annotations

from contextlib import contextmanager
import json
import os
from pathlib import Path
import subprocess
import sys
import time
from typing import Any, Iterator

from benchmarks.chain import chain, chain_start
from benchmarks.memory import peak_memory
from benchmarks.plants import any_plant, STEP
from robodyn_ros.errors import RobodynError
from robodyn_ros.plant.plant import Plant


@contextmanager
def programs_in(folder: str) -> Iterator[None]:
    """Keep compiled programs of this process and its children in a folder for a while."""
    kept = os.environ.get('ROBODYN_CACHE_DIR')
    os.environ['ROBODYN_CACHE_DIR'] = folder
    try:
        yield
    finally:
        if kept is None:
            del os.environ['ROBODYN_CACHE_DIR']
        else:
            os.environ['ROBODYN_CACHE_DIR'] = kept


def run_fresh(kind: str, what: str, folder: str) -> dict[str, Any]:
    """
    Build a plant and take one step in a new process.

    :param folder: where that process keeps its compiled programs
    :returns: what the process measured, and process_s, its whole life [s]
    """
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get('PYTHONPATH')])]
    environment = {**os.environ, 'ROBODYN_CACHE_DIR': folder,
                   'PYTHONPATH': os.pathsep.join(paths)}
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, '-m', 'benchmarks.subprocess_timing', kind, what],
                          env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ['no message'])[-1]
        raise RobodynError(f'the fresh process for {kind} {what} failed: {last}')
    return {**json.loads(done.stdout), 'process_s': seconds}


def main() -> None:
    """Measure in this process and print."""
    kind, what = sys.argv[1:]
    before, begin = peak_memory(), time.perf_counter()
    if kind == 'chain':
        plant, start = Plant(chain(int(what)), step=STEP), chain_start(int(what))
    else:
        plant, start = any_plant(what)
    program = plant.program()
    traced, busy = time.perf_counter(), time.process_time()
    program.names
    compiled, busy = time.perf_counter(), time.process_time() - busy
    plant.advance(start)
    print(json.dumps({
        'operations': program.operations['dynamics'], 'source_kB': len(program.source) / 1e3,
        'trace_s': traced - begin, 'compile_s': compiled - traced,
        'compile_cpu_s': busy,
        'memory_MB': peak_memory() - before}))


if __name__ == '__main__':
    main()
