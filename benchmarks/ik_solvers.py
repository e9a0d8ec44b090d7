# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Solvers of inverse kinematics, each as its documentation recommends, all asked the same.

A solver holds one arm; solve(k) is one pose from the middle of the limits, and returns joint
positions, whether it believes in them or not: whoever measures judges. forward(q) is its
own idea of the arm, which is compared with ours before anything is timed. All peers are optional.
"""
from __future__ import annotations

from abc import ABC, abstractmethod
import time
from typing import Any, ClassVar

from benchmarks.ik_arms import Arm
from benchmarks.peers import bare_urdf, find
import numpy as np
from robodyn_ros.robots.geometry import quaternion

TOLERANCE = 1e-5
"""Of the field's test: along and about each axis [m], [rad]."""
TIME_OUT = 2e-2
"""Of the field's test, 5 ms, and room for a machine that is busy [s]."""
ITERATIONS = 100
"""Of solvers that count steps instead."""


class Solver(ABC):
    """One arm and the poses that its tool shall reach."""

    name: ClassVar[str] = ''
    package: ClassVar[str] = ''
    module: ClassVar[str] = ''
    usage: ClassVar[str] = ''
    part: ClassVar[int] = 1
    """Every which pose is taken, where all would take too long."""
    clock = staticmethod(time.thread_time)

    def __init__(self, arm: Arm, rotation: np.ndarray, position: np.ndarray):
        """Take the poses (k, 3, 3) and (k, 3)."""
        self.arm, self.rotation, self.position = arm, rotation, position
        self.turns = np.array([quaternion(turn) for turn in rotation])
        self.lower, self.upper = arm.robot.limits.lower, arm.robot.limits.upper
        self.middle = arm.middle
        self.engine: Any = find(self.module) if self.module else None
        self.prepare()

    @classmethod
    def is_there(cls) -> bool:
        """Tell whether the peer is installed."""
        return not cls.module or find(cls.module) is not None

    def prepare(self) -> None:
        """Make the engine's own model."""

    @abstractmethod
    def forward(self, q: np.ndarray) -> np.ndarray:
        """Return where the tool is (3,) at joint positions [m]."""

    @abstractmethod
    def solve(self, k: int) -> np.ndarray:
        """Return joint positions for a pose, the best that was found."""


class Ours(Solver):
    """Robot.solve."""

    name, package = 'ours', 'robodyn_ros'
    usage = 'Robot.solve, one call a pose; many poses in one call are timed beside it'

    def prepare(self) -> None:
        """Compile."""
        self.poses = np.column_stack([self.position, self.turns])
        self.robot, self.frame = self.arm.robot, self.arm.frame
        self.solve(0)

    def forward(self, q: np.ndarray) -> np.ndarray:
        """Return where the tool is."""
        return self.robot.positions(self.frame, q)

    def solve(self, k: int) -> np.ndarray:
        """One pose."""
        return self.robot.solve(self.frame, self.poses[k], tolerance=TOLERANCE).q

    def solve_all(self) -> np.ndarray:
        """All poses in one call, on one core (k, n)."""
        return self.robot.solve(self.frame, self.poses, tolerance=TOLERANCE,
                                workers=1).q


class Kdl(Solver):
    """Newton-Raphson with joint limits of Orocos KDL."""

    name, package, module = 'KDL', 'PyKDL', 'PyKDL'
    usage = ('ChainIkSolverPos_NR_JL on ChainIkSolverVel_pinv, 100 iterations; it has no '
             'restarts. Not on the package index as a wheel: python3-pykdl of Debian and Ubuntu')

    def prepare(self) -> None:
        """Build the chain from our tree; every joint turns about the z axis of its body."""
        kdl, tree = self.engine, self.arm.robot.tree
        places = [(tree.bodies[k].rotation, tree.bodies[k].translation) for k in self.arm.bodies]
        tool = tree.frames[self.arm.frame]
        places.append((tool.rotation, tool.translation))
        chain = kdl.Chain()
        for number, (turn, shift) in enumerate(places):
            # a segment is a joint and what follows it; the first one has none
            joint = kdl.Joint(f'j{number}', kdl.Joint.RotZ if number else kdl.Joint.Fixed)
            chain.addSegment(kdl.Segment(f's{number}', joint, kdl.Frame(
                kdl.Rotation(*np.array(turn, dtype=float).ravel()),
                kdl.Vector(*map(float, shift)))))
        self.chain = chain
        self.fk = kdl.ChainFkSolverPos_recursive(chain)
        self.velocity = kdl.ChainIkSolverVel_pinv(chain)
        self.solver = kdl.ChainIkSolverPos_NR_JL(
            chain, self._array(self.lower), self._array(self.upper), self.fk, self.velocity,
            ITERATIONS, TOLERANCE)
        self.seed, self.found = self._array(self.middle), kdl.JntArray(len(self.middle))
        self.goals = [kdl.Frame(kdl.Rotation(*turn.ravel()), kdl.Vector(*at))
                      for turn, at in zip(self.rotation, self.position)]

    def _array(self, values: np.ndarray) -> Any:
        made = self.engine.JntArray(len(values))
        for k, value in enumerate(values.tolist()):
            made[k] = value
        return made

    def forward(self, q: np.ndarray) -> np.ndarray:
        """Return where the tool is."""
        frame = self.engine.Frame()
        self.fk.JntToCart(self._array(q), frame)
        return np.array([frame.p[k] for k in range(3)])

    def solve(self, k: int) -> np.ndarray:
        """One pose."""
        self.solver.CartToJnt(self.seed, self.goals[k], self.found)
        return np.array([self.found[i] for i in range(len(self.middle))])


