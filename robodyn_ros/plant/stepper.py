# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A plant that moves in arrays of its own, for loops in Python and for the dynamics node."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from robodyn_ros.checks import refusal, whole_number
from robodyn_ros.errors import StateError
from robodyn_ros.plant.inputs import one_input
from robodyn_ros.plant.model import Model, Ready
from robodyn_ros.robots.parameters import Given
from robodyn_ros.types import State

VIEWS = ('q', 'v', 'tau', 'x')
"""Attributes of a Stepper that are part of the arrays the compiled code works in."""


class Stepper:
    """
    A motion in place: read and write `q`, `v` and `tau`, call step().

    Each call takes the same steps as Plant.advance would, bit for bit, and costs no more than the
    steps themselves. Not to be shared between threads.
    """

    def __init__(self, model: Model, recover: Callable[..., State], state: State, steps: int = 1,
                 parameters: Given = None):
        """
        Begin at a state.

        :param recover: takes steps where this cannot: Plant.advance
        :param steps: steps of one call
        """
        if model.control is not None:
            raise StateError('a plant with a compiled control law wants a reference; use rollout, '
                             'or leave the law out and set tau')
        steps = whole_number('steps', steps, 'a whole number, 1 or more', 1)
        layout, n = model.layout, model.layout.n
        self.model, self.parameters, self._recover_by = model, parameters, recover
        self._block = np.zeros(layout.block)
        self._counts = np.array([0, steps, 0, 0], dtype=np.int64)
        self._x = self._block[layout.block_x:layout.block_y]
        self.q, self.v, self.tau = self._x[1:].reshape(3, n)
        """Positions, velocities and the torque held during a call (n,) each, to be set."""
        self.x = self._x[1:1 + 2 * n]
        """Positions and velocities in one view (2 n,)."""
        self._call: Callable[[], int]
        self.use(parameters)
        self.reset(state)

    def __setattr__(self, name: str, value: Any) -> None:
        """Copy what is given for q, v, tau or x: another array would not be the plant's."""
        # no properties: they would double the cost of reading
        view = getattr(self, name, None) if name in VIEWS else None
        if view is None:
            object.__setattr__(self, name, value)
            return
        try:
            view[:] = 'nothing' if value is None else value  # numpy would take None for NaN
        except (TypeError, ValueError):
            raise refusal(f'{name} of a motion of {self.model.robot.name}', value,
                          f'{view.size} numbers') from None

    def reset(self, state: State) -> None:
        """Return to a state, without torque, and count steps from there."""
        self._x[:] = one_input(self.model.robot, state, None)
        self._block[:2] = self.model.step_size, state.t
        self._counts[0] = 0

    def use(self, parameters: Given, ready: Ready | None = None) -> None:
        """Go on with other run-time parameters; ready: those of Plant.ready, if known."""
        functions, w = ready or self.model.ready(self.model.solvers[0], parameters)
        self.parameters = parameters
        self._call = functions['steps_in_place'].bind(self._block, w, self._counts)

    @property
    def t(self) -> float:
        """Return the time [s]."""
        return float(self._block[1] + self._counts[0] * self._block[0])

    @property
    def state(self) -> State:
        """Return a copy of the state."""
        return State(self.t, self.q.copy(), self.v.copy())

    def step(self) -> None:
        """Move on; where the rows need another solver, or nothing helps, as Plant.advance."""
        if self._call():
            self._recover()

    def try_steps(self, x: np.ndarray, steps: int) -> State | None:
        """
        Take steps from an input of Plant.flat_input.

        :returns: None where the plant must choose another solver, or say what is wrong
        """
        counts = self._counts
        self._x[:], self._block[1] = x, x[0]
        counts[0], counts[1] = 0, steps
        return None if self._call() else State(self.t, self.q.copy(), self.v.copy())

    def _recover(self) -> None:
        """Finish the call with the plant's own fallbacks, from the last good state."""
        last, self._counts[0] = int(self._counts[0]), self._counts[2]
        after = self._recover_by(self.state, self.tau.copy(), parameters=self.parameters,
                                 steps=last - int(self._counts[0]))
        self.q[:], self.v[:] = after.q, after.v
        self._counts[0] = last
