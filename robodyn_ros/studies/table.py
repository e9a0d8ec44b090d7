# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A study as a table: shown to people, to programs, in documents."""
from __future__ import annotations

import math
from typing import Any, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from robodyn_ros.studies.study import Row, Study

COLUMNS = ('quantity', 'paper', 'reference', 'ours', 'tolerance', 'verdict')
WIDTH = 120
"""Columns of a table that does not go to a terminal."""


def cells(row: Row) -> tuple[str, ...]:
    """Texts of a row in the order of COLUMNS."""
    reference = ('≤ ' if row.at_most else '') + f'{row.reference:.5g}'
    tolerance = '' if row.at_most and not row.tolerance else f'{row.tolerance:.2g}'
    return (row.quantity, row.paper, reference, f'{row.ours:.5g}', tolerance,
            'holds' if row.holds else 'MISSES')


def show(study: Study, console: Console) -> None:
    """Print a study's table and remarks."""
    console.print()
    table = Table(title=f'Paper {study.paper}: {study.title}', title_justify='left',
                  title_style='bold', caption=summary(study), caption_justify='left')
    for name in COLUMNS:
        number = name in ('reference', 'ours', 'tolerance')
        table.add_column(name, justify='right' if number else 'left', no_wrap=number)
    for row in study.rows:
        table.add_row(*(text.replace('[', r'\[') for text in cells(row)),
                      style=None if row.holds else 'bold red')
    console.print(table)
    for remark in study.remarks:
        console.print(Padding(f'- {remark}', (0, 0, 0, 2)), markup=False, highlight=False)


def summary(study: Study) -> str:
    """One sentence on how many rows hold."""
    missed = sum(not row.holds for row in study.rows)
    return f'{len(study.rows) - missed} of {len(study.rows)} rows hold'


def as_json(study: Study, figures: Sequence[str]) -> dict[str, Any]:
    """Everything a study found, for programs; numbers that are not finite become null."""
    rows = [{'quantity': row.quantity, 'paper': row.paper, 'reference': _finite(row.reference),
             'ours': _finite(row.ours), 'tolerance': _finite(row.tolerance),
             'at_most': bool(row.at_most), 'holds': bool(row.holds)} for row in study.rows]
    return {'paper': study.paper, 'title': study.title, 'holds': bool(study.holds), 'rows': rows,
            'figures': list(figures), 'remarks': list(study.remarks)}


def as_markdown(study: Study, pictures: Sequence[tuple[str, str]]) -> str:
    """
    Section of a document.

    :param pictures: address and caption of every figure
    """
    lines = [f'## Paper {study.paper}: {study.title}', '', f'{summary(study)}.', '',
             '| ' + ' | '.join(COLUMNS) + ' |', '|---|---|---:|---:|---:|---|']
    lines += ['| ' + ' | '.join(_escaped(text) for text in cells(row)) + ' |'
              for row in study.rows]
    lines += ['', '### Remarks', ''] + [f'- {_escaped(remark)}' for remark in study.remarks]
    if pictures:
        lines += ['', '### Figures', '']
    for address, caption in pictures:
        lines += [f'![{_escaped(caption)}]({address})', '', f'*{_escaped(caption)}*', '']
    return '\n'.join(lines).rstrip() + '\n'


def _escaped(text: str) -> str:
    for sign in ('|', '*', '_', '<'):
        text = text.replace(sign, '\\' + sign)
    return text


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
