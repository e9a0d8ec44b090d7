# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Put the tool there: a pose, or a path of poses, as a motion of the joints from where the arm is.

The pose of every sample of the way is solved for (robots/pose_solver.py), each from the one
before, inside the limits, with loops and the plant's own constraints; so nothing is compiled for a
goal but the search itself, once. The joints' velocities and accelerations are those of the quintic
spline through the samples. No ROS.
"""
from __future__ import annotations

from dataclasses import replace
from functools import cached_property
import math
from typing import Any, Sequence

import numpy as np

from robodyn_ros.checks import shown
from robodyn_ros.constraints.constraint import Constraint, POSITION
from robodyn_ros.errors import MessageRefused, RobodynError
from robodyn_ros.mechanics.rotation import axis_and_angle, inverse, multiply, turned
from robodyn_ros.nodes.common.options import TrajectoryOptions
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.geometry import quaternion
from robodyn_ros.robots.robot import Robot
from robodyn_ros.ros_time import NANO
from robodyn_ros.trajectories.joint_plan import approach_time, Points
from robodyn_ros.trajectories.tool_paths import Line, Polyline, ToolPath
from robodyn_ros.types import State, Trajectory

SPACING = 0.02
"""Time between the samples of a way [s]."""
MOST_SAMPLES = 20_000
"""Of one way; bounds the time of an answer."""
MOST_POSES = 2_000
"""Of a path."""
STEP = 0.35
"""Step of a joint from one sample to the next that is no motion any more [rad] or [m]."""
SHARE = 0.8
"""Part of a joint's velocity limit that a way may use [-]."""
SETTLE, LONGEST_SETTLE = 0.3, 2.0
"""Time in which the arm is braked, or just held, before it goes on its way [s]; and at most."""
BRAKING = 10.0
"""Deceleration with which a fast joint is braked then [rad/s^2] or [m/s^2]."""
LEAD = 0.1
"""Time until the first sample of a way that begins in motion: the controller has it then [s]."""
SHORTEST_WAY, LONGER = 0.4, 1.3
"""Time of such a way at least [s]; factor by which one that is too fast is made longer."""
FLAT = 1e-6
"""Singular value below which a direction counts as lost [-]."""
THERE = 1e-6
"""Way that need not be gone [m], [rad]."""
FAR = 1e6
"""Positions and velocities beyond it are an error of the driver [rad, m, or per s]."""
JOINTS = 'joints'
"""The goal_motion by which each joint goes straight to its end."""


