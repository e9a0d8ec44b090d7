# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""How the verbs print what they found: a table for people, JSON for programs, on stdout."""
from __future__ import annotations

import json
import sys
from typing import Any, Iterable, Sequence

from rich.console import Console
from rich.table import Table


def print_json(facts: Any) -> None:
    """Print plain values as JSON."""
    print(json.dumps(facts, indent=1))


def print_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]],
                notes: Iterable[str] = ()) -> None:
    """
    Print a table, whose cells may have rich's markup.

    :param notes: lines to print below it as they are
    """
    table = Table(*headings, title=title)
    for row in rows:
        table.add_row(*row)
    console = Console(file=sys.stdout)
    console.print(table)
    for note in notes:
        console.print(note, soft_wrap=True, markup=False, highlight=False)
