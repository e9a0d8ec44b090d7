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
from typing import Callable, Iterable, Mapping, Sequence

import numpy as np

from robodyn_ros.checks import items, numbers, refusal, whole_number
from robodyn_ros.codegen.program import Program
from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.stabilisation import Stabilisation, step_warning
from robodyn_ros.errors import SizeError, StateError
from robodyn_ros.plant.diagnosis import StartCheck, state_of
from robodyn_ros.plant.gradient import Adjoints, RolloutGradient
from robodyn_ros.plant.inputs import inputs_of, one_input, reference_rows, SAMPLES, step_count
from robodyn_ros.plant.linearised import Linearisation, Linearised
from robodyn_ros.plant.model import Model, Ready
from robodyn_ros.plant.rollout import rates, rollout_from_rows, rollouts, run
from robodyn_ros.plant.stepper import Stepper
from robodyn_ros.robots.parameters import Given
from robodyn_ros.robots.robot import Robot
from robodyn_ros.types import Control, Rollout, State

LOG = logging.getLogger('robodyn_ros')
MOST_THREADS = 1024
"""For many rollouts; more than any machine has cores."""


class Plant:
    """
    A robot under constraints.

    :param constraints: beside the loops of the robot's own file
    :param integrator: 'auto' is 'rk4', or 'implicit_friction' where the robot's friction is too
        stiff for the step
    :param stabilisation: made by the function of that name, or a kind that has no gains
    :param control: law compiled into the loop; without it the torque given is held
    :param control_period: steps between control instants
    :param solver: 'auto' starts with straight-line code and finds ranks where needed
    :param kinematic: unit mass matrix and no forces: the motion with the smallest accelerations
        that the constraints allow (inverse kinematics)
    :param damped: let the rows give way near singularities; for inverse kinematics only
    """

    def __init__(self, robot: Robot, constraints: Sequence[Constraint] = (), *,
                 stabilisation: Stabilisation | str = Stabilisation(), integrator: str = 'auto',
                 step: float = 1e-3, control: Control | None = None, control_period: int = 1,
                 solver: str = 'auto', close_loops: bool = True, kinematic: bool = False,
                 damped: bool = False):
        """Trace the plant; it is compiled on first use."""
        self.model = Model(robot, constraints, stabilisation, integrator, step, control,
                           control_period, solver, close_loops, kinematic, damped)
        self.robot, self.row_names = self.model.robot, self.model.row_names
        self.step_size, self.parameters = self.model.step_size, self.model.parameters
        warning = step_warning(self.model.stabilisation, self.model.integrator,
                               self.step_size)
        if warning:
            LOG.warning(warning)
        self._start_check = StartCheck()
        self._spare: list[Stepper] = []  # for advance: one for each thread that calls at a time

    def program(self, variant: str = '', parametric: bool = False) -> Program:
        """
        Return the program of a variant; by default the one a rollout starts with.

        :param parametric: payload, gravity and friction are inputs, not the robot's own
        """
        return self.model.program(variant or self.model.solvers[0], parametric)

    def ready(self, parameters: Given = None) -> Ready:
        """Return the compiled functions a rollout starts with, and its prepared parameters."""
        return self.model.ready(self.model.solvers[0], parameters)

    def constraint_rows(self, state: State, parameters: Given = None
                        ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position errors phi (m,), their rates (m,) and A (m, n) at a state."""
        return self.model.constraint_rows(state, parameters)

    def rollout(self, state: State, duration: float | None = None, *, steps: int | None = None,
                tau: object = None, reference: np.ndarray | None = None, every: int = 1,
                parameters: Given = None) -> Rollout:
        """
        Integrate from a state and record.

        :param duration: [s], a whole number of steps; or give steps
        :param tau: torque held during the rollout (n,), default 0; a compiled control replaces it
        :param reference: (instants, control.reference_size), one row per control instant
        :param every: record every so many steps; the start is always recorded
        :param parameters: run-time parameters by name, see plant.parameters.names
        """
        count = step_count(duration, steps, self.step_size)
        every = whole_number('every', every, SAMPLES, 1)
        samples, layout = count // every + 1, self.model.layout
        try:
            rows = np.empty(samples * layout.sample)
        except (MemoryError, ValueError):
            raise StateError(f'{samples} samples do not fit into memory; record every so many '
                             'steps, or shorten the duration') from None
        x = one_input(self.robot, state, tau)
        written = run(self.model, self._start_check, x, count, every,
                      self._reference(reference, count), rows, parameters)
        return rollout_from_rows(rows[:written * layout.sample].reshape(written, layout.sample),
                                 layout)

    def advance(self, state: State, tau: object = None, *, steps: int = 1,
                parameters: Given = None) -> State:
        """Return the state some steps later, without recording."""
        x, steps = one_input(self.robot, state, tau), step_count(None, steps, self.step_size)
        if not parameters and self.model.control is None:
            try:
                motion = self._spare.pop()
            except IndexError:
                motion = self.in_place(State(0.0, x[1:1 + self.robot.n], np.zeros(self.robot.n)))
            found = motion.try_steps(x, steps)
            self._spare.append(motion)
            if found is not None:
                return found
        run(self.model, self._start_check, x, steps, 0, self._reference(None, steps), np.empty(1),
            parameters)
        return state_of(x, self.robot.n)

    def in_place(self, state: State, steps: int = 1, parameters: Given = None) -> Stepper:
        """Return a motion in arrays of its own, for tight loops in Python (plant/stepper.py)."""
        return Stepper(self.model, self.advance, state, steps, parameters)

    def observe(self, state: State, tau: object = None, parameters: Given = None) -> Rollout:
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
        register: each has the bits it has by itself.
        """
        count = step_count(duration, steps, self.step_size)
        every = whole_number('every', every, SAMPLES, 1)
        states = items(State, 'states', states, 'State(t, q, v)')
        if workers is not None:
            workers = whole_number('workers', workers, 'a whole number of threads, 1 or more', 1,
                                   MOST_THREADS)
        if isinstance(parameters, Mapping):
            raise refusal('parameters', parameters, 'a list with one mapping per state')
        if parameters is not None and len(parameters) != len(states):
            raise SizeError('parameters of rollouts', len(states), len(parameters),
                            'give one mapping per state')
        chosen: Sequence[Given] = [None] * len(states) if parameters is None else parameters

        def alone(k: int) -> Rollout:
            return self.rollout(states[k], steps=count, tau=tau, every=every, reference=reference,
                                parameters=chosen[k])

        inputs = [one_input(self.robot, state, tau) for state in states]
        return rollouts(self.model, self._start_check, inputs, count, every,
                        self._reference(reference, count), chosen, workers, alone)

    def derivative(self, state: State, tau: object = None,
                   parameters: Given = None) -> tuple[np.ndarray, np.ndarray]:
        """
        Rates (qdot, a), of the shape of q; qdot differs from v under velocity correction.

        :param state: its q and v are (n,) or, for many states of one time, (k, n); so is tau
        """
        n, x = self.robot.n, inputs_of(self.robot, state, tau)
        found = rates(self.model, x if x.ndim > 1 else x[None], parameters)
        if x.ndim == 1:
            found = found[0]
        return found[..., :n], found[..., n:]

    def linearised(self, state: State, tau: object = None,
                   parameters: Given = None) -> Linearised:
        """
        Return A and B of the constrained plant next to a state, continuous and of one step.

        The rows' own corrections belong to it; a compiled control law does not: the torque is the
        one given, held during the step.

        :param state: its q and v are (n,), or (k, n) for many, with one time or times (k,); so is
            tau
        """
        x = inputs_of(self.robot, state, tau)
        found = self._linearisation(x if x.ndim > 1 else x[None], parameters)
        return found if x.ndim > 1 else Linearised(*(part[0] for part in found))

    def rollout_gradient(self, state: State, duration: float | None = None, *,
                         steps: int | None = None, stage: Callable | None = None,
                         terminal: Callable | None = None, by: Iterable[str] = (),
                         tau: object = None, reference: np.ndarray | None = None,
                         parameters: Given = None,
                         slopes: Callable[[Rollout], np.ndarray] | None = None
                         ) -> RolloutGradient:
        """
        Gradient of a rollout's cost by parameters, start, torque and reference.

            cost = sum over steps h stage(t, q, v, tau, reference) + terminal(t, q, v)

        Both functions are run once with recording scalars, as control laws are; give the same
        function again, not another lambda, and nothing is compiled anew.

        :param stage: of a step's start, the torque that acts and the reference in force
        :param terminal: of the end
        :param by: run-time parameters, see plant.parameters.names
        :param reference: as for rollout; of a plant without a law, what the stage is to see:
            one row a step
        :param slopes: of a cost of the whole motion that no sum over steps is, such as one at
            control instants only: a function of the motion that returns its derivatives by q, v,
            tau of every sample (steps + 1, 3 n); the last torque is the one that acted last. The
            cost itself is not known then, only its gradient
        """
        by = self._adjoints.checked(by)
        count = step_count(duration, steps, self.step_size)
        layout = self.model.layout
        if self.model.control is None and reference is not None:
            wanted = numbers('reference', reference, 'numbers for each step')
            if wanted.ndim != 2 or len(wanted) < count:
                raise SizeError('reference', f'({count} or more, any)', wanted.shape,
                                'one row per step')
        else:
            instants = -(-count // self.model.control_period)
            wanted = self._reference(reference, count)
            wanted = wanted[:wanted.size if layout.reference else 0].reshape(
                -1 if layout.reference else instants, layout.reference)
        try:
            rows = np.empty((count + 1) * layout.sample)
        except (MemoryError, ValueError):
            raise StateError(f'{count + 1} samples do not fit into memory; shorten the duration'
                             ) from None
        x = one_input(self.robot, state, tau)
        run(self.model, self._start_check, x, count, 1, self._reference(reference, count), rows,
            parameters)
        rows = rows.reshape(count + 1, layout.sample)
        return self._adjoints(rollout_from_rows(rows, layout), rows, np.ascontiguousarray(wanted),
                              stage, terminal, by, parameters, slopes)

    @cached_property
    def _adjoints(self) -> Adjoints:
        return Adjoints(self.model)

    @cached_property
    def _linearisation(self) -> Linearisation:
        return Linearisation(self.model)

    def _reference(self, reference: np.ndarray | None, count: int) -> np.ndarray:
        return reference_rows(reference, self.model.layout.reference,
                              -(-count // self.model.control_period))
