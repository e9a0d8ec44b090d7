# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Drake: MultibodyPlant and Simulator.

Accelerations by EvalTimeDerivatives of a continuous plant. It has no RK4: steps are those of its
Simulator with the fixed-step third-order integrator (three evaluations, so in its favour). Loops
exist for discrete plants only (AddBallConstraint with the SAP solver), which integrate
semi-implicitly and offer no acceleration.
"""
from __future__ import annotations

from typing import Any

from benchmarks.contender import CannotError, Contender, Work
from benchmarks.peers import bare_urdf, require_joints
import numpy as np
from robodyn_ros import Robot, State


class Drake(Contender):
    """One robot in Drake."""

    name, package, module = 'drake', 'drake', 'pydrake'
    integrator = 'RK3'
    fewer_rollouts = 5
    run_tolerance = 1e-4
    usage = ('MultibodyPlant, continuous; fixed-step RK3 of its Simulator (it has no RK4); closed '
             'chains: discrete SAP with ball constraints')

    def __init__(self, robot: Robot, step: float):
        """Read the robot's URDF; close its loops where it has any."""
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant

        self.closed, self.step = bool(robot.loops), step
        if self.closed:
            self.integrator = 'semi-implicit, discrete SAP'
            self.run_tolerance = 1e-1
        self.plant: Any = MultibodyPlant(step if self.closed else 0.0)
        Parser(self.plant).AddModelsFromString(bare_urdf(robot), 'urdf')
        plant = self.plant
        gravity: Any = np.array(robot.parameters.gravity)  # its stubs know no plain array
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(robot.base))
        plant.mutable_gravity_field().set_gravity_vector(gravity)
        for item in robot.loops:
            a, b = (plant.GetFrameByName(name) for name in (item.frame_a, item.frame_b))
            plant.AddBallConstraint(
                a.body(), a.GetFixedPoseInBodyFrame().translation(),
                b.body(), b.GetFixedPoseInBodyFrame().translation())
        plant.Finalize()
        names = tuple(plant.get_joint(k).name() for k in plant.GetJointIndices()
                      if plant.get_joint(k).num_velocities())
        require_joints('Drake', names, robot)
        self.context: Any = plant.CreateDefaultContext()

    def mass_matrix(self, q: np.ndarray) -> Work:
        """Call CalcMassMatrix once per position."""
        plant, context, n = self.plant, self.context, q.shape[1]
        out = np.empty((len(q), n, n))

        def work() -> np.ndarray:
            for k, position in enumerate(q):
                plant.SetPositions(context, position)
                out[k] = plant.CalcMassMatrix(context)
            return out
        return work

    def inverse(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Work:
        """Call CalcInverseDynamics once per motion; gravity is a force of its own there."""
        from pydrake.multibody.tree import MultibodyForces

        plant, context, forces = self.plant, self.context, MultibodyForces(self.plant)
        states, out = np.hstack([q, v]), np.empty_like(q)

        def work() -> np.ndarray:
            for k, state in enumerate(states):
                plant.SetPositionsAndVelocities(context, state)
                plant.CalcForceElementsContribution(context, forces)
                out[k] = plant.CalcInverseDynamics(context, a[k], forces)
            return out
        return work

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """One call per state."""
        if self.closed:
            raise CannotError('a discrete plant offers no acceleration')
        plant, context, n = self.plant, self.context, q.shape[1]
        states, out = np.hstack([q, v]), np.empty_like(q)

        def work() -> np.ndarray:
            for k, state in enumerate(states):
                plant.SetPositionsAndVelocities(context, state)
                out[k] = plant.EvalTimeDerivatives(context).CopyToVector()[n:]
            return out
        return work

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Not offered."""
        raise CannotError('loops only in discrete plants, which offer no acceleration')

    def simulator(self, start: State) -> tuple[Any, Any, np.ndarray]:
        """Return a Simulator, its context and the start (2 n,)."""
        from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

        simulator: Any = Simulator(self.plant, self.plant.CreateDefaultContext())
        if not self.closed:
            integrator = ResetIntegratorFromFlags(simulator, 'runge_kutta3', self.step)
            integrator.set_fixed_step_mode(True)
        context = simulator.get_mutable_context()
        return simulator, context, np.concatenate([start.q, start.v])

    def restart(self, simulator: Any, context: Any, first: np.ndarray) -> None:
        """Put the robot into its first state."""
        context.SetTime(0.0)
        self.plant.SetPositionsAndVelocities(context, first)
        simulator.Initialize()

    def steps(self, start: State, count: int) -> Work:
        """Run its Simulator in one call."""
        simulator, context, first = self.simulator(start)

        def work() -> np.ndarray:
            self.restart(simulator, context, first)
            simulator.AdvanceTo(count * self.step)
            return self.plant.GetPositionsAndVelocities(context)
        return work

    def steps_singly(self, start: State, count: int) -> Work:
        """Advance its Simulator by one step per call."""
        simulator, context, first = self.simulator(start)

        def work() -> np.ndarray:
            self.restart(simulator, context, first)
            for k in range(count):
                simulator.AdvanceTo((k + 1) * self.step)
                state = self.plant.GetPositionsAndVelocities(context)
            return state
        return work

    def record(self, start: State, count: int) -> Work:
        """Note the positions by the Simulator's monitor, which it calls after every step."""
        simulator, context, first = self.simulator(start)
        plant, path = self.plant, []

        def note(root: Any) -> None:
            path.append(plant.GetPositions(root))

        simulator.set_monitor(note)

        def work() -> np.ndarray:
            path.clear()
            self.restart(simulator, context, first)
            simulator.AdvanceTo(count * self.step)
            return np.array(path[-count:])
        return work
