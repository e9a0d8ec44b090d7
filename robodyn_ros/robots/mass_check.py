# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What a robot's masses allow before anything is compiled: can it be simulated, is friction stiff.

Both look at the mass matrix in a few configurations, the same each time.
"""
from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import SingularMassError
from robodyn_ros.mechanics import equations, rigid_body
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.robots.robot import Robot
from robodyn_ros.robots.urdf.remarks import listed
from robodyn_ros.tolerances import PIVOT

PLACES = 4
"""Configurations that are looked at."""
REACH = 1.0
"""How far from zero they are, where no limit is nearer [rad] or [m]."""


class MassReport(NamedTuple):
    """What the mass matrix is like."""

    massless: tuple[str, ...]
    """Joints that move no mass."""
    against: tuple[str, ...]
    """Joints that can move together so that no mass moves, though each alone moves some."""
    indefinite: bool
    """Some motion would have negative energy: inertias that no body has."""

    @property
    def sound(self) -> bool:
        """Tell whether the robot can be simulated as it is."""
        return not (self.massless or self.against or self.indefinite)

    def reason(self, robot: Robot) -> str:
        """Say what cannot be simulated."""
        if self.massless:
            what = (f'{"joint" if len(self.massless) == 1 else "joints"} {listed(self.massless)} '
                    'of it move no mass' if len(self.massless) > 1 else
                    f'joint {self.massless[0]!r} of it moves no mass')
            if self.indefinite:
                what += ', or a negative one'
        elif self.against:
            what = (f'joints {listed(self.against)} of it can move against one another without '
                    'moving any mass')
        else:
            what = 'some motions of it have negative energy, as inertias of it are impossible'
        return f'the mass matrix of {robot.name} is not positive definite: {what}'

    def sentence(self, robot: Robot) -> str:
        """Say what cannot be simulated, and what helps."""
        return (f'{self.reason(robot)}; give the links mass and inertia, or let them be '
                f'estimated: robodyn inertials {robot.path} --mass KG')


def mass_report(robot: Robot, parameters: Parameters | None = None) -> MassReport:
    """Look at the mass matrix of a robot, with a payload perhaps."""
    massless: set[int] = set(range(robot.n))
    against: set[int] = set(range(robot.n))
    indefinite = False
    for mass in _mass_matrices(robot, parameters or robot.parameters):
        diagonal = np.diag(mass)
        none = diagonal <= 0.0
        massless &= set(np.flatnonzero(none).tolist())
        scale = 1.0 / np.sqrt(np.where(none, 1.0, diagonal))
        values, vectors = np.linalg.eigh(np.where(np.outer(none, none), 0.0, mass)
                                         * np.outer(scale, scale))
        lost = np.abs(values) <= PIVOT
        indefinite |= bool((values < -PIVOT).any() or (diagonal < 0.0).any())
        moved = np.abs(vectors[:, lost]).max(axis=1) > 1e-3 if lost.any() else none & ~none
        against &= set(np.flatnonzero(moved & ~none).tolist())
    names = robot.joints
    return MassReport(tuple(names[k] for k in sorted(massless)),
                      tuple(names[k] for k in sorted(against)), indefinite)


def check_mass(robot: Robot, parameters: Parameters | None = None) -> None:
    """Refuse a robot whose mass matrix is singular, before seconds go into compiling it."""
    report = mass_report(robot, parameters)
    if report.massless or report.against:
        raise SingularMassError(report.sentence(robot))


@lru_cache(maxsize=32)
def friction_rate(robot: Robot) -> float:
    """
    Return the fastest rate at which friction stops a joint, largest eigenvalue of M^-1 D [1/s].

    D is the slope of the file's friction at rest. An explicit step must be a few times shorter
    than its inverse.
    """
    still = [0.0] * robot.n
    damping = np.array(equations.friction_slopes(
        robot.tree, robot.parameters._replace(friction_scale=1.0), still), dtype=float)
    if not damping.any():
        return 0.0
    sizes, turn = np.linalg.eigh(damping)
    root = turn * np.sqrt(np.maximum(sizes, 0.0))  # D = root root^T
    fastest = 0.0
    for mass in _mass_matrices(robot, robot.parameters):
        # what has no mass is not simulated; a trace of it keeps the inverse finite
        trace = PIVOT * max(float(np.abs(mass).max()), 1e-30)
        inverse = np.linalg.pinv(mass + trace * np.eye(robot.n), hermitian=True)
        fastest = max(fastest, float(np.abs(np.linalg.eigvalsh(
            root.T @ inverse @ root)).max()))
    return fastest


def _mass_matrices(robot: Robot, parameters: Parameters) -> list[np.ndarray]:
    """Return M (n, n) in a few configurations within the limits."""
    parts = equations.inertias(robot.tree, parameters)
    lower = np.maximum(robot.limits.lower, np.minimum(-REACH, robot.limits.upper - REACH))
    upper = np.minimum(robot.limits.upper, np.maximum(REACH, lower + REACH))
    places = np.random.default_rng(0).uniform(0.0, 1.0, (PLACES, robot.n))
    found = []
    for place in places:
        q = lower + place * (upper - lower)
        rows = rigid_body.mass_matrix(robot.tree, parts, q.tolist())
        found.append(np.array(rows, dtype=float).reshape(robot.n, robot.n))
    return found
