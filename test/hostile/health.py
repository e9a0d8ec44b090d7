# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a process holds: memory, descriptors and threads, over time; from /proc."""
from __future__ import annotations

import os
from pathlib import Path
from statistics import median
from typing import NamedTuple, Sequence

ALLOWED = {'memory': 16.0, 'descriptors': 4.0, 'threads': 4.0}
"""Growth between the first and the last fifth of a run [MB], [1], [1]."""


class Sample(NamedTuple):
    """What a process holds at one time."""

    memory: float
    """Resident [MB]."""
    descriptors: int
    threads: int


def sample(pid: int) -> Sample | None:
    """Look at a process; None if it is gone."""
    try:
        lines = Path(f'/proc/{pid}/status').read_text().splitlines()
        facts = dict(line.split(':', 1) for line in lines if ':' in line)
        return Sample(int(facts['VmRSS'].split()[0]) / 1024.0,
                      len(os.listdir(f'/proc/{pid}/fd')), int(facts['Threads']))
    except (OSError, KeyError):
        return None


def growth(samples: Sequence[Sample]) -> dict[str, tuple[float, float]]:
    """Return the medians of the first and of the last fifth of the samples, by name."""
    part = max(1, len(samples) // 5)
    return {name: (median(getattr(one, name) for one in samples[:part]),
                   median(getattr(one, name) for one in samples[-part:]))
            for name in Sample._fields}


def grown(samples: Sequence[Sample]) -> list[str]:
    """Name what grew by more than is allowed."""
    return [name for name, (first, last) in growth(samples).items()
            if last - first > ALLOWED[name]]
