# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of this process as Linux counts it; a child does not inherit its parent's peak."""
from __future__ import annotations

from pathlib import Path
import resource
import sys


def _from_status(key: str) -> float:
    for line in Path('/proc/self/status').read_text().splitlines():
        if line.startswith(key + ':'):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


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
