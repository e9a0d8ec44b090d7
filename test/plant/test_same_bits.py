# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""A law alone and a law in the plant's loop are the same operations: equal bits, any robot."""

from mechanics.cases import robot
from mechanics.random_urdf import random_urdf
import numpy as np
import pytest

from robodyn_ros import load_robot, Plant
from robodyn_ros.constraints.ready_made import follow
from robodyn_ros.constraints.stabilisation import stabilisation
from robodyn_ros.controllers.computed_torque import computed_torque
from robodyn_ros.controllers.constraint_following import constraint_following
from robodyn_ros.controllers.robust import robust
from robodyn_ros.plant.assembly import assemble_start
from robodyn_ros.plant.control_law import CompiledLaw
from robodyn_ros.types import State

INSTANTS = 40


def differences(arm, control, rows, start, **plant):
    """Largest difference of a rollout with the law in its loop from one that calls it."""
    looped = Plant(arm, control=control, step=1e-3, control_period=2, **plant)
    state = assemble_start(looped, start).state
    together = looped.rollout(state, steps=2 * INSTANTS, every=2, reference=rows)
    alone = Plant(arm, step=1e-3, **plant).in_place(state, 2)
    law, worst = CompiledLaw(arm.name, arm.n, control), 0.0
    for k in range(INSTANTS):
        worst = max(worst, np.abs(alone.q - together.q[k]).max())
        wanted = rows[k] if rows is not None else np.zeros(0)
        alone.tau[:] = law(k * 2 * 1e-3, alone.q, alone.v, wanted)
        worst = max(worst, np.abs(alone.tau - together.tau[k]).max())
        alone.step()
    return worst


@pytest.mark.parametrize('seed', range(6))
def test_random_trees(tmp_path, seed):
    """Slanted axes, branches, prismatic joints: computed torque and robust control."""
    path, rng = tmp_path / 'arm.urdf', np.random.default_rng(seed)
    path.write_text(random_urdf(rng, 3 + seed))
    arm = load_robot(path)
    rows = rng.normal(0.0, 0.3, (INSTANTS + 1, 3 * arm.n))
    start = State(0.0, rng.normal(0.0, 0.5, arm.n), rng.normal(0.0, 0.1, arm.n))
    for control in (computed_torque(arm, kp=40.0, kd=9.0),
                    robust(arm, kp=40.0, kd=9.0, rho=3.0, epsilon=0.1)):
        assert differences(arm, control, rows, start) == 0.0


def test_closed_chain():
    """The parallel manipulator of paper 002 on a path of its tip, with projection."""
    arm = robot('parallel_2dof')
    q = np.array([1.1259398, -2.2518796, 3.1133220, -1.6282963, -1.4850257, -1.6282963])
    task = [follow('tool0', lambda t: (0.21 + 0.2 * t, 0.25 + t * t), 'x y')]
    control = constraint_following(arm, task)
    start = State(0.0, q, np.zeros(arm.n))
    assert differences(arm, control, None, start,
                       stabilisation=stabilisation('projection')) == 0.0