class TracIk(Solver):
    """TRAC-IK: KDL's Newton with restarts, and SQP, in two threads."""

    name, package, module = 'TRAC-IK', 'pytracik', 'pytracik'
    usage = ('Speed, epsilon 1e-5, at most 20 ms, not 5, as the wall clock of a busy machine '
             'would decide else')
    clock = staticmethod(time.perf_counter)

    def prepare(self) -> None:
        """Read the robot's file."""
        robot = self.arm.robot
        self.solver = self.engine.TRAC_IK(robot.base, self.arm.frame, bare_urdf(robot), TIME_OUT,
                                          TOLERANCE, self.engine.SolveType.Speed)
        self.goals = np.column_stack([self.position, self.turns])

    def forward(self, q: np.ndarray) -> np.ndarray:
        """Return where the tool is."""
        return np.array(self.engine.fk(self.solver, q))[:3, 3]

    def solve(self, k: int) -> np.ndarray:
        """One pose; the middle of the limits where there is no answer."""
        found = self.engine.ik(self.solver, self.middle, *self.goals[k].tolist())
        return found[1:] if found[0] >= 0 else self.middle


class Pink(Solver):
    """Differential inverse kinematics by quadratic programs on Pinocchio."""

    name, package, module = 'Pink', 'pin-pink', 'pink'
    usage = ('a FrameTask, solve_ik (DAQP) and integrate, up to 100 times with steps of 1 s; made '
             'for tracking, not for far goals')
    part = 20

    def prepare(self) -> None:
        """Read the robot's file with Pinocchio."""
        self.pin = find('pinocchio')
        self.model = self.pin.buildModelFromXML(bare_urdf(self.arm.robot))
        self.data = self.model.createData()
        self.task = self.engine.FrameTask(self.arm.frame, position_cost=1.0, orientation_cost=1.0)

    def forward(self, q: np.ndarray) -> np.ndarray:
        """Return where the tool is."""
        self.pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.model.getFrameId(self.arm.frame)].translation.copy()

    def solve(self, k: int) -> np.ndarray:
        """One pose."""
        goal = self.pin.SE3(self.rotation[k], self.position[k])
        self.task.set_target(goal)
        here = self.engine.Configuration(self.model, self.data, self.middle.copy())
        for _ in range(ITERATIONS):
            if np.abs(self.task.compute_error(here)).max() < TOLERANCE:
                break
            try:
                step = self.engine.solve_ik(here, [self.task], 1.0, solver='daqp', damping=1e-8)
            except self.engine.exceptions.PinkError:
                break
            here.integrate_inplace(step, 1.0)
        return here.q


class Mink(Solver):
    """The same on MuJoCo."""

    name, package, module = 'mink', 'mink', 'mink'
    usage = ('a FrameTask, solve_ik (DAQP) within a ConfigurationLimit and integrate, up to 100 '
             'times with steps of 1 s; made for tracking, not for far goals')
    part = 20

    def prepare(self) -> None:
        """Read the robot's file with MuJoCo, which forgets frames without a mass."""
        mujoco = find('mujoco')
        text = bare_urdf(self.arm.robot).replace(
            '</robot>', '<mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>'
            '</robot>')
        self.model = mujoco.MjModel.from_xml_string(text)
        self.configuration = self.engine.Configuration(self.model)
        self.task = self.engine.FrameTask(self.arm.frame, 'body', position_cost=1.0,
                                          orientation_cost=1.0)
        self.limits = [self.engine.ConfigurationLimit(self.model)]

    def forward(self, q: np.ndarray) -> np.ndarray:
        """Return where the tool is."""
        self.configuration.update(q)
        return self.configuration.get_transform_frame_to_world(self.arm.frame,
                                                               'body').translation()

    def solve(self, k: int) -> np.ndarray:
        """One pose."""
        here = self.configuration
        here.update(self.middle.copy())
        self.task.set_target(self.engine.SE3.from_rotation_and_translation(
            self.engine.SO3.from_matrix(self.rotation[k]), self.position[k]))
        for _ in range(ITERATIONS):
            if np.abs(self.task.compute_error(here)).max() < TOLERANCE:
                break
            try:
                step = self.engine.solve_ik(here, [self.task], 1.0, 'daqp', damping=1e-8,
                                            limits=self.limits)
            except self.engine.exceptions.MinkError:
                break
            here.integrate_inplace(step, 1.0)
        return here.q.copy()


SOLVERS: tuple[type[Solver], ...] = (Ours, TracIk, Kdl, Pink, Mink)
