# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Peak memory of a fresh process that does one piece of growing work, ours or MuJoCo's.

    python -m benchmarks.memory_process rollouts 1000 mujoco     prints the megabytes
"""
from __future__ import annotations

import subprocess
import sys

from benchmarks.memory import peak_memory
from robodyn_ros.errors import RobodynError


def weigh(kind: str, size: float, engine: str) -> float:
    """Return the peak of the whole process, Python and libraries included [MB]."""
    done = subprocess.run([sys.executable, '-m', 'benchmarks.memory_process', kind, str(size),
                           engine], capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ['no message'])[-1]
        raise RobodynError(f'the process that weighs {kind} {size} of {engine} failed: {last}')
    return float(done.stdout)


def main() -> None:
    """Do the work once and print."""
    from benchmarks.scaling_work import KINDS

    kind, size, engine = sys.argv[1:]
    KINDS[kind](engine, float(size) if kind in ('duration', 'recorded') else int(size))()
    print(peak_memory())


if __name__ == '__main__':
    main()
