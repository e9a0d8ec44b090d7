# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The plants that are measured, and where they start."""
from __future__ import annotations

import numpy as np

from robodyn_ros.constraints.ready_made import follow, joint_combination
from robodyn_ros.constraints.stabilisation import Stabilisation, stabilisation
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.trajectories.paths import Helix
from robodyn_ros.types import State

STEP = 1e-3
"""[s]"""
NEAR_HELIX = State(0.0, np.radians([30.0, -55.0, 25.0, 0.0]), np.zeros(4))
"""scara_450 near the start of the helix; to be assembled."""
NEAR_CLOSED = State(0.0, np.array([0.93, -1.66, 2.85, -1.87, -0.98, -2.05]),
                    np.array([-0.1, -0.1, 0.1, 0.0, -0.1, 0.1]))
"""parallel_2dof almost closed and moving; to be assembled."""
FASTER = 20.0
"""How much faster the closed chain starts where its motion is judged: forces must count [-]."""


def servo_plant(chosen: Stabilisation = Stabilisation(), step: float = STEP) -> Plant:
    """scara_450 held on the helix of paper 000 with constant yaw: four servo rows."""
    yaw = joint_combination({f'joint_{k}': 1.0 for k in (1, 2, 3)}, name='yaw')
    return Plant(load_robot('scara_450'), [follow('tool0', Helix()), yaw], step=step,
                 stabilisation=chosen)


def closed_plant(kind: str = 'none') -> Plant:
    """parallel_2dof with the loops of its file and a kind of stabilisation."""
    return Plant(load_robot('parallel_2dof'), step=STEP, stabilisation=stabilisation(kind))


def closed_start() -> State:
    """Return the closed chain in quick motion."""
    near = NEAR_CLOSED._replace(v=FASTER * NEAR_CLOSED.v)
    return assemble_start(closed_plant(), near).state


def any_plant(name: str) -> tuple[Plant, State]:
    """Plant of a robot by name and a state to start from, for timing the start-up."""
    if name == 'scara_450':
        return servo_plant(), NEAR_HELIX
    if name == 'parallel_2dof':
        return closed_plant(), NEAR_CLOSED
    robot = load_robot(name)
    middle = (robot.limits.lower + robot.limits.upper) / 2.0
    return Plant(robot, step=STEP), State(0.0, middle, 0.0 * middle)
