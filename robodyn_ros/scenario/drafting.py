# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A scenario for a robot that has none: a gentle motion within its limits, and a law that suits.

The joints swing on sines about a good middle pose, from rest to rest, so slowly and so little that
efforts and velocities stay well below the file's limits, where these can hold the robot at all
(else a warning tells that effort limits are ignored); or the tool follows a path that is found
to be reachable. Computed torque leads the arm. A robot that cannot be led so, as it has closed
loops or passive joints, swings freely.
"""
from __future__ import annotations

import dataclasses
import logging
import math
from pathlib import Path
from typing import Any, Iterator, Mapping

import numpy as np

from robodyn_ros.errors import ArgumentError, RobodynError, ScenarioError
from robodyn_ros.mechanics.tree import ancestors
from robodyn_ros.robots.mass_check import check_mass
from robodyn_ros.robots.posture import Posture
from robodyn_ros.robots.robot import load_robot, Robot
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.schema import (ControllerSettings, DynamicsSettings,
                                         InverseKinematicsSettings, Scenario, TrajectorySettings)

LOG = logging.getLogger('robodyn_ros')
JOINT_SINE, HELIX, LINE, VIA_POINTS = 'joint_sine', 'helix', 'line', 'via_points'
MOTIONS = (JOINT_SINE, HELIX, LINE, VIA_POINTS)
DURATION, SWINGS = 10.0, 2
"""Of the motion [s], and how often it goes to and fro in that time."""
RATE = 2.0 * math.pi * SWINGS / DURATION
"""[rad/s]"""
ANGLE, LENGTH = 0.35, 0.05
"""Largest amplitude of a joint [rad], [m]."""
SERIES = 8
"""Joints in series from which on each swings less; twice as many lead an end four times as far."""
FINE, ROUGH = 1e-3, 5e-3
"""Tracking error of a healthy run: without friction, and with some, which sticks [rad] or [m]."""
NATURAL_FREQUENCY = 20.0
"""Of the controlled arm, critically damped [rad/s]."""
VELOCITY_PART, EFFORT_PART, RANGE_PART = 0.5, 0.8, 0.8
"""Parts of the limits that the motion may use [-]."""
FASTEST = 1.3
"""Largest speed of the time law with its ramps of 1 s, rounded up [-]."""
SAMPLES = 41
"""Of the motion, at which efforts are looked at."""
POSES = 6
"""Middle poses that are tried for a path."""
SIZES = (0.12, 0.08, 0.05, 0.03)
"""Of a path, as parts of the distance of the tool from the base [-]."""


def drafted(path: str | Path, motion: str = JOINT_SINE, frame: str = '',
            arguments: Mapping[str, Any] | None = None) -> Scenario:
    """
    Return a scenario for a robot file.

    :param path: of a URDF or xacro file
    :param motion: one of MOTIONS
    :param frame: that follows a path; the robot's tool by default
    :param arguments: of a xacro file
    """
    path = Path(path)
    robot = load_robot(path, arguments)
    if robot.n == 0:
        raise ScenarioError(f'{path}: no joint moves, so there is nothing to run; look at it: '
                            f'robodyn view {path}')
    if motion not in MOTIONS:
        raise ArgumentError(f'the motion is {motion!r}; expected one of {", ".join(MOTIONS)}')
    if frame:
        robot.find_frame(frame)
    frame = robot.tool_frame(frame)
    scenario = Scenario(
        name=path.name.split('.')[0] or path.name, robot=str(path.absolute()),
        robot_arguments=dict(arguments or {}), duration=DURATION,
        tolerance=ROUGH if any(any((*law[:3], law.saturating))
                               for law in robot.tree.friction) else FINE,
        folder=str(path.parent.resolve()))
    if robot.loops or robot.passive:
        if motion != JOINT_SINE:
            has = 'closed loops' if robot.loops else 'passive joints'
            raise ScenarioError(f'{path}: has {has}, for which no {motion} is found by search; '
                                'write a scenario by hand (docs/tutorial.md)')
        return _free(scenario, Posture(robot, frame))
    make = _joint_sine if motion == JOINT_SINE else _path
    trajectory = make(robot, frame, motion)
    return dataclasses.replace(
        scenario, trajectory=trajectory,
        dynamics=DynamicsSettings(limit_efforts=not trajectory.ignore_limits),
        controller=ControllerSettings(kind='computed_torque',
                                      natural_frequency=(NATURAL_FREQUENCY,),
                                      saturate=not trajectory.ignore_limits))


def _free(scenario: Scenario, posture: Posture) -> Scenario:
    """Let a robot swing from its middle pose that no law can lead along a joint motion."""
    return dataclasses.replace(
        scenario, dynamics=DynamicsSettings(initial_position=_rounded(posture.centre)),
        trajectory=TrajectorySettings(ignore_limits=True))


def _joint_sine(robot: Robot, frame: str, motion: str) -> TrajectorySettings:
    posture = Posture(robot, frame)
    centre = posture.best(1)[0]
    amplitude = _amplitudes(robot, centre)
    for _ in range(30):
        made = _settings_of_sine(frame, centre, amplitude)
        if float(_efforts_used(posture, made).max(initial=0.0)) <= EFFORT_PART:
            return made
        amplitude = 0.7 * amplitude
    held = posture.holding(centre)
    weak = int(held.argmax())
    LOG.warning(
        '%s: joint %r has the effort limit %g, and holding the arm takes %.0f %% of it in the '
        'easiest pose found; effort limits are ignored (correct <limit effort>, or the masses)',
        robot.path, robot.joints[weak], robot.limits.effort[weak], 100.0 * held[weak])
    return dataclasses.replace(_settings_of_sine(frame, centre, _amplitudes(robot, centre)),
                               ignore_limits=True)


def _amplitudes(robot: Robot, centre: np.ndarray) -> np.ndarray:
    """Return how far each joint swings from its centre (n,) [rad] or [m]."""
    limits = robot.limits
    room = RANGE_PART * np.minimum(limits.upper - centre, centre - limits.lower)
    series = max(len(ancestors(robot.tree, body)) for body in robot.joint_bodies)
    own = np.array([ANGLE if unit == 'rad' else LENGTH for unit in robot.units]) \
        * min(1.0, SERIES / series) ** 2
    slow = VELOCITY_PART * limits.velocity / (RATE * FASTEST)
    return np.maximum(np.minimum(np.minimum(room, own), slow), 0.0)


def _settings_of_sine(frame: str, centre: np.ndarray, amplitude: np.ndarray) -> TrajectorySettings:
    return TrajectorySettings(kind=JOINT_SINE, frame=frame, parameters={
        'amplitude': list(_rounded(amplitude, down=True)), 'rate': RATE,
        'centre': list(_rounded(centre))})


def _efforts_used(posture: Posture, settings: TrajectorySettings) -> np.ndarray:
    """Part of each motor's effort that a joint motion takes (n,) [-]."""
    motion = DesiredMotion(settings, duration=DURATION).motion
    _, q, v, a = motion.sample(np.linspace(0.0, DURATION, SAMPLES))
    return _used(posture, q, v, a)


