# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of paper 004, with its axes: the path, and the errors and efforts of the laws on it."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from robodyn_ros.report.drawing import curves, DESIRED_STYLE, legend, panels, space_curves
from robodyn_ros.studies.pawar_shen.runs import Inversion, JOINTS, Tracking, UNITS
from robodyn_ros.studies.study import Figure
from robodyn_ros.types import Trajectory

SHOWN = ('inverse dynamics, load known', 'inverse dynamics, load unknown', 'robust, load unknown')


def figures(points: Sequence[Sequence[float]], paths: Mapping[str, Trajectory],
            inversions: Mapping[str, Inversion], runs: Mapping[str, Tracking]) -> list[Figure]:
    """
    Figures 4 to 10 of the paper, and two of ours.

    :param points: way-points [m]
    :param paths: by timing
    :param inversions: by integrator
    :param runs: by the name of the law and what it knows of the load
    """

    def errors(figure: Any, velocity: bool) -> None:
        for k, axes in enumerate(panels(figure, 2, 2, width=7.2)):
            unit = f'{JOINTS[k]} {"rate " if velocity else ""}error [{UNITS[k]}'
            for colour, name in enumerate(SHOWN):
                one = runs[name]
                curves(axes, one.motion.t, (one.rate if velocity else one.error)[:, k], [name],
                       unit + ('/s]' if velocity else ']'), first_colour=colour)
        legend(figure, 3)

    def trajectory(figure: Any) -> None:
        figure.set_size_inches(5.6, 4.6)
        axes = figure.add_subplot(projection='3d')
        space_curves(axes, [(paths['siciliano'].q, 'siciliano', '-'),
                            (paths['fixed_arrival'].q, 'fixed arrival', DESIRED_STYLE)])
        axes.plot(*np.array(points).T, 'k.', label='way-points')
        legend(figure)

    def along_axes(figure: Any, velocity: bool) -> None:
        for k, axes in enumerate(panels(figure, 3, height=1.6)):
            for colour, (timing, path) in enumerate(paths.items()):
                values = path.v if velocity else path.q
                curves(axes, path.t, values[:, k], [timing.replace('_', ' ')],
                       f'v{"xyz"[k]} [m/s]' if velocity else f'{"xyz"[k]} [m]',
                       first_colour=colour, linestyle=DESIRED_STYLE if colour else '-')
        legend(figure)

    def inversion(figure: Any) -> None:
        axes, = panels(figure, 1, height=2.6)
        for colour, (integrator, (motion, error)) in enumerate(inversions.items()):
            curves(axes, motion.t, np.linalg.norm(error[:, :3], axis=1), [f'{integrator} step'],
                   'position error [m]', first_colour=colour)
        legend(figure)

    def efforts(figure: Any) -> None:
        first, second = panels(figure, 2)
        one = runs['robust, load unknown'].motion
        curves(first, one.t, one.tau[:, [0, 1, 3]], ('u1', 'u2', 'u4'), 'torque [N m]')
        curves(second, one.t, one.tau[:, 2], ('u3',), 'force [N]', first_colour=3)
        legend(figure)

    return [
        Figure('004_position_errors', 'Errors in joint space, position (Fig. 4, 9).',
               lambda figure: errors(figure, False)),
        Figure('004_velocity_errors', 'Errors in joint space, velocity (Fig. 5, 10).',
               lambda figure: errors(figure, True)),
        Figure('004_trajectory', 'Generated trajectory (Fig. 6).', trajectory),
        Figure('004_axis_positions', 'Position along the axes (Fig. 7).',
               lambda figure: along_axes(figure, False)),
        Figure('004_axis_velocities', 'Velocities along the axes (Fig. 8).',
               lambda figure: along_axes(figure, True)),
        Figure('004_inverse_kinematics', 'Error of the inverse kinematics, KP 900, KD 60 (ours).',
               inversion),
        Figure('004_efforts', 'Torques and force of the robust law, load unknown (ours).',
               efforts)]
