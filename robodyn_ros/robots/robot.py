# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A robot: names, limits and mechanics of one URDF, with its equations compiled on first use.

q, v, a, tau are arrays in the order of robot.joints: rad, rad/s, rad/s^2, N m (revolute) or m,
m/s, m/s^2, N (prismatic). All functions of the state take one state (n,) or many (k, n).
"""
from __future__ import annotations

from functools import cached_property
import os
from pathlib import Path
from typing import NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import expect, numbers
from robodyn_ros.errors import (LimitError, SingularMassError, SizeError, StateError,
                                UnknownNameError)
from robodyn_ros.mechanics import kinematics
from robodyn_ros.mechanics.kinematics import Pose
from robodyn_ros.mechanics.parameters import Parameters
from robodyn_ros.mechanics.tree import Frame, PRISMATIC, Tree
from robodyn_ros.mechanics.vector import Vector
from robodyn_ros.robots.compiled import Compiled, FLOAT, InPlace
from robodyn_ros.robots.limits import Limits, TOLERANCE
from robodyn_ros.robots.orientation import roll_pitch_yaw
from robodyn_ros.robots.parameters import Given, parameters_from
from robodyn_ros.robots.urdf.records import parse_urdf, read_urdf, RobotRecord
from robodyn_ros.robots.urdf.robodyn_tag import Loop
from robodyn_ros.robots.urdf.tree_builder import build_tree
from robodyn_ros.share import share_folder
from robodyn_ros.tracing import Number
from robodyn_ros.types import Trajectory


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


class Robot:
    """A robot read from a URDF file; constant after loading."""

    def __init__(self, record: RobotRecord):
        """Build from a checked file; see load_robot."""
        built = build_tree(record)
        self.name, self.path, self.urdf = record.name, record.path, record.text
        self.tree: Tree = built.tree
        self.base: str = built.base
        self.joints: tuple[str, ...] = tuple(j.name for j in built.joints)
        self.n = len(self.joints)
        self._zero = np.zeros(self.n)
        self.loops: tuple[Loop, ...] = tuple(built.tag.loops)
        self.passive: tuple[str, ...] = tuple(built.tag.passive)
        self.units = tuple('m' if body.kind == PRISMATIC else 'rad' for body in self.tree.bodies)
        """Of each joint's position."""
        self.limits = Limits(self.joints, self.units, *(
            np.array([getattr(j, key) for j in built.joints])
            for key in ('lower', 'upper', 'velocity', 'effort')))
        self.limits.effort[[name in self.passive for name in self.joints]] = 0.0
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
            the tool is tool0, or the last moving link where there is no tool0 either
        """
        return chosen if chosen in self.tree.frames else self.tree.payload_frame

    @cached_property
    def compiled(self) -> Compiled:
        """Compiled functions of this robot."""
        return Compiled(self.name, self.tree, self.parameters)

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
            raise SingularMassError(
                f'the mass matrix of {self.name} is not positive definite at q = '
                f'{np.asarray(q).tolist()}; give every moving link mass and inertia')
        return y[..., :-1]

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

    # --- on scalars, for constraints and control laws (floats or recording) ----------------

    def pose(self, frame: str, q: Sequence[Number]) -> Pose:
        """Rotation and position of a frame in the base frame."""
        return kinematics.frame_pose(self.tree, self.find_frame(frame), q)

    def position(self, frame: str, q: Sequence[Number]) -> Vector:
        """Position x, y, z of a frame's origin in the base frame [m]."""
        return self.pose(frame, q).position

    def orientation(self, frame: str, q: Sequence[Number]) -> Vector:
        """Roll, pitch, yaw of a frame [rad]; see orientation.py for when yaw is unwrapped."""
        return roll_pitch_yaw(self.tree, self.find_frame(frame), q)

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
        if type(values) is np.ndarray and values.dtype is FLOAT:
            array = values  # the usual case, in which no sentence need be written
        else:
            array = numbers(f'{what} of {self.name}', values, f'{self.n} numbers')
        if array.ndim not in (1, 2) or array.shape[-1] != self.n:
            raise SizeError(f'{what} of {self.name}', f'({self.n},) or (k, {self.n})',
                            array.shape, f'joints are {", ".join(self.joints)}')
        if not np.all(np.isfinite(array)):
            bad = self.joints[int(np.argwhere(~np.isfinite(array))[0][-1])]
            raise StateError(f'{what} of {self.name} is not finite at joint {bad!r}: '
                             f'{array.tolist()}; give finite numbers')
        return array

    def _evaluate(self, name: str, parameters: Given, q: object,
                  v: object | None = None, u: object | None = None) -> np.ndarray:
        if parameters is None:
            y = self.compiled.quick(name, q, self._zero if v is None else v,
                                    self._zero if u is None else u)
            if y is not None:
                return y
        q = self.array('q', q)
        v = np.zeros_like(q) if v is None else self.array('v', v)
        u = np.zeros_like(q) if u is None else self.array('a or tau', u)
        if not q.shape == v.shape == u.shape:
            raise SizeError(f'q, v and a or tau of {self.name}', 'equal shapes',
                            f'{q.shape}, {v.shape}, {u.shape}')
        return self.compiled(name, parameters_from(parameters, self.parameters), q, v, u)


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


def checked_robot(given: object) -> Robot:
    """Return what was given if it is a Robot; a name alone is refused."""
    return expect(Robot, 'robot', given, "a Robot, such as load_robot('scara_450')")


def robot_names() -> list[str]:
    """Names of the robots that come with the package."""
    return sorted(p.stem for p in share_folder('urdf').glob('*.urdf'))


def load_robot(name_or_path: str | Path) -> Robot:
    """Load a robot of this package by name ('scara_450') or any URDF by path."""
    text = str(name_or_path)
    if text in robot_names():
        return Robot(read_urdf(share_folder('urdf') / f'{text}.urdf'))
    if Path(text).suffix or '/' in text or os.path.exists(text):
        return Robot(read_urdf(text))
    raise UnknownNameError('robot', text, robot_names(),
                           'this package (or give the path of a URDF file)')


def robot_from_text(text: str, path: str = '<text>') -> Robot:
    """Load a robot from the text of a URDF, such as robot_description."""
    return Robot(parse_urdf(expect(str, 'text', text, 'the text of a URDF; load_robot takes its '
                                   'path'), path))
