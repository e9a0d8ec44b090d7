# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A table of runs for people: how metrics depend on the axes, how they spread, the worst runs."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
import shlex
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.report.drawing import COLOURS, Figure, literal
from robodyn_ros.report.page import picture, STYLE
from robodyn_ros.report.summary import MADE_BY
from robodyn_ros.sweeping.bundle import packed
from robodyn_ros.sweeping.metrics import METRICS
from robodyn_ros.sweeping.replay import replay_command
from robodyn_ros.sweeping.study import make_study, read_study, Study
from robodyn_ros.sweeping.table import facts_of, read_table

WORST = 5
"""Runs that are listed for every metric."""
REASONS = 20
"""Reasons of failures that are listed, the most frequent first."""
BINS = 20
"""Of a drawn axis, in each of which quantiles are taken."""
FIRST = ('tool_error_max', 'error_max', 'effort_share', 'energy', 'settling_time',
         'violation_max')
"""Metrics in the order in which they are drawn."""
MOST_DRAWN = 4
"""Metrics that are drawn; the table of numbers has all."""


@dataclass(frozen=True)
class Sweep:
    """A table of runs, by column."""

    facts: dict[str, Any]
    columns: dict[str, np.ndarray]
    axes: tuple[str, ...]
    """Axes that are numbers."""
    metrics: tuple[str, ...]
    """Metrics that are numbers, of which there is more than one value."""
    study: Study | None
    """The study, where its file is still there and the same."""


def read(path: Path) -> Sweep:
    """Read a table."""
    facts, table = facts_of(path), read_table(path)
    columns = {name: table.column(name).to_numpy(zero_copy_only=False)
               for name in table.column_names}
    number = {name for name, column in columns.items() if column.dtype.kind in 'fi'}
    given = facts['settings']
    metrics = [name for name in columns if name in METRICS or name in given['metrics']]
    study = _study_of(path, facts)
    spread = [name for name in metrics if name in number
              and np.isfinite(columns[name].astype(float)).any()
              and np.nanmin(columns[name].astype(float)) < np.nanmax(columns[name].astype(float))]
    return Sweep(facts, columns, tuple(name for name in given['axes'] if name in number),
                 tuple(sorted(spread, key=lambda name: FIRST.index(name) if name in FIRST
                              else len(FIRST))), study)


def _study_of(path: Path, facts: Mapping[str, Any]) -> Study | None:
    """Return the study that a table was made from: where its file was, beside it, or as kept."""
    place = Path(facts['place'])
    made: list[Callable[[], Study]] = [partial(read_study, one) for one in dict.fromkeys(
        (place, path.parent / place.name)) if one.is_file()]
    kept = {key: value for key, value in facts['settings'].items() if value is not None}
    made.append(partial(make_study, kept, path.parent, str(place)))
    for make in made:
        try:
            found = make()
            if packed(found).digest == facts['study']:
                return found
        except RobodynError:
            continue
    return None  # the page then names the run, not the command


def summary_of(sweep: Sweep) -> dict[str, Any]:
    """Return the numbers worth knowing: quantiles of every metric, the worst runs, reasons."""
    reasons: dict[str, int] = {}
    first: dict[str, int] = {}
    for run, reason in zip(sweep.columns['run'].tolist(), sweep.columns['reason'].tolist()):
        if reason:
            reasons[reason] = reasons.get(reason, 0) + 1
            first.setdefault(reason, run)
    most = sorted(reasons.items(), key=lambda item: -item[1])[:REASONS]
    reproduce = {reason: {'run': first[reason], 'command': _command(sweep, first[reason])}
                 for reason, _ in most}
    return {**{key: sweep.facts[key] for key in ('scenario', 'runs', 'failed', 'rows')},
            'made_by': MADE_BY, 'versions': sweep.facts['made_by'], 'reasons': dict(most),
            'reproduce': reproduce,
            'metrics': {name: _quantiles(sweep, name) for name in sweep.metrics},
            'axes': list(sweep.facts['settings']['axes'])}


def _quantiles(sweep: Sweep, name: str) -> dict[str, Any]:
    values = sweep.columns[name].astype(float)
    known = values[np.isfinite(values)]
    order = np.argsort(np.where(np.isfinite(values), values, -np.inf), kind='stable')[::-1]
    worst = [{'run': int(sweep.columns['run'][k]), 'value': float(values[k]),
              'command': _command(sweep, int(sweep.columns['run'][k]))}
             for k in order[:WORST] if np.isfinite(values[k])]
    return {'smallest': float(known.min()), 'median': float(np.median(known)),
            'most': float(np.quantile(known, 0.95)), 'largest': float(known.max()),
            'worst': worst}


def _command(sweep: Sweep, run: int) -> str:
    if sweep.study is not None:
        return replay_command(sweep.study, run)
    return (f'the study {sweep.facts["place"]} is gone, or has changed since; where it is as it '
            f'was: robodyn sweep {shlex.quote(sweep.facts["place"])} --replay {run}')


def figures_of(sweep: Sweep) -> list[Figure]:
    """Return maps over two axes, curves with quantiles over each, and histograms."""
    chosen, made = sweep.metrics[:MOST_DRAWN], []
    if len(sweep.axes) >= 2:
        for name in chosen[:2]:
            made.append(Figure(f'map_{_file(name)}', f'{name} ({METRICS.get(name, "")}): median '
                               f'over {sweep.axes[0]} and {sweep.axes[1]}.',
                               partial(_map, sweep, name)))
    for axis in sweep.axes[:6]:
        made.append(Figure(f'curves_{_file(axis)}', f'Over {axis}: median, and the ranges of '
                           'half and of 90 % of the runs.', partial(_curves, sweep, axis,
                                                                    chosen)))
    if chosen:
        made.append(Figure('histograms', 'How often each value came.',
                           partial(_histograms, sweep, chosen)))
    return made


