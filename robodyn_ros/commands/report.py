# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Make a folder with figures, numbers and a page from a run.

    robodyn run scara_helix --record run.mcap             a run as ROS 2 nodes, recorded
    robodyn simulate scara_helix --output run.npz         or one without ROS
    robodyn report run.mcap --animate gif
    robodyn report payload.parquet                        or the table of robodyn sweep

The folder has a PNG for each figure, summary.json and index.html, a page with everything in it;
with --animate also the moving robot. A recording that was cut off is read as far as it goes.
"""
from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from robodyn_ros.commands.options import add_xacro, chosen_robot, print_json, print_table
from robodyn_ros.errors import RecordingError
from robodyn_ros.report.animation import KINDS, require_packages, write_animation
from robodyn_ros.report.drawing import PAGE_DPI, require, write_figure
from robodyn_ros.report.figures import figures_of
from robodyn_ros.report.motion import read_motion
from robodyn_ros.report.page import page_of
from robodyn_ros.report.summary import prepare_folder, SUMMARY, summary_of

PAGE = 'index.html'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('source', type=Path, metavar='SOURCE',
                        help='recording (FILE.mcap, or a folder with one, as of ros2 bag record) '
                             'result of simulate --output (FILE.npz), or table of '
                             'sweep (FILE.parquet)')
    parser.add_argument('--output', type=Path, metavar='FOLDER',
                        help='folder to write (default: name of the source, then _report)')
    parser.add_argument('--animate', choices=KINDS, help='make a moving picture too')
    parser.add_argument('--robot', help='name or URDF of the robot, where the source lacks it; '
                                        'another than its own is refused')
    add_xacro(parser)
    parser.add_argument('--json', action='store_true', help='print the summary as JSON')


def run(arguments: argparse.Namespace) -> int:
    """Read, draw and write; returns the exit code."""
    source = arguments.source
    require('matplotlib', 'figures')  # before the work, not after
    if arguments.animate:
        require_packages(arguments.animate)
    if os.path.isdir(source):  # as ros2 bag record makes it
        inside = sorted(source.glob('*.mcap'))
        if len(inside) != 1:
            raise RecordingError(f'{source}: is a folder with {len(inside)} MCAP files; give the '
                                 'one to report')
        source = arguments.source = inside[0]
    if not os.path.isfile(source):
        raise RecordingError(f'{source}: there is no such file; give a recording of robodyn run '
                             '--record, or a result of robodyn simulate --output')
    folder = arguments.output or Path(f'{source.stem}_report')
    if source.suffix == '.parquet':
        return _report_sweep(source, folder, arguments)
    with Progress(TextColumn('{task.description}', markup=False), BarColumn(), TimeElapsedColumn(),
                  console=Console(stderr=True), transient=True) as bars:
        robot = chosen_robot(arguments) if arguments.robot else None
        task = bars.add_task(f'reading {source.name}', total=1.0)
        motion = read_motion(source, robot, lambda part: bars.update(task, completed=part))
        bars.update(task, completed=1.0)
        prepare_folder(folder)
        facts, pictures = summary_of(motion), []
        chosen = figures_of(motion)
        task = bars.add_task('figures', total=len(chosen))
        for figure in chosen:
            pictures.append((write_figure(figure, folder, PAGE_DPI), figure.caption))
            bars.advance(task)
        if arguments.animate:
            film = folder / f'animation.{arguments.animate}'
            task = bars.add_task('animation', total=1.0)
            write_animation(motion, film, lambda part: bars.update(task, completed=part))
            pictures.insert(0, (film, 'The motion: wanted path dashed, traced path solid.'))
    (folder / SUMMARY).write_text(json.dumps(facts, indent=1) + '\n', encoding='utf-8')
    (folder / PAGE).write_text(page_of(facts, pictures), encoding='utf-8')
    if arguments.json:
        print_json(facts)
    else:
        _print(facts, folder, len(pictures))
    return 0


def _report_sweep(source: Path, folder: Path, arguments: argparse.Namespace) -> int:
    """Make a page of a table of runs."""
    from robodyn_ros.sweeping import page  # with pyarrow, which recordings do not need
    if arguments.animate or arguments.robot:
        raise RecordingError(f'{source}: is a table of runs; --animate and --robot are for one')
    sweep = page.read(source)
    prepare_folder(folder)
    pictures = [(write_figure(figure, folder, PAGE_DPI), figure.caption)
                for figure in page.figures_of(sweep)]
    facts = page.summary_of(sweep)
    (folder / SUMMARY).write_text(json.dumps(facts, indent=1) + '\n', encoding='utf-8')
    (folder / PAGE).write_text(page.page_of(facts, pictures), encoding='utf-8')
    if arguments.json:
        print_json(facts)
    else:
        print_table(f'{facts["runs"]} runs of {facts["scenario"]}, {facts["failed"]} failed',
                    ('metric', 'median', '95 %', 'largest'),
                    [(name, *(f'{one[key]:.4g}' for key in ('median', 'most', 'largest')))
                     for name, one in facts['metrics'].items()],
                    [f'{len(pictures)} pictures, {SUMMARY} and {PAGE} in {folder}'])
    return 0


def _print(facts: dict[str, Any], folder: Path, pictures: int) -> None:
    rows = []
    for name, one in facts['joints'].items():
        values = [one[key] for key in ('error_max', 'error_rms', 'torque_max')]
        rows.append((name, *('–' if x is None else f'{x:.3g}' for x in values)))
    notes = [f'{label}: {facts[key]:.3g}' for key, label in (
        ('tool_error_max_m', 'tool error, largest [m]'),
        ('violation_max', 'constraint violation, largest')) if facts[key] is not None]
    if not facts['source_complete']:
        notes.append('the end of the recording is missing; what was recorded is reported')
    notes.append(f'{pictures} pictures, {SUMMARY} and {PAGE} in {folder}')
    print_table(f'{facts["scenario"] or facts["source"]}: {facts["robot"]}, '
                f'{facts["duration_s"]:g} s, {facts["samples"]} samples',
                ('joint', 'error, largest', 'error, rms', 'torque, largest'), rows, notes)
