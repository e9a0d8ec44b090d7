# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of paper 003: the friction law; six joints in open loop and under computed torque."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from robodyn_ros.mechanics.friction import friction_torque
from robodyn_ros.report.drawing import panels
from robodyn_ros.robots.robot import Robot
from robodyn_ros.studies.figures import overlaid, PANELS_HEIGHT
from robodyn_ros.studies.study import Draw, Figure
from robodyn_ros.studies.truc_lam_2020.runs import ClosedLoop, desired, error, OpenLoop


def figures(robot: Robot, opened: OpenLoop, closed: ClosedLoop) -> list[Figure]:
    """Figures 4b (with a second engine only), 5a, 6, 8, 9 and 10 of the paper."""
    t, times = opened.t, closed.clean.t
    result = [Figure('003_friction', 'Friction torque over joint velocity (figure 5a).',
                     _friction(robot))]
    if opened.other is not None:
        result.append(Figure(
            '003_two_engines', 'Difference of two engines under one torque (figure 4b).',
            _joints(t, {'difference': opened.smooth - opened.other})))
    return [
        *result,
        Figure('003_open_loop', 'One torque, without and with friction (figure 6).',
               _joints(t, {'without friction': opened.smooth, 'with friction': opened.rough})),
        Figure('003_responses', 'Desired motion and response without friction (figure 8).',
               _joints(times, {'desired': desired(times), 'response': closed.clean.q}, 2.0)),
        Figure('003_errors', 'Tracking errors without friction (figure 9).',
               _joints(times, {'error': error(closed.clean)}, 2.0)),
        Figure('003_errors_friction', 'Tracking errors with friction (figure 10), and with '
               'friction compensated.', _joints(times, {'friction': error(closed.rubbed),
                                                        'compensated': error(closed.told)}))]


def _joints(t: np.ndarray, named: Mapping[str, np.ndarray], until: float = 1e9) -> Draw:
    """Six panels, one joint each [rad]."""
    def draw(figure: Any) -> None:
        shown = t <= until
        places = panels(figure, 3, 2, height=PANELS_HEIGHT / 3)
        for k, axes in enumerate(places):
            overlaid(axes, t[shown], {name: values[shown, k] for name, values in named.items()},
                     f'joint {k + 1} [rad]')
        places[0].legend(loc='upper right')
    return draw


def _friction(robot: Robot) -> Draw:
    def draw(figure: Any) -> None:
        axes, law = figure.subplots(), robot.tree.friction[0]
        speed = np.linspace(-1.0, 1.0, 801)
        axes.plot(speed, [friction_torque(law, float(x)) for x in speed])
        axes.axhline(law.breakaway, linestyle=':', color='grey', label='breakaway')
        axes.set_xlabel('velocity of joint 1 [rad/s]')
        axes.set_ylabel('friction torque [N m]')
        axes.legend()
    return draw
