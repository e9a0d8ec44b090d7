# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Constrained robot dynamics for ROS 2: see README.md and docs/.

Names are imported when they are first used: `robodyn --help` and a node need no more than their
own part, and a compiler takes a while to import.
"""
from __future__ import annotations

from importlib import import_module

# that of typing takes long to import: until a program has begun, Ctrl-C is a traceback
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any  # noqa: I300

    from robodyn_ros.constraints.constraint import Constraint, constraint, non_ideal
    from robodyn_ros.constraints.ready_made import (follow, joint_combination, knife_edge, loop,
                                                    viscous_non_ideal)
    from robodyn_ros.constraints.stabilisation import Stabilisation, stabilisation
    from robodyn_ros.controllers.computed_torque import computed_torque
    from robodyn_ros.controllers.constraint_following import constraint_following
    from robodyn_ros.controllers.robust import robust
    from robodyn_ros.errors import RobodynError
    from robodyn_ros.mechanics.parameters import Parameters
    from robodyn_ros.plant.assembly import assemble_start, Assembly
    from robodyn_ros.plant.gradient import RolloutGradient
    from robodyn_ros.plant.inverse_kinematics import joint_motion
    from robodyn_ros.plant.linearised import Linearised
    from robodyn_ros.plant.plant import Plant
    from robodyn_ros.robots.robot import load_robot, Robot, robot_from_text, robot_names
    from robodyn_ros.scenario.loading import load_scenario, scenario_names
    from robodyn_ros.scenario.result import Result
    from robodyn_ros.scenario.schema import Scenario
    from robodyn_ros.scenario.simulation import simulate, Simulation
    from robodyn_ros.scenario.user_code import controller, metric, trajectory
    from robodyn_ros.sweeping.sweep import sweep
    from robodyn_ros.sweeping.tuning import tune
    from robodyn_ros.types import Control, Reference, Rollout, State, Trajectory

    __version__: str

_HOMES = {
    'constraints.constraint': ('Constraint', 'constraint', 'non_ideal'),
    'constraints.ready_made': ('follow', 'joint_combination', 'knife_edge', 'loop',
                               'viscous_non_ideal'),
    'constraints.stabilisation': ('Stabilisation', 'stabilisation'),
    'controllers.computed_torque': ('computed_torque',),
    'controllers.constraint_following': ('constraint_following',),
    'controllers.robust': ('robust',),
    'errors': ('RobodynError',),
    'mechanics.parameters': ('Parameters',),
    'plant.assembly': ('assemble_start', 'Assembly'),
    'plant.gradient': ('RolloutGradient',),
    'plant.inverse_kinematics': ('joint_motion',),
    'plant.linearised': ('Linearised',),
    'plant.plant': ('Plant',),
    'robots.robot': ('load_robot', 'Robot', 'robot_from_text', 'robot_names'),
    'scenario.loading': ('load_scenario', 'scenario_names'),
    'scenario.result': ('Result',),
    'scenario.schema': ('Scenario',),
    'scenario.simulation': ('simulate', 'Simulation'),
    'scenario.user_code': ('controller', 'metric', 'trajectory'),
    'sweeping.sweep': ('sweep',),
    'sweeping.tuning': ('tune',),
    'types': ('Control', 'Reference', 'Rollout', 'State', 'Trajectory'),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    'assemble_start', 'Assembly', 'computed_torque', 'Constraint', 'constraint',
    'constraint_following', 'Control', 'controller', 'follow', 'joint_combination',
    'joint_motion', 'knife_edge', 'Linearised', 'load_robot', 'load_scenario', 'loop',
    'metric', 'non_ideal', 'Parameters', 'Plant', 'Reference', 'Result', 'RobodynError',
    'Robot', 'robot_from_text', 'robot_names', 'robust', 'Rollout', 'RolloutGradient',
    'Scenario', 'scenario_names', 'simulate', 'Simulation', 'Stabilisation', 'stabilisation',
    'State', 'sweep', 'Trajectory', 'trajectory', 'tune', 'viscous_non_ideal',
]


def __getattr__(name: str) -> Any:
    """Import a name from its home, once."""
    if name == '__version__':
        from importlib import metadata  # takes longer than all else here
        found = metadata.distributions(name='robodyn_ros')
        value: Any = next((item.version for item in found), None)
    elif name in _HOME:
        value = getattr(import_module(f'robodyn_ros.{_HOME[name]}'), name)
    else:
        raise AttributeError(f"module 'robodyn_ros' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, imported or not."""
    return sorted({*globals(), *__all__, '__version__'})
