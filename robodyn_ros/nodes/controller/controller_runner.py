# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The controller behind the controller node: from a measured state to a torque; no ROS.

The law is the same compiled code as in simulate(). It has no state but the trajectory in force, so
answering a repeated state gives the same torque.
"""
from __future__ import annotations

from math import isfinite
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.errors import MessageRefused
from robodyn_ros.plant.control_law import CompiledLaw
from robodyn_ros.robots.robot import Robot
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import checked_points, JointPlan, Points
from robodyn_ros.types import Control


class Answer(NamedTuple):
    """What the controller says to a state."""

    tau: np.ndarray
    """(n,) [N m] or [N]"""
    desired: np.ndarray
    """Desired q, v, a side by side (3 n,)."""
    measured: np.ndarray
    """Positions of the state (n,) [rad] or [m]."""

    @property
    def error(self) -> np.ndarray:
        """Return desired minus measured positions (n,) [rad] or [m]."""
        return self.desired[:len(self.measured)] - self.measured


class ControllerRunner:
    """Follows the trajectory in force with a control law."""

    def __init__(self, robot: Robot, control: Control, allow_moving_end: bool = False):
        """Trace the law; it is compiled on first use."""
        self.robot, self.control, self.allow_moving_end = robot, control, allow_moving_end
        self._law = CompiledLaw(robot.name, robot.n, control)
        self._values: dict[str, float] = {}
        self.plan: JointPlan | None = None
        self.next_plan: JointPlan | None = None
        self.stopped = False
        self._received: JointPlan | None = None
        self._seen: int | None = None  # stamp of the last state answered
        self._unstamped = False  # a trajectory that starts with the first state

    def change(self, parameters: Mapping[str, float]) -> Callable[[], None]:
        """Check new gains or model parameters; returns what applies them."""
        values = {**self._values, **parameters}
        prepared = self._law.prepared(values)

        def apply() -> None:
            self._values = values
            self._law.use(prepared)

        return apply

    def accept(self, start: int, names: Sequence[str], times: Sequence[int],
               fields: Mapping[str, Any], now: int | None) -> str:
        """
        Take a trajectory; it replaces the one in force when it starts.

        :param start: its stamp [ns], 0 for now
        :param now: time of the last state [ns], None before the first
        :returns: a sentence for the log, or nothing for one that was sent again to newcomers
        """
        points = checked_points(self.robot.joints, names, times, fields, self.allow_moving_end)
        if start and self._received is not None and self._received.same(start, points):
            return ''
        begin = start or (0 if now is None else now)
        if now is not None and start and start + int(points.times[-1]) < now:
            ago = (now - start - points.times[-1]) / NANO
            raise MessageRefused(f'the trajectory ended {ago:.3f} s ago; send one that is not '
                                 'past')
        plan = JointPlan(begin, points)
        plan_now = now is None or begin <= now or self.plan is None
        if plan_now:
            self.plan, self.next_plan = plan, None
        else:
            self.next_plan = plan
        self._received = plan
        self._unstamped = not start and now is None
        self.stopped = False
        return (f'trajectory of {len(points.times)} points, {points.times[-1] / NANO:.3f} s, '
                f'starts at {begin / NANO:.3f} s')

    def stop(self) -> None:
        """Hold where the next state finds the arm."""
        self.plan = self.next_plan = None
        self.stopped = True

    @property
    def doing(self) -> str:
        """Return what goes on, in a word or two."""
        if self.plan is None:
            return 'stopped' if self.stopped else 'no trajectory'
        if self.stopped:
            return 'stopped: holding'
        if self._seen is not None and self._seen < self.plan.start:
            return 'waiting for the start'
        ended = self._seen is not None and self._seen > self.plan.end
        if ended and self.control.reference_size:
            return 'holding at the end of the trajectory'
        return 'following'

    def answer(self, now: int, q: np.ndarray, v: np.ndarray) -> Answer | None:
        """
        Torque for a state; None while there is nothing to follow yet.

        :param now: the state's stamp [ns]
        """
        size = self.control.reference_size
        again, self._seen = now == self._seen, now
        if self.plan is not None and self._unstamped:
            self.plan.start, self._unstamped = now, False
        if self.next_plan is not None and self.next_plan.start <= now:
            self.plan, self.next_plan = self.next_plan, None
        if self.plan is None:
            if not self.stopped or not size:
                return None
            self.hold_at(now, q)
        elif now < self.plan.start:
            if not again or not size:
                return None
            # a plant in lockstep asks again and would wait for ever: hold until the start
            self.next_plan = self.next_plan or self.plan
            self.hold_at(now, q)
        assert self.plan is not None
        desired = self.plan.sample(now)
        tau = self._law((now - self.plan.start) / NANO, q, v, desired)
        if not isfinite(sum(tau.tolist())) and not np.isfinite(tau).all():
            raise MessageRefused(f'the control law gave {tau.tolist()} at t = {now / NANO:.6f} s; '
                                 'no command is sent')
        return Answer(tau, desired, q)

    def hold_at(self, now: int, q: np.ndarray) -> None:
        """Make the present position the plan."""
        not_given = np.zeros((0, self.robot.n))
        self.plan = JointPlan(now, Points(np.zeros(1, dtype=np.int64), np.array([q]), not_given,
                                          not_given))
