# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The SCARA held on its helix: four servo rows that move with time, on four joints.

The rows leave no freedom, so the exact motion is where they vanish: it is solved for at every
sample, without integrating. Drake and the Robotics Toolbox have no constraint to a moving point.
"""
from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Iterator

import numpy as np

from benchmarks.accuracy import (BAUMGARTE_STEPS, Motion, our_runs, Run, SAMPLE, sampled,
                                        Task)
from benchmarks.accuracy_helix_peers import in_mujoco, in_pinocchio, in_pybullet
from benchmarks.peers import MUJOCO, PINOCCHIO
from benchmarks.plants import NEAR_HELIX, servo_plant, STEP
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.plant import Plant
from robodyn_ros.robots.robot import load_robot
from robodyn_ros.types import State

NAME = 'scara_450 on its helix'


def our_plant(kind: str, step: float) -> Plant:
    """Return the arm on the helix with a stabilisation and a step."""
    gains = {'time_constant': BAUMGARTE_STEPS * step} if kind == 'baumgarte' else {}
    return servo_plant(stabilisation(kind, **gains), step)


def exact_motion(duration: float) -> Motion:
    """Return the states at the samples that satisfy the rows and their rates."""
    plant = servo_plant()
    state = assemble_start(plant, NEAR_HELIX).state
    found = []
    for k in range(1, sampled(STEP, duration)[1] + 1):
        # from the last one on, so that it stays on the same branch of the elbow
        near = State(k * SAMPLE, state.q + SAMPLE * state.v, state.v)
        state = assemble_start(plant, near).state
        found.append(state)
    return np.array([s.q for s in found]), np.array([s.v for s in found])


def task(duration: float) -> Task:
    """Return the arm, judged by its rows and by the energy of the exact motion."""
    robot, plant = load_robot('scara_450'), servo_plant()
    first = assemble_start(plant, NEAR_HELIX).state
    energy = np.add(*robot.energy(*exact_motion(duration)))

    def error(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.add(*robot.energy(q, v)) - energy

    return Task(NAME, plant, error, partial(_runs, first))


def _runs(first: State) -> Iterator[Run]:
    yield from our_runs(our_plant, first, {
        'none': 'bare', 'baumgarte': 'Baumgarte', 'velocity_correction': 'velocity correction',
        'projection': 'projection'})
    for step in (2.0 * STEP, STEP, 0.5 * STEP):
        if find_spec(MUJOCO):
            for name, stiff in (('default softness', False), ('stiffest', True)):
                yield Run('mujoco', name, step, partial(in_mujoco, first, step, stiff))
        if find_spec(PINOCCHIO):
            omega = 1.0 / (BAUMGARTE_STEPS * step)
            for name, kp, kd in (('bare', 0.0, 0.0), ('Baumgarte', omega ** 2, 2.0 * omega)):
                yield Run('pinocchio', name, step, partial(in_pinocchio, first, step, kp, kd))
        if find_spec('pybullet'):
            for name, erp in (('default', None), ('erp 0.9, 200 iterations', 0.9)):
                yield Run('pybullet', name, step, partial(in_pybullet, first, step, erp))