class Goals:
    """
    Ways of a frame of a robot to where it is sent.

    :param constraints: the plant's own
    """

    def __init__(self, robot: Robot, frame: str, constraints: Sequence[Constraint] = (),
                 ignore_limits: bool = False):
        """Nothing is compiled yet."""
        self.robot, self.frame, self.ignore_limits = robot, frame, ignore_limits
        self.constraints = [item for item in constraints if item.level == POSITION]

    def prepare(self) -> None:
        """Compile the search, or load it, so that a plan takes no time in which the arm moves."""
        self.robot.pose_solver(self.frame, self.constraints).prepare()

    def to_pose(self, q: np.ndarray, v: np.ndarray, pose: Sequence[float],
                options: TrajectoryOptions = TrajectoryOptions()) -> Points:
        """
        Return the way from a state to a pose.

        :param q: where the arm is (n,); :param v: how fast it moves (n,)
        :param pose: x y z qx qy qz qw in the base frame [m]
        :param options: goal_motion, goal_speed and goal_acceleration
        """
        pose = _checked_pose(pose, 'the goal')
        check_arm(q, v)
        begin, settle = self._rest(q, v)
        here = self.robot.frame(self.frame, begin)
        free = self.free_axes(begin)
        end = self._solved(pose, begin, free, 'the goal')
        if options.goal_motion == JOINTS and not (self.robot.loops or self.constraints):
            return self._joint_way(begin, settle, end)
        start = [*here.position.tolist(), *quaternion(here.rotation)]
        path = _between([start, _led_part(start, pose, free)], free)
        if path is None:
            raise MessageRefused(f'{self.frame} of {self.robot.name} is at the goal already')
        return self._way(path, begin, settle, free, options)

    def after(self, q: np.ndarray, v: np.ndarray, pose: Sequence[float],
              options: TrajectoryOptions = TrajectoryOptions()) -> Points:
        """
        Return the way to a goal that moves, such as a handle that is dragged; see to_pose.

        Braking for each of them, the arm would never leave its place. So where the goal is near,
        the joints go straight there, from where they are and as fast as they are; by the pose of
        each sample where loops or constraints tie them.
        """
        pose = _checked_pose(pose, 'the goal')
        check_arm(q, v)
        free = self.free_axes(q)
        end = self._solved(pose, q, free, 'the goal')
        moving = bool(np.abs(v).max() > 1e-3)
        if np.abs(end - q).max() > STEP or not moving and np.abs(end - q).max() < THERE:
            return self.to_pose(q, v, pose, options)
        robot, tied = self.robot, bool(self.robot.loops or self.constraints)
        way = float(np.linalg.norm(robot.positions(self.frame, end)
                                   - robot.positions(self.frame, q)))
        # of a quintic from rest to rest: 15/8 of the mean speed, 5.77 times way over time squared
        time = max(SHORTEST_WAY, 15.0 / 8.0 * way / options.goal_speed,
                   math.sqrt(5.78 * way / options.goal_acceleration))
        lower, upper = np.minimum(robot.limits.lower, q), np.maximum(robot.limits.upper, q)
        for _ in range(6):
            count = max(8, math.ceil(time / SPACING))
            times = np.linspace(0.0, time, count + 1)
            found, speed = _quintic(q, v, end, times)
            if (np.abs(speed) <= np.maximum(SHARE * robot.limits.velocity, np.abs(v))).all() and \
                    (self.ignore_limits or ((found >= lower) & (found <= upper)).all()):
                break
            time *= LONGER
        else:
            return self.to_pose(q, v, pose, options)
        if not tied:  # the controller leads them from where they are by then
            still = np.zeros((1, robot.n))
            return Points(np.array([round(time * NANO)], dtype=np.int64), end[None], still, still)
        for k in range(1, count):
            here = robot.frame(self.frame, found[k])
            found[k] = self._solved([*here.position.tolist(), *quaternion(here.rotation)],
                                    found[k], free, 'the way')
        motion = _splined(times, found, v)
        later = times >= LEAD
        return _after(0.0, Trajectory(times[later], *(part[later] for part in motion[1:])))

    def along(self, q: np.ndarray, v: np.ndarray, poses: Sequence[Sequence[float]],
              options: TrajectoryOptions = TrajectoryOptions()) -> Points:
        """Return the way from a state to the first of many poses and along them."""
        if not 1 <= len(poses) <= MOST_POSES:
            raise MessageRefused(f'the path has {len(poses)} poses; expected 1 to {MOST_POSES}')
        check_arm(q, v)
        begin, settle = self._rest(q, v)
        here = self.robot.frame(self.frame, begin)
        free = self.free_axes(begin)
        whole = [[*here.position.tolist(), *quaternion(here.rotation)]]
        for k, pose in enumerate(poses):
            checked = _checked_pose(pose, f'pose {k + 1} of the path')
            whole.append(_led_part(whole[0], checked, free))
        path = _between(whole, free, options.goal_blend)
        if path is None:
            raise MessageRefused(f'{self.frame} of {self.robot.name} is at every pose of the path '
                                 'already')
        return self._way(path, begin, settle, free, options)

    # --- what can be led --------------------------------------------------------------------

    def free_axes(self, q: np.ndarray) -> tuple[str, ...]:
        """
        Return the axes of solve() that the arm cannot lead, as it has too few joints.

        Of the directions in which the frame can be moved, as many of x y z and of the turns about
        the frame's own axes are led as there are, those nearest to them.
        """
        best: tuple[int, tuple[str, ...]] = (-1, ())
        for state in self._places(q):
            frame = self.robot.frame(self.frame, state)
            linear, angular = self._moved(frame.jacobian, state)
            counted = _led(linear)
            held = angular @ _null(linear)  # turns that leave the position where it is
            turns = _led(frame.rotation.T @ held)
            if len(counted) + len(turns) > best[0]:
                free = [axis for k, axis in enumerate('xyz') if k not in counted]
                free += [f'r{axis}' for k, axis in enumerate('xyz') if k not in turns]
                best = len(counted) + len(turns), tuple(free)
        return best[1]

    @cached_property
    def _kinematics(self) -> Plant:
        """Return the robot's loops and the constraints as a plant."""
        return Plant(self.robot, self.constraints, kinematic=True)

    def _places(self, q: np.ndarray) -> list[np.ndarray]:
        """Return the arm's configuration, and others, as it may stand in a singular one."""
        if self.robot.loops or self.constraints:
            return [q]
        shift = np.random.default_rng(0).uniform(-0.4, 0.4, (4, self.robot.n))
        limits = self.robot.limits
        return [q, *np.clip(q + shift, limits.lower, limits.upper)]

    def _moved(self, jacobian: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of the Jacobian for motions that loops and constraints allow."""
        if self.robot.loops or self.constraints:
            still = State(0.0, q, np.zeros_like(q))
            jacobian = jacobian @ _null(self._kinematics.constraint_rows(still)[2])
        return jacobian[:3], jacobian[3:]

    # --- ways -------------------------------------------------------------------------------

    def _rest(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
        """Return where a moving arm comes to rest, evenly braked, and the time that takes [s]."""
        limits = self.robot.limits
        settle = min(max(SETTLE, float(np.abs(v).max()) / BRAKING), LONGEST_SETTLE)
        begin = np.where((q < limits.lower) | (q > limits.upper), q,
                         np.clip(q + v * settle / 2.0, limits.lower, limits.upper))
        if self.robot.loops or self.constraints:  # which a straight step of joints leaves
            place = [*self.robot.frame(self.frame, begin).position.tolist(), 0.0, 0.0, 0.0, 1.0]
            free = ('rx', 'ry', 'rz', *(x for x in self.free_axes(q) if x in 'xyz'))
            begin = self._solved(place, begin, free, 'where the arm comes to rest')
        return begin, settle

    def _solved(self, pose: Sequence[float], near: np.ndarray, free: Sequence[str],
                what: str) -> np.ndarray:
        turned = {'rx', 'ry', 'rz'} - set(free)
        found = self.robot.solve(
            self.frame, pose if turned else pose[:3], start=near, posture=near,
            free=[axis for axis in free if turned or axis in 'xyz'],
            constraints=self.constraints, ignore_limits=self.ignore_limits)
        if not found.reached:
            raise MessageRefused(f'{what} is not reached: {found.reason}')
        return found.q

    def _joint_way(self, begin: np.ndarray, settle: float, end: np.ndarray) -> Points:
        time = approach_time(begin, end, self.robot.limits.velocity, THERE)
        if not time:
            raise MessageRefused(f'{self.frame} of {self.robot.name} is at the goal already')
        still = np.zeros((2, self.robot.n))
        return _after(settle, Trajectory(np.array([0.0, time]), np.array([begin, end]), still,
                                         still))

    def _way(self, path: ToolPath, begin: np.ndarray, settle: float, free: Sequence[str],
             options: TrajectoryOptions) -> Points:
        """Return the samples of a path, slow enough for every joint, after the start."""
        path = replace(path, speed=options.goal_speed, acceleration=options.goal_acceleration)
        for _ in range(4):
            motion = self._sampled(path, begin, free)
            limit = np.maximum(SHARE * self.robot.limits.velocity, 1e-9)
            fast = float((np.abs(motion.v) / limit).max())
            if fast <= 1.0:
                break
            path = replace(path, speed=0.0, acceleration=0.0,
                           duration=path.timing.time * fast * 1.01)
        else:
            raise MessageRefused('the way passes so near a singularity that a joint would have to '
                                 'move faster than its limit; send the tool elsewhere first')
        return _after(settle, motion)

    def _sampled(self, path: ToolPath, begin: np.ndarray, free: Sequence[str]) -> Trajectory:
        time, length = path.timing.time, path.length
        count = max(8, math.ceil(time / SPACING))
        if count > MOST_SAMPLES:
            raise MessageRefused(f'the way of {length:.4g} m would take {time:.0f} s; send the '
                                 'tool less far, or raise goal_speed')
        times, found = np.linspace(0.0, time, count + 1), [begin]
        for k, t in enumerate(times[1:].tolist()):
            pose = [float(x) for x in path(t)]
            what = f'the way, after {float(path.travelled(t)):.3g} of {length:.3g} m,'
            # on from where the last two samples point; the search itself is from there
            near = found[-1] if k == 0 else 2.0 * found[-1] - found[-2]
            q = self._solved(pose, np.clip(near, self.robot.limits.lower,
                                           self.robot.limits.upper), free, what)
            far = int(np.abs(q - found[-1]).argmax())
            if abs(q[far] - found[-1][far]) > STEP:
                raise MessageRefused(
                    f'{what} can be followed only by a jump of {self.robot.joints[far]!r} to '
                    'another posture; send the tool by another way, or let the joints move '
                    'straight (goal_motion: joints)')
            found.append(q)
        return _splined(times, np.array(found), np.zeros(self.robot.n))


def _splined(times: np.ndarray, q: np.ndarray, v: np.ndarray) -> Trajectory:
    """Return the quintic spline through samples (k, n) that begins with a velocity, and rests."""
    from scipy.interpolate import make_interp_spline  # a quarter of a second, where needed
    still = np.zeros(len(v))
    spline = make_interp_spline(times, q, k=5, bc_type=([(1, v), (2, still)],
                                                        [(1, still), (2, still)]))
    return Trajectory(times, q, spline(times, 1), spline(times, 2))


def _quintic(q: np.ndarray, v: np.ndarray, end: np.ndarray,
             times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Return positions and velocities (k, n) from a state to rest, without acceleration at both ends.

    With s = t / T: q(s) = q + v T (s - 6 s^3 + 8 s^4 - 3 s^5)
    + (end - q) (10 s^3 - 15 s^4 + 6 s^5).
    """
    time, s = times[-1], (times / times[-1])[:, None]
    place = q + v * time * (s - 6.0 * s ** 3 + 8.0 * s ** 4 - 3.0 * s ** 5) \
        + (end - q) * (10.0 * s ** 3 - 15.0 * s ** 4 + 6.0 * s ** 5)
    speed = v * (1.0 - 18.0 * s ** 2 + 32.0 * s ** 3 - 15.0 * s ** 4) \
        + (end - q) / time * (30.0 * s ** 2 - 60.0 * s ** 3 + 30.0 * s ** 4)
    return place, speed


def _after(settle: float, motion: Trajectory) -> Points:
    """Return the points of a motion that begins some time after the arm is told [s]."""
    times = np.round((motion.t + settle) * NANO).astype(np.int64)
    return Points(times, motion.q, motion.v, motion.a)


def check_arm(q: np.ndarray, v: np.ndarray) -> None:
    """Refuse a state that no arm can have: what is computed from it would be no number."""
    for what, values in (('positions', q), ('velocities', v)):
        if not (np.abs(values) < FAR).all():  # nor NaN
            raise MessageRefused(f'joint_states tell {what} {shown(values.tolist())}, which no '
                                 'arm can have; look at its driver')


def _checked_pose(pose: Sequence[float], what: str) -> list[float]:
    """Return x y z and a unit quaternion of plain finite numbers."""
    values = [float(x) for x in pose]
    size = math.hypot(*values[3:])
    if len(values) != 7 or not all(map(math.isfinite, values)) or not 1e-6 < size < 1e6:
        raise MessageRefused(f'{what} is {values}; expected x y z and a quaternion qx qy qz qw of '
                             'length one, at least not zero')
    if not max(map(abs, values[:3])) < 1e3:
        raise MessageRefused(f'{what} is at {values[:3]} m; expected a place within reach')
    return [*values[:3], *(x / size for x in values[3:])]


def _led_part(start: Sequence[float], pose: Sequence[float], free: Sequence[str]) -> list[float]:
    """Return a pose without what cannot be led: that stays as it is at the start."""
    place = [known if axis in free else value for axis, value, known in zip('xyz', pose, start)]
    if not {'rx', 'ry', 'rz'} & set(free):
        return [*place, *pose[3:]]
    begin: Any = tuple(start[3:])
    axis, angle = axis_and_angle(multiply(inverse(begin), tuple(pose[3:])))  # type: ignore
    way = [0.0 if f'r{name}' in free else angle * float(x) for name, x in zip('xyz', axis)]
    size = math.sqrt(sum(x * x for x in way))
    if size < THERE:
        return [*place, *begin]
    return [*place, *turned(begin, tuple(x / size for x in way), size)]  # type: ignore


def _between(poses: Sequence[Sequence[float]], free: Sequence[str],
             blend: float = 0.02) -> ToolPath | None:
    """Return the path through poses, without those that are the same as the last one."""
    turned = not {'rx', 'ry', 'rz'} <= set(free)
    kept = [poses[0]]
    for pose in poses[1:]:
        apart = math.dist(pose[:3], kept[-1][:3])
        turn = 2.0 * math.acos(min(1.0, abs(sum(
            a * b for a, b in zip(pose[3:], kept[-1][3:])))))
        if apart > THERE or turned and turn > 1e-4:
            kept.append(pose)
    if len(kept) < 2:
        return None
    places = tuple(tuple(pose[:3]) for pose in kept)
    turns = tuple(_angles(pose[3:]) for pose in kept) if turned else ()
    try:
        if len(kept) == 2:
            return Line(start=places[0], end=places[1], orientation=turns[0] if turned else (),
                        end_orientation=turns[1] if turned else ())
        return Polyline(points=places, orientations=turns, blend=blend)
    except RobodynError as error:
        raise MessageRefused(str(error)) from error


def _angles(turn: Sequence[float]) -> tuple[float, ...]:
    """
    Return roll, pitch, yaw of a quaternion [rad].

    Roll is what remains after the yaw: at a pitch of a right angle, where only the sum of both or
    their difference is known, they are those of the quaternion all the same.
    """
    x, y, z, w = map(float, turn)
    front, up = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)  # of the frame's x axis
    yaw = math.atan2(up, front)
    c, s = math.cos(yaw), math.sin(yaw)
    return (math.atan2(2.0 * (s * (x * z + w * y) - c * (y * z - w * x)),
                       c * (1.0 - 2.0 * (x * x + z * z)) - 2.0 * s * (x * y - w * z)),
            math.atan2(2.0 * (w * y - x * z), c * front + s * up), yaw)


def _null(rows: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of what rows (m, n) leave free (n, k)."""
    _, sizes, right = np.linalg.svd(rows)
    rank = int((sizes > FLAT * max(1.0, float(sizes.max(initial=0.0)))).sum())
    return right[rank:].T


def _led(rows: np.ndarray) -> list[int]:
    """Return the axes, of three, that are nearest to the directions that rows (3, k) span."""
    left, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    rank = int((sizes > 1e-3 * max(1e-3, float(sizes.max(initial=0.0)))).sum())
    share = (left[:, :rank] ** 2).sum(axis=1)
    return sorted(np.argsort(-share, kind='stable')[:rank].tolist())
