# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
PyBullet: calculateMassMatrix, calculateInverseDynamics, stepSimulation.

It has no forward dynamics, so accelerations are a solve with its two functions; its only
integrator is semi-implicit Euler, one evaluation a step. Loops are point-to-point constraints of
its contact solver.
"""
from __future__ import annotations

import os
import re
import tempfile
from typing import Any

from benchmarks.contender import CannotError, Contender, Work
from benchmarks.peers import bare_urdf, find, require_joints
import numpy as np
from robodyn_ros import Robot, State

FIXED_JOINT = 4
DEFAULT_ERP = 0.2
"""Share of a constraint's gap that it closes in a step, if it is not told [-]."""

MASSLESS = ('<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
            '</inertial>')


def in_its_dialect(text: str) -> str:
    """
    Say of links without inertia that they have none, and of joints that they have no stops.

    PyBullet would give such links 1 kg, and it takes a lower stop above the upper one for none.
    """
    text = re.sub(r'lower="[^"]*" upper="[^"]*"', 'lower="1" upper="-1"', text)
    text = re.sub(r'<link name="([^"]*)"\s*/>', rf'<link name="\1">{MASSLESS}</link>', text)
    return re.sub(r'<link name="([^"]*)">\s*</link>', rf'<link name="\1">{MASSLESS}</link>', text)


class PyBullet(Contender):
    """One robot in PyBullet, without a window."""

    name, package, module = 'pybullet', 'pybullet', 'pybullet'
    integrator = 'semi-implicit Euler'
    run_tolerance = 1e-1
    usage = ('DIRECT mode, one stepSimulation per step (semi-implicit Euler); accelerations by '
             'calculateMassMatrix, calculateInverseDynamics and numpy.linalg.solve')

    def __init__(self, robot: Robot, step: float):
        """Read the robot's URDF from a file, take away motors and damping, close its loops."""
        self.engine = engine = find('pybullet')
        self.client = engine.connect(engine.DIRECT)
        self.only: dict[str, Any] = {'physicsClientId': self.client}
        with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
            path = os.path.join(folder, 'robot.urdf')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(in_its_dialect(bare_urdf(robot)))
            self.body = engine.loadURDF(path, useFixedBase=True, **self.only,
                                        flags=engine.URDF_USE_INERTIA_FROM_FILE)
        engine.setGravity(*robot.parameters.gravity, **self.only)
        engine.setTimeStep(step, **self.only)
        facts = [engine.getJointInfo(self.body, k, **self.only)
                 for k in range(engine.getNumJoints(self.body, **self.only))]
        self.joints = [item[0] for item in facts if item[2] != FIXED_JOINT]
        names = tuple(item[1].decode() for item in facts if item[2] != FIXED_JOINT)
        require_joints('PyBullet', names, robot)
        for k in range(-1, len(facts)):
            engine.changeDynamics(self.body, k, linearDamping=0.0, angularDamping=0.0,
                                  jointDamping=0.0, maxJointVelocity=1e6, **self.only)
            engine.setCollisionFilterGroupMask(self.body, k, 0, 0, **self.only)
        engine.setJointMotorControlArray(self.body, self.joints, engine.VELOCITY_CONTROL,
                                         forces=[0.0] * len(self.joints), **self.only)
        links = {item[12].decode(): item[0] for item in facts}
        self.links = links
        for a, b in ((links[item.frame_a], links[item.frame_b]) for item in robot.loops):
            number = engine.createConstraint(self.body, a, self.body, b, engine.JOINT_POINT2POINT,
                                             [0, 0, 0], [0, 0, 0], [0, 0, 0], **self.only)
            engine.changeConstraint(number, maxForce=1e9, **self.only)

    def set_error_reduction(self, erp: float | None) -> None:
        """Close a larger share of each gap per step, with enough iterations; None: as it is."""
        if erp is not None:
            options: dict[str, Any] = {'erp': erp, 'numSolverIterations': 200}
            self.engine.setPhysicsEngineParameter(**options, **self.only)

    def hold(self, link: str) -> tuple[int, tuple[float, ...]]:
        """Fix a link to the world where it is; returns the constraint and its orientation."""
        engine, number = self.engine, self.links[link]
        place = engine.getLinkState(self.body, number, computeForwardKinematics=1, **self.only)
        return engine.createConstraint(
            self.body, number, -1, -1, engine.JOINT_FIXED, [0, 0, 0], [0, 0, 0], place[4],
            [0, 0, 0, 1], place[5], **self.only), place[5]

    def mass_matrix(self, q: np.ndarray) -> Work:
        """Call calculateMassMatrix once per position."""
        engine, body, only, n = self.engine, self.body, self.only, q.shape[1]
        positions, out = q.tolist(), np.empty((len(q), n, n))

        def work() -> np.ndarray:
            for k, position in enumerate(positions):
                out[k] = engine.calculateMassMatrix(body, position, **only)
            return out
        return work

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Work:
        """Call calculateInverseDynamics once per motion."""
        engine, body, only = self.engine, self.body, self.only
        motions, out = list(zip(q.tolist(), v.tolist(), a.tolist())), np.empty_like(q)

        def work() -> np.ndarray:
            for k, motion in enumerate(motions):
                out[k] = engine.calculateInverseDynamics(body, *motion, **only)
            return out
        return work

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Solve with its mass matrix and bias, one state at a time."""
        engine, body, only = self.engine, self.body, self.only
        pairs, zero = list(zip(q.tolist(), v.tolist())), [0.0] * q.shape[1]
        out = np.empty_like(q)

        def work() -> np.ndarray:
            mass, bias = engine.calculateMassMatrix, engine.calculateInverseDynamics
            for k, (position, velocity) in enumerate(pairs):
                h = bias(body, position, velocity, zero, **only)
                M = mass(body, position, **only)
                out[k] = np.linalg.solve(M, np.negative(h))
            return out
        return work

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Not offered."""
        raise CannotError('loops only inside stepSimulation, no acceleration')

    def place(self, start: State) -> None:
        """Put the robot into a state."""
        for joint, position, velocity in zip(self.joints, start.q, start.v):
            self.engine.resetJointState(self.body, joint, position, velocity, **self.only)

    def state(self) -> np.ndarray:
        """Positions and velocities of the joints (2 n,)."""
        states = self.engine.getJointStates(self.body, self.joints, **self.only)
        return np.array([s[0] for s in states] + [s[1] for s in states])

    def steps(self, start: State, count: int) -> Work:
        """One call per step: there is none for many."""
        engine, only = self.engine, self.only

        def work() -> np.ndarray:
            self.place(start)
            for _ in range(count):
                engine.stepSimulation(**only)
            return self.state()
        return work

    def steps_singly(self, start: State, count: int) -> Work:
        """Look at the joints after each step."""
        def work() -> np.ndarray:
            self.place(start)
            for _ in range(count):
                self.engine.stepSimulation(**self.only)
                state = self.state()
            return state
        return work

    def record(self, start: State, count: int) -> Work:
        """Ask for the joints' states after every step."""
        engine, only, n = self.engine, self.only, len(self.joints)

        def work() -> np.ndarray:
            self.place(start)
            path = np.empty((count, n))
            for k in range(count):
                engine.stepSimulation(**only)
                states = engine.getJointStates(self.body, self.joints, **only)
                path[k] = [s[0] for s in states]
            return path
        return work
