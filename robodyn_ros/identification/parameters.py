# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The numbers that a recording can tell of a robot, by name and in one order.

    ten of each body   mass, moment x y z, tensor xx xy xz yy yz zz about the body frame's origin
    one of each rotor  its inertia times ratio^2, as the joint feels it
    one of each coupled motor, the same
    five of each axis  viscous and Coulomb friction, Stribeck peak, saturating friction, offset

An axis is a joint, or a motor that turns with two of them (mechanics.tree.Coupling), which has no
offset.

The torque is linear in all of them: tau = Y(q, v, a) theta. A body is a moving link with all that
is welded to it; its frame lies on its joint, with the joint's axis along z (mechanics.tree).
"""
from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from robodyn_ros.mechanics.inertia import inertia_from, INERTIAL, ten_of
from robodyn_ros.mechanics.tree import Body, body_rates, Coupling, Friction, Rotor, Tree
from robodyn_ros.robots import geometry
from robodyn_ros.robots.robot import Robot
from robodyn_ros.tracing import Number

TEN = len(INERTIAL)
JOINT = ('viscous', 'coulomb', 'peak', 'saturating', 'offset')
"""Of each axis; peak: by how much the breakaway torque is above Coulomb friction."""
SATURATION = 0.3
"""Part of its largest velocity at which an axis's friction saturates, unless the file tells."""
RATIO = 100.0
"""Of a rotor that the robot's file does not tell: what it does to its carrier hardly counts."""


class ParameterSet(NamedTuple):
    """Which numbers there are for one robot, and where they stand in theta."""

    tree: Tree
    """The robot's, with a rotor for every joint, and coupled motors."""
    names: tuple[str, ...]
    bodies: int
    turns: np.ndarray
    """What turns each axis: its velocity is turns v (axes, n), its efforts are turns^T f."""
    saturation: np.ndarray
    """Velocities at which friction saturates (axes,) [rad/s] or [m/s]."""

    @property
    def size(self) -> int:
        """Return the length of theta."""
        return len(self.names)

    @property
    def rotors(self) -> slice:
        """Places of the rotors."""
        return slice(self.bodies * TEN, self.bodies * TEN + len(self.tree.rotors))

    @property
    def couplings(self) -> slice:
        """Places of the inertias of coupled motors."""
        return slice(self.rotors.stop, self.rotors.stop + len(self.tree.couplings))

    def of_axes(self, name: str) -> slice:
        """Places of one number of JOINT, axis by axis: joints, then coupled motors."""
        axes = len(self.turns)
        start = self.couplings.stop + JOINT.index(name) * axes
        return slice(start, start + axes)

    def of_joints(self, name: str) -> slice:
        """Places of one number of JOINT, joint by joint."""
        start = self.of_axes(name).start
        return slice(start, start + self.turns.shape[1])

    def of_body(self, body: int) -> slice:
        """Places of a body's ten."""
        return slice(body * TEN, (body + 1) * TEN)

    @property
    def positive(self) -> np.ndarray:
        """Tell which numbers outside of bodies cannot be negative."""
        found = np.zeros(self.size, bool)
        for places in (self.rotors, self.couplings, *map(self.of_axes, JOINT[:-1])):
            found[places] = True
        return found


def parameter_set(robot: Robot, couplings: Sequence[Coupling] = ()) -> ParameterSet:
    """
    Return the numbers of a robot; a joint whose rotor the file lacks gets one of ratio 100.

    :param couplings: motors that turn with two joints, beside those of the file
    """
    tree = robot.tree._replace(couplings=(*robot.tree.couplings, *couplings))
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
    coupled = [f'motor of {tree.bodies[one.joint].joint} with {tree.bodies[one.other].joint}'
               for one in tree.couplings]
    names += [f'{motor} inertia' for motor in coupled]
    names += [f'{axis} {name}' for name in JOINT for axis in (*robot.joints, *coupled)]
    turns = turns_of(tree)
    return ParameterSet(tree._replace(rotors=tuple(rotors)), tuple(names), len(tree.bodies),
                        turns, np.array([law.saturation for law in _laws(robot, tree)]))


def with_saturation(chosen: ParameterSet, robot: Robot, v: np.ndarray) -> ParameterSet:
    """Return the same with velocities of saturation that suit a motion v (k, n)."""
    fastest = np.maximum(np.abs(v @ chosen.turns.T).max(axis=0, initial=0.0), 1e-3)
    told = np.array([law.saturating > 0.0 for law in laws_of(chosen, robot)])
    return chosen._replace(saturation=np.where(told, chosen.saturation, SATURATION * fastest))


def turns_of(tree: Tree) -> np.ndarray:
    """Return what turns each axis: the identity, then a row for each coupled motor."""
    rates = np.array([body_rates(tree, row) for row in np.eye(tree.n).tolist()], dtype=float).T
    rows = [rates[one.joint] + one.ratio * rates[one.other] for one in tree.couplings]
    return np.vstack([np.eye(tree.n), *rows])


def with_inertias(chosen: ParameterSet, theta: Sequence[Number]) -> Tree:
    """Return the tree with the bodies and rotors that theta tells (floats or recording)."""
    tree = chosen.tree
    bodies = tuple(
        Body(*body[:-1], inertia_from(theta[k * TEN:(k + 1) * TEN]))  # type: ignore[arg-type]
        for k, body in enumerate(tree.bodies))
    rotors = tuple(rotor._replace(inertia=value * (1.0 / rotor.ratio ** 2))  # type: ignore
                   for rotor, value in zip(tree.rotors, theta[chosen.rotors]))
    couplings = tuple(one._replace(inertia=value)  # type: ignore[arg-type]
                      for one, value in zip(tree.couplings, theta[chosen.couplings]))
    return tree._replace(bodies=bodies, rotors=rotors, couplings=couplings)


def values_of(chosen: ParameterSet, robot: Robot) -> np.ndarray:
    """Return theta as the robot's file has it; offsets are zero."""
    theta = np.zeros(chosen.size)
    for k, body in enumerate(robot.tree.bodies):
        theta[chosen.of_body(k)] = ten_of(body.inertia)
    theta[chosen.rotors] = [rotor.inertia * rotor.ratio ** 2 for rotor in chosen.tree.rotors]
    theta[chosen.couplings] = [one.inertia for one in chosen.tree.couplings]
    laws = laws_of(chosen, robot)
    theta[chosen.of_axes('viscous')] = [law.viscous for law in laws]
    theta[chosen.of_axes('coulomb')] = [law.coulomb for law in laws]
    theta[chosen.of_axes('peak')] = [max(0.0, law.breakaway - law.coulomb) for law in laws]
    theta[chosen.of_axes('saturating')] = [law.saturating for law in laws]
    return theta


def laws_of(chosen: ParameterSet, robot: Robot) -> list[Friction]:
    """Return the friction law of each axis as the robot's file has it."""
    return _laws(robot, chosen.tree)


def _laws(robot: Robot, tree: Tree) -> list[Friction]:
    return [*(robot.tree.friction[k] for k in robot.joint_bodies),
            *(one.friction for one in tree.couplings)]


def friction_of(chosen: ParameterSet, theta: np.ndarray,
                velocity: np.ndarray) -> list[Friction]:
    """
    Return the friction law of each axis.

    :param velocity: breakaway velocities (axes,) [rad/s] or [m/s]
    """
    numbers = [theta[chosen.of_axes(name)] for name in JOINT[:-1]]
    return [Friction(float(d), float(c), float(c + p), float(speed), float(s), float(limit))
            for d, c, p, s, speed, limit in zip(*numbers, velocity, chosen.saturation)]
