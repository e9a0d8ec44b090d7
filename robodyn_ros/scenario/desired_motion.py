# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The motion a scenario asks for: a path of a frame in space, or a motion of the joints.

Built once per run from the section `trajectory`; the task, the reference, the points that are sent
and the positions that are wanted all come from it.
"""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.ready_made import ANGLES, follow, is_whole_orientation
from robodyn_ros.errors import ScenarioError, UnknownNameError
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.plant.assembly import assembled_motion
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.robots.robot import check_limits, Robot
from robodyn_ros.scenario.periods import period_ns, periods_in
from robodyn_ros.scenario.schema import TrajectorySettings
from robodyn_ros.scenario.settings import settings_from
from robodyn_ros.scenario.tool_motion import ToolMotion
from robodyn_ros.scenario.user_code import (call_object, import_object, is_import_path,
                                            is_trajectory, unmarked)
from robodyn_ros.trajectories.fourier import JointFourier
from robodyn_ros.trajectories.joint_plan import JointPlan, Points, points_of
from robodyn_ros.trajectories.joint_space import JointSine, JointWaypoints, Table
from robodyn_ros.trajectories.paths import Chosen, Constant, Helix, sample, SineLine, WithHeld
from robodyn_ros.trajectories.time_law import same_place, ThereAndBack, timed
from robodyn_ros.trajectories.tool_paths import Arc, Circle, Line, Polyline, ToolPath
from robodyn_ros.trajectories.via_points import ViaPoints
from robodyn_ros.types import Trajectory

POSITION = ('x', 'y', 'z')
PATHS = {'helix': Helix, 'sine_line': SineLine, 'via_points': ViaPoints, 'line': Line,
         'polyline': Polyline, 'circle': Circle, 'arc': Arc}
JOINT_MOTIONS = {'joint_sine': JointSine, 'joint_fourier': JointFourier,
                 'joint_waypoints': JointWaypoints, 'table': Table}


class DesiredMotion:
    """What the section `trajectory` asks for; motion is None where its kind is 'none'."""

    def __init__(self, settings: TrajectorySettings, folder: str = '',
                 duration: float | None = None, repeat: bool = False):
        """
        Build the path or joint motion, and the task.

        :param folder: where a user's own module may lie, see Scenario.folder
        :param duration: after which the motion rests [s]; None: as the paper's, without an end
        :param repeat: the task goes back the same way from duration to its double, unless the
            path ends where it began
        """
        self.settings = settings
        self.motion = _motion_of(settings, folder)
        """A path in space, called with t, or a joint motion, with sample(times)."""
        self.in_space = self.motion is not None and not hasattr(self.motion, 'sample')
        self.lap = duration
        """Time after which the task repeats itself [s]."""
        ramp = settings.ramp
        if isinstance(self.motion, ToolPath):  # from rest to rest by its own law
            bounded = self.motion if duration is None else self.motion.within(duration)
            self.motion, ramp = _on_axes(bounded, settings), 0.0
        if duration is not None and self.motion is not None:
            self.motion = timed(self.motion, duration, ramp)
        self.axes: tuple[str, ...] = ()
        """Axes of the frame that are led along the path."""
        self.task: list[Constraint] = []
        """Constraints that hold the frame on the path; empty for joint motions."""
        self._sampled: tuple[np.ndarray, np.ndarray] | None = None
        if self.in_space:
            path: Any = self.motion
            if repeat and duration is not None and not same_place(path(0.0), path(duration)):
                path, self.lap = ThereAndBack(path, duration), 2.0 * duration
            axes, held = tuple(settings.axes), dict(settings.hold)
            if len(path(0.0)) == len(POSITION) + 4:  # with a quaternion: a whole pose
                axes, held = (*POSITION, *ANGLES), {}
            self.axes = (*axes, *held)
            if is_whole_orientation((*axes, *held)):  # one set of rows for all of it
                angles = {axis: held.pop(axis) for axis in ANGLES if axis in held}
                axes, path = (*axes, *angles), WithHeld(path, tuple(map(float, angles.values())))
            self.task.append(follow(settings.frame, path, axes, 'path'))
            self.task += [follow(settings.frame, Constant(float(value)), axis, f'hold_{axis}')
                          for axis, value in held.items()]

    def reference(self, robot: Robot, duration: float, period: float,
                  model: Parameters | None = None,
                  constraints: Sequence[Constraint] = ()) -> Trajectory | None:
        """
        Sample the joint motion at every control instant; None where none is wanted.

        :param model: what the efforts are judged with, the robot file's own by default
        :param constraints: the plant's own, which the motion keeps, too
        """
        settings = self.settings
        if self.motion is None:
            return None
        count = periods_in(duration, period)
        if self.in_space:
            return ToolMotion(robot, settings, self.task, self.motion, self.axes,
                              constraints).reference(count * period, period, model)
        reference = Trajectory(*self.motion.sample(np.arange(count + 1) * period))
        moved = robot.joints
        if isinstance(self.motion, Table):  # a table rests at its ends: it has no time law
            named = self.motion.read()[0]
            motors = [joint for joint in robot.joints if joint not in robot.passive]
            moved = tuple(motors) if set(named) == set(motors) else moved
            order = places_of(moved, named, self.motion.path, error=ScenarioError,
                              remedy='give one column per joint')
            reference = Trajectory(reference.t, *(x[:, order] for x in reference[1:]))
        width = reference.q.shape[1]
        if width == robot.n - len(robot.passive) and robot.passive:
            reference = assembled_motion(robot, reference, constraints,
                                         settings.inverse_kinematics.start)
        elif width != robot.n:
            raise ScenarioError(f'the trajectory {settings.kind!r} moves {width} joints; '
                                f'{robot.name} has {robot.n} ({", ".join(robot.joints)})')
        if not settings.ignore_limits:
            check_limits(robot, reference, model)
        return reference

    def points(self, reference: Trajectory, period: float) -> Points:
        """
        Return the points of a JointTrajectory that leads through the motion.

        Every so many control instants one, as quintics between them follow smooth motions to
        rounding; all of them where the motion is rougher than that.
        """
        settings, last = self.settings, len(reference.t) - 1
        every = max(1, round(settings.point_spacing / period))
        whole = points_of(reference, period_ns(period))
        chosen = np.zeros(last + 1, bool)
        chosen[[*range(0, last, every), last]] = True
        between = JointPlan(0, whole.take(chosen)).samples(whole.times)[:, :whole.q.shape[1]]
        rough = np.abs(between - whole.q).max(axis=1) > settings.point_tolerance
        for k in set((np.flatnonzero(rough) // every).tolist()):
            chosen[k * every:(k + 1) * every] = True
        points = whole.take(chosen)
        if settings.ramp > 0.0:  # a motion that ends at rest, but for errors of the kinematics
            points.v[-1] = 0.0
        return points

    def positions(self, robot: Robot, frame: str, reference: Trajectory) -> np.ndarray:
        """Return where a frame should be (..., k, 3), on the path itself if in space [m]."""
        many, position = reference.q.shape[:-1], np.zeros((0, 0))
        if self.in_space:
            position = self._path_at(reference.t)
        led = self.axes[:position.shape[1]]
        if set(POSITION) <= set(led):
            robot.find_frame(frame)
            points = np.empty((*many, 3))
        else:
            points = robot.positions(frame, reference.q.reshape(-1, robot.n)).reshape(*many, 3)
        for column, axis in enumerate(led):
            if axis in POSITION:
                points[..., POSITION.index(axis)] = position[:, column]
        return points

    def _path_at(self, times: np.ndarray) -> np.ndarray:
        """Return the path at some times, which runs that differ in their start share."""
        if self._sampled is None or self._sampled[0] is not times:
            self._sampled = times, sample(self.motion, times).q
        return self._sampled[1]


def _on_axes(path: ToolPath, settings: TrajectorySettings) -> Any:
    """Return a path in space along the axes that are led: x and z of an arm in that plane."""
    if path.is_turned and settings.hold:
        raise ScenarioError(f'trajectory.hold is {dict(settings.hold)} beside the orientation of '
                            f'the {settings.kind}, which leads the whole pose; remove one of them')
    if path.is_turned or tuple(settings.axes) == POSITION:
        return path
    if not set(settings.axes) <= set(POSITION):
        raise ScenarioError(f'trajectory.axes are {" ".join(settings.axes)!r}; a {settings.kind} '
                            'leads x, y, z or some of them; give an angle by orientation, or by '
                            'trajectory.hold')
    return Chosen(path, tuple(map(POSITION.index, settings.axes)))


def _motion_of(settings: TrajectorySettings, folder: str) -> Any:
    if settings.kind == 'none':
        return None
    kinds = {**PATHS, **JOINT_MOTIONS}
    if is_import_path(settings.kind):
        made = import_object(settings.kind, 'trajectory.kind', folder)
        if not is_trajectory(made, tuple(kinds.values())):
            raise unmarked(settings.kind, 'trajectory.kind', made, 'a path(t), or a class that '
                           'makes one, decorated with @trajectory')
        if isinstance(made, type):
            made = call_object(made, settings.kind, 'trajectory.kind', **settings.parameters)
        if not callable(made) and not hasattr(made, 'sample'):
            raise unmarked(settings.kind, 'trajectory.kind', made,
                           'a path(t) or an object with sample(times)')
        return made
    kind = settings.kind
    if kind == 'line' and 'start_x' in settings.parameters:
        kind = 'sine_line'  # as it was called before there were lines in space
    if kind not in kinds:
        raise UnknownNameError('trajectory', settings.kind, ('none', *kinds), 'trajectory.kind')
    values = dict(settings.parameters)
    if kind in ('via_points', 'joint_waypoints'):
        times = values.get('times', [])
        _fold_points(values, len(times) if isinstance(times, list) else 0)
    elif kind == 'polyline':
        points = values.get('points', [])
        _fold_points(values, len(points) // 3 if isinstance(points, list) else 0)
    return settings_from(kinds[kind], values, f'trajectory {kind!r}', 'trajectory.parameters.')


def _fold_points(values: dict[str, Any], count: int) -> None:
    """Turn flat lists into points: ROS parameter files have no lists of lists."""
    for key in ('points', 'orientations', 'positions', 'velocities', 'accelerations'):
        flat = values.get(key)
        if flat is None:
            continue
        if not isinstance(flat, list) or not count or len(flat) % count or any(
                isinstance(x, bool) or not isinstance(x, (int, float)) for x in flat):
            raise ScenarioError(f'trajectory.parameters.{key} is {flat!r}; expected the '
                                f'coordinates of {count} points one after another')
        width = len(flat) // count
        values[key] = tuple(tuple(map(float, flat[k:k + width]))
                            for k in range(0, len(flat), width))
