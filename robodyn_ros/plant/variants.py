# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The compiled variants of one plant, each traced and compiled when it is first needed.

As long as gravity, friction and payload are the robot's own, they are constants of the code: a
quarter of an arm's operations folds away. Other values have code of their own, with all of them as
inputs. Which of the two runs depends on the values alone, so equal inputs give equal bits.
"""
from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from robodyn_ros.checks import expect
from robodyn_ros.codegen.program import Program
from robodyn_ros.constraints.constraint import Constraint
from robodyn_ros.constraints.stabilisation import Stabilisation
from robodyn_ros.mechanics.parameters import NAMES, Parameters
from robodyn_ros.plant import program
from robodyn_ros.plant.program import BATCH, RANK, Traced
from robodyn_ros.robots.payload import checked_parameters
from robodyn_ros.robots.robot import Robot
from robodyn_ros.types import Control

TITLES = {RANK: ' (rank-finding)', BATCH: ' (many runs side by side)'}


class Ready(NamedTuple):
    """What a call of the compiled loop needs."""

    names: dict[str, Any]
    """Compiled functions."""
    w: np.ndarray
    """Prepared parameters."""


class Variants:
    """Programs of a plant, by solver and by what they take as inputs."""

    def __init__(self, robot: Robot, constraints: Sequence[Constraint],
                 stabilisation: Stabilisation, integrator: str, control: Control | None,
                 kinematic: bool, damped: bool):
        """Trace the plant without payload."""
        self.robot, self.stabilisation, self.integrator = robot, stabilisation, integrator
        self._constraints, self._control, self._kinematic = constraints, control, kinematic
        self._damped = damped
        self.table = program.parameter_table(robot, constraints, stabilisation, control)
        self._own = np.array(robot.parameters.flat(), dtype=float)
        self._traced = {False: self._trace(False)}
        self._programs: dict[tuple[str, bool], Program] = {}
        self._usual: dict[str, Ready] = {}

    @property
    def traced(self) -> Traced:
        """Return the plant without payload; its rows and sizes hold for all variants."""
        return self._traced[False]

    def vector(self, changes: Mapping[str, float] | None = None) -> np.ndarray:
        """Return all run-time parameters, some changed; what no payload can have is refused."""
        if changes is not None:
            expect(Mapping, 'parameters', changes,  # type: ignore[type-abstract]
                   "a mapping of names to numbers, such as {'payload.mass': 2.0}")
        vector = self.table.vector(changes)
        if changes:
            checked_parameters(Parameters.from_flat(vector[:len(NAMES)].tolist()))
        return vector

    def loaded(self, changes: Mapping[str, float] | None) -> bool:
        """Tell whether values differ from the robot's own gravity, friction and no payload."""
        return bool(changes) and self._differs(self.vector(changes))

    def _differs(self, vector: np.ndarray) -> bool:
        return not np.array_equal(vector[:len(NAMES)], self._own)

    def program(self, variant: str, loaded: bool = False) -> Program:
        """Return a program; nothing is compiled yet."""
        key = variant, loaded
        if key not in self._programs:
            if loaded not in self._traced:
                self._traced[loaded] = self._trace(loaded)
            traced = self._traced[loaded]
            title = (f'the plant of {self.robot.name} with {len(traced.rows.names)} constraint '
                     f'rows{TITLES.get(variant, "")}{" and payload" if loaded else ""}')
            self._programs[key] = program.assemble(
                title, traced, self.stabilisation, self.integrator, variant,
                self._control.delay if self._control else 0, self._damped)
        return self._programs[key]

    def ready(self, variant: str, changes: Mapping[str, float] | None) -> Ready:
        """Return a variant's compiled functions and its parameters; the usual ones are kept."""
        if not changes and variant in self._usual:
            return self._usual[variant]
        vector = self.vector(changes)
        program = self.program(variant, self._differs(vector))
        found = Ready(program.names, program.prepared(vector))
        if not changes:
            self._usual[variant] = found
        return found

    def used(self, variant: str) -> bool:
        """Tell whether a variant was asked for before."""
        return any(name == variant for name, _ in self._programs)

    def _trace(self, loaded: bool) -> Traced:
        return program.trace(self.robot, self._constraints, self.stabilisation,
                                   self._control, self.table, self._kinematic, loaded)
