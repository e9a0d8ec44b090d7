# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The figures of a report; those for which nothing was recorded are left out."""
from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, NamedTuple

import numpy as np

from robodyn_ros.report.drawing import (COLOURS, curves, DESIRED_STYLE, empty_figure, legend,
                                        panels, space_curves)
from robodyn_ros.report.motion import Motion

DPI = 110
SMALLEST_DRAWN = 1e-18
"""Violations below this, zero among them, are drawn there: their logarithm is finite."""
MOST_ROWS = 6
"""Panels above one another."""
MOST_LEGEND = 12
"""Curves that a legend can name."""


class Picture(NamedTuple):
    """A figure to draw."""

    name: str
    """File name without ending."""
    caption: str
    draw: Callable[[Any, Motion], None]


def pictures_of(motion: Motion) -> list[Picture]:
    """Return the figures for which there is something to draw."""
    chosen = [Picture('joints', 'Joint positions, and what was wanted (dashed).', _joints)]
    if motion.followed:
        chosen.append(Picture('errors', 'Tracking errors of the joints, and the distance of '
                              f'{motion.frame} from its path.', _errors))
    if np.isfinite(motion.tau).any():
        chosen.append(Picture('torques', 'Torques commanded.', _torques))
    if len(motion.watched):
        chosen.append(Picture('violation', 'Largest constraint error (logarithm).', _violation))
    chosen.append(Picture('tool_path', f'Path of {motion.frame}.', _path))
    return chosen


def write_picture(picture: Picture, motion: Motion, folder: Path) -> Path:
    """Draw a figure into a PNG file; returns its path."""
    path = folder / f'{picture.name}.png'
    with empty_figure() as figure:
        picture.draw(figure, motion)
        figure.savefig(path, dpi=DPI)
    return path


def _joints(figure: Any, motion: Motion) -> None:
    n = motion.robot.n
    columns = -(-n // MOST_ROWS)
    axes = panels(figure, -(-n // columns), columns, width=6.4 * min(columns, 2), height=1.5)
    for k, (one, name, unit) in enumerate(zip(axes, motion.robot.joints, motion.robot.units)):
        curves(one, motion.t, motion.q[:, k], ['actual'], f'{name} [{unit}]')
        if motion.followed:
            curves(one, motion.t, motion.reference_q[:, k], ['wanted'], f'{name} [{unit}]',
                   color='black', linestyle=DESIRED_STYLE)
    legend(figure)


def _errors(figure: Any, motion: Motion) -> None:
    joints, tool = panels(figure, 2, height=2.2)
    curves(joints, motion.t, motion.error, motion.robot.joints, 'error [rad] or [m]')
    curves(tool, motion.t, motion.tool_error, [f'distance of {motion.frame}'], 'distance [m]',
           color='black')
    _named(figure, motion)


def _torques(figure: Any, motion: Motion) -> None:
    axes, = panels(figure, 1, height=3.2)
    curves(axes, motion.t, motion.tau, motion.robot.joints, 'torque [N m] or [N]')
    _named(figure, motion)


def _violation(figure: Any, motion: Motion) -> None:
    axes, = panels(figure, 1, height=2.6)
    logarithm = np.log10(np.maximum(motion.violation, SMALLEST_DRAWN))
    curves(axes, motion.watched, logarithm, ['violation'], 'log10 of largest |phi|',
           color=COLOURS[1])


def _path(figure: Any, motion: Motion) -> None:
    figure.set_size_inches(5.6, 5.0)
    lines: list[tuple[np.ndarray, str, Any]] = [(motion.tool, f'{motion.frame}, actual', '-')]
    if motion.followed:
        lines.append((motion.tool_reference, 'wanted', DESIRED_STYLE))
    axes = figure.add_subplot(projection='3d')
    space_curves(axes, lines)
    legend(figure)


def _named(figure: Any, motion: Motion) -> None:
    if motion.robot.n <= MOST_LEGEND:
        legend(figure)
