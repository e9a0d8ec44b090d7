# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What reproducing a paper yields: rows of numbers beside their reference, figures, remarks.

Shown to people as a table, to programs as JSON, in documents as Markdown.

Reference values were computed by an independent numpy/scipy model of each system, unless a row
says that the paper prints them; a paper's own number is quoted beside. Nothing is tuned to match:
where a paper's number cannot be reproduced, the row says so and a remark says why.
"""
from __future__ import annotations

from decimal import Decimal
from itertools import repeat
import math
from typing import Any, Callable, Iterable, NamedTuple, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from robodyn_ros.report.drawing import Figure

COLUMNS = ('quantity', 'paper', 'reference', 'ours', 'tolerance', 'verdict')
WIDTH = 120
"""Columns of a table that does not go to a terminal."""
Progress = Callable[[str], None]
"""Called with a few words before each longer piece of work."""


class Row(NamedTuple):
    """One number of a study."""

    quantity: str
    """What, with its unit in brackets."""
    ours: float
    reference: float
    tolerance: float
    """Largest difference that counts as reproduced, in the unit of the quantity."""
    paper: str = ''
    """What the paper prints or claims, if it does."""
    at_most: bool = False
    """The reference is a bound: anything up to it (plus tolerance) is good."""

    @property
    def holds(self) -> bool:
        """Tell whether ours agrees with the reference."""
        if not math.isfinite(self.ours):
            return False
        if self.at_most:
            return self.ours <= self.reference + self.tolerance
        return abs(self.ours - self.reference) <= self.tolerance


def to_digits(quantity: str, ours: float, reference: str, paper: str = '',
              units: float = 0.5) -> Row:
    """
    Row that holds when ours is the reference as far as its digits go.

    :param reference: number as text, such as '1.093e-3'
    :param units: allowed difference in units of the last digit; half a unit is rounding
    """
    exponent = int(Decimal(reference).as_tuple().exponent)
    tolerance = units * (1.0 + 1e-9) * 10.0 ** exponent
    return Row(quantity, ours, float(reference), tolerance, paper)


def each_to_digits(what: str, names: Sequence[str], ours: Iterable[float], references: str,
                   papers: Sequence[str] = ()) -> list[Row]:
    """
    Rows of several quantities of one run, in the order of names.

    :param references: numbers as one text, in the same order; - leaves its row out
    :param papers: what the paper says of each, if it says anything
    """
    return [to_digits(f'{what}: {name}', x, reference, paper)
            for name, x, reference, paper in zip(names, ours, references.split(),
                                                 papers or repeat('')) if reference != '-']


def at_most(quantity: str, ours: float, bound: float, paper: str = '',
            tolerance: float = 0.0) -> Row:
    """Row that holds when ours is not above a bound, or above it by no more than a tolerance."""
    return Row(quantity, ours, bound, tolerance, paper, at_most=True)


class Study(NamedTuple):
    """A paper's study, run."""

    paper: str
    """'000' .. '004'"""
    title: str
    rows: Sequence[Row]
    figures: Sequence[Figure]
    """With the same axes as the paper's."""
    remarks: Sequence[str]
    """Sentences: what could not be reproduced and why; how to read the numbers."""

    @property
    def holds(self) -> bool:
        """Tell whether every row agrees."""
        return all(row.holds for row in self.rows)


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
