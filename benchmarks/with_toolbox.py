# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Robotics Toolbox for Python (Corke): DHRobot, accel, inertia, rne.

It reads URDF into a Robot, whose dynamics are in Python and a hundred times slower than those of
its DHRobot, which has inverse dynamics in C. So it is given a DHRobot, our links converted to the
convention of Denavit and Hartenberg. Many states are one call, its documented trajectory form; RK4
is in Python around accel (its own fdyn is SciPy's RK45 around the same function). It has no closed
chains. Where the first joint is prismatic and gravity not along it, its C (1.5.0) gives other
torques than its Python and we do; no robot measured is of that kind.
"""
from __future__ import annotations

from typing import Any, Callable, ClassVar

from benchmarks.contender import CannotError, Contender, recorded, runge_kutta, side_by_side, Work
from benchmarks.denavit_hartenberg import denavit_hartenberg
from benchmarks.peers import find
import numpy as np
from robodyn_ros import Robot, State
from robodyn_ros.mechanics.tree import REVOLUTE


class Toolbox(Contender):
    """One serial robot in the Robotics Toolbox; of one with loops it can do nothing."""

    name, package, module = 'roboticstoolbox', 'roboticstoolbox-python', 'roboticstoolbox'
    fewer_rollouts: ClassVar[int] = 20
    usage = ('DHRobot from the same URDF (its inverse dynamics in C); accel(q, qd, torque), RK4 '
             'around it in Python; no closed chains')

    def __init__(self, robot: Robot, step: float):
        """Convert the robot's links."""
        self.step = step
        self.zero = np.zeros(robot.n)
        self.robot: Any = None if robot.loops else _converted(robot)

    def _rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.robot.accel(q, v, self.zero)

    def mass_matrix(self, q: np.ndarray) -> Work:
        """All positions in one call."""
        inertia, shape = self._open().inertia, (*q.shape, q.shape[1])
        return lambda: inertia(q).reshape(shape)  # it drops the first axis of a single one

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Work:
        """All motions in one call, of which the loop is in C."""
        rne = self._open().rne
        return lambda: rne(q, v, a).reshape(q.shape)

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """All states in one call."""
        accel, zero = self._open().accel, np.zeros_like(q)
        return lambda: accel(q, v, zero).reshape(q.shape)

    def forward_singly(self, q: np.ndarray, v: np.ndarray) -> Work:
        """One call per state."""
        self._open()
        return lambda: np.array([self._rate(*pair) for pair in zip(q, v)])

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Not offered."""
        raise CannotError('no closed chains')

    def steps(self, start: State, count: int) -> Work:
        """RK4 in Python."""
        self._open()
        return lambda: runge_kutta(self._rate, start, self.step, count)

    def record(self, start: State, count: int) -> Work:
        """RK4 in Python."""
        self._open()
        return recorded(self._rate, self.step, start, count)

    def rollouts(self, starts: list[State], count: int) -> Work:
        """All runs side by side, each stage one call."""
        many, first = self._many(len(starts)), side_by_side(starts)
        return lambda: runge_kutta(many, first, self.step, count).T

    def recorded_rollouts(self, starts: list[State], count: int) -> Work:
        """All runs side by side, each stage one call."""
        work = recorded(self._many(len(starts)), self.step, side_by_side(starts), count)
        return lambda: work().transpose(2, 0, 1)

    def _many(self, count: int) -> Callable[..., np.ndarray]:
        """Return the acceleration of many states at once, all (n, count)."""
        accel, zero = self._open().accel, np.zeros((count, len(self.zero)))
        return lambda q, v: accel(q.T, v.T, zero).reshape(zero.shape).T

    def _open(self) -> Any:
        if self.robot is None:
            raise CannotError('no closed chains')
        return self.robot


def _converted(robot: Robot) -> Any:
    """Return a DHRobot with our masses; links have no motor and no friction unless given."""
    engine, chain = find('roboticstoolbox'), denavit_hartenberg(robot)
    links = []
    for link in chain.links:
        common = {'a': link.a, 'alpha': link.alpha, 'm': link.mass, 'r': link.centre,
                  'I': link.tensor}
        if link.kind == REVOLUTE:
            links.append(engine.RevoluteDH(d=link.d, offset=link.theta, **common))
        else:
            links.append(engine.PrismaticDH(theta=link.theta, offset=link.d, **common))
    # gravity is of the world; it turns it by the base itself
    return engine.DHRobot(links, gravity=np.array(robot.parameters.gravity), base=chain.base)
