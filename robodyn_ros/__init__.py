# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Constrained robot dynamics for ROS 2: see README.md and docs/."""
from robodyn_ros.assembly import assemble_start, Assembly
from robodyn_ros.constraints.constraint import Constraint, constraint, non_ideal
from robodyn_ros.constraints.ready_made import (follow, joint_combination, knife_edge, loop,
                                                viscous_non_ideal)
from robodyn_ros.constraints.stabilisation import stabilisation, Stabilisation
from robodyn_ros.errors import RobodynError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.plant import Plant
from robodyn_ros.robots.robot import load_robot, Robot, robot_from_text, robot_names
from robodyn_ros.signals import Control, Rollout, State

__all__ = [
    'assemble_start', 'Assembly', 'Constraint', 'constraint', 'Control', 'follow',
    'joint_combination', 'knife_edge', 'load_robot', 'loop', 'non_ideal', 'Parameters', 'Plant',
    'RobodynError', 'Robot', 'robot_from_text', 'robot_names', 'Rollout', 'stabilisation',
    'Stabilisation', 'State', 'viscous_non_ideal',
]
