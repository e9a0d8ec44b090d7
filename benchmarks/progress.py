# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A progress bar on stderr, so that stdout keeps only results."""
from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import (BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn,
                           TimeElapsedColumn)


class ProgressBars:
    """One bar per kind of measurement; a bar moves with tick()."""

    def __init__(self) -> None:
        """Nothing is shown before the first begin()."""
        # drawn at each tick, not by a thread that would work beside what is measured
        self._bars = Progress(TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(),
                              TimeElapsedColumn(), console=Console(stderr=True),
                              auto_refresh=False)
        self._task: TaskID | None = None

    def __enter__(self) -> 'ProgressBars':
        """Show the bars."""
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Leave the finished bars behind."""
        self._bars.stop()

    def begin(self, description: str, total: int) -> None:
        """Open a bar of so many ticks."""
        self._task = self._bars.add_task(description, total=total)
        self._bars.refresh()

    def tick(self) -> None:
        """Move the newest bar by one."""
        if self._task is not None:
            self._bars.advance(self._task)
            self._bars.refresh()

    def say(self, sentence: str) -> None:
        """Print a sentence above the bars, on stderr."""
        self._bars.console.print(sentence, highlight=False, markup=False, soft_wrap=True)
