# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Identify real robots from a folder of recordings, beside plain least squares on the same split.

    python -m benchmarks.identify FOLDER [--held 'last 30 %'] [--output results.md]
    python -m benchmarks.identify FOLDER --splits [--robot NAME] [--output splits.md]

The folder has a folder per robot, with a recording (.db3, .mcap, .csv) and, where the wheel
example-robot-data has no URDF of that name (ROBOT.urdf or ROBOT_robot.urdf), one beside it. The
last 30 % of each recording, or others, are judged. With --splits, a line tells of each of many
ways to split a recording (halves, thirds, 30 and 70 %, blocks in turn, each in both directions),
without the second stage, which takes most of the time: the error of all joints, and of each joint
our error over that of plain least squares, with its standard error (jackknife over eight blocks of
what is judged). The recordings themselves stay where they are.
"""
from __future__ import annotations

import argparse
from importlib import metadata
from pathlib import Path

import numpy as np
from robodyn_ros.errors import RecordingError
from robodyn_ros.identification.filtering import Measured
from robodyn_ros.identification.identify import Identified, identify
from robodyn_ros.identification.reading import read_measured
from robodyn_ros.identification.report import facts_of, HEADINGS, rows_of
from robodyn_ros.robots.robot import read_robot, Robot


HELD = 'last 30 %'
SPLITS = {**{f'last {k} %': [(1.0 - 0.01 * k, 1.0)] for k in (30, 50, 70)},
          **{f'first {k} %': [(0.0, 0.01 * k)] for k in (30, 50, 70)},
          **{f'{name} third': [(k / 3, (k + 1) / 3)]
             for k, name in enumerate(('first', 'middle', 'last'))},
          **{f'{name} of {n} blocks': [(k / n, (k + 1) / n) for k in range(first, n, 2)]
             for n in (4, 6, 10) for first, name in ((1, 'even'), (0, 'odd'))}}
"""Parts that are judged, of the duration; all else is fitted."""
BLOCKS = 8
"""Of what is judged, for the standard error of a ratio."""


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


def ratios(found: Identified) -> tuple[np.ndarray, np.ndarray]:
    """
    Return our error over that of plain least squares, of each joint, and its standard error (n,).

    The standard error is the jackknife's over blocks of what is judged: the motion of some
    seconds decides, not the number of samples. Joints that were not recorded have NaN.
    """
    part = found.judged
    simple = part.with_friction(np.full(len(found.chosen.turns), 0.1))
    ours, plain = (np.where(part.counted, one.tau - one.predicted(theta), 0.0) ** 2
                   for one, theta in ((part, found.fit.theta), (simple, found.plain)))
    block = np.arange(len(part.t)) * BLOCKS // len(part.t)
    left = [np.ones(len(block), bool), *(block != k for k in range(BLOCKS))]
    with np.errstate(invalid='ignore', divide='ignore'):
        whole, *without = (np.sqrt(ours[rows].sum(axis=0) / plain[rows].sum(axis=0))
                           for rows in left)
    return whole, np.sqrt((BLOCKS - 1) ** 2 / BLOCKS * np.var(without, axis=0, ddof=1))


def lines_of(robot: Robot, measured: Measured) -> list[str]:
    """Return the table of splits, printed while it is made."""
    joints = [k for k in range(robot.n) if np.isfinite(measured.tau[:, k]).all()
              and np.ptp(measured.q[:, k]) > 0.0]
    lines = ['| judged | ours | plain least squares | ' + ' | '.join(
        f'joint {k + 1}' for k in joints) + ' |', '|---' * (3 + len(joints)) + '|']
    print('\n'.join(lines))
    every = []
    for name, parts in SPLITS.items():
        try:
            found = identify(robot, *split(measured, parts), second_stage=False)
        except RecordingError:
            lines.append(f'| {name} | too short |' + ' |' * (1 + len(joints)))
            print(lines[-1], flush=True)
            continue
        whole = facts_of(found, [])['overall']
        ratio, noise = ratios(found)
        every.append(ratio[joints])
        lines.append(f'| {name} | {100.0 * whole["validation"]:.3g} % | '
                     f'{100.0 * whole["plain_least_squares"]:.3g} % | ' + ' | '.join(
                         f'{ratio[k]:.2f} ± {noise[k]:.2f}' for k in joints) + ' |')
        print(lines[-1], flush=True)
    for word, values in (('geometric mean', np.exp(np.mean(np.log(every), axis=0))),
                         ('worst', np.max(every, axis=0))):
        lines.append(f'| {word} | | | ' + ' | '.join(f'{x:.2f}' for x in values) + ' |')
        print(lines[-1], flush=True)
    return lines


def main() -> int:
    """Identify every robot of the folder and print a table each."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=Path)
    parser.add_argument('--held', choices=SPLITS, default=HELD, metavar='PART',
                        help='what is judged and not fitted: ' + ', '.join(SPLITS).replace(
                            '%', '%%') + ' (default: last 30 %%)')
    parser.add_argument('--robot', help='only the folder of this name')
    parser.add_argument('--splits', action='store_true',
                        help='a line for each of many splits, without the second stage')
    parser.add_argument('--output', type=Path, help='write the tables as Markdown')
    arguments = parser.parse_args()
    lines: list[str] = []
    for folder in sorted(path for path in arguments.folder.iterdir() if path.is_dir()
                         and arguments.robot in (None, path.name)):
        for path in sorted(folder.iterdir()):
            if path.suffix not in ('.db3', '.mcap', '.csv'):
                continue
            robot = read_robot(urdf_of(folder))
            measured = read_measured(path, robot)
            if arguments.splits:
                print(f'**{folder.name}**\n')
                lines += [f'**{folder.name}**', '', *lines_of(robot, measured)]
                lines.append('')
                continue
            found = identify(robot, *split(measured, SPLITS[arguments.held]))
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
