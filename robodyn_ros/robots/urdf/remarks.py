# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is odd about a description that is read nevertheless: one sentence each, with a remedy."""
from __future__ import annotations

from typing import NamedTuple


class Remark(NamedTuple):
    """Something odd, what was made of it, and what would mend it."""

    found: str
    """Such as: inertia of link 'hand' has the principal moment -1."""
    done: str
    """What the reader made of it."""
    remedy: str
    mended: bool = True
    """It should be otherwise: refused where strict is asked for; else it is merely not known."""

    @property
    def sentence(self) -> str:
        """Return all three as one sentence."""
        return f'{self.found}; {self.done} ({self.remedy})'


def listed(names: list[str] | tuple[str, ...], most: int = 8) -> str:
    """Return names for a sentence, the first few of many."""
    shown = ', '.join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f'{shown} and {len(names) - most} more'
