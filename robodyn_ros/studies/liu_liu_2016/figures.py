# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of paper 001, with its axes: the standard scheme beside the modified one."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from robodyn_ros.report.drawing import curves, legend, panels
from robodyn_ros.studies.figures import compared
from robodyn_ros.studies.liu_liu_2016.runs import Run, SCHEMES
from robodyn_ros.studies.study import Figure

JOINTS = ('joint 1', 'joint 2')


def figures(runs: Sequence[Run], rates: Sequence[np.ndarray]) -> list[Figure]:
    """
    Figures 3 to 12 of the paper.

    :param runs: standard and modified
    :param rates: of each, the first derivative of its constraint (k, 2) [m/s]
    """
    pair = list(zip(runs, SCHEMES.values()))

    def motions(figure: Any, velocity: bool) -> None:
        for axes, (one, title) in zip(panels(figure, 2), pair):
            values, theory = one.qdot if velocity else one.q, one.theory[velocity]
            if not velocity:
                values, theory = np.rad2deg(values), np.rad2deg(theory)
            compared(axes, one.t, values, theory, JOINTS,
                     'velocity [rad/s]' if velocity else 'angle [deg]')
            axes.set_title(title)
        legend(figure)

    def errors(figure: Any, velocity: bool) -> None:
        for axes, (one, title) in zip(panels(figure, 2), pair):
            curves(axes, one.t, one.velocity_error if velocity else one.angle_error, JOINTS,
                   'velocity error [rad/s]' if velocity else 'angle error [rad]')
            axes.set_title(title)
        legend(figure)

    def constraint_errors(figure: Any) -> None:
        places = panels(figure, 2, 2, width=7.2)
        for row, axis in enumerate('XY'):
            for colour, (one, title) in enumerate(pair):
                curves(places[2 * row], one.t, one.phi[:, row], [title], f'{axis} error [m]',
                       first_colour=colour)
                curves(places[2 * row + 1], one.t, rates[colour][:, row], [title],
                       f'{axis} rate error [m/s]', first_colour=colour)
        legend(figure)

    def torques(figure: Any) -> None:
        axes, = panels(figure, 1, height=2.6)
        curves(axes, runs[1].t, runs[1].force, JOINTS, 'constraint torque [N m]')
        legend(figure)

    return [
        Figure('001_joint_angles', 'Joint angles without and with the correction (Fig. 3, 7).',
               lambda figure: motions(figure, False)),
        Figure('001_angle_errors', 'Errors of the joint angles (Fig. 4, 8); mind the scales.',
               lambda figure: errors(figure, False)),
        Figure('001_joint_velocities', 'Joint velocities without and with the correction '
               '(Fig. 5, 9).', lambda figure: motions(figure, True)),
        Figure('001_velocity_errors', 'Errors of the joint velocities (Fig. 6, 10); mind the '
               'scales.', lambda figure: errors(figure, True)),
        Figure('001_constraint_errors', 'Errors of the constraint and of its first derivative '
               '(Fig. 11).', constraint_errors),
        Figure('001_torques', 'Constraint torques (Fig. 12).', torques)]
