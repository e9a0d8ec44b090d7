# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The numbers that a recording can tell of a robot, by name and in one order.

    ten of each body   mass, moment x y z, tensor xx xy xz yy yz zz about the body frame's origin
    one of each rotor  its inertia times ratio^2, as the joint feels it
    four of each joint viscous and Coulomb friction, Stribeck peak, offset

The torque is linear in all of them: tau = Y(q, v, a) theta. A body is a moving link with all that
is welded to it; its frame lies on its joint, with the joint's axis along z (mechanics.tree).
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from robodyn_ros.mechanics.tree import Body, Friction, Inertia, Rotor, Tree
from robodyn_ros.robots import geometry
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import Number

INERTIAL = ('mass', 'mx', 'my', 'mz', 'Ixx', 'Ixy', 'Ixz', 'Iyy', 'Iyz', 'Izz')
"""Of each body [kg], [kg m], [kg m^2]."""
TEN = len(INERTIAL)
JOINT = ('viscous', 'coulomb', 'peak', 'offset')
"""Of each joint; peak: by how much the breakaway torque is above Coulomb friction."""
RATIO = 100.0
"""Of a rotor that the robot's file does not tell: what it does to its carrier hardly counts."""


class ParameterSet(NamedTuple):
    """Which numbers there are for one robot, and where they stand in theta."""

    tree: Tree
    """The robot's, with a rotor for every joint."""
    names: tuple[str, ...]
    bodies: int
    joints: int

    @property
    def size(self) -> int:
        """Return the length of theta."""
        return len(self.names)

    @property
    def rotors(self) -> slice:
        """Places of the rotors."""
        return slice(self.bodies * TEN, self.bodies * TEN + len(self.tree.rotors))

    def of_joints(self, name: str) -> slice:
        """Places of one number of JOINT, joint by joint."""
        start = self.rotors.stop + JOINT.index(name) * self.joints
        return slice(start, start + self.joints)

    def of_body(self, body: int) -> slice:
        """Places of a body's ten."""
        return slice(body * TEN, (body + 1) * TEN)

    @property
    def positive(self) -> np.ndarray:
        """Tell which numbers outside of bodies cannot be negative."""
        found = np.zeros(self.size, bool)
        for places in (self.rotors, self.of_joints('viscous'), self.of_joints('coulomb'),
                       self.of_joints('peak')):
            found[places] = True
        return found


def parameter_set(robot: Robot) -> ParameterSet:
    """Return the numbers of a robot; a joint whose rotor the file lacks gets one of ratio 100."""
    tree = robot.tree
    known = {rotor.joint for rotor in tree.rotors}
    rotors = list(tree.rotors)
    for k, body in enumerate(tree.bodies):
        moved = not tree.drives or (tree.drives[k].joint >= 0 and k in robot.joint_bodies)
        if k not in known and moved and body.joint not in robot.passive:
            axis = geometry.as_vector(np.array(body.rotation, dtype=float)[:, 2])
            rotors.append(Rotor(k, body.parent, axis, 0.0, RATIO))
    rotors.sort(key=lambda rotor: rotor.joint)
    names = [f'{body.joint} {name}' for body in tree.bodies for name in INERTIAL]
    counts: dict[int, int] = {}
    for rotor in rotors:
        counts[rotor.joint] = counts.get(rotor.joint, 0) + 1
        more = f' {counts[rotor.joint]}' if counts[rotor.joint] > 1 else ''
        names.append(f'{tree.bodies[rotor.joint].joint} rotor{more}')
    names += [f'{joint} {name}' for name in JOINT for joint in robot.joints]
    return ParameterSet(tree._replace(rotors=tuple(rotors)), tuple(names), len(tree.bodies),
                        robot.n)


def inertia_from(ten: Sequence[Number]) -> Inertia:
    """Return a body's inertia from its ten numbers."""
    mass, x, y, z, xx, xy, xz, yy, yz, zz = ten
    return Inertia(mass, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def ten_of(inertia: Inertia) -> list[float]:
    """Return the ten numbers of an inertia."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    return [float(x) for x in (inertia.mass, *inertia.moment,  # type: ignore[arg-type]
                               xx, xy, xz, yy, yz, zz)]


def with_inertias(chosen: ParameterSet, theta: Sequence[Number]) -> Tree:
    """Return the tree with the bodies and rotors that theta tells (floats or recording)."""
    tree = chosen.tree
    bodies = tuple(
        Body(*body[:-1], inertia_from(theta[k * TEN:(k + 1) * TEN]))  # type: ignore[arg-type]
        for k, body in enumerate(tree.bodies))
    rotors = tuple(rotor._replace(inertia=value * (1.0 / rotor.ratio ** 2))  # type: ignore
                   for rotor, value in zip(tree.rotors, theta[chosen.rotors]))
    return tree._replace(bodies=bodies, rotors=rotors)


def values_of(chosen: ParameterSet, robot: Robot) -> np.ndarray:
    """Return theta as the robot's file has it; offsets are zero."""
    theta = np.zeros(chosen.size)
    for k, body in enumerate(robot.tree.bodies):
        theta[chosen.of_body(k)] = ten_of(body.inertia)
    theta[chosen.rotors] = [rotor.inertia * rotor.ratio ** 2 for rotor in chosen.tree.rotors]
    laws = [robot.tree.friction[k] for k in robot.joint_bodies]
    theta[chosen.of_joints('viscous')] = [law.viscous for law in laws]
    theta[chosen.of_joints('coulomb')] = [law.coulomb for law in laws]
    theta[chosen.of_joints('peak')] = [max(0.0, law.breakaway - law.coulomb) for law in laws]
    return theta


def friction_of(chosen: ParameterSet, theta: np.ndarray,
                velocity: np.ndarray) -> list[Friction]:
    """
    Return the friction law of each joint.

    :param velocity: breakaway velocities (n,) [rad/s] or [m/s]
    """
    viscous, coulomb, peak = (theta[chosen.of_joints(name)] for name in JOINT[:3])
    return [Friction(float(d), float(c), float(c + p), float(speed))
            for d, c, p, speed in zip(viscous, coulomb, peak, velocity)]
