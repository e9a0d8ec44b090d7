# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A robot: names, limits and mechanics of one URDF, with its equations compiled on first use.

q, v, a, tau are arrays in the order of robot.joints: rad, rad/s, rad/s^2, N m (revolute) or m,
m/s, m/s^2, N (prismatic). All functions of the state take one state (n,) or many (k, n).
"""
from __future__ import annotations

import copy
from functools import cached_property
import logging
import os
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import expect, MOST_NUMBERS, numbers, shown
from robodyn_ros.errors import (LimitError, RobotFileError, SingularMassError, SizeError,
                                StateError, UnknownNameError)
from robodyn_ros.mechanics import kinematics
from robodyn_ros.mechanics.kinematics import Pose
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.mechanics.rotation import Quaternion
from robodyn_ros.mechanics.tree import body_positions, Drive, Frame, PRISMATIC, Tree
from robodyn_ros.mechanics.vector import Vector
from robodyn_ros.robots.compiled import Compiled, FLOAT, InPlace
from robodyn_ros.robots.derivatives import (AccelerationDerivatives, cut, Derivatives, FORWARD,
                                            INVERSE, TorqueDerivatives)
from robodyn_ros.robots.limits import Limits, TOLERANCE
from robodyn_ros.robots.orientation import roll_pitch_yaw
from robodyn_ros.robots.parameters import Given, parameters_from
from robodyn_ros.robots.pose_solver import (PoseSolver, Solution, solve,
                                            TOLERANCE as TOLERANCE_OF_POSES, TRIES)
from robodyn_ros.robots.snapping import with_right_angles
from robodyn_ros.robots.tool_frame import Tool
from robodyn_ros.robots.urdf.addresses import with_followable_addresses
from robodyn_ros.robots.urdf.records import parse_urdf, read_urdf, RobotRecord
from robodyn_ros.robots.urdf.remarks import Remark
from robodyn_ros.robots.urdf.robodyn_tag import Loop
from robodyn_ros.robots.urdf.tree_builder import build_tree
from robodyn_ros.share import share_folder
from robodyn_ros.tracing import Number
from robodyn_ros.types import Trajectory


LOG = logging.getLogger('robodyn_ros')
_TOLD: set[str] = set()
"""Remarks that this process has logged: several nodes of it may load one robot."""


class Bias(NamedTuple):
    """What Robot.bias returns: parts of h, each (n,) or (k, n) [N m] or [N]."""

    coriolis: np.ndarray
    gravity: np.ndarray
    friction: np.ndarray


class FrameState(NamedTuple):
    """What Robot.frame returns: kinematics in the base frame; leading axis k for many states."""

    rotation: np.ndarray
    """(3, 3), frame to base."""
    position: np.ndarray
    """(3,) [m]"""
    velocity: np.ndarray
    """(6,) linear then angular [m/s, rad/s]."""
    drift: np.ndarray
    """Jdot v (6,) linear then angular [m/s^2, rad/s^2]."""
    jacobian: np.ndarray
    """(6, n) linear rows, then angular."""


class MimicJoint(NamedTuple):
    """A joint that follows another: q_mimic = ratio q[joint] + offset."""

    name: str
    drive: Drive


class Robot:
    """A robot read from a URDF file; constant after loading."""

    def __init__(self, record: RobotRecord, strict: bool = False):
        """Build from a checked file; see load_robot."""
        built = build_tree(record)
        self.name, self.path, self._text = record.name, record.path, record.text
        self.tree: Tree = built.tree
        self.base: str = built.base
        self.tool: Tool = built.tool
        """The frame that is the tool where nobody chooses another, and why."""
        own = [j for j in built.joints if j.mimic is None]
        self.joints: tuple[str, ...] = tuple(j.name for j in own)
        """Joints that move by themselves, in the order of q; mimic joints are not among them."""
        self.n = len(self.joints)
        self._zero = np.zeros(self.n)
        self.mimics: tuple[MimicJoint, ...] = tuple(
            MimicJoint(j.name, drive) for j, drive in zip(built.joints, self.tree.drives)
            if j.mimic is not None)
        """Joints that follow another."""
        self.joint_bodies: tuple[int, ...] = tuple(
            k for k, j in enumerate(built.joints) if j.mimic is None)
        """Body of the tree that each joint carries."""
        self._solvers: dict[tuple, PoseSolver] = {}
        self.loops: tuple[Loop, ...] = tuple(built.tag.loops)
        self.passive: tuple[str, ...] = tuple(built.tag.passive)
        self.remarks: tuple[Remark, ...] = built.remarks
        """What is odd about the file, and what was made of it."""
        if strict:
            for remark in self.remarks:
                if remark.mended:
                    raise RobotFileError(f'{self.path}: {remark.found}; {remark.remedy} '
                                         '(strict is asked for)')
        self.units = tuple('m' if j.kind == PRISMATIC else 'rad' for j in own)
        """Of each joint's position."""
        self.limits = Limits(self.joints, self.units, *(
            np.array([getattr(j, key) for j in own], dtype=float)
            for key in ('lower', 'upper', 'velocity', 'effort')))
        self.limits.effort[np.array([name in self.passive for name in self.joints], bool)] = 0.0
        self.parameters = Parameters(gravity=built.tag.gravity)
        """Run-time inputs used where none are given: the file's gravity, no payload."""

    def __repr__(self) -> str:
        """Name, joints and source."""
        return f'<Robot {self.name}: {", ".join(self.joints)}; {self.path}>'

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames, the links of the URDF."""
        return tuple(self.tree.frames)

    def tool_frame(self, chosen: str = '') -> str:
        """
        Return the frame that is the tool: what is traced and compared, and holds the payload.

        :param chosen: such as trajectory.frame of a scenario; where the robot has no such frame,
            it is that of tool_frame.py: tool0, else the end of the longest chain
        """
        return chosen if chosen in self.tree.frames else self.tool.frame

    @property
    def payload_frame(self) -> str:
        """Frame that holds the payload: the tool, unless carrying_at chose another."""
        return self.tree.payload_frame

    def carrying_at(self, frame: str) -> Robot:
        """Return this robot with the payload fixed to another frame; '' changes nothing."""
        if frame in ('', self.payload_frame):
            return self
        self.find_frame(frame)
        other = copy.copy(self)
        other.tree = self.tree._replace(payload_frame=frame)
        other._solvers = {}
        for name in ('compiled', '_derivatives'):  # of the tree it was made of
            other.__dict__.pop(name, None)
        return other

    @cached_property
    def urdf(self) -> str:
        """Text of the robot's file, with addresses of meshes that others can follow."""
        return with_followable_addresses(self._text, self.path)

    @cached_property
    def compiled(self) -> Compiled:
        """Compiled functions of this robot."""
        return Compiled(self.name, self.tree, self.parameters)

    @property
    def all_joints(self) -> tuple[str, ...]:
        """Names of joints and mimic joints, as joint_states carries them."""
        return (*self.joints, *(mimic.name for mimic in self.mimics))

    def all_positions(self, q: np.ndarray) -> np.ndarray:
        """Positions of all_joints, of q (n,)."""
        return np.concatenate([q, [drive.ratio * q[drive.joint] + drive.offset
                                   if drive.joint >= 0 else drive.offset
                                   for _, drive in self.mimics]]) if self.mimics else q

    def all_rates(self, v: np.ndarray) -> np.ndarray:
        """Velocities of all_joints, of v (n,)."""
        return np.concatenate([v, [drive.ratio * v[drive.joint] if drive.joint >= 0 else 0.0
                                   for _, drive in self.mimics]]) if self.mimics else v

    # --- compiled, for arrays -------------------------------------------------------------

    def dynamics(self, q: object, v: object,
                 parameters: Given = None) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix M (n, n) and bias h = C v + g + friction (n,), M a + h = tau + Qc."""
        y = self._evaluate('mass_and_bias', parameters, q, v)
        return y[..., :self.n ** 2].reshape(*y.shape[:-1], self.n, self.n), y[..., self.n ** 2:]

    def mass_matrix(self, q: object, parameters: Given = None) -> np.ndarray:
        """Mass matrix (n, n)."""
        y = self._evaluate('mass_and_bias', parameters, q)
        return y[..., :self.n ** 2].reshape(*y.shape[:-1], self.n, self.n)

    def bias(self, q: object, v: object, parameters: Given = None) -> Bias:
        """Coriolis, gravity and friction parts of h, each (n,)."""
        return Bias(*np.split(self._evaluate('bias_parts', parameters, q, v), 3, axis=-1))

    def inverse_dynamics(self, q: object, v: object, a: object,
                         parameters: Given = None) -> np.ndarray:
        """Torque tau = M a + h (n,)."""
        return self._evaluate('inverse_dynamics', parameters, q, v, a)

    def forward_dynamics(self, q: object, v: object, tau: object,
                         parameters: Given = None) -> np.ndarray:
        """Acceleration M^-1 (tau - h) of the free tree (n,); constraints: see Plant."""
        y = self._evaluate('forward_dynamics', parameters, q, v, tau)
        if not (y[-1] > 0.0 if y.ndim == 1 else np.all(y[..., -1] > 0.0)):
            raise self._singular(q)
        return y[..., :-1]

    def _singular(self, q: object) -> SingularMassError:
        return SingularMassError(
            f'the mass matrix of {self.name} is not positive definite at q = '
            f'{np.asarray(q).tolist()}; give every moving link mass and inertia (robodyn '
            f'inertials {self.path} estimates them)')

    def inverse_dynamics_derivatives(self, q: object, v: object, a: object,
                                     parameters: Given = None,
                                     by: Iterable[str] = ()) -> TorqueDerivatives:
        """
        Exact derivatives of inverse_dynamics, friction included: dtau/dq, dtau/dv, M.

        :param by: parameters to differentiate by, too: run-time ones such as 'payload.mass', or
            numbers of bodies and joints such as 'joint_2 mass' and 'joint_2 viscous'
            (see derivable)
        """
        if parameters is None and not by:
            found = self._derivatives.quick(INVERSE, q, v, a)
            if found is not None:  # quicker than its own __new__, which is Python
                return tuple.__new__(TorqueDerivatives, found)
        return TorqueDerivatives(*cut(self._differentiated(INVERSE, parameters, by, q, v, a),
                                      self.n))

    def derivatives(self, q: object, v: object, tau: object, parameters: Given = None,
                    by: Iterable[str] = ()) -> AccelerationDerivatives:
        """
        Exact derivatives of forward_dynamics, friction included: da/dq, da/dv, da/dtau = M^-1.

        Of the free tree; a robot under constraints or with closed loops: Plant.linearised.

        :param by: see inverse_dynamics_derivatives
        """
        if parameters is None and not by:
            found = self._derivatives.quick(FORWARD, q, v, tau)
            if found is not None:
                return tuple.__new__(AccelerationDerivatives, found)
        y = self._differentiated(FORWARD, parameters, by, q, v, tau)
        if not np.all(y[..., (3 * self.n + 1) * self.n] > 0.0):
            raise self._singular(q)
        return AccelerationDerivatives(*cut(y, self.n))

    @property
    def derivable(self) -> tuple[str, ...]:
        """Names of the parameters that dynamics can be differentiated by."""
        return tuple(self._derivatives.names)

    @cached_property
    def _derivatives(self) -> Derivatives:
        return Derivatives(self.name, self.tree, self.parameters)

    def _differentiated(self, name: str, parameters: Given, by: Iterable[str], q: object,
                        v: object, u: object) -> np.ndarray:
        q, v, u = self._same_shape(q, v, u)
        if not self.n:
            raise RobotFileError(f'{self.path}: no joint moves, so there is nothing to '
                                 'differentiate by')
        return self._derivatives(name, parameters_from(parameters, self.parameters),
                                 self._derivatives.checked(by), q, v, u)

    def in_place(self, name: str, parameters: Given = None) -> InPlace:
        """
        Return a function for tight loops in Python: checks nothing, returns the same array.

        :param name: 'forward_dynamics', 'inverse_dynamics', 'mass_and_bias' (M row by row, then h)
            or 'position FRAME'
        """
        expect(str, 'name', name, "'forward_dynamics', 'inverse_dynamics', 'mass_and_bias' or "
               "'position FRAME'")
        return self.compiled.in_place(name, parameters_from(parameters, self.parameters))

    def energy(self, q: object, v: object,
               parameters: Given = None) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and potential energy [J]; potential is 0 for masses at the base origin."""
        y = self._evaluate('energy', parameters, q, v)
        return y[..., 0], y[..., 1]

    def frame(self, name: str, q: object, v: object | None = None) -> FrameState:
        """Pose, velocity, drift and Jacobian of a frame."""
        self.find_frame(name)
        y = self._evaluate('frame ' + name, None, q, v)
        many = y.shape[:-1]
        return FrameState(y[..., :9].reshape(*many, 3, 3), y[..., 9:12], y[..., 12:18],
                          y[..., 18:24], y[..., 24:].reshape(*many, 6, self.n))

    def positions(self, frame: str, q: object) -> np.ndarray:
        """Position of a frame's origin, (3,) or (k, 3) [m]; cheaper than frame()."""
        self.find_frame(frame)
        return self._evaluate('position ' + frame, None, q)

    # --- inverse kinematics ---------------------------------------------------------------

    def solve(self, frame: str, pose: Any, *, start: object = None, posture: object = None,
              free: str | Iterable[str] = (), locked: Iterable[str] = (),
              constraints: Sequence[Callable] = (), tolerance: float = TOLERANCE_OF_POSES,
              ignore_limits: bool = False, tries: int = TRIES, workers: int = 0) -> Solution:
        """
        Return joint positions that put a frame at a pose, or how near it comes and why.

        Stays inside the joint limits; the robot's loops hold. The same call gives the same bits.

        :param pose: x y z (orientation free); x y z qx qy qz qw; a matrix (4, 4); or what frame()
            returns; many of them with a leading axis, solved on all cores
        :param start: where the search begins (n,), the middle of the limits by default
        :param posture: joint positions to stay near where the pose leaves a choice (n,)
        :param free: axes that do not count, of 'x y z' of the base and 'rx ry rz', turns about the
            target's own axes ('rz': the spin of a tool)
        :param locked: joints that stay at their start
        :param constraints: further rows that shall be zero, such as a plant's constraints
        :param tolerance: error at which the pose counts as reached [m], [rad]
        :param tries: starts at most, the first given, the others random and always the same
        """
        return solve(self, frame, pose, start=start, posture=posture, free=free, locked=locked,
                     constraints=constraints, tolerance=tolerance, ignore_limits=ignore_limits,
                     tries=tries, workers=workers)

    def pose_solver(self, frame: str, constraints: Sequence[Callable] = ()) -> PoseSolver:
        """Return the compiled search for a frame, made when it is first asked for."""
        self.find_frame(frame)  # else a list would be no key
        key = frame, tuple(map(id, constraints))  # the solver keeps them, so no id comes again
        if key not in self._solvers:
            self._solvers[key] = PoseSolver(self, frame, constraints)
        return self._solvers[key]

    # --- on scalars, for constraints and control laws (floats or recording) ----------------

    def pose(self, frame: str, q: Sequence[Number]) -> Pose:
        """Rotation and position of a frame in the base frame."""
        return kinematics.frame_pose(self.tree, self.find_frame(frame), q)

    def position(self, frame: str, q: Sequence[Number]) -> Vector:
        """Position x, y, z of a frame's origin in the base frame [m]."""
        return self.pose(frame, q).position

    def orientation(self, frame: str, q: Sequence[Number]) -> Vector:
        """Roll, pitch, yaw of a frame [rad]; see orientation.py for when yaw is unwrapped."""
        return roll_pitch_yaw(self.tree._replace(drives=()), self.find_frame(frame),
                              body_positions(self.tree, q))

    def quaternion(self, frame: str, q: Sequence[Number]) -> Quaternion:
        """Orientation of a frame in the base frame, x, y, z, w; of either sign."""
        return kinematics.frame_quaternion(self.tree, self.find_frame(frame), q)

    def velocity(self, frame: str, q: Sequence[Number],
                 v: Sequence[Number]) -> tuple[Vector, Vector]:
        """Linear and angular velocity of a frame in the base frame [m/s], [rad/s]."""
        motion = kinematics.frame_motion(self.tree, self.find_frame(frame), q, v)
        return motion.linear, motion.angular

    # --- names and checks -----------------------------------------------------------------

    def find_frame(self, name: str) -> Frame:
        """Return the frame of a name; the error lists the names there are."""
        try:
            return self.tree.frames[name]
        except (KeyError, TypeError):  # TypeError: a list is no name
            raise UnknownNameError('frame', name, self.tree.frames, self.path) from None

    def joint_index(self, name: str) -> int:
        """Return the place of a joint in q; the error lists the names there are."""
        if name not in self.joints:
            raise UnknownNameError('joint', name, self.joints, self.path)
        return self.joints.index(name)

    def array(self, what: str, values: object) -> np.ndarray:
        """Return values as an array of finite numbers, of shape (n,) or (k, n)."""
        if type(values) is np.ndarray and values.dtype is FLOAT and values.size <= MOST_NUMBERS:
            array = values  # the usual case, in which no sentence need be written
        else:
            array = numbers(f'{what} of {self.name}', values, f'{self.n} numbers')
        if array.ndim not in (1, 2) or array.shape[-1] != self.n:
            raise SizeError(f'{what} of {self.name}', f'({self.n},) or (k, {self.n})',
                            array.shape, f'joints are {", ".join(self.joints)}')
        if not np.all(np.isfinite(array)):
            *row, k = np.argwhere(~np.isfinite(array))[0]
            raise StateError(f'{what} of {self.name} is not finite at joint {self.joints[k]!r}: '
                             f'{shown(array[tuple(row)].tolist())}; give finite numbers')
        return array

    def _evaluate(self, name: str, parameters: Given, q: object,
                  v: object | None = None, u: object | None = None) -> np.ndarray:
        if parameters is None:
            y = self.compiled.quick(name, q, self._zero if v is None else v,
                                    self._zero if u is None else u)
            if y is not None:
                return y
        return self.compiled(name, parameters_from(parameters, self.parameters),
                             *self._same_shape(q, v, u))

    def _same_shape(self, q: object, v: object | None,
                    u: object | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q = self.array('q', q)
        v = np.zeros_like(q) if v is None else self.array('v', v)
        u = np.zeros_like(q) if u is None else self.array('a or tau', u)
        if not q.shape == v.shape == u.shape:
            raise SizeError(f'q, v and a or tau of {self.name}', 'equal shapes',
                            f'{q.shape}, {v.shape}, {u.shape}')
        return q, v, u


def check_limits(robot: Robot, trajectory: Trajectory,
                 parameters: Parameters | None = None) -> None:
    """
    Raise LimitError at the first sample beyond a position, velocity or effort limit.

    The effort is that of the free tree's inverse dynamics; robots with loops are not judged by
    effort, since the loops carry part of it.
    """
    limits = robot.limits
    quantities = [
        ('position', trajectory.q, limits.lower - TOLERANCE, limits.upper + TOLERANCE),
        ('velocity', trajectory.v, -limits.velocity, limits.velocity)]
    if not robot.loops:
        effort = robot.inverse_dynamics(trajectory.q, trajectory.v, trajectory.a, parameters)
        quantities.append(('effort', effort, -limits.effort, limits.effort))
    for kind, values, lower, upper in quantities:
        outside = (values < lower) | (values > upper)
        if outside.any():
            k = int(np.argmax(outside.any(axis=1)))
            joint = int(np.argmax(outside[k]))
            raise LimitError(robot.joints[joint], float(trajectory.t[k]), kind,
                             float(values[k, joint]), float(lower[joint]), float(upper[joint]))


def efforts_within(robot: Robot, trajectory: Trajectory, parameters: np.ndarray) -> np.ndarray:
    """Tell with which of many parameters (k, 14) check_limits finds no effort beyond its limit."""
    if robot.loops:
        return np.ones(len(parameters), bool)
    limit = robot.limits.effort
    return np.array([not (np.abs(effort) > limit).any() for effort in robot.compiled.each(
        'inverse_dynamics', parameters, trajectory.q, trajectory.v, trajectory.a)], bool)


def checked_robot(given: object) -> Robot:
    """Return what was given if it is a Robot; a name alone is refused."""
    return expect(Robot, 'robot', given, "a Robot, such as load_robot('scara_450')")


def robot_names() -> list[str]:
    """Names of the robots that come with the package."""
    return sorted(p.stem for p in share_folder('urdf').glob('*.urdf'))


def read_robot(name_or_path: str | Path, arguments: Mapping[str, Any] | None = None,
               strict: bool = False, snap_angles: bool = False) -> Robot:
    """Load a robot as load_robot does, without a word about what is odd."""
    text = str(name_or_path)
    if text in robot_names():
        text = str(share_folder('urdf') / f'{text}.urdf')
    elif not (Path(text).suffix or '/' in text or os.path.exists(text)):
        raise UnknownNameError('robot', text, robot_names(),
                               'this package (or give the path of a URDF file)')
    record = read_urdf(text, arguments)
    return Robot(with_right_angles(record) if snap_angles else record, strict)


def load_robot(name_or_path: str | Path, arguments: Mapping[str, Any] | None = None,
               strict: bool = False, snap_angles: bool = False) -> Robot:
    """
    Load a robot of this package by name ('scara_450') or any URDF or xacro file by path.

    What is odd about a file is told once in the log, and stays in Robot.remarks.

    :param arguments: of a xacro file, such as {'prefix': 'left_'}
    :param strict: refuse what is odd instead: inertias that no body can have, exchanged limits
    :param snap_angles: make rounded right angles of joints' frames exact, see snapping.py
    """
    robot = read_robot(name_or_path, arguments, strict, snap_angles)
    for remark in robot.remarks:
        key = f'{os.path.realpath(robot.path)}: {remark.sentence}'
        if key not in _TOLD:
            _TOLD.add(key)
            LOG.warning('%s: %s', robot.path, remark.sentence)
    return robot


def robot_from_text(text: str, path: str = '<text>', strict: bool = False) -> Robot:
    """Load a robot from the text of a URDF, such as robot_description; see load_robot."""
    return Robot(parse_urdf(expect(str, 'text', text, 'the text of a URDF; load_robot takes its '
                                   'path'), path), strict)
