# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What was refused lately: each reason once for the log, and for a while in diagnostics."""
from __future__ import annotations

import re

NUMBER = re.compile(r'(?<![\w.])[-+]?\d[\w.+-]*')
"""Reasons that differ in numbers only (a time, a value) are one reason."""
KEPT = 5
"""Reports in which a reason stays after it was last given."""
MOST = 20
"""Different reasons at a time; a flood of nonsense must not become a flood of log lines."""


class Reasons:
    """Collects sentences; forgets them some reports after they were last given."""

    def __init__(self) -> None:
        """Nothing to complain about."""
        self._kept: dict[str, tuple[str, int]] = {}

    def add(self, reason: str) -> bool:
        """Keep a reason; returns whether it is new and belongs in the log."""
        key = NUMBER.sub('#', reason)
        new = key not in self._kept
        if new and len(self._kept) >= MOST:
            return False
        self._kept[key] = (reason, KEPT)
        return new

    def clear(self) -> None:
        """Forget all."""
        self._kept = {}

    def report(self) -> list[str]:
        """Return the reasons to show now, oldest first; counts as one report."""
        shown = [reason for reason, _ in self._kept.values()]
        self._kept = {key: (reason, left - 1) for key, (reason, left) in self._kept.items()
                      if left > 1}
        return shown
