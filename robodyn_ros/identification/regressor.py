# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The matrix Y of tau = Y(q, v, a) theta, compiled from an exact derivative.

The power of a virtual motion in which joint j moves by one unit and no other is tau_j:

    tau_j = sum over bodies of force . v_j + moment . omega_j, and the effort of joint j's rotors

Force and moment of a body are recorded as functions of theta (rigid_body.body_wrenches), v_j and
omega_j are the body's velocity in the virtual motion. The derivative by theta is Y; each of a
body's ten numbers occurs in that body's own term only, so the code is about a quarter of what the
derivative of the recursive Newton-Euler equations would be. Entries that are zero for every motion
are not computed.
"""
from __future__ import annotations

from functools import cached_property

import numpy as np

from robodyn_ros.codegen.loops.table import Table
from robodyn_ros.codegen.program import Program
from robodyn_ros.codegen.routines import Kernel
from robodyn_ros.identification.parameters import ParameterSet, with_inertias
from robodyn_ros.mechanics.friction import friction_torque
from robodyn_ros.mechanics.inertia import body_inertias
from robodyn_ros.mechanics.rigid_body import body_wrenches
from robodyn_ros.mechanics.tree import ancestors, Friction, Inertia, joint_efforts, REVOLUTE, Tree
from robodyn_ros.mechanics.vector import add, cross, dot, transpose_times, Vector, ZERO
from robodyn_ros.tracing import Graph, inputs, is_zero, jacobian, Number, Scalar

LANES = 8
"""States side by side."""
BLOCK = 4096
"""States evaluated at a time: outputs stay in the processor's cache."""