def _used(posture: Posture, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    tau = np.array([posture.efforts(*one) for one in zip(q, v, a)])
    return np.abs(tau).max(axis=0) / np.maximum(posture.robot.limits.effort, 1e-9)


def _rounded(values: np.ndarray, down: bool = False) -> tuple[float, ...]:
    """Round numbers for a file that people read; down: amplitudes do not grow by it."""
    if down:
        return tuple(math.floor(1e4 * x) / 1e4 for x in values.tolist())
    return tuple(round(x, 4) + 0.0 for x in values.tolist())


# --- paths in space ------------------------------------------------------------------------


def _path(robot: Robot, frame: str, motion: str) -> TrajectorySettings:
    """Return a path that the tool can follow within all limits, by search."""
    check_mass(robot)  # else every one would be tried in vain
    posture = Posture(robot, frame)
    reasons = []
    for centre in posture.best(POSES):
        for settings in _proposals(posture, centre, frame, motion):
            try:
                _prove(posture, settings)
                return settings
            except RobodynError as error:
                reasons.append(str(error))
    why = f' (the last try: {reasons[-1]})' if reasons else \
        f': {frame} moves in too few directions'
    raise ScenarioError(f'{robot.path}: no {motion} was found that {frame} can follow{why}; take '
                        'another motion, such as joint_sine, or another frame')


def _proposals(posture: Posture, centre: np.ndarray, frame: str,
               motion: str) -> Iterator[TrajectorySettings]:
    """Yield paths that start at the tool's place in a pose, the larger ones first."""
    place = np.array(posture.pose(centre).position, dtype=float)
    jacobian = posture.jacobian(centre)[:3]
    axes = _free_axes(jacobian)
    if len(axes) < (3 if motion == HELIX else 2):
        return
    reach = float(np.linalg.norm(place))
    start = InverseKinematicsSettings(start=_rounded(centre))
    for part in SIZES:
        size = round(part * max(reach, 0.05), 4)
        x, y, z = (float(value) for value in place)
        if motion == HELIX:
            parameters: dict[str, Any] = {
                'radius': size / 2.0, 'rate': RATE, 'climb': size / DURATION, 'centre_x': x,
                'centre_y': y - size / 2.0, 'start_z': z}
        elif motion == LINE:
            step = np.array([-size, size, size])  # towards the base, aside and up
            end = place + np.where([axis in axes for axis in 'xyz'], step, 0.0)
            parameters = {'start': [x, y, z], 'end': [float(value) for value in end]}
        else:
            corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [0, 0, 0]]) * size
            own = place[['xyz'.index(axis) for axis in axes]]
            points = own + corners[:, :len(axes)]
            parameters = {'points': [float(value) for value in points.reshape(-1)],
                          'times': [k * DURATION / 4.0 for k in range(5)],
                          'timing': 'fixed_arrival', 'anticipation': 0.2}
        yield TrajectorySettings(kind=motion, frame=frame, axes=tuple(axes),
                                 parameters=parameters, inverse_kinematics=start)


def _free_axes(jacobian: np.ndarray) -> list[str]:
    """Return the axes along which a tool can be moved independently, in the order x, y, z."""
    scale = max(float(np.abs(jacobian).max(initial=0.0)), 1e-12)
    left, chosen = jacobian / scale, []
    for _ in range(3):
        sizes = np.linalg.norm(left, axis=1)
        k = int(sizes.argmax())
        if sizes[k] < 0.05:
            break
        chosen.append(k)
        along = left[k] / sizes[k]
        left = left - np.outer(left @ along, along)
        left[chosen] = 0.0
    return ['xyz'[k] for k in sorted(chosen)]


def _prove(posture: Posture, settings: TrajectorySettings) -> None:
    """Raise unless the joints can follow a path with the margins that this file promises."""
    robot, period = posture.robot, 0.005
    reference = DesiredMotion(settings, duration=DURATION).reference(robot, DURATION, period)
    assert reference is not None
    fast = np.abs(reference.v).max(axis=0) / robot.limits.velocity
    some = slice(None, None, max(1, len(reference.t) // SAMPLES))
    hard = _used(posture, reference.q[some], reference.v[some], reference.a[some])
    if fast.max(initial=0.0) > VELOCITY_PART or hard.max(initial=0.0) > EFFORT_PART:
        raise ScenarioError('velocities or efforts come near their limits')
