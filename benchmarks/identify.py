# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Identify real robots from a folder of recordings, beside plain least squares on the same split.

    python -m benchmarks.identify FOLDER [--held last|first|middle] [--output results.md]
    python -m benchmarks.identify FOLDER --splits [--output splits.md]

The folder has a folder per robot, with a recording (.db3, .mcap, .csv) and, where the wheel
example-robot-data has no URDF of that name (ROBOT.urdf or ROBOT_robot.urdf), one beside it. The
last 30 % of each recording, or others, are judged. With --splits, a line tells of each of twelve
ways to split a recording, without the second stage, which takes most of the time. The recordings
themselves stay where they are.
"""
from __future__ import annotations

import argparse
from importlib import metadata
from pathlib import Path

import numpy as np
from robodyn_ros.errors import RecordingError
from robodyn_ros.identification.filtering import Measured
from robodyn_ros.identification.identify import HOLD_OUT, identify
from robodyn_ros.identification.reading import read_measured
from robodyn_ros.identification.report import facts_of, HEADINGS, rows_of
from robodyn_ros.robots.robot import read_robot, Robot


HELD = {'last': 1.0 - HOLD_OUT, 'first': 0.0, 'middle': 0.5 - 0.5 * HOLD_OUT}
"""Where the part that is judged begins, of the duration."""
SPLITS = {'last 50 %': [(0.5, 1.0)], 'last 40 %': [(0.6, 1.0)], 'last 30 %': [(0.7, 1.0)],
          'first 50 %': [(0.0, 0.5)], 'first 30 %': [(0.0, 0.3)], 'middle 30 %': [(0.35, 0.65)],
          **{f'{name} of {n} blocks': [(k / n, (k + 1) / n) for k in range(first, n, 2)]
             for n in (6, 10, 20) for first, name in ((1, 'even'), (0, 'odd'))}}
"""Parts that are judged, of the duration; all else is fitted."""


def urdf_of(folder: Path) -> Path:
    """Return the URDF of a folder's robot: beside the recording, or of example-robot-data."""
    for path in sorted(folder.glob('*.urdf')):
        return path
    names = {folder.name, f'{folder.name}_robot'}
    for file in metadata.files('example-robot-data') or []:
        if file.suffix == '.urdf' and file.stem in names:
            return Path(file.locate())
    raise SystemExit(f'{folder}: has no URDF, and example-robot-data has none of its name; put '
                     'one beside the recording')


def parts_of(measured: Measured, held: str) -> tuple[list[Measured], list[Measured]]:
    """Return the parts of a recording that are fitted, and the one that is judged."""
    start = measured.t[0] + HELD[held] * measured.duration
    first, last = np.searchsorted(measured.t, [start, start + HOLD_OUT * measured.duration])
    if held == 'last':
        last = len(measured.t)
    rest = [measured.part(slice(None, first)), measured.part(slice(last, None))]
    return [part for part in rest if len(part.t) > 1], [measured.part(slice(first, last))]


def split(measured: Measured, judged: list[tuple[float, float]]) -> tuple[list[Measured],
                                                                          list[Measured]]:
    """Return the pieces of a recording that are fitted, and those that are judged."""
    edges = [edge for part in judged for edge in part]
    cuts = [0, *np.searchsorted(measured.t, measured.t[0] + np.array(edges) * measured.duration),
            len(measured.t)]
    if edges[-1] == 1.0:
        cuts[-2] = cuts[-1]
    pieces = [measured.part(slice(first, last)) for first, last in zip(cuts, cuts[1:])]
    return [one for one in pieces[::2] if len(one.t) > 1], pieces[1::2]


def line_of(robot: Robot, measured: Measured, name: str) -> str:
    """Return a row of the table of splits."""
    try:
        found = identify(robot, *split(measured, SPLITS[name]), second_stage=False)
    except RecordingError:
        return f'| {name} | too short | | |'
    facts = facts_of(found, [])
    worse = [f'{joint} {100.0 * ours:.3g} % for {100.0 * plain:.3g} %'
             for joint, one in facts['joints'].items()
             for ours, plain in [(one['validation_relative'],
                                  one['plain_least_squares_relative'])]
             if ours is not None and plain is not None and ours > plain]
    whole = facts['overall']
    return (f'| {name} | {100.0 * whole["validation"]:.3g} % | '
            f'{100.0 * whole["plain_least_squares"]:.3g} % | {", ".join(worse) or "none"} |')


def main() -> int:
    """Identify every robot of the folder and print a table each."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=Path)
    parser.add_argument('--held', choices=HELD, default='last',
                        help='which 30 %% are judged and not fitted (default: %(default)s)')
    parser.add_argument('--splits', action='store_true',
                        help='a line for each of many splits, without the second stage')
    parser.add_argument('--output', type=Path, help='write the tables as Markdown')
    arguments = parser.parse_args()
    lines: list[str] = []
    for folder in sorted(path for path in arguments.folder.iterdir() if path.is_dir()):
        for path in sorted(folder.iterdir()):
            if path.suffix not in ('.db3', '.mcap', '.csv'):
                continue
            robot = read_robot(urdf_of(folder))
            measured = read_measured(path, robot)
            if arguments.splits:
                lines += [f'**{folder.name}**', '', '| judged | ours | plain least squares | '
                          'joints that are worse |', '|---|---|---|---|']
                print('\n'.join(lines[-4:]))
                for name in SPLITS:
                    lines.append(line_of(robot, measured, name))
                    print(lines[-1], flush=True)
                lines.append('')
                continue
            found = identify(robot, *parts_of(measured, arguments.held))
            facts, start = facts_of(found, [path.name]), len(lines)
            lines += [f'**{folder.name}** ({path.name}, {facts["cutoff_hz"]:.3g} Hz; every body '
                      f'possible: {"yes" if facts["physically_consistent"] else "NO"}; second '
                      f'stage {"taken" if facts["second_stage"]["used"] else "not taken"}, gain '
                      f'{facts["second_stage"]["gain"]:.0f})', '',
                      '| ' + ' | '.join(HEADINGS) + ' |', '|' + '---|' * len(HEADINGS),
                      *('| ' + ' | '.join(row) + ' |' for row in rows_of(facts)), '']
            lines += [*(f'- {remark}' for remark in facts['remarks']), '']
            print('\n'.join(lines[start:]))
    if arguments.output:
        arguments.output.write_text('\n'.join(lines), encoding='utf-8')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
