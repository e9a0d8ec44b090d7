# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
MuJoCo: RK4, no geometry, every stage the robot does not need disabled by its flag.

One call of mj_step for all steps; many runs by its rollout module. Closed chains are connect
constraints between two sites. They are soft: as stiff as the documentation allows, they give
motions near ours, not equal ones; with the default softness they are far off (docs/benchmarks.md,
accuracy) and not faster.
"""
from __future__ import annotations

from typing import Any

from benchmarks.contender import Contender, Work
from benchmarks.peers import bare_urdf, find, MUJOCO, require_joints
import numpy as np
from robodyn_ros import Robot, State

UNUSED_STAGES = ('CONTACT', 'LIMIT', 'FRICTIONLOSS', 'ISLAND', 'SENSOR', 'ACTUATION', 'CLAMPCTRL',
                 'AUTORESET')
"""Stages of mj_step that none of the measured robots needs (mjtDisableBit)."""


def lean_spec(robot: Robot, step: float, constrained: bool) -> Any:
    """Return the MjSpec of a robot with RK4 and only the stages it needs."""
    engine = find(MUJOCO)
    spec = engine.MjSpec.from_string(bare_urdf(robot))
    spec.option.integrator = engine.mjtIntegrator.mjINT_RK4
    spec.option.timestep = step
    spec.option.gravity = robot.parameters.gravity
    for stage in UNUSED_STAGES if constrained else (*UNUSED_STAGES, 'CONSTRAINT', 'EQUALITY'):
        flag = getattr(engine.mjtDisableBit, 'mjDSBL_' + stage, 0)  # a flag of a later version
        spec.option.disableflags |= int(flag)
    return spec


def stiffest_settings(step: float) -> tuple[list[float], list[float]]:
    """Return solref and solimp: shortest time constant it does not clamp, full impedance."""
    return [2.0 * step, 1.0], [0.9999, 0.9999, 0.001, 0.5, 2.0]


class Mujoco(Contender):
    """One robot in MuJoCo; its joints are in the order of ours."""

    name, package, module = MUJOCO, 'mujoco', MUJOCO
    usage = ('RK4, unused stages disabled, all steps in one mj_step; many runs by mujoco.rollout; '
             'closed chains by connect constraints, as stiff as its documentation allows')

    def __init__(self, robot: Robot, step: float, payload: float = 0.0, stiff: bool = True):
        """
        Read the robot's URDF and close its loops.

        :param payload: point mass at the robot's payload frame [kg]
        :param stiff: loops as stiff as can be, instead of MuJoCo's default softness
        """
        self.engine = engine = find(MUJOCO)
        spec = lean_spec(robot, step, constrained=bool(robot.loops))
        if payload:
            spec.body(robot.tree.payload_frame).add_body(
                name='payload', mass=payload, inertia=[1e-12] * 3, explicitinertial=True)
        self._close(spec, robot)
        if robot.loops:
            self.tolerance = self.run_tolerance = 1e-2
        self.loops = [(item.frame_a, item.frame_b) for item in robot.loops]
        self.model = spec.compile()
        if stiff:
            self.model.eq_solref[:], self.model.eq_solimp[:] = stiffest_settings(step)
            self.model.opt.tolerance, self.model.opt.iterations = 1e-15, 200
        self.data = engine.MjData(self.model)
        require_joints('MuJoCo', tuple(self.model.joint(k).name
                                       for k in range(self.model.njnt)), robot)

    def _close(self, spec: Any, robot: Robot) -> None:
        engine = self.engine
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

    def gap(self) -> float:
        """Largest distance of the points that a loop joins, per axis [m]."""
        self.engine.mj_kinematics(self.model, self.data)
        return max(float(np.abs(self.data.site(a).xpos - self.data.site(b).xpos).max())
                   for a, b in self.loops)

    def violation(self, state: State, steps: int) -> float:
        """Largest gap of the loops after any step of a run [m]."""
        self.start(state)
        worst = 0.0
        for _ in range(steps):
            self.engine.mj_step(self.model, self.data, 1)
            worst = max(worst, self.gap())
        return worst

    # --- as every contender -----------------------------------------------------------------

    def mass_matrix(self, q: np.ndarray) -> Work:
        """Kinematics, mj_crb and mj_fullM once per position."""
        engine, model, data, n = self.engine, self.model, self.data, q.shape[1]
        out = np.empty((len(q), n, n))

        def full(matrix: np.ndarray) -> None:
            if hasattr(data, 'qM'):  # before version 4
                engine.mj_fullM(model, matrix, data.qM)
            else:
                engine.mj_fullM(model, data, matrix)

        def work() -> np.ndarray:
            for k in range(len(q)):
                data.qpos[:] = q[k]
                engine.mj_kinematics(model, data)
                engine.mj_comPos(model, data)
                engine.mj_crb(model, data)
                full(out[k])
            return out
        return work

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Work:
        """Call mj_inverse once per motion."""
        engine, model, data, out = self.engine, self.model, self.data, np.empty_like(q)

        def work() -> np.ndarray:
            for k in range(len(q)):
                data.qpos[:], data.qvel[:], data.qacc[:] = q[k], v[k], a[k]
                engine.mj_inverse(model, data)
                out[k] = data.qfrc_inverse
            return out
        return work

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Call mj_forward once per state."""
        engine, model, data, out = self.engine, self.model, self.data, np.empty_like(q)

        def work() -> np.ndarray:
            position, velocity, acceleration = data.qpos, data.qvel, data.qacc
            for k in range(len(q)):
                position[:], velocity[:] = q[k], v[k]
                engine.mj_forward(model, data)
                out[k] = acceleration
            return out
        return work

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Call mj_forward once per state; the loops are soft."""
        return self.forward(q, v)

    def steps(self, start: State, count: int) -> Work:
        """All steps in one call."""
        def work() -> np.ndarray:
            self.run(start, count)
            return np.concatenate([self.data.qpos, self.data.qvel])
        return work

    def steps_singly(self, start: State, count: int) -> Work:
        """One call per step."""
        def work() -> np.ndarray:
            self.start(start)
            step, model, data = self.engine.mj_step, self.model, self.data
            for _ in range(count):
                step(model, data)
                state = data.qpos.copy(), data.qvel.copy()
            return np.concatenate(state)
        return work

    def record(self, start: State, count: int) -> Work:
        """One run by the rollout module, which records every step."""
        states = self._rollout([start], count)
        n = len(start.q)
        return lambda: states()[0, :, 1:1 + n]

    def rollouts(self, starts: list[State], count: int, threads: int = 1) -> Work:
        """Many runs by the rollout module."""
        states, n = self._rollout(starts, count, threads), len(starts[0].q)
        return lambda: states()[:, -1, 1:1 + 2 * n]

    def recorded_rollouts(self, starts: list[State], count: int) -> Work:
        """Many runs by the rollout module, which records every step."""
        states, n = self._rollout(starts, count), len(starts[0].q)
        return lambda: states()[:, :, 1:1 + n]

    def _rollout(self, starts: list[State], count: int, threads: int = 1) -> Work:
        rollout, engine = find(MUJOCO + '.rollout'), self.engine
        width = engine.mj_stateSize(self.model, engine.mjtState.mjSTATE_FULLPHYSICS)
        first = np.zeros((len(starts), width))
        for row, state in zip(first, starts):
            n = len(state.q)
            row[1:1 + n], row[1 + n:1 + 2 * n] = state.q, state.v
        data = [engine.MjData(self.model) for _ in range(threads)]
        states = np.empty((len(starts), count, width))

        def work() -> np.ndarray:
            rollout.rollout(self.model, data, first, nstep=count, state=states)
            return states
        return work
