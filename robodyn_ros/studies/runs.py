# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What the runs of several papers share: an arm on a path, its errors, continuous control."""
from __future__ import annotations

from typing import Callable, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint, FORCE
from robodyn_ros.constraints.stabilisation import Stabilisation
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.loading import load_scenario
from robodyn_ros.scenario.wiring import robot_of
from robodyn_ros.tracing import Number
from robodyn_ros.types import Control, State


class OnPath:
    """Robot and path of a scenario of this package, held there in various ways."""

    def __init__(self, name: str):
        """Read robot and path of the scenario of a name."""
        scenario = load_scenario(name)
        self.settings = scenario.trajectory
        self.robot = robot_of(scenario)
        self.task = DesiredMotion(self.settings).task

    def plant(self, chosen: Stabilisation, integrator: str = 'rk4', step: float = 1e-3) -> Plant:
        """Return the plant that keeps to the path by a stabilisation."""
        return Plant(self.robot, self.task, stabilisation=chosen, integrator=integrator, step=step)


def constraint_errors(plant: Plant, t: np.ndarray, q: np.ndarray,
                      v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return phi [m] or [rad] and its rate, by the velocity v, along a motion (k, m) each."""
    rows = [plant.constraint_rows(State(*sample)) for sample in zip(t, q, v)]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def acting_continuously(control: Control,
                        reference: Callable[[Number], Sequence[Number]] = lambda t: []
                        ) -> Constraint:
    """
    Return a control law as a force of the plant: at every stage of the integrator, never held.

    :param reference: what the law follows, as a function of time
    """
    def force(robot: Robot, q: Sequence[Number], v: Sequence[Number], t: Number,
              **values: Number) -> Sequence[Number]:
        return control.law(t, q, v, reference(t), values)

    return Constraint('motors', force, FORCE, control.parameters)
