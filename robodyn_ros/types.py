# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What travels between rooms: states, motions and control laws, with shapes and units."""
# flake8: noqa: A005  nobody takes robodyn_ros.types for the standard library's types
from __future__ import annotations

from types import MappingProxyType
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.tracing import Number


class State(NamedTuple):
    """One state of a plant; q, v in the order of robot.joints."""

    t: float
    """[s]"""
    q: np.ndarray
    """(n,) [rad] or [m]"""
    v: np.ndarray
    """(n,) [rad/s] or [m/s]"""


class Rollout(NamedTuple):
    """A recorded motion of k samples, n joints, m constraint rows; the first is the start."""

    t: np.ndarray
    """(k,) [s]"""
    q: np.ndarray
    """(k, n) [rad] or [m]"""
    v: np.ndarray
    """(k, n) [rad/s] or [m/s]"""
    tau: np.ndarray
    """Applied torque, held until the next control instant (k, n) [N m] or [N]."""
    a: np.ndarray
    """(k, n) [rad/s^2] or [m/s^2]"""
    constraint_force: np.ndarray
    """Qc, the force that keeps the rows (k, n) [N m] or [N]."""
    multipliers: np.ndarray
    """(k, m), Qc = A^T multipliers for ideal rows [N] or [N m]."""
    phi: np.ndarray
    """Position error of the rows (k, m) [m] or [rad]."""
    phi_rate: np.ndarray
    """Velocity error of the rows (k, m) [m/s] or [rad/s]."""
    memory: np.ndarray = np.zeros((0, 0))
    """What the control law keeps, after each sample's control instant (k, memory)."""

    @property
    def violation(self) -> np.ndarray:
        """Largest |phi| over the rows at each sample (k,)."""
        return np.abs(self.phi).max(axis=1) if self.phi.shape[1] else np.zeros(len(self.t))

    @property
    def end(self) -> State:
        """Last state."""
        return State(float(self.t[-1]), self.q[-1].copy(), self.v[-1].copy())


class Schedule(NamedTuple):
    """
    Numbers that a law reads beside q, v and a, made once for a whole trajectory: gains along it.

    They follow q, v and a in the reference; between the knots they lie on lines, beyond the ends
    they stay.
    """

    width: int
    """Numbers per instant."""
    spacing: float
    """Time between knots [s]; longer for trajectories of very many."""
    rows: Callable[['Trajectory'], np.ndarray]
    """Numbers (k, width) of a motion at its knots; at the last one it has come to its end."""


class Control(NamedTuple):
    """
    A control law: Control(law, reference_size, parameters), for a plant's loop and for the node.

    law(t, q, v, reference, parameters) is called once, with recording scalars, and returns the
    torques, one per joint [N m] or [N]; write it with + - * / and the functions of
    robodyn_ros.tracing (sin, sqrt, where, clip, ...), not with if or math. Its arguments:

    - t: time since the motion began [s]
    - q, v: measured positions and velocities, n each, in the order of robot.joints
    - reference: reference_size numbers per control instant. 3 n of them are the desired q, v and a
      of the trajectory in force, one after another; 0: the law follows no trajectory
    - parameters: run-time parameters by name, which may change while it runs

        def law(t, q, v, reference, parameters):
            return [parameters['kp'] * (d - x) - parameters['kd'] * w
                    for d, x, w in zip(reference, q, v)]

        Control(law, 3 * robot.n, {'kp': 100.0, 'kd': 20.0})

    A law that remembers (integral action, adaptation, observers, filters) says with which numbers
    its memory starts, takes the memory as its last argument and returns, beside the torques, the
    memory of the next control instant; Python variables would be recorded once and then frozen:

        def law(t, q, v, reference, parameters, memory):
            error = [d - x for d, x in zip(reference, q)]
            total = [z + e * PERIOD for z, e in zip(memory, error)]
            return [parameters['ki'] * z for z in total], total

        Control(law, 3 * robot.n, {'ki': 5.0}, memory=(0.0,) * robot.n)
    """

    law: Callable[..., Any]
    """law(t, q, v, reference, parameters) -> tau (n), on scalars; with memory: see above."""
    reference_size: int
    """Numbers per control instant in the reference array."""
    parameters: Mapping[str, float]
    """Run-time parameters by name; the plant calls them 'controller.NAME'."""
    delay: int = 0
    """Control instants between measuring and the torque's arrival."""
    noisy: bool = False
    """Each row of the reference array ends with 2 n errors of the state that the law sees."""
    memory: Sequence[float] = ()
    """Numbers with which the law's memory starts; it moves on once per control instant."""
    told: Mapping[str, int] = MappingProxyType({})
    """
    Joint values in the memory that the node publishes, by topic, such as 'external_torque': the
    place of the first of n numbers.
    """
    schedule: Schedule | None = None
    """Numbers of a whole trajectory, which follow q, v and a in the reference."""


class Trajectory(NamedTuple):
    """
    A motion that is wanted, at k instants: of n joints, or of the n coordinates of a path.

    Trajectories of users may return anything with these four fields in this order.
    """

    t: np.ndarray
    """(k,) [s]"""
    q: np.ndarray
    """(k, n) [rad] or [m]"""
    v: np.ndarray
    """(k, n) [rad/s] or [m/s]"""
    a: np.ndarray
    """(k, n) [rad/s^2] or [m/s^2]"""

    def rows(self) -> np.ndarray:
        """q, v, a side by side (k, 3 n), as compiled control laws read them."""
        return np.concatenate([self.q, self.v, self.a], axis=1)


Reference = Trajectory
"""The name of the class where a controller follows it."""
