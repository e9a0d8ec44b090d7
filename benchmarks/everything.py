# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Every benchmark in one run, written as docs/benchmarks.md with figures: python -m benchmarks all.

    python -m benchmarks all                    some ten minutes on two cores
    python -m benchmarks all --quick            fewer repeats, short chains, two scenarios
    python -m benchmarks all --only accuracy    measure one part anew, keep the others
    python -m benchmarks all --only none        no measurement: write the page from results.json

Raw numbers go to docs/benchmarks/results.json; the page and the figures are made from them alone.
"""
from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Callable

from benchmarks import (accuracy, allocation, by_hand, chains, compare, derivatives, export,
                        footprint, inverse_kinematics, machine, robots, scaling, scenarios,
                        sweeps)
from benchmarks.children import ROOT
from benchmarks.figures import require_matplotlib, write_figures
from benchmarks.page import write_page
from benchmarks.progress import ProgressBars
from benchmarks.sizes import FULL, QUICK, Sizes
from robodyn_ros import RobodynError

Measure = Callable[[Sizes, ProgressBars], Any]
DOCS = ROOT / 'docs'
RESULTS = 'results.json'


def _rows(measure: Callable) -> Measure:
    return lambda sizes, bars: [row.as_json() for row in measure(sizes, bars)]


PARTS: dict[str, Measure] = {
    'engines': compare.measure, 'by_hand': by_hand.measure, 'accuracy': accuracy.measure,
    'chains': _rows(chains.measure), 'robots': _rows(robots.measure),
    'limits': scaling.measure,
    'allocation': _rows(allocation.measure), 'loops': scenarios.measure,
    'startup': footprint.measure, 'reach': inverse_kinematics.measure,
    'derivatives': derivatives.measure, 'export': export.measure, 'sweep': sweeps.measure_part}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument('--quick', action='store_true',
                        help='fewer repeats, short chains, two scenarios')
    parser.add_argument('--only', nargs='+', choices=[*PARTS, 'none'], metavar='PART',
                        help=f'measure only some of: {", ".join(PARTS)}; or none')
    parser.add_argument('--folder', type=Path, default=DOCS,
                        help='where benchmarks.md goes (default: docs of the checkout)')
    parser.add_argument('--no-figures', action='store_true', help='leave the figures as they are')


def run(arguments: argparse.Namespace) -> int:
    """Measure, keep the numbers, write the page; returns the exit code."""
    folder = arguments.folder / 'benchmarks'
    if not arguments.no_figures:
        require_matplotlib()  # now, not after everything is measured
    folder.mkdir(parents=True, exist_ok=True)
    results = read(folder / RESULTS) if arguments.only else {'parts': {}}
    sizes = QUICK if arguments.quick else FULL
    with ProgressBars() as bars:
        for name, measure in PARTS.items():
            if arguments.only and name not in arguments.only:
                continue
            when = machine.now()
            results['parts'][name] = {
                **when, 'effort': 'quick' if arguments.quick else 'full',
                'machine': machine.describe(), 'found': measure(sizes, bars)}
            (folder / RESULTS).write_text(json.dumps(results, indent=1) + '\n', encoding='utf-8')
    path = write_page(results, arguments.folder)
    if not arguments.no_figures:
        write_figures(results['parts'], folder)
    print(path)
    return 0


def read(path: Path) -> dict[str, Any]:
    """Return earlier results, or none."""
    if not path.is_file():
        return {'parts': {}}
    results = json.loads(path.read_text(encoding='utf-8'))
    old = [name for name, part in results['parts'].items() if 'machine' not in part]
    if old:
        raise RobodynError(f'{path} has parts of an earlier version ({", ".join(old)}); measure '
                           'all of them anew, without --only')
    return results
