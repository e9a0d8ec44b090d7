# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of tool motions share: motions of settings, and where the tool really is."""

import math

import numpy as np
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.schema import InverseKinematicsSettings, TrajectorySettings
from scipy.spatial.transform import Rotation

DOWN = [math.pi, 0.0, 0.0]
"""Roll, pitch, yaw of a tool that points at the table."""
HELD = 1e-9
"""Largest error of a reference [m], [rad]."""


def tool_motion(robot, kind, duration, period, parameters, kinematics=None, constraints=(),
                **settings):
    """Return the motion that settings ask for and its reference."""
    chosen = TrajectorySettings(kind=kind, parameters=parameters, **settings,
                                inverse_kinematics=InverseKinematicsSettings(**kinematics or {}))
    desired = DesiredMotion(chosen, duration=duration)
    return desired, desired.reference(robot, duration, period, constraints=constraints)


def expect_on_path(robot, desired, reference):
    """Compare the frame at each sample with the path of plain floats; and rates with rates."""
    wanted = np.array([[float(x) for x in desired.motion(t)] for t in reference.t])
    here = robot.frame(robot.tool_frame(desired.settings.frame), reference.q)
    columns = ['xyz'.index(axis) for axis in desired.axes if axis in 'xyz']
    assert np.abs(here.position[:, columns] - wanted[:, :len(columns)]).max() < HELD
    if wanted.shape[1] == 7:
        turn = Rotation.from_matrix(here.rotation).inv() * Rotation.from_quat(wanted[:, 3:])
        assert turn.magnitude().max() < HELD
    assert (reference.q >= robot.limits.lower - 1e-9).all()
    assert (reference.q <= robot.limits.upper + 1e-9).all()
    for part, rate in ((reference.q, reference.v), (reference.v, reference.a)):
        slope = np.gradient(part, reference.t, axis=0)[2:-2]
        apart = np.abs(slope - rate[2:-2]).max(axis=1)  # a trapezoid's accelerations jump
        assert np.quantile(apart, 0.98) < 0.02 * max(0.05, np.abs(rate).max())


def tool_down_places(robot, frame, count=200):
    """Return places over the table where the tool can point down, the best to move in first."""
    reach = 2.0 * robot.pose_solver(frame).length
    random = np.random.default_rng(0)
    angle = random.uniform(-math.pi, math.pi, count)
    out, up = (reach * random.uniform(*ends, count) for ends in ((0.2, 0.8), (-0.2, 0.5)))
    places = np.column_stack([out * np.cos(angle), out * np.sin(angle), up])
    found = robot.solve(frame, np.column_stack([places, np.tile([1.0, 0, 0, 0], (count, 1))]))
    assert found.reached.mean() > 0.1
    reached = np.flatnonzero(found.reached)
    state = robot.frame(frame, found.q[reached])
    assert np.abs(state.position - places[reached]).max() < 2.0 * HELD
    assert np.abs(state.rotation - np.diag([1.0, -1.0, -1.0])).max() < 3.0 * HELD
    room = np.linalg.svd(state.jacobian, compute_uv=False)[:, 5]
    return places[reached[np.argsort(-room)]], reach
