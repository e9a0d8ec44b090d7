# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Serial chains of any length, with slanted axes and full inertias: nothing folds away."""
from __future__ import annotations

import numpy as np

from robodyn_ros.robots.robot import Robot, robot_from_text
from robodyn_ros.types import State

AXES = ((0.0, 0.6, 0.8), (0.8, 0.0, 0.6), (0.36, 0.48, 0.8))
"""Joint axes, taken in turn; none is along an axis of its link."""
LINK = """
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


def chain_text(joints: int) -> str:
    """URDF of a chain."""
    links = [LINK.format(k=k, parent=k - 1, x=0.0 if k == 1 else 0.2, twist=0.3 * (k % 3 - 1),
                         axis=' '.join(map(str, AXES[k % 3])), mass=1.0 + 0.1 * (k % 4))
             for k in range(1, joints + 1)]
    return f'<robot name="chain_{joints}">\n  <link name="link_0"/>{"".join(links)}\n</robot>\n'


def chain(joints: int) -> Robot:
    """Return a chain hanging from its base."""
    return robot_from_text(chain_text(joints), f'<chain of {joints} joints>')


def chain_start(joints: int) -> State:
    """Return a slightly bent chain at rest, which then falls."""
    return State(0.0, 0.1 * np.cos(np.arange(joints)), np.zeros(joints))
