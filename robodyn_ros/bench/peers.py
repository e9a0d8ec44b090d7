# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
MuJoCo and Pinocchio with the same robot, each as fast as its documentation allows.

MuJoCo: RK4, no geometry, every stage the robot does not need disabled by its flag, one call of
mj_step for all steps; closed chains by connect constraints between two sites, with the solver
(CG, no islands) that was fastest for them. Pinocchio: preallocated data, one call per state. Both
are optional; what is missing is said in one sentence.
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from robodyn_ros.errors import RobodynError
from robodyn_ros.robots.robot import Robot
from robodyn_ros.signals import State

MUJOCO, PINOCCHIO = 'mujoco', 'pinocchio'
SAME = 1e-9
"""Largest relative difference of accelerations between two models of one robot [-]."""
UNUSED = ('CONTACT', 'LIMIT', 'FRICTIONLOSS', 'ISLAND', 'SENSOR', 'ACTUATION', 'CLAMPCTRL',
          'AUTORESET')
"""Stages of mj_step that none of the measured robots needs (mjtDisableBit)."""


def find(name: str) -> Any:
    """Return the module of a peer, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def missing(name: str) -> str:
    """Return what to say about a peer that is not installed."""
    return (f'{name} is not installed, its rows are left out: '
            'pip install "robodyn_ros[bench]" brings it')


class Mujoco:
    """One robot in MuJoCo; its joints are in the order of ours."""

    def __init__(self, robot: Robot, step: float, payload: float = 0.0):
        """
        Read the robot's URDF and close its loops.

        :param payload: point mass at the robot's payload frame [kg]
        """
        self.engine = engine = find(MUJOCO)
        spec = engine.MjSpec.from_string(robot.urdf)
        spec.option.integrator = engine.mjtIntegrator.mjINT_RK4
        spec.option.timestep = step
        spec.option.gravity = robot.parameters.gravity
        for geometry in list(spec.geoms):
            spec.delete(geometry)
        unused = UNUSED if robot.loops else (*UNUSED, 'CONSTRAINT', 'EQUALITY')
        for stage in unused:
            flag = getattr(engine.mjtDisableBit, 'mjDSBL_' + stage, 0)  # a flag of a later version
            spec.option.disableflags |= int(flag)
        if payload:
            spec.body(robot.tree.payload_frame).add_body(
                name='payload', mass=payload, inertia=[1e-12] * 3, explicitinertial=True)
        self._close(spec, robot)
        self.loops = [(item.frame_a, item.frame_b) for item in robot.loops]
        self.model = spec.compile()
        self.data = engine.MjData(self.model)
        names = tuple(self.model.joint(k).name for k in range(self.model.njnt))
        if names != robot.joints:
            raise RobodynError(f'MuJoCo reads the joints {names} from {robot.path}, we read '
                               f'{robot.joints}; the comparison would not be of one robot')

    def _close(self, spec: Any, robot: Robot) -> None:
        engine = self.engine
        spec.option.solver = engine.mjtSolver.mjSOL_CG
        for frame in {name for item in robot.loops for name in (item.frame_a, item.frame_b)}:
            spec.body(frame).add_site(name=frame)
        for item in robot.loops:  # planar loops too: the third row of connect is idle
            spec.add_equality(type=engine.mjtEq.mjEQ_CONNECT, objtype=engine.mjtObj.mjOBJ_SITE,
                              name1=item.frame_a, name2=item.frame_b)

    def start(self, state: State) -> None:
        """Put the robot into a state."""
        self.engine.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:] = state.q, state.v

    def run(self, state: State, steps: int) -> None:
        """Start and take all steps in one call."""
        self.start(state)
        self.engine.mj_step(self.model, self.data, steps)

    def acceleration(self, state: State) -> np.ndarray:
        """Acceleration without torque (n,)."""
        self.start(state)
        self.engine.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def violation(self, state: State, steps: int) -> float:
        """Largest gap of the loops after any step of a run [m]."""
        self.start(state)
        worst = 0.0
        for _ in range(steps):
            self.engine.mj_step(self.model, self.data, 1)
            self.engine.mj_kinematics(self.model, self.data)
            for a, b in self.loops:
                gap = self.data.site(a).xpos - self.data.site(b).xpos
                worst = max(worst, float(np.abs(gap).max()))
        return worst


class Pinocchio:
    """One robot in Pinocchio; its joints are in the order of ours."""

    def __init__(self, robot: Robot):
        """Read the robot's URDF."""
        self.engine = find(PINOCCHIO)
        self.model = self.engine.buildModelFromXML(robot.urdf)
        self.model.gravity.linear = np.array(robot.parameters.gravity)
        self.data = self.model.createData()
        if tuple(self.model.names)[1:] != robot.joints:
            raise RobodynError(f'Pinocchio reads the joints {tuple(self.model.names)[1:]} from '
                               f'{robot.path}, we read {robot.joints}; the comparison would not '
                               'be of one robot')

    def acceleration(self, state: State) -> np.ndarray:
        """Acceleration without torque and friction (n,)."""
        return self.engine.aba(self.model, self.data, state.q, state.v,
                               np.zeros(self.model.nv)).copy()


def require_same(name: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    """Stop when a peer's model is not the same robot: its time would mean nothing."""
    scale = max(1.0, float(np.abs(ours).max()))
    if not np.abs(ours - theirs).max() < SAME * scale:
        raise RobodynError(f'the accelerations of {name} are {theirs.tolist()} by the peer and '
                           f'{ours.tolist()} by us; the models differ, so no time is compared')
