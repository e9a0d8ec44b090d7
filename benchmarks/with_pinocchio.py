# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Pinocchio: aba, constraintDynamics with Baumgarte's terms, abaInParallel for many states.

It evaluates and leaves integration to its user: RK4 in Python around it; many runs side by side,
each stage one call of abaInParallel. Closed chains are its 3-D rigid constraints between two
joints, solved by its proximal algorithm, as in its example of closed loops.
"""
from __future__ import annotations

from typing import Any

from benchmarks.contender import CannotError, Contender, recorded, runge_kutta, side_by_side, Work
from benchmarks.peers import bare_urdf, find, PINOCCHIO, require_joints
import numpy as np
from robodyn_ros import Robot, State

PROXIMAL_SETTINGS = (1e-12, 1e-10, 10)
"""Accuracy, mu and most iterations; mu keeps the idle row of a planar loop solvable."""


class Pinocchio(Contender):
    """One robot in Pinocchio; its joints are in the order of ours."""

    name, package, module = PINOCCHIO, 'pin', PINOCCHIO
    usage = ('aba, constraintDynamics (Baumgarte) one call per state, abaInParallel for many; RK4 '
             'around them in Python')

    def __init__(self, robot: Robot, step: float = 1e-3, kp: float = 0.0, kd: float = 0.0):
        """
        Read the robot's URDF and close its loops.

        :param kp: Baumgarte's gain on the gap [1/s^2]; :param kd: on its rate [1/s]
        """
        self.engine = pin = find(PINOCCHIO)
        self.step = step
        self.model = pin.buildModelFromXML(bare_urdf(robot))
        self.model.gravity.linear = np.array(robot.parameters.gravity)
        self.data = self.model.createData()
        require_joints('Pinocchio', tuple(self.model.names)[1:], robot)
        self.closed = bool(robot.loops)
        if self.closed:
            self.tolerance = 1e-6
            self.run_tolerance = 1e-6
        self.constraints: Any = pin.StdVec_RigidConstraintModel()
        for item in robot.loops:
            a, b = (self.model.frames[self.model.getFrameId(name)]
                    for name in (item.frame_a, item.frame_b))
            one = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, a.parentJoint,
                                           a.placement, b.parentJoint, b.placement, pin.LOCAL)
            one.m_baumgarte_parameters.Kp, one.m_baumgarte_parameters.Kd = kp, kd
            self.constraints.append(one)
        self.works: Any = pin.StdVec_RigidConstraintData()
        for one in self.constraints:
            self.works.append(one.createData())
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.works)
        self.settings = pin.ProximalSettings(*PROXIMAL_SETTINGS)
        self.zero = np.zeros(self.model.nv)

    def acceleration(self, state: State) -> np.ndarray:
        """Acceleration without torque and friction (n,)."""
        return self.engine.aba(self.model, self.data, state.q, state.v, self.zero).copy()

    # --- as every contender -----------------------------------------------------------------

    def rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Acceleration, with the loops if there are any; the array is not used again."""
        if self.closed:
            return self.engine.constraintDynamics(
                self.model, self.data, q, v, self.zero, self.constraints, self.works,
                self.settings).copy()
        return self.engine.aba(self.model, self.data, q, v, self.zero).copy()

    def mass_matrix(self, q: np.ndarray) -> Work:
        """Call crba once per position; it fills the upper triangle."""
        crba, model, data, n = self.engine.crba, self.model, self.data, q.shape[1]
        out, upper = np.empty((len(q), n, n)), np.triu(np.ones((n, n), dtype=bool), 1)

        def work() -> np.ndarray:
            for k in range(len(q)):
                out[k] = crba(model, data, q[k])
            return np.where(upper.T, out.transpose(0, 2, 1), out)
        return work

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Work:
        """Call rneaInParallel once, on one thread."""
        pool = self.engine.ModelPool(self.model, 1)
        columns = [np.asfortranarray(array.T) for array in (q, v, a)]
        return lambda: self.engine.rneaInParallel(1, pool, *columns).T

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Call abaInParallel once, on one thread."""
        if self.closed:
            raise CannotError('asked as constrained')
        side_by_side = self._many(len(q))
        columns = np.asfortranarray(q.T), np.asfortranarray(v.T)
        return lambda: side_by_side(*columns).T

    def forward_singly(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Call aba once per state."""
        def work() -> np.ndarray:
            aba, model, data, zero = self.engine.aba, self.model, self.data, self.zero
            for k, pair in enumerate(pairs):
                out[k] = aba(model, data, *pair, zero)
            return out
        pairs, out = list(zip(q, v)), np.empty_like(q)
        return work

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Call constraintDynamics once per state."""
        pairs, out = list(zip(q, v)), np.empty_like(q)

        def work() -> np.ndarray:
            for k, pair in enumerate(pairs):
                out[k] = self.rate(*pair)
            return out
        return work

    def steps(self, start: State, count: int) -> Work:
        """RK4 in Python."""
        return lambda: runge_kutta(self.rate, start, self.step, count)

    def record(self, start: State, count: int) -> Work:
        """RK4 in Python."""
        return recorded(self.rate, self.step, start, count)

    def rollouts(self, starts: list[State], count: int) -> Work:
        """All runs side by side, each stage one call."""
        if self.closed:
            raise CannotError('abaInParallel has no constraints')
        many = self._many(len(starts))
        first = side_by_side(starts)
        return lambda: runge_kutta(many, first, self.step, count).T

    def recorded_rollouts(self, starts: list[State], count: int) -> Work:
        """Record all runs side by side."""
        many = self._many(len(starts))
        task = recorded(many, self.step, side_by_side(starts), count)
        return lambda: task().transpose(2, 0, 1)

    def _many(self, count: int) -> Any:
        pool = self.engine.ModelPool(self.model, 1)
        zero = np.zeros((self.model.nv, count), order='F')
        return lambda q, v: self.engine.abaInParallel(1, pool, q, v, zero)
