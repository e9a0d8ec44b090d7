# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A small robot with one of everything, to be spoiled one piece at a time."""

from robodyn_ros.robots.robot import robot_from_text

TEXT = """<?xml version="1.0"?>
<robot name="small">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 0.3"/>
      <mass value="2.5"/>
      <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
    </inertial>
  </link>
  <link name="hand">
    <inertial>
      <mass value="0.75"/>
      <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.003"/>
    </inertial>
  </link>
  <link name="tool0"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1.5" upper="1.25" velocity="3.5" effort="40"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/>
    <child link="hand"/>
    <origin xyz="0.4 0 0" rpy="0 0 0"/>
    <axis xyz="0 0 -1"/>
    <limit lower="0" upper="0.3" velocity="0.5" effort="90"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="hand"/>
    <child link="tool0"/>
    <origin xyz="0 0 -0.1" rpy="0 0 0.2"/>
  </joint>
  <robodyn>
    <gravity xyz="0 0 -9.81"/>
    <passive joint="slide"/>
    <loop name="closure" frame_a="tool0" frame_b="base" axes="x y"/>
    <rotor joint="slide" carrier="arm" inertia="0.01" ratio="50"/>
    <friction joint="shoulder" breakaway="0.35" breakaway_velocity="0.05"/>
  </robodyn>
</robot>
"""


def spoiled(*changes):
    """Return the text with pieces replaced; each piece must occur."""
    text = TEXT
    for old, new in changes:
        assert old in text, f'{old!r} is not in the text'
        text = text.replace(old, new)
    return text


def small(*changes):
    """Return the robot of the text with pieces replaced."""
    return robot_from_text(spoiled(*changes), 'small.urdf')
