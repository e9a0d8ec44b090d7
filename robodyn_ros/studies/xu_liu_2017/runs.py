# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Runs of paper 000: a SCARA robot on its helix, in every way of keeping it there.

The bare equation has Baumgarte's gains 0, so that the gains are run-time parameters of one plant.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.studies.runs import OnPath
from robodyn_ros.types import Rollout, State

DURATION = 20.0
EULER_STEP = 7.3e-3
"""Step of explicit Euler that comes near the errors the paper prints [s]."""
PRINTED_VELOCITY = np.array([-0.157, 0.0001, 0.157, 0.0195])
STARTS = {'A': (-30.0, 55.0, -24.0), 'B': (30.0, -55.0, 24.0)}
"""The two ways to repair the signs of the printed 30, 55, 24 deg; B changes one sign only."""
ERRORS = ('x error [m]', 'y error [m]', 'z error [m]', 'yaw error [rad]')


class Runs(NamedTuple):
    """Motions from the exact angles with printed velocities; theory has its own, consistent."""

    theory: Rollout
    bare: Rollout
    euler: Rollout
    stabilised: Rollout
    critical: Rollout


class OnHelix(OnPath):
    """The robot on its helix."""

    def __init__(self) -> None:
        """Read robot and path of the package's scenario."""
        super().__init__('scara_helix_constrained')
        self.bare = self.plant(stabilisation('baumgarte', 0.0, 0.0))

    def literal(self, name: str) -> State:
        """Return the start A or B with the printed velocities."""
        return State(0.0, np.array([*np.deg2rad(STARTS[name]), 0.0]), PRINTED_VELOCITY)

    def consistent(self, name: str) -> State:
        """Return the state on the path, at its velocity, nearest to A or B."""
        return assemble_start(self.bare, self.literal(name)).state

    def exact(self, name: str) -> State:
        """Return the start on the path with the printed velocities."""
        return self.consistent(name)._replace(v=PRINTED_VELOCITY)

    def run(self, start: State, alpha: float = 0.0, beta: float = 0.0) -> Rollout:
        """Integrate with RK4 at 1 ms and Baumgarte's gains."""
        return self.bare.rollout(start, DURATION, parameters={
            'stabilisation.alpha': alpha, 'stabilisation.beta': beta})

    def runs(self) -> Runs:
        """Return the motions that several rows and the figures share."""
        exact = self.exact('B')
        theory = self.plant(stabilisation('projection')).rollout(self.consistent('B'), DURATION)
        euler = self.plant(stabilisation('none'), 'euler', EULER_STEP)
        return Runs(theory, self.run(exact),
                    euler.rollout(exact, steps=int(DURATION / EULER_STEP)),
                    self.run(exact, 0.5, 200.0), self.run(exact, 20.0, 100.0))
