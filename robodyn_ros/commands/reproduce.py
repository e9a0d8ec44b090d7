# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Run the studies of the five papers and compare every number with its reference.

    robodyn reproduce 000                   one paper: table, remarks, figures in ./reproduction
    robodyn reproduce all --json            all five, as a JSON list on stdout and nothing else
    robodyn reproduce all --document docs   docs/papers.md with its figures in docs/papers/

The exit code is 1 if any row misses its reference.
"""
from __future__ import annotations

import argparse
from importlib import import_module
import json
from pathlib import Path
from typing import Callable, Sequence

from rich.console import Console
from rich.progress import (BarColumn, MofNCompleteColumn, Progress as Bars, SpinnerColumn,
                           TextColumn, TimeElapsedColumn)

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.report.drawing import PAGE_DPI, require, write_figure
from robodyn_ros.studies.study import as_json, as_markdown, Progress, show, Study, WIDTH

STUDIES = {'000': 'xu_liu_2017', '001': 'liu_liu_2016', '002': 'parallel_manipulator',
           '003': 'truc_lam_2020', '004': 'pawar_shen'}
PAPERS = tuple(STUDIES)
LARGEST_PICTURE = 120_000
"""Size of a document's figure [bytes]."""
INTRODUCTION = """\
# The five papers, reproduced

This page is written by `{command}`; do not edit it.

Each table puts our number beside a reference and, where there is one, the number the paper prints.
References were computed by independent numpy and scipy models of the papers' systems, or follow
from a formula a remark states. A row holds when ours differs from the reference by no more than
the tolerance (`≤` marks a bound); nothing is tuned to match a paper, and where a paper's number
cannot be reproduced the remarks say why.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('papers', nargs='+', metavar='PAPER', help=f'{", ".join(PAPERS)} or all')
    parser.add_argument('--output', type=Path, default=Path('reproduction'), metavar='DIR',
                        help='folder for the figures (default: ./reproduction)')
    parser.add_argument('--json', action='store_true', help='print a JSON list, nothing else')
    parser.add_argument('--no-figures', action='store_true', help='write no figures')
    parser.add_argument('--document', type=Path, metavar='DIR',
                        help='write DIR/papers.md and its figures into DIR/papers instead')


def run(arguments: argparse.Namespace) -> int:
    """Run the studies and print; returns the exit code."""
    chosen = chosen_papers(arguments.papers)
    drawn = not arguments.no_figures
    if drawn:
        require('matplotlib', 'the figures', ', or leave them out with --no-figures')
    folder = arguments.document / 'papers' if arguments.document else arguments.output
    if drawn or arguments.document:
        folder.mkdir(parents=True, exist_ok=True)  # complain before the work
    studies, paths = [], []
    with Bars(SpinnerColumn(), TextColumn('{task.description}'), BarColumn(),
              MofNCompleteColumn(), TimeElapsedColumn(), console=Console(stderr=True),
              transient=True) as bars:
        task = bars.add_task('', total=len(chosen))
        for paper in chosen:
            study = study_of(paper)(lambda words: bars.update(task, description=words))
            studies.append(study)
            bars.update(task, description=f'paper {paper}: figures')
            size = (PAGE_DPI, LARGEST_PICTURE) if arguments.document else ()
            paths.append([write_figure(one, folder, *size) for one in study.figures if drawn])
            bars.advance(task)
    if arguments.document:
        _write_document(arguments, studies, paths)
    if arguments.json:
        print(json.dumps([as_json(study, [str(path) for path in own])
                          for study, own in zip(studies, paths)], indent=2))
    else:
        _print(studies, paths)
    return 0 if all(study.holds for study in studies) else 1


def chosen_papers(names: Sequence[str]) -> list[str]:
    """Papers in order, each once; the error lists those there are."""
    for name in names:
        if name not in (*PAPERS, 'all'):
            raise UnknownNameError('paper', name, (*PAPERS, 'all'))
    return [paper for paper in PAPERS if paper in names or 'all' in names]


def study_of(paper: str) -> Callable[[Progress], Study]:
    """Return the function that runs a paper's study."""
    return import_module(f'robodyn_ros.studies.{STUDIES[paper]}').run


def _print(studies: Sequence[Study], paths: Sequence[Sequence[Path]]) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(console.width, WIDTH))
    for study, own in zip(studies, paths):
        show(study, console)
        if own:
            console.print(f'  {len(own)} figures in {own[0].parent}', markup=False,
                          highlight=False)
    missed = [study.paper for study in studies if not study.holds]
    console.print()
    console.print(f'Rows miss their reference in: {", ".join(missed)}.' if missed
                  else 'Every row holds.')


def _write_document(arguments: argparse.Namespace, studies: Sequence[Study],
                    paths: Sequence[Sequence[Path]]) -> None:
    command = f'robodyn reproduce {" ".join(arguments.papers)} --document {arguments.document}'
    parts = [INTRODUCTION.format(command=command)]
    for study, own in zip(studies, paths):
        pictures = [(path.relative_to(arguments.document).as_posix(), figure.caption)
                    for path, figure in zip(own, study.figures)]
        parts.append(as_markdown(study, pictures))
    (arguments.document / 'papers.md').write_text('\n'.join(parts), encoding='utf-8')
