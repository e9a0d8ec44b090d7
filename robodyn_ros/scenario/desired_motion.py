# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The motion a scenario asks for: a path of a frame in space, or a motion of the joints.

Built once per run from the section `trajectory`; the task, the reference and the positions that
are wanted all come from it.
"""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.ready_made import follow
from robodyn_ros.errors import ScenarioError, UnknownNameError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.plant.inverse_kinematics import joint_motion
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.robots.robot import check_limits, Robot
from robodyn_ros.scenario.loading import periods_in
from robodyn_ros.scenario.schema import TrajectorySettings
from robodyn_ros.scenario.settings import settings_from
from robodyn_ros.scenario.user_code import call_object, import_object, is_import_path
from robodyn_ros.tracing import Number
from robodyn_ros.trajectories.joint_space import JointSine, JointWaypoints, Table
from robodyn_ros.trajectories.paths import Helix, sample, SineLine
from robodyn_ros.trajectories.via_points import ViaPoints
from robodyn_ros.types import Trajectory

PATHS = {'helix': Helix, 'line': SineLine, 'via_points': ViaPoints}
JOINT_MOTIONS = {'joint_sine': JointSine, 'joint_waypoints': JointWaypoints, 'table': Table}


class DesiredMotion:
    """What the section `trajectory` asks for; motion is None where its kind is 'none'."""

    def __init__(self, settings: TrajectorySettings, folder: str = ''):
        """
        Build the path or joint motion, and the task.

        :param folder: where a user's own module may lie, see Scenario.folder
        """
        self.settings = settings
        self.motion = _motion_of(settings, folder)
        """A path in space, called with t, or a joint motion, with sample(times)."""
        self.in_space = self.motion is not None and not hasattr(self.motion, 'sample')
        self.task: list[Constraint] = []
        """Constraints that hold the frame on the path; empty for joint motions."""
        if self.in_space:
            self.task.append(follow(settings.frame, self.motion, settings.axes, 'path'))
            self.task += [follow(settings.frame, Constant(float(value)), axis, f'hold_{axis}')
                          for axis, value in settings.hold.items()]

    def reference(self, robot: Robot, duration: float, period: float,
                  model: Parameters | None = None) -> Trajectory | None:
        """
        Sample the joint motion at every control instant; None where none is wanted.

        :param model: what the efforts are judged with, the robot file's own by default
        """
        settings = self.settings
        if self.motion is None:
            return None
        count = periods_in(duration, period)
        if self.in_space:
            chosen = settings.inverse_kinematics
            start = np.array(chosen.start or (0.0,) * robot.n)
            reference = joint_motion(
                robot, self.task, start, count * period, step=period, kp=chosen.kp, kd=chosen.kd,
                integrator=chosen.integrator, through_singularities=chosen.through_singularities)
        else:
            reference = Trajectory(*self.motion.sample(np.arange(count + 1) * period))
            if isinstance(self.motion, Table):
                order = places_of(robot.joints, self.motion.read()[0], self.motion.path,
                                  error=ScenarioError, remedy='give one column per joint')
                reference = Trajectory(reference.t, *(x[:, order] for x in reference[1:]))
            if reference.q.shape[1] != robot.n:
                raise ScenarioError(f'the trajectory {settings.kind!r} moves '
                                    f'{reference.q.shape[1]} joints; {robot.name} has {robot.n} '
                                    f'({", ".join(robot.joints)})')
        if not settings.ignore_limits:
            check_limits(robot, reference, model)
        return reference

    def positions(self, robot: Robot, frame: str, reference: Trajectory) -> np.ndarray:
        """Return where a frame should be (k, 3), on the path itself if that is in space [m]."""
        points = robot.positions(frame, reference.q)
        if self.in_space:
            position = sample(self.motion, reference.t).q
            for column, axis in enumerate(self.settings.axes):
                if axis in 'xyz':
                    points[:, 'xyz'.index(axis)] = position[:, column]
        return points


def _motion_of(settings: TrajectorySettings, folder: str) -> Any:
    if settings.kind == 'none':
        return None
    if is_import_path(settings.kind):
        made = import_object(settings.kind, 'trajectory.kind', folder)
        if isinstance(made, type):
            made = call_object(made, settings.kind, 'trajectory.kind', **settings.parameters)
        if not callable(made) and not hasattr(made, 'sample'):
            raise ScenarioError(f'trajectory.kind is {settings.kind!r}: it is {made!r}; expected '
                                'a path(t) or an object with sample(times)')
        return made
    kinds = {**PATHS, **JOINT_MOTIONS}
    if settings.kind not in kinds:
        raise UnknownNameError('trajectory', settings.kind, ('none', *kinds), 'trajectory.kind')
    values = dict(settings.parameters)
    if settings.kind in ('via_points', 'joint_waypoints'):
        _fold_points(values)
    return settings_from(kinds[settings.kind], values, f'trajectory {settings.kind!r}',
                         'trajectory.parameters.')


def _fold_points(values: dict[str, Any]) -> None:
    """Turn flat lists into points: ROS parameter files have no lists of lists."""
    times = values.get('times', [])
    for key in ('points', 'positions', 'velocities', 'accelerations'):
        flat = values.get(key)
        if flat is None:
            continue
        count = len(times) if isinstance(times, list) else 0
        if not isinstance(flat, list) or not count or len(flat) % count or any(
                isinstance(x, bool) or not isinstance(x, (int, float)) for x in flat):
            raise ScenarioError(f'trajectory.parameters.{key} is {flat!r}; expected the '
                                f'coordinates of {count} points one after another')
        width = len(flat) // count
        values[key] = tuple(tuple(map(float, flat[k:k + width]))
                            for k in range(0, len(flat), width))


@dataclasses.dataclass(frozen=True)
class Constant:
    """A coordinate that stays where it is."""

    value: float

    def __call__(self, t: Number) -> list[Number]:
        """Return the value at any time."""
        return [self.value]
