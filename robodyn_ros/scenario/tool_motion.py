# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A path of the tool as a motion of the joints, inside their limits, or where and why there is none.

Where the scenario names no start, it is searched for: the pose at the path's beginning, near a
good middle posture of the arm, and another one where the first cannot follow the path to its end.
"""
from __future__ import annotations

from typing import Any, Callable, Iterator, Sequence

import numpy as np

from robodyn_ros.constraints.constraint import Constraint, FORCE, POSITION
from robodyn_ros.constraints.ready_made import ANGLES, follow, is_whole_orientation
from robodyn_ros.errors import (ConstraintError, LimitError, RobodynError, ScenarioError,
                                SingularityError)
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.mechanics.rotation import from_angles
from robodyn_ros.plant.inverse_kinematics import joint_motion
from robodyn_ros.robots.pose_solver import Solution
from robodyn_ros.robots.posture import Posture
from robodyn_ros.robots.robot import check_limits, Robot
from robodyn_ros.scenario.schema import TrajectorySettings
from robodyn_ros.trajectories.paths import Constant
from robodyn_ros.types import Trajectory

STARTS = 6
"""Starts that are tried where none is given."""
NEAR = 0.3
"""Step of a joint beyond which a pose counts as reached by another branch [rad] or [m]."""


class ToolMotion:
    """
    A frame that is led along a path.

    :param task: rows of the path; :param path: its function of time
    :param axes: what the path's coordinates, and values held, mean
    :param constraints: the plant's own
    """

    def __init__(self, robot: Robot, settings: TrajectorySettings, task: Sequence[Constraint],
                 path: Callable, axes: Sequence[str], constraints: Sequence[Constraint] = ()):
        """Take the rows together."""
        self.robot, self.settings, self.path, self.axes = robot, settings, path, tuple(axes)
        self.rows = [*task, *(item for item in constraints if item.level != FORCE)]
        self.own = [item for item in constraints if item.level == POSITION]
        self.frame = settings.frame or robot.tool_frame()
        robot.find_frame(self.frame)

    def reference(self, duration: float, period: float,
                  model: Parameters | None = None) -> Trajectory:
        """Return the motion at every control instant; the error says where and why it fails."""
        chosen, first = self.settings.inverse_kinematics, None
        for start in self._starts():
            try:
                motion = joint_motion(
                    self.robot, self.rows, start, duration, step=period, kp=chosen.kp,
                    kd=chosen.kd, integrator=chosen.integrator, exact=chosen.exact,
                    through_singularities=chosen.through_singularities,
                    posture=self.robot.array('trajectory.inverse_kinematics.posture',
                                             chosen.posture) if chosen.posture else start)
                if not self.settings.ignore_limits:
                    check_limits(self.robot, motion, model)
                return motion
            except (SingularityError, LimitError, ConstraintError) as error:
                first = first or (error, start)
        assert first is not None
        raise self._told(*first) from first[0]

    # --- where it starts ------------------------------------------------------------------

    def _starts(self) -> Iterator[np.ndarray]:
        """Yield configurations at the path's beginning; the one given, if there is one."""
        given = self.settings.inverse_kinematics.start
        if given:
            yield self.robot.array('trajectory.inverse_kinematics.start', given)
            return
        found: list[np.ndarray] = []
        missed: Solution | None = None
        for posture in Posture(self.robot, self.frame).best(STARTS):
            solution = self.pose_at(0.0, posture)
            if not solution.reached:
                missed = missed or solution
                continue
            if all(np.abs(solution.q - q).max() > NEAR for q in found):
                found.append(solution.q)
                yield solution.q
        if not found:
            assert missed is not None
            raise ScenarioError(f'trajectory {self.settings.kind!r} of {self.robot.name}: its '
                                f'beginning, {self._place(0.0)}, is not reached: {missed.reason}')

    def pose_at(self, t: float, near: np.ndarray) -> Solution:
        """Search for the path's place at a time, near a configuration."""
        wanted = self._wanted(t)
        pose = [wanted.get(axis, 0.0) for axis in 'xyz']
        held: list[Constraint] = []
        if 'turn' in wanted:
            pose += wanted['turn']
        elif is_whole_orientation(wanted):
            pose += from_angles(*(wanted[axis] for axis in ANGLES))
        else:
            held = [follow(self.frame, Constant(wanted[axis]), axis, f'hold_{axis}')
                    for axis in ANGLES if axis in wanted]
        return self.robot.solve(
            self.frame, pose, start=near, posture=near, constraints=[*held, *self.own],
            free=[axis for axis in 'xyz' if axis not in wanted],
            ignore_limits=self.settings.ignore_limits)

    def _wanted(self, t: float) -> dict[str, Any]:
        """Coordinates of the path and values held, by axis, and 'turn', a quaternion."""
        values = [float(x) for x in self.path(t)]
        if len(values) == 7:
            return {**dict(zip('xyz', values)), 'turn': values[3:]}
        return {**dict(zip(self.axes, values)), **self.settings.hold}

    # --- why it fails ---------------------------------------------------------------------

    def _place(self, t: float) -> str:
        wanted = self._wanted(t)
        known = [axis for axis in self.axes if axis in wanted and axis in 'xyz']
        return f'{" ".join(known)} = {", ".join(f"{wanted[axis]:.4g}" for axis in known)} m'

    def _told(self, error: RobodynError, start: np.ndarray) -> RobodynError:
        """Say in terms of the path where and why it cannot be followed."""
        time = error.time if isinstance(error, LimitError) else \
            error.state.t if error.state is not None else None
        if time is None:
            return error
        text = (f'{self.frame} of {self.robot.name} cannot follow the path '
                f'{self.settings.kind!r} beyond t = {time:.4g} s, {self._place(time)}: ')
        if isinstance(error, LimitError):
            error.args = (text + str(error),)
            return error
        ahead = self.pose_at(time, error.state.q)
        if not ahead.reached:
            why = ahead.reason
        elif np.abs(ahead.q - error.state.q).max() > NEAR:
            why = 'only another posture reaches it there, and no continuous motion leads to that'
        else:
            why = f'the arm passes a singularity, where {self._lost(error.state.q)}'
        return SingularityError(f'{text}{why} ({error})')

    def _lost(self, q: np.ndarray) -> str:
        """Say in which direction the frame cannot be moved."""
        counted = [k for k, axis in enumerate((*'xyz', *ANGLES)) if axis in self.axes]
        jacobian = self.robot.frame(self.frame, q).jacobian[counted]
        left = np.zeros(6)
        left[counted] = np.linalg.svd(jacobian, full_matrices=False)[0][:, -1]
        part, word = (left[:3], 'moved along') if np.abs(left[:3]).max() > np.abs(left[3:]).max() \
            else (left[3:], 'turned about')
        return f'{self.frame} cannot be {word} {np.round(part, 2).tolist()}'
