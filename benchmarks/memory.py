# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Memory of this process as Linux counts it, and the peak of a fresh one.

A child does not inherit its parent's peak, so each piece of growing work, ours or MuJoCo's, is
done once in a process of its own:

    python -m benchmarks.memory rollouts 1000 mujoco     prints the megabytes
"""
from __future__ import annotations

from pathlib import Path
import resource
import sys

from benchmarks.children import output_of


def memory_now() -> float:
    """Resident memory [MB]; where there is no /proc, the peak."""
    try:
        return _from_status('VmRSS')
    except OSError:
        return peak_memory()


def peak_memory() -> float:
    """Largest resident memory so far [MB]."""
    try:
        return _from_status('VmHWM')
    except OSError:
        unit = 1.0 if sys.platform == 'darwin' else 1024.0
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _from_status(key: str) -> float:
    for line in Path('/proc/self/status').read_text().splitlines():
        if line.startswith(key + ':'):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def peak_of_process(kind: str, size: float, engine: str) -> float:
    """
    Return the peak of a whole process that does one piece of work, libraries included [MB].

    :param kind: of scaling_work.KINDS
    """
    return float(output_of('benchmarks.memory', kind, str(size), engine))


def main() -> None:
    """Do the work once and print."""
    from benchmarks.scaling_work import KINDS

    kind, size, engine = sys.argv[1:]
    KINDS[kind](engine, float(size) if kind in ('duration', 'recorded') else int(size))()
    print(peak_memory())


if __name__ == '__main__':
    main()
