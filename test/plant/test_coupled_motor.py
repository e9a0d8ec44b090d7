# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""An arm with a motor that turns with two joints, simulated."""

from identification.cases import arm
import numpy as np
from robodyn_ros import Plant
from robodyn_ros.robots.robot import robot_from_text
from robodyn_ros.types import State

MOTOR = ('<robodyn><coupling joint="joint_3" other="joint_2" ratio="-1" inertia="0.2" '
         'damping="0.3" friction="2" breakaway_velocity="0.2" saturating="0.5" '
         'saturation="0.4"/></robodyn></robot>')


def test_it_falls_and_loses_what_friction_takes():
    """Energy only falls, the coupled motor comes to rest, and no step is too long for it."""
    robot = robot_from_text(arm(friction=False).urdf.replace('</robot>', MOTOR))
    run = Plant(robot).rollout(State(0.0, np.array([0.2, 0.4, -0.3]), np.zeros(3)), steps=3000)
    energy = sum(robot.energy(run.q, run.v))
    assert np.isfinite(run.q).all()
    assert np.diff(energy).max() < 1e-6 * np.ptp(energy)
    plain = robot_from_text(arm(friction=False).urdf)
    free = Plant(plain).rollout(State(0.0, np.array([0.2, 0.4, -0.3]), np.zeros(3)), steps=3000)
    turning, without = (np.abs(one.v[:, 2] - one.v[:, 1]).max() for one in (run, free))
    assert turning < 0.5 * without


def test_stiff_friction_of_it_is_solved_for_as_a_whole():
    """At 1 ms as at a tenth of it; by the diagonal alone both joints were held by two radians."""
    motor = MOTOR.replace('breakaway_velocity="0.2"', 'breakaway_velocity="0.001"')
    robot = robot_from_text(arm(friction=False).urdf.replace('</robot>', motor))
    start = State(0.0, np.array([0.2, 0.4, -0.3]), np.zeros(3))
    coarse, fine = (Plant(robot, integrator='implicit_friction', step=step).rollout(
        start, 1.0, every=every) for step, every in ((1e-3, 1), (1e-4, 10)))
    assert Plant(robot).model.integrator == 'implicit_friction'
    assert np.abs(coarse.q - fine.q).max() < 0.05
    assert np.abs(fine.q - start.q).max() > 0.5
