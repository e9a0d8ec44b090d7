# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""Constrained robot dynamics for ROS 2: see README.md and docs/."""
from importlib import metadata

from robodyn_ros.assembly import assemble_start, Assembly
from robodyn_ros.constraints.constraint import Constraint, constraint, non_ideal
from robodyn_ros.constraints.ready_made import (follow, joint_combination, knife_edge, loop,
                                                viscous_non_ideal)
from robodyn_ros.constraints.stabilisation import Stabilisation, stabilisation
from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.controllers.constraint_following import constraint_following
from robodyn_ros.controllers.robust import robust
from robodyn_ros.errors import RobodynError
from robodyn_ros.inverse_kinematics import joint_motion
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.plant import Plant
from robodyn_ros.robots.robot import load_robot, Robot, robot_from_text, robot_names
from robodyn_ros.scenario import load_scenario, Scenario, scenario_names
from robodyn_ros.signals import Control, Reference, Rollout, State
from robodyn_ros.simulate import Result, simulate, Simulation

__version__ = next((found.version for found in metadata.distributions(name='robodyn_ros')), None)

__all__ = [
    'assemble_start', 'Assembly', 'computed_torque', 'Constraint', 'constraint',
    'constraint_following', 'Control', 'follow', 'joint_combination', 'joint_motion',
    'knife_edge', 'load_robot', 'load_scenario', 'loop', 'non_ideal', 'Parameters', 'Plant',
    'Reference', 'Result', 'RobodynError', 'Robot', 'robot_from_text', 'robot_names', 'robust',
    'Rollout', 'Scenario', 'scenario_names', 'simulate', 'Simulation', 'Stabilisation',
    'stabilisation', 'State', 'viscous_non_ideal',
]
