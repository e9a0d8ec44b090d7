# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
What becomes of a goal of FollowJointTrajectory, by joint_trajectory_controller's rules; no ROS.

While the trajectory lasts the path tolerances hold, which the ControllerRunner looks after; past
its end the goal is reached as soon as every joint is within its goal tolerance, of position and of
velocity, and missed when that takes longer than the goal time. In a goal a tolerance of 0 means
the one of the parameters, -1 none. Accelerations are not measured: their tolerances hold always,
as those of joint_trajectory_controller without an acceleration interface.
"""
from __future__ import annotations

from math import isnan
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import expect, number, shown
from robodyn_ros.errors import MessageRefused, UnknownNameError
from robodyn_ros.nodes.common.options import ControllerOptions
from robodyn_ros.nodes.controller.controller_runner import ControllerRunner, PathTolerance
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import Points

(SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, OLD_HEADER_TIMESTAMP, PATH_TOLERANCE_VIOLATED,
 GOAL_TOLERANCE_VIOLATED) = 0, -1, -2, -3, -4, -5
"""Codes of control_msgs/action/FollowJointTrajectory."""
NONE = -1.0
"""A tolerance in a goal that lifts the one of the parameters."""
EPSILON = 2.0 ** -23
"""Of single precision: how near to NONE joint_trajectory_controller asks for."""
GOAL_TIME, STOPPED = 'goal_time', 'stopped_velocity_tolerance'
OF_A_JOINT = ('trajectory', 'goal')


class Outcome(NamedTuple):
    """What became of a goal."""

    code: int
    text: str
    """For a person: which joint, which tolerance, by how much."""


class GoalRefused(MessageRefused):
    """A goal that is not followed, with its code."""

    def __init__(self, code: int, text: str):
        """Keep both."""
        super().__init__(text)
        self.outcome = Outcome(code, text)


class JointTolerance(NamedTuple):
    """As a goal gives it for one joint: 0 means the usual one, -1 none."""

    name: str
    position: float
    velocity: float
    acceleration: float = 0.0


class Tolerances(NamedTuple):
    """Of a trajectory; 0 means any."""

    path: tuple[PathTolerance, ...]
    """While it lasts, one per joint."""
    goal: tuple[PathTolerance, ...]
    """Past its end, one per joint."""
    time: float
    """For which the goal may be missed past the end [s]; 0: for ever."""

    @classmethod
    def of(cls, joints: Sequence[str], options: ControllerOptions) -> 'Tolerances':
        """Return those that the parameters give."""
        limits: Mapping[str, Any] = options.constraints
        for name, value in limits.items():
            if name in (GOAL_TIME, STOPPED):
                number(f'constraints.{name}', value, 'a tolerance, 0 for any', least=0.0)
                continue
            if name not in joints:
                raise UnknownNameError('joint', name, [*joints, GOAL_TIME, STOPPED],
                                       'the parameters constraints')
            for key, distance in expect(Mapping, f'constraints.{name}', value,  # type: ignore
                                        'a group with trajectory, goal or both').items():
                if key not in OF_A_JOINT:
                    raise UnknownNameError('constraint', key, OF_A_JOINT,
                                           f'the parameters constraints.{name}')
                number(f'constraints.{name}.{key}', distance, 'a distance, 0 for any', least=0.0)
        own = [limits.get(joint, {}) for joint in joints]
        return cls(
            tuple(PathTolerance(float(one.get('trajectory', options.path_tolerance)))
                  for one in own),
            tuple(PathTolerance(float(one.get('goal', 0.0)), float(limits.get(STOPPED, 0.01)))
                  for one in own),
            float(limits.get(GOAL_TIME, 0.0)))

    def changed(self, joints: Sequence[str], path: Sequence[JointTolerance],
                goal: Sequence[JointTolerance], seconds: float) -> 'Tolerances':
        """
        Return these with what a goal gives instead; GoalRefused for what cannot be.

        :param seconds: goal_time_tolerance of the goal
        """
        lists = []
        for field, usual, given in (('path_tolerance', self.path, path),
                                    ('goal_tolerance', self.goal, goal)):
            found, named = list(usual), set()
            for one in given:
                if one.name not in joints:
                    raise GoalRefused(INVALID_JOINTS, f'{field} names joint {shown(one.name)}, '
                                      f'which is none of {", ".join(joints)}')
                if one.name in named:
                    raise GoalRefused(INVALID_JOINTS, f'{field} names joint {one.name!r} twice; '
                                      'name each once')
                named.add(one.name)
                k = list(joints).index(one.name)
                chosen = [_chosen(was, value, f'{field} of joint {one.name!r}: {kind}')
                          for was, value, kind in zip((*usual[k], 0.0), one[1:],
                                                      JointTolerance._fields[1:])]
                found[k] = PathTolerance(*chosen[:2])
            lists.append(tuple(found))
        return Tolerances(lists[0], lists[1],
                          _chosen(self.time, seconds, 'goal_time_tolerance'))


def _chosen(usual: float, given: float, what: str) -> float:
    """Return the tolerance that holds: 0 leaves the usual one, -1 lifts it."""
    if isnan(given) or given < 0.0 and abs(given - NONE) >= EPSILON:
        raise GoalRefused(INVALID_GOAL, f'{what} is {given:g}; expected a positive number, 0 for '
                          'the one of the parameters, or -1 for none')
    return usual if given == 0.0 else max(given, 0.0)


class Following:
    """
    A goal under way.

    :param runner: that has taken its trajectory as the last one
    """

    def __init__(self, runner: ControllerRunner, tolerances: Tolerances):
        """Remember which trajectory it is."""
        self.runner, self.tolerances, self.number = runner, tolerances, runner.accepted

    def outcome(self) -> Outcome | None:
        """Return what has become of it by the last state; None while it goes on."""
        runner = self.runner
        if runner.accepted != self.number:
            return Outcome(INVALID_GOAL, 'preempted by another trajectory')
        if runner.broken:
            return Outcome(PATH_TOLERANCE_VIOLATED if runner.off_path else INVALID_GOAL,
                           runner.broken)
        if not self.begun or runner.plan is None or runner.measured is None:
            return None
        late = (runner.measured.now - runner.plan.end) / NANO
        if late < 0.0:
            return None
        missed = self._missed()
        if not missed:
            return Outcome(SUCCESSFUL, 'reached')
        if self.tolerances.time and late > self.tolerances.time:
            return Outcome(GOAL_TOLERANCE_VIOLATED, f'{missed} {late:.3g} s after the end of the '
                           f'trajectory, more than {self.tolerances.time:g} s '
                           '(goal_time_tolerance)')
        return None

    @property
    def begun(self) -> bool:
        """Return whether its trajectory is the one that is followed."""
        return self.runner.led and self.runner.next_plan is None

    def _missed(self) -> str:
        """Return which joint is outside of its goal tolerance, and by how much; or nothing."""
        runner = self.runner
        assert runner.plan is not None and runner.measured is not None
        _, q, v = runner.measured
        wanted = runner.plan.sample(runner.measured.now)
        for k, (joint, unit, room) in enumerate(zip(
                runner.robot.joints, runner.robot.limits.units, self.tolerances.goal)):
            apart, rate = abs(wanted[k] - q[k]), abs(wanted[runner.robot.n + k] - v[k])
            if 0.0 < room.position < apart:
                return (f'joint {joint!r} is {apart:.4g} {unit} from the goal, more than '
                        f'{room.position:g} (goal_tolerance, constraints.{joint}.goal),')
            if 0.0 < room.velocity < rate:
                return (f'joint {joint!r} moves at {rate:.4g} {unit}/s, more than '
                        f'{room.velocity:g} (goal_tolerance, constraints.{STOPPED}),')
        return ''


def checked_goal(runner: ControllerRunner, now: int | None, start: int, names: Sequence[str],
                 times: Sequence[int] | np.ndarray, fields: Mapping[str, Any]) -> Points:
    """
    Check the trajectory of a goal; GoalRefused says what is wrong, with its code.

    :param now: time of the last state [ns]; None before the first
    :param start: stamp of the trajectory [ns], 0 for now
    """
    joints, allowed = set(runner.robot.joints), set(names)
    fit = allowed <= joints if runner.rules.allow_partial else allowed == joints
    fit = fit and bool(names) and len(allowed) == len(names)
    try:
        points = runner.checked(names, times, fields)
    except MessageRefused as error:
        raise GoalRefused(INVALID_GOAL if fit else INVALID_JOINTS, str(error)) from None
    end = start + int(points.times[-1])
    if start and now is not None and end < now:
        raise GoalRefused(OLD_HEADER_TIMESTAMP, f'the trajectory ended {(now - end) / NANO:.3f} s '
                          'ago; send one that is not past, or a stamp of 0 for now')
    return points
