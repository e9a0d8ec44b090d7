# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of paper 002: the point O, each chain's motion and torques, a closure that drags."""
from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from robodyn_ros.report.drawing import panels
from robodyn_ros.studies.figures import overlaid, PANELS_HEIGHT
from robodyn_ros.studies.parallel_manipulator.runs import desired, OnLine
from robodyn_ros.studies.study import Draw, Figure


def figures(line: OnLine, energies: Mapping[float, tuple[np.ndarray, np.ndarray]]
            ) -> list[Figure]:
    """
    Figures 3 to 16 of the paper in five, and one of ours.

    :param energies: by coefficient of drag, times [s] and kinetic energies [J] of a free motion
    """
    def tip(figure: Any) -> None:
        for k, axes in enumerate(panels(figure, 2, height=PANELS_HEIGHT / 2)):
            overlaid(axes, line.t, {'actual': line.tip[:, k], 'desired': desired(line.t)[:, k]},
                     f'{"xy"[k]} of O [m]')
            axes.legend(loc='upper right')
        axes.set_ylim(0.2, 0.3)

    def chains(values: np.ndarray, letter: str, unit: str, motors: bool = False) -> Draw:
        def draw(figure: Any) -> None:
            for k, axes in enumerate(panels(figure, 3, height=PANELS_HEIGHT / 3)):
                named = {f'{letter}a{k + 1}': values[:, 2 * k],
                         f'{letter}b{k + 1}': values[:, 2 * k + 1]}
                if motors:
                    named[f'motor {k + 1} alone'] = line.motors[:, k]
                overlaid(axes, line.t, named, f'chain {k + 1} [{unit}]')
                axes.legend(loc='upper right')
        return draw

    def energy(figure: Any) -> None:
        axes, = panels(figure, 1, height=PANELS_HEIGHT)
        for coefficient, (t, values) in energies.items():
            axes.plot(t, values * 1e3, label=f'C = -{coefficient:g} v' if coefficient else 'ideal')
        axes.set_ylabel('kinetic energy [mJ]')
        axes.set_ylim(0.0, None)
        axes.legend()

    return [
        Figure('002_tip', 'x and y of the point O (figures 3 and 4).', tip),
        Figure('002_angles', 'Active and passive joint angles (figures 5 to 7).',
               chains(line.q, 'q', 'rad')),
        Figure('002_velocities', 'Angular velocities (figures 8 to 10).',
               chains(line.v, 'rate of q', 'rad/s')),
        Figure('002_accelerations', 'Angular accelerations (figures 11 to 13).',
               chains(line.a, 'acceleration of q', 'rad/s^2')),
        Figure('002_torques', 'Plain torques of active and passive joints (figures 14 to 16), and '
               'motors that drive alone.', chains(line.plain, 'f', 'N m', motors=True)),
        Figure('002_non_ideal', 'Kinetic energy of a free motion, ideal and dragging closure.',
               energy)]
