# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The figures of a report; those for which nothing was recorded are left out."""
from __future__ import annotations

from functools import partial
from typing import Any, Callable

import numpy as np

from robodyn_ros.report.drawing import (COLOURS, curves, DESIRED_STYLE, Figure, legend, panels,
                                        space_curves)
from robodyn_ros.report.motion import Motion


def figures_of(motion: Motion) -> list[Figure]:
    """Return the figures for which there is something to draw."""
    chosen: list[tuple[str, str, Callable[[Motion, Any], None], bool]] = [
        ('joints', 'Joint positions, and what was wanted (dashed).', _joints, True),
        ('errors', f'Tracking errors of the joints, and the distance of {motion.frame} from its '
         'path.', _errors, motion.followed),
        ('torques', 'Torques commanded.', _torques, bool(np.isfinite(motion.tau).any())),
        ('violation', 'Largest constraint error (logarithm).', _violation,
         len(motion.watched) > 0),
        ('tool_path', f'Path of {motion.frame}.', _path, True)]
    return [Figure(name, caption, partial(draw, motion))
            for name, caption, draw, recorded in chosen if recorded]


def _joints(motion: Motion, figure: Any) -> None:
    n = motion.robot.n
    columns = -(-n // 6)  # no more than six panels above one another
    axes = panels(figure, -(-n // columns), columns, width=6.4 * min(columns, 2), height=1.5)
    for k, (one, name, unit) in enumerate(zip(axes, motion.robot.joints, motion.robot.units)):
        curves(one, motion.t, motion.q[:, k], ['actual'], f'{name} [{unit}]')
        if motion.followed:
            curves(one, motion.t, motion.reference_q[:, k], ['wanted'], f'{name} [{unit}]',
                   color='black', linestyle=DESIRED_STYLE)
    legend(figure)


def _errors(motion: Motion, figure: Any) -> None:
    joints, tool = panels(figure, 2, height=2.2)
    curves(joints, motion.t, motion.error, motion.robot.joints, 'error [rad] or [m]')
    curves(tool, motion.t, motion.tool_error, [f'distance of {motion.frame}'], 'distance [m]',
           color='black')
    _named(motion, figure)


def _torques(motion: Motion, figure: Any) -> None:
    axes, = panels(figure, 1, height=3.2)
    curves(axes, motion.t, motion.tau, motion.robot.joints, 'torque [N m] or [N]')
    _named(motion, figure)


def _violation(motion: Motion, figure: Any) -> None:
    axes, = panels(figure, 1, height=2.6)
    logarithm = np.log10(np.maximum(motion.violation, 1e-18))  # finite also for zero
    curves(axes, motion.watched, logarithm, ['violation'], 'log10 of largest |phi|',
           color=COLOURS[1])


def _path(motion: Motion, figure: Any) -> None:
    figure.set_size_inches(5.6, 5.0)
    lines: list[tuple[np.ndarray, str, Any]] = [(motion.tool, f'{motion.frame}, actual', '-')]
    if motion.followed:
        lines.append((motion.tool_reference, 'wanted', DESIRED_STYLE))
    axes = figure.add_subplot(projection='3d')
    space_curves(axes, lines)
    legend(figure)


def _named(motion: Motion, figure: Any) -> None:
    if motion.robot.n <= 12:  # as many as a legend can name
        legend(figure)
