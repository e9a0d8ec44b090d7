# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Make a model that fits a recording of the real robot.

    robodyn identify run.mcap --robot arm.urdf                       writes arm_identified/
    robodyn identify bag_folder other.db3 --robot arm.urdf --validate third.mcap
    robodyn identify log.csv --robot arm.urdf --columns effort=current_% --drive-gains 11.2,9.8
    robodyn identify loaded.mcap --robot arm_identified.urdf --payload

Recordings are ROS 2 bags with sensor_msgs/JointState (MCAP or sqlite3, a folder or a single file),
CSV files (columns t, q1 …, tau1 … or position/JOINT …) or results of `robodyn simulate --output`.
Masses, centres, inertias, rotors and friction are fitted so that every body is one that can exist;
where the motion shows nothing, the file's values (or its shapes) stay. The folder has the URDF, a
page, figures and identification.json. The last 30 % of each recording are not fitted but judged,
unless --validate gives others. `robodyn excite` finds a motion that shows the parameters well.
"""
from __future__ import annotations

import argparse
from dataclasses import replace
import json
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from robodyn_ros.checks import number
from robodyn_ros.commands.options import add_json, add_xacro, chosen_robot, print_json, print_table
from robodyn_ros.errors import ArgumentError, RecordingError
from robodyn_ros.identification.filtering import Measured
from robodyn_ros.identification.identify import drive_gains, HOLD_OUT, Identified, identify
from robodyn_ros.identification.model_file import identified_text
from robodyn_ros.identification.reading import read_measured
from robodyn_ros.identification.report import (facts_of, figures_of, HEADINGS, MADE_BY, page_of,
                                               payload_of, rows_of)
from robodyn_ros.report.drawing import PAGE_DPI, require, write_figure
from robodyn_ros.robots.robot import Robot, robot_from_text

WRONG_ROBOT = 0.5
"""Relative error of the fit above which recording and URDF seem to be of different robots [-]."""
FIND = 'find'
"""In the place of drive gains: look for them."""
FACTS, PAGE = 'identification.json', 'index.html'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the verb."""
    parser.add_argument('recordings', nargs='+', type=Path, metavar='RECORDING',
                        help='bag, CSV file or result of simulate')
    parser.add_argument('--robot', required=True,
                        help='URDF or xacro file of the robot, or name of one (robodyn list)')
    parser.add_argument('--validate', nargs='+', type=Path, default=[], metavar='RECORDING',
                        help='recordings to judge by, which are not fitted')
    parser.add_argument('--hold-out', type=float, default=HOLD_OUT, metavar='PART',
                        help='part of each recording to judge by, where --validate gives none '
                             '(default: %(default)s; 0: fit everything)')
    parser.add_argument('--output', type=Path, metavar='FOLDER',
                        help='folder to write (default: name of the robot file, then _identified)')
    parser.add_argument('--payload', action='store_true',
                        help='look only for what the tool carries; the URDF is right otherwise')
    parser.add_argument('--cutoff', type=float, metavar='HZ',
                        help='of the zero-phase filter (default: found from the motion)')
    parser.add_argument('--drive-gains', metavar='G1,G2,…',
                        help='torque per unit of what was recorded, where that is a current; '
                             'find: those with which the masses of the URDF fit')
    parser.add_argument('--topic', default='', help='of the joint states, where a bag has several')
    parser.add_argument('--columns', action='append', default=[], metavar='WHAT=NAME',
                        help='columns of a CSV file: t, position, velocity or effort, %% for the '
                             'joint, such as effort=current_%% (repeatable)')
    parser.add_argument('--force', action='store_true',
                        help='write though the recording seems to be of another robot, and over a '
                             'former identification')
    add_xacro(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, fit, judge and write; returns the exit code."""
    require('matplotlib', 'figures')
    robot = chosen_robot(arguments)
    if robot.n == 0:
        raise ArgumentError(f'{robot.path}: no joint moves, so there is nothing to identify')
    if not 0.0 <= arguments.hold_out <= 0.9:
        raise ArgumentError(f'--hold-out is {arguments.hold_out:g}; expected 0 to 0.9')
    if arguments.cutoff is not None:
        number('--cutoff', arguments.cutoff, 'a positive frequency [Hz]', above=0.0)
    gains = _gains(arguments.drive_gains, robot)
    folder = arguments.output or Path(f'{Path(robot.path).name.split(".")[0]}_identified')
    _refuse_folder(folder, arguments.force)
    with Progress(TextColumn('{task.description}'), BarColumn(), TimeElapsedColumn(),
                  console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task('reading', total=1.0)
        fitting, judging = ([_with_gains(read_measured(path, robot, arguments.topic,
                                                       _columns(arguments.columns),
                                                       lambda part: bars.update(
                                                           task, completed=part)), gains)
                             for path in paths]
                            for paths in (arguments.recordings, arguments.validate))
        found_gains = None
        if arguments.drive_gains == FIND:
            found_gains = gains, spreads = drive_gains(robot, fitting, arguments.cutoff)
            fitting, judging = ([_with_gains(one, gains) for one in some]
                                for some in (fitting, judging))
        task = bars.add_task('fitting', total=1.0)
        found = identify(robot, fitting, judging, arguments.cutoff, arguments.hold_out,
                         arguments.payload,
                         lambda part, what: bars.update(task, completed=part, description=what))
        facts = facts_of(found, [one.source for one in (*fitting, *judging)])
        if found_gains is not None:
            facts['drive_gains'] = {joint: {'value': float(gain), 'deviation': float(spread)}
                                    for joint, gain, spread in zip(robot.joints, *found_gains)}
        if arguments.payload:
            facts['payload'] = payload_of(found)
        error = facts['overall']['validation'] or facts['overall']['fit']
        wrong = _contradiction(found, error)
        if not wrong or arguments.force:
            facts['output'] = str(folder)
            _write(folder, found, facts, arguments.payload, bars)
    if arguments.json:
        print_json(facts)
    else:
        _print(facts, folder, arguments.payload)
    if wrong and not arguments.force:
        raise RecordingError(
            f'{arguments.recordings[0]}: {wrong}; recording and {robot.path} seem to be of '
            'different robots, or the units differ (--drive-gains for currents): nothing is '
            'written (--force writes it)')
    return 0


def _contradiction(found: Identified, error: float) -> str:
    """Return what tells that recording and file are of different robots, empty if nothing does."""
    if error > WRONG_ROBOT:
        return f'{100.0 * error:.0f} % of the torque is not explained'
    masses = found.masses
    if masses is None or not masses.contradict:
        return ''
    return (f'the masses of the file contradict it ({100.0 * masses.file:.0f} % of the torque is '
            'not explained by them with rotors and friction fitted, '
            f'{100.0 * masses.none:.0f} % without any masses, {100.0 * masses.multiplied:.0f} % '
            'with theirs times any number)')


def _gains(text: str | None, robot: Robot) -> np.ndarray | None:
    if text is None or text == FIND:
        return None
    try:
        values = np.array([float(word) for word in text.split(',')])
    except ValueError:
        values = np.array([np.nan])
    motors = [joint for joint in robot.joints if joint not in robot.passive]
    if not np.isfinite(values).all() or len(values) not in (1, len(motors), robot.n):
        raise ArgumentError(f'--drive-gains is {text!r}; expected a number for each of '
                            f'{", ".join(motors)}, with commas between them, or {FIND}')
    full = np.ones(robot.n)
    places = range(robot.n) if len(values) in (1, robot.n) else [
        robot.joints.index(joint) for joint in motors]
    full[list(places)] = values
    return full


def _with_gains(measured: Measured, gains: np.ndarray | None) -> Measured:
    return measured if gains is None else replace(measured, tau=measured.tau * gains)


def _columns(given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        what, separator, name = text.partition('=')
        if not separator or not name:
            raise ArgumentError(f'--columns is {text!r}; expected WHAT=NAME, such as '
                                'effort=current_%')
        found[what] = name
    return found


def _refuse_folder(folder: Path, force: bool) -> None:
    """Refuse to write over anything; a former identification is replaced where that is asked."""
    if not folder.exists():
        return
    if folder.is_dir():
        if not any(folder.iterdir()):
            return
        try:
            former = json.loads((folder / FACTS).read_text())['made_by'] == MADE_BY
        except (OSError, ValueError, LookupError, TypeError):
            former = False
        if former and force:
            return
        if former:
            raise ArgumentError(f'{folder}: has a former identification; give another folder with '
                                '--output, or --force to replace it')
    raise ArgumentError(f'{folder}: is there already and no former identification; give another '
                        'folder with --output')


def _write(folder: Path, found: Identified, facts: dict[str, Any], payload: bool,
           bars: Progress) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    figures, pictures = figures_of(found), []
    task = bars.add_task('figures', total=len(figures))
    for figure in figures:
        pictures.append((write_figure(figure, folder, PAGE_DPI), figure.caption))
        bars.advance(task)
    if not payload:
        name = f'{Path(found.robot.path).name.split(".")[0]}_identified.urdf'
        sources = ', '.join(Path(one).name for one in facts['sources'])
        text = identified_text(found.robot, found.chosen, found.fit.theta, found.fit.velocity,
                               f'identified by robodyn identify from {sources}')
        robot_from_text(text, name)  # what is written can be read
        (folder / name).write_text(text, encoding='utf-8')
        facts['urdf'] = str(folder / name)
    (folder / PAGE).write_text(page_of(facts, pictures), encoding='utf-8')
    (folder / FACTS).write_text(json.dumps(facts, indent=1) + '\n', encoding='utf-8')


def _print(facts: dict[str, Any], folder: Path, payload: bool) -> None:
    told = sum(1 for one in facts['base_parameters'].values()) - len(facts['not_shown'])
    notes = list(facts['remarks'])
    notes.append(f'{told} of {len(facts["base_parameters"])} base parameters are shown by the '
                 f'motion (condition number {facts["condition"] or float("inf"):.3g})')
    if 'drive_gains' in facts:
        notes.append('drive gains by the masses of the URDF: ' + ', '.join(
            f'{joint} {one["value"]:.4g} ± {one["deviation"]:.2g}'
            for joint, one in facts['drive_gains'].items()))
    if payload:
        one = facts['payload']
        notes.append(f'payload at {one["frame"]}: {one["mass"]:.4g} ± '
                     f'{one["mass_deviation"]:.2g} kg, centre '
                     f'{", ".join(f"{x:.4g}" for x in one["centre"])} m')
    if 'output' in facts:
        notes.append(f'{"" if payload else "URDF, "}page, figures and {FACTS} in {folder}')
    filtered = 'exact states' if facts['cutoff_hz'] is None else f'{facts["cutoff_hz"]:.3g} Hz'
    print_table(escape(f'{facts["robot"]}: error of the torques, {filtered}'), HEADINGS,
                [tuple(map(escape, row)) for row in rows_of(facts)], notes)
