# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The plants that are measured, and where they start."""
from __future__ import annotations

import numpy as np
from robodyn_ros import (assemble_start, follow, joint_combination, load_robot, Plant, Robot,
                         robot_from_text, Stabilisation, stabilisation, State)
from robodyn_ros.trajectories.paths import Helix

STEP = 1e-3
"""[s]"""
NEAR_HELIX = State(0.0, np.radians([30.0, -55.0, 25.0, 0.0]), np.zeros(4))
"""scara_450 near the start of the helix; to be assembled."""
NEAR_CLOSED = State(0.0, np.array([0.93, -1.66, 2.85, -1.87, -0.98, -2.05]),
                    np.array([-0.1, -0.1, 0.1, 0.0, -0.1, 0.1]))
"""parallel_2dof almost closed and moving; to be assembled."""
CLOSED_SPEED_UP = 20.0
"""How much faster the closed chain starts where its motion is judged: forces must count [-]."""
CHAIN_AXES = ((0.0, 0.6, 0.8), (0.8, 0.0, 0.6), (0.36, 0.48, 0.8))
"""Joint axes of a slanted chain, taken in turn; none is along an axis of its link."""
CHAIN_LINK = """
  <joint name="joint_{k}" type="revolute">
    <parent link="link_{parent}"/><child link="link_{k}"/>
    <origin xyz="{x} 0.01 0.02" rpy="0.2 -0.1 {twist}"/><axis xyz="{axis}"/>
    <limit lower="-3" upper="3" velocity="10" effort="100"/>
  </joint>
  <link name="link_{k}">
    <inertial>
      <origin xyz="0.1 0.02 -0.01" rpy="0.1 0.2 0.3"/><mass value="{mass}"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0.002" iyy="0.02" iyz="-0.001" izz="0.018"/>
    </inertial>
  </link>"""


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
    near = NEAR_CLOSED._replace(v=CLOSED_SPEED_UP * NEAR_CLOSED.v)
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


def chain_text(joints: int) -> str:
    """URDF of a serial chain with slanted axes and full inertias: nothing folds away."""
    links = [CHAIN_LINK.format(k=k, parent=k - 1, x=0.0 if k == 1 else 0.2,
                               twist=0.3 * (k % 3 - 1), mass=1.0 + 0.1 * (k % 4),
                               axis=' '.join(map(str, CHAIN_AXES[k % 3])))
             for k in range(1, joints + 1)]
    return f'<robot name="chain_{joints}">\n  <link name="link_0"/>{"".join(links)}\n</robot>\n'


def chain(joints: int) -> Robot:
    """Return a slanted chain hanging from its base."""
    return robot_from_text(chain_text(joints), f'<chain of {joints} joints>')


def chain_start(joints: int) -> State:
    """Return a slightly bent chain at rest, which then falls."""
    return State(0.0, 0.1 * np.cos(np.arange(joints)), np.zeros(joints))