def _file(name: str) -> str:
    return ''.join(x if x.isalnum() else '_' for x in name)


def _places(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of every value on an axis, and the values at the places."""
    distinct, places = np.unique(values, return_inverse=True)
    if len(distinct) <= 2 * BINS:
        return places, distinct
    edges = np.quantile(values, np.linspace(0.0, 1.0, BINS + 1))
    places = np.clip(np.searchsorted(edges, values, side='right') - 1, 0, BINS - 1)
    return places, 0.5 * (edges[1:] + edges[:-1])


def _map(sweep: Sweep, name: str, figure: Any) -> None:
    (x_at, x), (y_at, y) = (_places(sweep.columns[axis].astype(float))
                            for axis in sweep.axes[:2])
    values, grid = sweep.columns[name].astype(float), np.full((len(y), len(x)), np.nan)
    for i in range(len(x)):
        for j in range(len(y)):
            some = values[(x_at == i) & (y_at == j)]
            some = some[np.isfinite(some)]
            if some.size:
                grid[j, i] = np.median(some)
    axes = figure.subplots()
    axes.grid(False)
    mesh = axes.pcolormesh(np.arange(len(x) + 1), np.arange(len(y) + 1), grid, cmap='viridis')
    for along, at, count in ((axes.set_xticks, x, len(x)), (axes.set_yticks, y, len(y))):
        some = np.unique(np.linspace(0, count - 1, min(count, 7)).round().astype(int))
        along(some + 0.5, [f'{at[k]:.3g}' for k in some])
    axes.set_xlabel(literal(sweep.axes[0]))
    axes.set_ylabel(literal(sweep.axes[1]))
    figure.colorbar(mesh, label=literal(name))


def _curves(sweep: Sweep, axis: str, names: Sequence[str], figure: Any) -> None:
    places, at = _places(sweep.columns[axis].astype(float))
    figure.set_size_inches(6.4, 1.9 * len(names) + 0.5)
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for panel, name, colour in zip(panels, names, COLOURS):
        values = sweep.columns[name].astype(float)
        found = []
        for k in range(len(at)):
            some = values[(places == k) & np.isfinite(values)]
            found.append(np.quantile(some, [0.05, 0.25, 0.5, 0.75, 0.95]) if some.size
                         else np.full(5, np.nan))
        low, quarter, middle, three, high = np.array(found).T
        panel.fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0.0)
        panel.fill_between(at, quarter, three, color=colour, alpha=0.3, linewidth=0.0)
        panel.plot(at, middle, color=colour, marker='.' if len(at) < 12 else '')
        panel.set_ylabel(literal(name))
    panels[-1].set_xlabel(literal(axis))


def _histograms(sweep: Sweep, names: Sequence[str], figure: Any) -> None:
    figure.set_size_inches(6.4, 1.7 * -(-len(names) // 2) + 0.5)
    panels = figure.subplots(-(-len(names) // 2), min(2, len(names)), squeeze=False)
    for panel, name, colour in zip(panels.flat, names, COLOURS):
        values = sweep.columns[name].astype(float)
        panel.hist(values[np.isfinite(values)], bins=40, color=colour)
        panel.set_xlabel(literal(name))
        panel.set_ylabel('runs')


def page_of(facts: dict[str, Any], pictures: Sequence[tuple[Path, str]]) -> str:
    """Return the page, with everything in it."""
    title = escape(f'{facts["runs"]} runs of {facts["scenario"]}')
    rows = ''.join(
        f'<tr><td>{escape(name)}</td>' + ''.join(
            f'<td class="number">{one[key]:.4g}</td>'
            for key in ('smallest', 'median', 'most', 'largest'))
        + f'<td>{escape(METRICS.get(name, ""))}</td></tr>'
        for name, one in facts['metrics'].items())
    head = ''.join(f'<th>{word}</th>' for word in ('metric', 'smallest', 'median', '95 %',
                                                   'largest', ''))
    worst = ''.join(
        f'<h2>Largest {escape(name)}</h2><table>' + ''.join(
            f'<tr><td class="number">{one["run"]}</td><td class="number">{one["value"]:.5g}</td>'
            f'<td><code>{escape(one["command"])}</code></td></tr>' for one in group['worst'])
        + '</table>' for name, group in facts['metrics'].items())
    reasons = ''.join(
        f'<tr><td class="number">{count}</td><td>{escape(reason)}<br>first run '
        f'{facts["reproduce"][reason]["run"]}: <code>'
        f'{escape(facts["reproduce"][reason]["command"])}</code></td></tr>'
        for reason, count in facts['reasons'].items())
    head_of_reasons = f'{facts["failed"]} runs failed' if facts['failed'] \
        else 'What could not be measured'
    failures = f'<h2>{head_of_reasons}</h2><table>{reasons}</table>' if reasons else ''
    return '\n'.join([
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<style>{STYLE}</style></head><body>\n<h1>{title}</h1>',
        f'<p class="source">axes {escape(", ".join(facts["axes"]))}; rows '
        f'{escape(facts["rows"])}</p>',
        f'<table><tr>{head}</tr>{rows}</table>', failures, *(picture(*one) for one in pictures),
        worst, '</body></html>\n'])
