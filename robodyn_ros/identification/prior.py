# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What is believed of a robot before its recording is seen: its file's values, or its shapes.

A body that the file gives an inertia no body can have, or none, gets that of its shapes at a usual
density; without shapes, that of a ball. Friction and rotors that the file lacks are given sizes
that are usual beside the torques and inertias at hand: they set a scale, not more.
"""
from __future__ import annotations

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.identification.consistency import Prior, pseudo_inertia
from robodyn_ros.identification.parameters import ParameterSet, TEN, values_of, with_inertias
from robodyn_ros.mechanics import equations, rigid_body
from robodyn_ros.mechanics.inertia import ten_of
from robodyn_ros.robots.estimates import estimated, filled_text
from robodyn_ros.robots.robot import Robot, robot_from_text

DENSITY = 1500.0
"""Of an arm's link: castings with motors, cables and air in them [kg/m^3]."""
BALL_MASS, BALL_SIZE = 2.0, 0.06
"""Of a link of which nothing is known [kg], and its radius of gyration [m]."""
GUESSED = 1e-4
"""How much a number that nobody told is believed, beside one that the file tells: enough to keep
it above zero. Much more spoils joints that take little torque."""
SMALLEST = 0.01
"""Radius of gyration that any body has at least in the prior [m]."""


def prior_of(robot: Robot, chosen: ParameterSet, tau: np.ndarray, v: np.ndarray) -> Prior:
    """
    Return the prior of a robot.

    :param tau: measured torques (k, n), NaN where there are none; :param v: velocities (k, n)
    """
    theta = values_of(chosen, robot)
    lacking = [k for k in range(chosen.bodies) if not _possible(theta[chosen.of_body(k)])]
    filled = _with_shapes(robot) if lacking else robot  # meshes take seconds to read
    for k in range(chosen.bodies):
        place = chosen.of_body(k)
        if k in lacking:
            theta[place] = ten_of(filled.tree.bodies[k].inertia)
        if not _possible(theta[place]):
            theta[place] = _ball()
        # a body that is a point or a rod in the file would be one for ever
        theta[place] += theta[place][0] * SMALLEST ** 2 * np.array(
            [0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 2.0])
    known = np.isfinite(tau)
    count = np.maximum(known.sum(axis=0), 1)
    torque = np.sqrt(np.sum(np.where(known, tau, 0.0) ** 2, axis=0) / count)
    torque = np.where(torque > 0.0, torque, 1.0)
    drivers = [*range(robot.n), *(_coordinate(chosen, one.joint)
                                  for one in chosen.tree.couplings)]
    speed = np.maximum(np.abs(v @ chosen.turns.T).max(axis=0, initial=0.0), 1e-3)
    scale = torque[drivers]
    for name, usual in (('viscous', 0.1 * scale / speed), ('coulomb', 0.1 * scale),
                        ('peak', 0.03 * scale), ('saturating', 0.03 * scale)):
        place = chosen.of_axes(name)
        theta[place] = np.where(theta[place] > 0.0, theta[place], usual)
    mass = _inertia_of_joints(robot, chosen, theta)
    rotors = theta[chosen.rotors]
    theta[chosen.rotors] = np.where(
        rotors > 0.0, rotors, [0.1 * mass[rotor.joint] for rotor in chosen.tree.rotors])
    motors = theta[chosen.couplings]
    theta[chosen.couplings] = np.where(
        motors > 0.0, motors, [0.1 * mass[one.joint] for one in chosen.tree.couplings])
    trust = np.where(values_of(chosen, robot) > 0.0, 1.0, GUESSED)
    # what few robots have must be earned: it fits anything that is slow
    for name in ('peak', 'saturating'):
        trust[chosen.of_axes(name)] = 1.0
    spread = np.ones(chosen.size)
    spread[chosen.of_joints('offset')] = 0.1 * torque
    return Prior(theta, spread, trust)


def _coordinate(chosen: ParameterSet, body: int) -> int:
    """Return the place in q that moves a body."""
    return chosen.tree.drives[body].joint if chosen.tree.drives else body


def _possible(ten: np.ndarray) -> bool:
    return bool(ten[0] > 0.0 and np.linalg.eigvalsh(pseudo_inertia(ten))[0] > -1e-9 * ten[0])


def _ball() -> np.ndarray:
    ten = np.zeros(TEN)
    ten[[0, 4, 7, 9]] = BALL_MASS, *[BALL_MASS * BALL_SIZE ** 2] * 3
    return ten


def _with_shapes(robot: Robot) -> Robot:
    """Return the robot with what its shapes tell in the place of what is missing."""
    try:
        made = estimated(robot, density=DENSITY, impossible=True)
        return robot_from_text(filled_text(robot, made), robot.path)
    except RobodynError:
        return robot  # no shape can be read


def _inertia_of_joints(robot: Robot, chosen: ParameterSet, theta: np.ndarray) -> np.ndarray:
    """Return what each body's joint moves where all are at the middle of their ranges."""
    tree = with_inertias(chosen, theta.tolist())._replace(drives=(), rotors=())
    parts = equations.inertias(tree, robot.parameters)
    rows = rigid_body.mass_matrix(tree, parts, [0.5] * len(tree.bodies))
    return np.maximum(np.diag(np.array(rows, dtype=float)), 1e-4)
