# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Tables and numbers of the benchmark page."""
from __future__ import annotations

from typing import Any, Mapping, Sequence


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a Markdown table; what would break a cell is taken out."""
    lines = ['| ' + ' | '.join(columns) + ' |', '|' + '---|' * len(columns)]
    return lines + ['| ' + ' | '.join(map(_cell, row)) + ' |' for row in rows]


def _cell(text: str) -> str:
    return ' '.join(text.split()).replace('|', '/')


def number(value: Any) -> str:
    """Three digits, without exponents; a dash for nothing."""
    if value is None:
        return '–'
    return f'{value:.0f}' if abs(value) >= 100.0 else f'{value:.3g}'


def small(value: float | None) -> str:
    """Two digits with an exponent, for errors."""
    return 'not finite' if value is None else f'{value:.1e}'


def spread(quartiles: Sequence[float] | None) -> str:
    """Quartiles in brackets; nothing where there are none."""
    return '' if quartiles is None else f' ({number(quartiles[0])}–{number(quartiles[1])})'


def ratio(found: Mapping[str, Any]) -> str:
    """Return a bold ratio with its quartiles, or why there is none."""
    if found.get('ratio') is None:
        return str(found.get('cannot', '–'))
    return f'**{number(found["ratio"])}**{spread(found.get("ratio_quartiles"))}'
