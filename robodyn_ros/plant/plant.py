# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A simulated plant: a robot with constraints, stepped and rolled out in compiled code.

    plant = Plant(load_robot('scara_450'), [follow('tool0', helix)], step=1e-3)
    motion = plant.rollout(State(0.0, q, v), duration=20.0)

One step and a whole rollout are the same compiled loop. Rows that turn out dependent while running
are handed to the rank-finding variant, which goes on from the last good state.
"""
from __future__ import annotations

from functools import cached_property
import logging
from typing import Mapping, Sequence

import numpy as np

from robodyn_ros.checks import whole_number
from robodyn_ros.codegen.batch import run_batch, Shape
from robodyn_ros.codegen.program import Program
from robodyn_ros.constraints.constraint import checked_constraints, Constraint
from robodyn_ros.constraints.ready_made import loops_of
from robodyn_ros.constraints.stabilisation import (checked_stabilisation, Stabilisation,
                                                   step_warning)
from robodyn_ros.errors import StateError
from robodyn_ros.plant import checks, diagnosis, program
from robodyn_ros.plant.batch import many_rollouts
from robodyn_ros.plant.inputs import inputs_of, one_input, reference_rows, SAMPLES, step_count
from robodyn_ros.plant.program import BATCH, CHOLESKY, RANK
from robodyn_ros.plant.rollout import rates, run
from robodyn_ros.plant.stepper import Stepper
from robodyn_ros.plant.variants import Ready, Variants
from robodyn_ros.robots.robot import Robot
from robodyn_ros.types import Control, Rollout, rollout_from_rows, State

LOG = logging.getLogger('robodyn_ros')


class Plant:
    """
    A robot under constraints.

    :param constraints: beside the loops of the robot's own file
    :param stabilisation: made by the function of that name, or a kind that has no gains
    :param control: law compiled into the loop; without it the torque given is held
    :param control_period: steps between control instants
    :param solver: 'auto' starts with straight-line code and finds ranks where needed
    :param kinematic: unit mass matrix and no forces: the motion with the smallest accelerations
        that the constraints allow (inverse kinematics)
    :param damped: let the rows give way near singularities; for inverse kinematics only
    """

    def __init__(self, robot: Robot, constraints: Sequence[Constraint] = (), *,
                 stabilisation: Stabilisation | str = Stabilisation(), integrator: str = 'rk4',
                 step: float = 1e-3, control: Control | None = None, control_period: int = 1,
                 solver: str = 'auto', close_loops: bool = True, kinematic: bool = False,
                 damped: bool = False):
        """Trace the plant; it is compiled on first use."""
        checks.check_options(robot, integrator, step, control_period, solver)
        control = checks.checked_control(control)
        self.robot, self.integrator, self.step_size = robot, integrator, float(step)
        self.constraints = [*(loops_of(robot) if close_loops else []),
                            *checked_constraints('constraints', constraints)]
        checks.check_names(self.constraints)
        self.stabilisation = checked_stabilisation(stabilisation)
        self.control_period = int(control_period)
        self.variants = Variants(robot, self.constraints, self.stabilisation, integrator, control,
                                 kinematic, damped)
        self.table, self._traced = self.variants.table, self.variants.traced
        self.controlled, self.delay = control is not None, (control.delay if control else 0)
        self.row_names: tuple[str, ...] = tuple(self._traced.rows.names)
        warning = step_warning(self.stabilisation, integrator, self.step_size)
        if warning:
            LOG.warning(warning)
        many = len(self.row_names) > robot.n
        self.solver = RANK if many and solver == 'auto' else solver
        self.solvers = (CHOLESKY, RANK) if self.solver == 'auto' else (self.solver,)
        self.agreed = self.warned = False
        """What was found out about the rows at the start of a run (diagnosis.py)."""
        self._spare: list[Stepper] = []  # for advance: one for each thread that calls at a time
        self.reference_size = len(self._traced.reference)

    def program(self, variant: str = '', loaded: bool = False) -> Program:
        """Return the program of a variant; by default the one a rollout starts with."""
        return self.variants.program(variant or self.solvers[0], loaded)

    @cached_property
    def rows(self) -> Program:
        """Program with the kernel rows -> phi, rate, A."""
        return program.rows_program(f'the constraint rows of {self.robot.name}',
                                          self._traced)

    def ready(self, parameters: Mapping[str, float] | None = None) -> Ready:
        """Return the compiled functions a rollout starts with, and its prepared parameters."""
        return self.variants.ready(self.solvers[0], parameters)

    def flat_input(self, state: State, tau: object = None) -> np.ndarray:
        """Return t, q, v, tau side by side, checked (1 + 3 n,)."""
        return one_input(self.robot, state, tau)

    def parameter_vector(self, changes: Mapping[str, float] | None = None) -> np.ndarray:
        """Return all run-time parameters, some changed; what no payload can have is refused."""
        return self.variants.vector(changes)

    def constraint_rows(self, state: State, parameters: Mapping[str, float] | None = None
                        ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position errors phi (m,), their rates (m,) and A (m, n) at a state."""
        n, m = self.robot.n, len(self.row_names)
        w = self.rows.prepared(self.parameter_vector(parameters))
        y = self.rows.evaluate('rows', self.flat_input(state, None), w)
        return y[:m], y[m:2 * m], y[2 * m:].reshape(m, n)

    def rollout(self, state: State, duration: float | None = None, *, steps: int | None = None,
                tau: object = None, reference: np.ndarray | None = None, every: int = 1,
                parameters: Mapping[str, float] | None = None) -> Rollout:
        """
        Integrate from a state and record.

        :param duration: [s], a whole number of steps; or give steps
        :param tau: torque held during the rollout (n,), default 0; a compiled control replaces it
        :param reference: (instants, control.reference_size), one row per control instant
        :param every: record every so many steps; the start is always recorded
        :param parameters: run-time parameters by name, see plant.table.names
        """
        count = self._steps(duration, steps)
        every = whole_number('every', every, SAMPLES, 1)
        n, m = self.robot.n, len(self.row_names)
        width = 1 + 5 * n + 3 * m
        try:
            rows = np.empty((count // every + 1) * width)
        except (MemoryError, ValueError):
            raise StateError(f'{count // every + 1} samples do not fit into memory; record every '
                             'so many steps, or shorten the duration') from None
        x = self.flat_input(state, tau)
        flat = self._reference(reference, count)
        written = run(self, x, count, every, flat, rows, parameters)
        return rollout_from_rows(rows[:written * width].reshape(written, width), n, m)

    def advance(self, state: State, tau: object = None, *, steps: int = 1,
                parameters: Mapping[str, float] | None = None) -> State:
        """Return the state some steps later, without recording."""
        x, steps = self.flat_input(state, tau), self._steps(None, steps)
        if not (parameters or self.controlled):
            found = self._quickly(x, steps)
            if found is not None:
                return found
        run(self, x, steps, 0, self._reference(None, steps), np.empty(1), parameters)
        n = self.robot.n
        return State(float(x[0]), x[1:1 + n].copy(), x[1 + n:1 + 2 * n].copy())

    def in_place(self, state: State, steps: int = 1,
                 parameters: Mapping[str, float] | None = None) -> Stepper:
        """Return a motion in arrays of its own, for tight loops in Python (plant/stepper.py)."""
        return Stepper(self, state, steps, parameters)

    def observe(self, state: State, tau: object = None,
                parameters: Mapping[str, float] | None = None) -> Rollout:
        """Return acceleration, constraint force and errors at one state (one sample)."""
        return self.rollout(state, steps=0, tau=tau, parameters=parameters)

    def rollouts(self, states: Sequence[State], duration: float | None = None, *,
                 steps: int | None = None, tau: object = None, every: int = 1,
                 reference: np.ndarray | None = None,
                 parameters: Sequence[Mapping[str, float]] | None = None,
                 workers: int | None = None) -> list[Rollout]:
        """
        Many rollouts on all cores; parameters, if given, has one entry per state.

        The results do not depend on the number of workers, nor on how many runs share a vector
        register (codegen/loops/lanes.py): each has the bits it has by itself.
        """
        return many_rollouts(self, states, self._steps(duration, steps), tau, every, reference,
                             parameters, workers)

    def derivative(self, state: State, tau: object = None,
                   parameters: Mapping[str, float] | None = None
                   ) -> tuple[np.ndarray, np.ndarray]:
        """
        Rates (qdot, a), of the shape of q; qdot differs from v under velocity correction.

        :param state: its q and v are (n,) or, for many states of one time, (k, n); so is tau
        """
        n, x = self.robot.n, inputs_of(self.robot, state, tau)
        found = rates(self, x if x.ndim > 1 else x[None], parameters)
        if x.ndim == 1:
            found = found[0]
        return found[..., :n], found[..., n:]

    @cached_property
    def side_by_side(self) -> bool:
        """Return whether runs can share vector registers (codegen/loops/lanes.py)."""
        return self.solver != RANK and program.side_by_side_possible(
            self._traced, self.stabilisation, self.integrator)

    def batch(self, states: Sequence[State], count: int, tau: object, every: int,
              reference: np.ndarray | None, parameters: Sequence[Mapping[str, float] | None]
              ) -> list[Rollout] | None:
        """Run LANES rollouts side by side; None where one of them has to be computed alone."""
        n, m = self.robot.n, len(self.row_names)
        if len({self.variants.loaded(item) for item in parameters}) > 1:
            return None  # their code differs, and so might their last bits
        ready = [self.variants.ready(BATCH, item) for item in parameters]
        rows = run_batch(
            ready[0].names['side_by_side'], Shape(n, m, self.reference_size, self.delay),
            [self.flat_input(state, tau) for state in states], [item.w for item in ready], count,
            self.step_size, every, self.control_period, self._reference(reference, count))
        if rows is None:
            return None
        if count:
            diagnosis.check_starts(self, rows)
        return [rollout_from_rows(item, n, m) for item in rows]

    # --- inside ---------------------------------------------------------------------------

    def _quickly(self, x: np.ndarray, steps: int) -> State | None:
        try:
            motion = self._spare.pop()
        except IndexError:
            motion = Stepper(self, State(0.0, x[1:1 + self.robot.n], np.zeros(self.robot.n)))
        found = motion.try_steps(x, steps)
        self._spare.append(motion)
        return found

    def _steps(self, duration: float | None, steps: int | None) -> int:
        return step_count(duration, steps, self.step_size)

    def _reference(self, reference: np.ndarray | None, count: int) -> np.ndarray:
        return reference_rows(reference, self.reference_size, -(-count // self.control_period))
