# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of paper 000, with its axes: theory beside the bare and the stabilised equation."""
from __future__ import annotations

from typing import Any

import numpy as np

from robodyn_ros.report.drawing import curves, DESIRED_STYLE, legend, panels, space_curves
from robodyn_ros.robots.robot import Robot
from robodyn_ros.studies.figures import compared
from robodyn_ros.studies.study import Figure
from robodyn_ros.studies.xu_liu_2017.runs import ERRORS, Runs
from robodyn_ros.types import Rollout

JOINTS = ('q1', 'q2', 'q3', 'q4')


def figures(robot: Robot, runs: Runs) -> list[Figure]:
    """Figures 2 and 6, 3 and 7, 4 and 8, 5 and 9, 10 of the paper, and one of ours."""
    t, theory, bare, stable = runs.theory.t, runs.theory, runs.bare, runs.stabilised
    tool = {motion: robot.frame('tool0', one.q).position
            for motion, one in (('theory', theory), ('bare', bare), ('stable', stable))}

    def responses(figure: Any, motion: Rollout, label: str) -> None:
        first, second = panels(figure, 2)
        names = [f'{name} {label}' for name in JOINTS]
        compared(first, t, np.rad2deg(motion.q[:, :3]), np.rad2deg(theory.q[:, :3]), names[:3],
                 'joint angle [deg]')
        compared(second, t, motion.q[:, 3], theory.q[:, 3], names[3:], 'q4 [m]', first_colour=3)
        legend(figure, 5)

    def trajectories(figure: Any) -> None:
        figure.set_size_inches(7.2, 3.8)
        for place, name, label in ((1, 'bare', 'bare equation'), (2, 'stable', 'Baumgarte')):
            axes = figure.add_subplot(1, 2, place, projection='3d')
            space_curves(axes, [(tool[name], 'numerical', '-'),
                                (tool['theory'], 'theoretical', DESIRED_STYLE)])
            axes.set_title(label)
        legend(figure)

    def joint_errors(figure: Any) -> None:
        for k, axes in enumerate(panels(figure, 2, 2, width=7.2)):
            unit = f'{JOINTS[k]} error [{"rad" if k < 3 else "m"}]'
            curves(axes, t, bare.q[:, k] - theory.q[:, k], ['bare'], unit)
            curves(axes, t, stable.q[:, k] - theory.q[:, k], ['Baumgarte 0.5/200'], unit,
                   first_colour=1)
        legend(figure)

    def displacement_errors(figure: Any) -> None:
        for k, axes in enumerate(panels(figure, 3)):
            curves(axes, t, bare.phi[:, k], ['bare'], ERRORS[k])
            curves(axes, t, stable.phi[:, k], ['Baumgarte 0.5/200'], ERRORS[k], first_colour=1)
            curves(axes, runs.euler.t, runs.euler.phi[:, k], ['bare, explicit Euler 7.3 ms'],
                   ERRORS[k], first_colour=2, linestyle=':')
        legend(figure)

    def torques(figure: Any) -> None:
        first, second = panels(figure, 2)
        curves(first, t, stable.constraint_force[:, :3], ('Qc1', 'Qc2', 'Qc3'),
               'constraint torque [N m]')
        curves(second, t, stable.constraint_force[:, 3], ('Qc4',), 'constraint force [N]',
               first_colour=3)
        legend(figure)

    def decay(figure: Any) -> None:
        axes, = panels(figure, 1, height=3.2)
        for k, (motion, label) in enumerate((
                (bare, 'bare'), (stable, 'Baumgarte 0.5/200'), (runs.critical, 'Baumgarte 20/100'),
                (theory, 'projection'))):
            curves(axes, t, np.maximum(motion.violation, 1e-17), [label],
                   'largest error [m], [rad]', first_colour=k)
        axes.set_yscale('log')
        legend(figure)

    start = 'exact angles, printed velocities'
    return [
        Figure('000_joint_responses', f'Joint responses of the bare equation (Fig. 2); {start}.',
               lambda figure: responses(figure, bare, 'numerical')),
        Figure('000_trajectories', 'Trajectories without and with Baumgarte (Fig. 3, 7).',
               trajectories),
        Figure('000_joint_errors', f'Joint errors before and after (Fig. 4, 8); {start}.',
               joint_errors),
        Figure('000_displacement_errors', 'Displacement errors before and after (Fig. 5, 9); '
               'dotted: the step that comes near the numbers the paper prints.',
               displacement_errors),
        Figure('000_joint_responses_stabilised',
               'Joint responses with Baumgarte 0.5/200 (Fig. 6).',
               lambda figure: responses(figure, stable, 'modified')),
        Figure('000_constraint_torques', 'Constraint torques with Baumgarte 0.5/200 (Fig. 10).',
               torques),
        Figure('000_decay', 'Largest constraint error in every way of keeping it small (ours).',
               decay)]
