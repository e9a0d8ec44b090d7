# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A motion from the arrays that `robodyn simulate --output` writes."""
from __future__ import annotations

import os
from typing import Any
from zipfile import BadZipFile

import numpy as np

from robodyn_ros.recording.errors import RecordingError
from robodyn_ros.report.motion import frame_of, Motion, refuse_other
from robodyn_ros.robots.robot import Robot, robot_from_text

NEEDED = ('t', 'q', 'v', 'tau', 'phi')


def motion_of_result(path: str | os.PathLike, robot: Robot | None = None) -> Motion:
    """
    Read an NPZ file.

    :param robot: where the file lacks it, or in its place if it is the same arm
    """
    name = os.fspath(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            found: dict[str, Any] = {key: file[key] for key in file.files}
    except (OSError, ValueError, BadZipFile, EOFError, AttributeError) as error:
        raise RecordingError(f'{name}: cannot be read as NPZ ({error}); give a result of robodyn '
                             'simulate --output') from None
    missing = [key for key in NEEDED if key not in found]
    if missing:
        raise RecordingError(f'{name}: has no array {missing[0]!r}; give a result of robodyn '
                             'simulate --output')
    if robot is None and 'urdf' not in found:
        raise RecordingError(f'{name}: does not tell its robot; run robodyn simulate --output '
                             'again, or name the robot with --robot')
    if robot is not None and 'urdf' in found:
        refuse_other(name, robot, lambda: robot_from_text(str(found['urdf']), name))
    made = robot or robot_from_text(str(found['urdf']), name)
    t, q = found['t'], made.array(f'q in {name}', found['q'])
    if not len(t):
        raise RecordingError(f'{name}: is empty; simulate for longer')
    wanted, phi = found.get('reference_q'), found['phi']
    return Motion(
        source=name, scenario=str(found.get('scenario', '')), robot=made,
        frame=frame_of(made, str(found.get('frame', ''))), t=t, q=q, v=found['v'],
        tau=found['tau'], wanted=wanted, path=found.get('tool_reference'),
        rows=tuple(map(str, found.get('row_names', np.arange(phi.shape[1])))),
        watched=t if phi.shape[1] else t[:0],
        violation=np.abs(phi).max(axis=1) if phi.shape[1] else t[:0])
