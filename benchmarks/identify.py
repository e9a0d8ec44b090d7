# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Identify real robots from a folder of recordings, beside plain least squares on the same split.

    python -m benchmarks.identify FOLDER [--held last|first|middle] [--output results.md]

The folder has a folder per robot, with a recording (.db3, .mcap, .csv) and, where the wheel
example-robot-data has no URDF of that name (ROBOT.urdf or ROBOT_robot.urdf), one beside it. The
last 30 % of each recording, or others, are judged. The recordings themselves stay where they are.
"""
from __future__ import annotations

import argparse
from importlib import metadata
from pathlib import Path

import numpy as np
from robodyn_ros.identification.filtering import Measured
from robodyn_ros.identification.identify import HOLD_OUT, identify
from robodyn_ros.identification.reading import read_measured
from robodyn_ros.identification.report import facts_of, HEADINGS, rows_of
from robodyn_ros.robots.robot import read_robot


HELD = {'last': 1.0 - HOLD_OUT, 'first': 0.0, 'middle': 0.5 - 0.5 * HOLD_OUT}
"""Where the part that is judged begins, of the duration."""


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


def main() -> int:
    """Identify every robot of the folder and print a table each."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=Path)
    parser.add_argument('--held', choices=HELD, default='last',
                        help='which 30 %% are judged and not fitted (default: %(default)s)')
    parser.add_argument('--output', type=Path, help='write the tables as Markdown')
    arguments = parser.parse_args()
    lines: list[str] = []
    for folder in sorted(path for path in arguments.folder.iterdir() if path.is_dir()):
        for path in sorted(folder.iterdir()):
            if path.suffix not in ('.db3', '.mcap', '.csv'):
                continue
            robot = read_robot(urdf_of(folder))
            found = identify(robot, *parts_of(read_measured(path, robot), arguments.held))
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