class Regressor:
    """Compiled Y of one robot's bodies and rotors, and the columns of joint friction."""

    def __init__(self, chosen: ParameterSet, gravity: tuple[float, float, float]):
        """Keep the parameters; nothing is compiled before the first use."""
        self.chosen, self.gravity = chosen, gravity

    def with_parameters(self, chosen: ParameterSet) -> 'Regressor':
        """Return that of other axes of friction; bodies and rotors are recorded once."""
        found = Regressor(chosen, self.gravity)
        found.__dict__['_recorded'] = self._recorded
        return found

    @cached_property
    def _recorded(self) -> tuple[Program, np.ndarray, np.ndarray]:
        """Return the program, and row and column of each of its outputs."""
        n = self.chosen.tree.n
        graph = Graph()
        q, v, a = (inputs(graph, letter, n) for letter in 'qva')
        theta = inputs(graph, 'theta', self.chosen.rotors.stop)
        tau = _virtual_powers(with_inertias(self.chosen, theta), q, v, a, self.gravity)
        outputs: list[Number] = []
        places: list[tuple[int, int]] = []
        for row, entries in enumerate(jacobian(tau, theta)):
            for column, entry in enumerate(entries):
                if not is_zero(entry):
                    outputs.append(entry)
                    places.append((row, column))
        kernel = Kernel('evaluate', [*q, *v, *a], outputs)
        program = Program(f'the regressor of {n} joints', [kernel], inputs(graph, 'p', 1),
                          Table(3 * n, len(outputs), LANES))
        rows, columns = np.array(places, dtype=int).reshape(-1, 2).T
        return program, rows, columns

    @property
    def program(self) -> Program:
        """Return the program."""
        return self._recorded[0]

    def entries(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """
        Return the entries of Y that are not always zero, of states (k, n).

        :returns: blocks (k / lanes, entries, lanes), the last one padded
        """
        program, rows, _ = self._recorded
        k, lanes = len(q), LANES
        blocks = -(-k // lanes)
        x = np.zeros((blocks * lanes, 3 * q.shape[1]))
        x[:k] = np.concatenate([q, v, a], axis=1)
        x = np.ascontiguousarray(x.reshape(blocks, lanes, -1).transpose(0, 2, 1)).ravel()
        y = np.empty(blocks * len(rows) * lanes)
        program.functions()['table'](blocks, x, np.zeros(program.prepared_size * lanes), y)
        return y.reshape(blocks, len(rows), lanes)

    def __call__(self, q: np.ndarray, v: np.ndarray, a: np.ndarray,
                 velocity: np.ndarray) -> np.ndarray:
        """
        Return Y (k, n, size of theta) of states (k, n).

        :param velocity: breakaway velocities (axes,), which shape the friction [rad/s] or [m/s]
        """
        _, rows, columns = self._recorded
        k, n = q.shape
        y = np.zeros((k, n, self.chosen.size))
        for start in range(0, k, BLOCK):
            part = slice(start, min(k, start + BLOCK))
            found = self.entries(q[part], v[part], a[part])
            found = found.transpose(0, 2, 1).reshape(-1, len(rows))
            y[part, rows, columns] = found[:part.stop - start]
        chosen, speeds = self.chosen, v @ self.chosen.turns.T
        shapes = friction_shapes(speeds, velocity)
        for name, values in (('viscous', speeds), ('coulomb', shapes[..., 0]),
                             ('peak', shapes[..., 1]),
                             ('saturating', np.tanh(speeds / chosen.saturation))):
            y[:, :, chosen.of_axes(name)] = on_joints(chosen, values)
        # the same code with and without coupled motors: theirs are two products each
        y[:, :, chosen.couplings] = on_joints(chosen, a @ chosen.turns.T)[:, :, n:]
        own = np.arange(n)
        y[:, own, own + chosen.of_joints('offset').start] = 1.0
        return y


def on_joints(chosen: ParameterSet, values: np.ndarray) -> np.ndarray:
    """Return what efforts (k, axes) along each axis are along the joints (k, n, axes)."""
    return values[:, None, :] * chosen.turns.T


def _virtual_powers(tree: Tree, q: list[Scalar], v: list[Scalar], a: list[Scalar],
                    gravity: Vector) -> list[Number]:
    """Torques tau (n,) as powers of virtual motions."""
    inertias = body_inertias(tree, Inertia())
    poses, forces, moments, rotors = body_wrenches(tree, inertias, q, v, a, gravity)
    tau: list[Number] = list(rotors)
    for joint, body in enumerate(tree.bodies):
        revolute = body.kind == REVOLUTE
        axis: Vector = (0.0, 0.0, 1.0)
        moving: dict[int, tuple[Vector, Vector]] = {
            joint: (ZERO, axis) if revolute else (axis, ZERO)}
        for index in range(joint, len(tree.bodies)):
            if joint not in ancestors(tree, index):
                continue
            if index != joint:  # carry the velocity on to the child, into its frame
                linear, angular = moving[tree.bodies[index].parent]
                pose = poses[index]
                moving[index] = (
                    transpose_times(pose.rotation, add(linear, cross(angular, pose.position))),
                    transpose_times(pose.rotation, angular))
            linear, angular = moving[index]
            tau[joint] = tau[joint] + (dot(forces[index], linear) + dot(moments[index], angular))
    return joint_efforts(tree, tau)


def friction_shapes(v: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """
    Torques of unit Coulomb friction and of a unit Stribeck peak (k, n, 2).

    :param v: (k, n); :param velocity: breakaway velocities (n,)
    """
    x = np.stack(np.broadcast_arrays(v, velocity), axis=-1).reshape(-1, 2)
    program = _friction_program()
    return program.evaluate('evaluate', x, program.prepared([0.0])).reshape(*v.shape, 2)


def _friction_program() -> Program:
    graph = Graph()
    v, velocity = inputs(graph, 'x', 2)
    outputs = [friction_torque(law._replace(velocity=velocity), v)  # type: ignore[arg-type]
               for law in (Friction(coulomb=1.0, breakaway=1.0), Friction(breakaway=1.0))]
    return Program('friction', [Kernel('evaluate', [v, velocity], outputs)],
                   inputs(graph, 'p', 1))
