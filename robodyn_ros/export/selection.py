# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What is exported of a robot or a scenario; what cannot be is refused with the reason."""
from __future__ import annotations

import logging
from pathlib import Path
from typing import Sequence

from robodyn_ros.codegen.c_text import identifier
from robodyn_ros.errors import ArgumentError, UnknownNameError
from robodyn_ros.export.controller import CHANGED, controller_part, GROUP
from robodyn_ros.export.dynamics import (changed_parameters, dynamics_part, FUNCTIONS,
                                         kinematics_part)
from robodyn_ros.export.hold_udp import hold_udp
from robodyn_ros.export.library import Library, prefix_of
from robodyn_ros.export.plant import plant_part
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.robots.mass_check import check_mass
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario import wiring
from robodyn_ros.scenario.periods import period_ns
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.scenario.simulation import Simulation

LOG = logging.getLogger('robodyn_ros')
CONTROLLER, DYNAMICS, PLANT, KINEMATICS = 'controller', 'dynamics', 'plant', 'kinematics'
OF_A_ROBOT = (DYNAMICS, KINEMATICS)
PARTS = (CONTROLLER, DYNAMICS, PLANT, KINEMATICS)


def library_of_robot(robot: Robot, what: Sequence[str] = (), frames: Sequence[str] = ()
                     ) -> Library:
    """
    Return what is exported of a robot by itself.

    :param what: some of PARTS, or of FUNCTIONS for a part of dynamics; none: all it has
    :param frames: whose kinematics; none: that of the tool
    """
    for word in (CONTROLLER, PLANT):
        if word in what:
            raise ArgumentError(f'--what names {word!r}, but {robot.name} is a robot by itself; '
                                'give a scenario, which says how it moves and is controlled')
    return _library(robot, robot.name, f'the robot {robot.name} ({Path(robot.path).name})',
                    what or OF_A_ROBOT, frames, robot.parameters)


def library_of_scenario(scenario: Scenario, what: Sequence[str] = (), frames: Sequence[str] = ()
                        ) -> Library:
    """Return what is exported of a scenario: by default all that it has."""
    robot = wiring.robot_of(scenario)
    controlled = scenario.controller.kind != 'none'
    if CONTROLLER in what and not controlled:
        raise ArgumentError(f'--what names {CONTROLLER!r}, but controller.kind of scenario '
                            f'{scenario.name!r} is none; set controller.kind')
    return _library(robot, scenario.name, f'the scenario {scenario.name} with the robot '
                    f'{robot.name}', what or [
                        word for word in PARTS if controlled or word != CONTROLLER], frames,
                    wiring.parameters_of(robot, scenario.dynamics), scenario, not what)


def _library(robot: Robot, name: str, title: str, what: Sequence[str], frames: Sequence[str],
             parameters: Parameters, scenario: Scenario | None = None,
             by_default: bool = False) -> Library:
    for word in what:
        if word not in (*PARTS, *FUNCTIONS):
            raise UnknownNameError('part', word, (*PARTS, *FUNCTIONS), '--what')
    if not robot.n:
        raise ArgumentError(f'{robot.name} has no joint that moves, so there is nothing to export')
    prefix = prefix_of(name)
    changes: dict[str, float] = {}
    parts, loop, names = [], '', {name: prefix}
    functions = FUNCTIONS if DYNAMICS in what else [word for word in FUNCTIONS if word in what]
    if functions:
        check_mass(robot, parameters)
        parts.append(dynamics_part(robot, prefix, parameters, functions))
        changes |= changed_parameters(parameters).named()  # type: ignore[arg-type]
    if KINEMATICS in what:
        chosen = list(dict.fromkeys(frames)) or [robot.tool_frame()]
        made = [identifier(frame) for frame in chosen]
        for k, frame in enumerate(chosen):
            if made[k] in made[:k]:
                raise ArgumentError(f'frames {chosen[made.index(made[k])]!r} and {frame!r} would '
                                    f'both be called {made[k]!r} in C; export one of them')
        parts.append(kinematics_part(robot, prefix, chosen))
        names |= dict(zip(chosen, made))
    if CONTROLLER in what and scenario is not None:
        settings = scenario.controller
        control = wiring.control_of(robot, settings, scenario.trajectory, scenario.folder)
        assert control is not None
        followed = Simulation(scenario).followed if control.schedule else None
        parts.append(controller_part(robot, prefix, control, settings.period,
                                     followed.table if followed else None))
        loop = hold_udp(prefix, control, period_ns(settings.period),
                        scenario.dynamics.limit_efforts)
        changes |= {GROUP + key: value * CHANGED for key, value in control.parameters.items()}
    if PLANT in what and scenario is not None:
        try:
            parts.append(plant_part(Simulation(scenario, with_control=False), prefix))
            changes |= changed_parameters(parameters).named()  # type: ignore[arg-type]
        except ArgumentError as error:
            if not by_default:
                raise
            LOG.warning('left out: %s', error)
    return Library(prefix, title, robot, parts, changes, loop, names)
