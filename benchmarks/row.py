# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""One line of a benchmark: a name, our time, a peer's time and what else was seen."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from benchmarks.timing import Timing


@dataclass(frozen=True)
class Row:
    """A measured line; without a peer, peer and its time are None."""

    name: str
    ours_us: float
    """Per unit [us]."""
    peer: str | None = None
    peer_us: float | None = None
    unit: str = 'step'
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else was measured, by names that carry their unit."""

    @property
    def ratio(self) -> float | None:
        """Peer's time over ours: how many times faster we are [-]."""
        return None if self.peer_us is None else self.peer_us / self.ours_us

    def as_json(self) -> dict[str, Any]:
        """Return the flat form that --json prints."""
        return {'name': self.name, 'ours_us': self.ours_us, 'peer': self.peer,
                'peer_us': self.peer_us, 'ratio': self.ratio, 'unit': self.unit, **self.details}


def compared(name: str, peer: str, timings: Mapping[str, Timing], unit: str = 'step',
             **details: Any) -> Row:
    """Row of two timings called 'ours' and the peer's name."""
    ours, theirs = timings['ours'], timings[peer]
    return Row(name, ours.median, peer, theirs.median, unit,
               {'ours_quartiles_us': ours.quartiles, 'peer_quartiles_us': theirs.quartiles,
                'repeats': ours.repeats, **details})
