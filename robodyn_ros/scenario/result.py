# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""What a run of a scenario leaves: every array, its summary in numbers, and its NPZ file."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import os
import tempfile
from typing import Any

import numpy as np

from robodyn_ros.errors import ArgumentError
from robodyn_ros.plant.assembly import Assembly
from robodyn_ros.robots.robot import Robot
from robodyn_ros.scenario.desired_motion import DesiredMotion
from robodyn_ros.scenario.schema import Scenario
from robodyn_ros.types import Rollout, Trajectory


@dataclass(frozen=True)
class Result:
    """Everything a run recorded: k control instants, n joints, m constraint rows."""

    scenario: Scenario
    robot: Robot
    motion: Rollout
    """t, q, v, tau, a, constraint_force, multipliers, phi, phi_rate (see types.Rollout)."""
    reference: Trajectory | None
    """What was wanted, at the same instants."""
    row_names: tuple[str, ...]
    assembly: Assembly
    """How far the start had to move onto the constraints."""
    desired: DesiredMotion
    """The path or joint motion that was wanted."""

    @property
    def frame(self) -> str:
        """Name of the frame that follows the trajectory."""
        return self.robot.tool_frame(self.scenario.trajectory.frame)

    @cached_property
    def tool(self) -> np.ndarray:
        """Position of that frame (k, 3) [m]."""
        return self.robot.positions(self.frame, self.q)

    @cached_property
    def tool_reference(self) -> np.ndarray:
        """Where it should have been (k, 3) [m]; NaN without a trajectory."""
        if self.reference is None:
            return np.full((len(self.t), 3), np.nan)
        return self.desired.positions(self.robot, self.frame, self.reference)

    @property
    def t(self) -> np.ndarray:
        """Time of every instant, k of them [s]."""
        return self.motion.t

    @property
    def q(self) -> np.ndarray:
        """Positions (k, n) [rad] or [m]."""
        return self.motion.q

    @property
    def v(self) -> np.ndarray:
        """Velocities (k, n) [rad/s] or [m/s]."""
        return self.motion.v

    @property
    def tau(self) -> np.ndarray:
        """Torque that acted (k, n) [N m] or [N]."""
        return self.motion.tau

    @property
    def constraint_force(self) -> np.ndarray:
        """Constraint forces Qc (k, n) [N m] or [N]."""
        return self.motion.constraint_force

    @property
    def violation(self) -> np.ndarray:
        """Largest constraint error at each instant (k,) [m] or [rad]."""
        return self.motion.violation

    @property
    def error(self) -> np.ndarray:
        """Tracking error reference - state (k, n) [rad] or [m]; NaN without a reference."""
        if self.reference is None:
            return np.full_like(self.q, np.nan)
        return self.reference.q - self.q

    @property
    def tool_error(self) -> np.ndarray:
        """Distance of the frame from where it should be (k,) [m]."""
        return np.linalg.norm(self.tool - self.tool_reference, axis=1)


def summary(result: Result, seconds: float) -> dict[str, Any]:
    """Return what a run achieved, in plain values: tracking, violation, forces, passed limits."""
    scenario, motion = result.scenario, result.motion
    tracking: float | None = None
    if result.desired.in_space:
        tracking = float(result.tool_error.max())
    elif result.reference is not None:
        tracking = float(np.abs(result.error).max())
    rows = bool(result.row_names)
    return {
        'scenario': scenario.name, 'robot': result.robot.name,
        'simulated_s': float(motion.t[-1]), 'wall_s': seconds,
        'realtime_factor': float(motion.t[-1]) / seconds,
        'tracking_error': tracking,
        'tracking_unit': 'm' if result.desired.in_space else 'rad or m',
        'tolerance': scenario.tolerance,
        'healthy': tracking is None or tracking <= scenario.tolerance,
        'constraint_rows': list(result.row_names),
        'violation': float(motion.violation.max()) if rows else None,
        'constraint_force_min': motion.constraint_force.min(axis=0).tolist() if rows else None,
        'constraint_force_max': motion.constraint_force.max(axis=0).tolist() if rows else None,
        'torque_max': np.abs(motion.tau).max(axis=0).tolist(),
        'start_moved': float(np.abs(result.assembly.moved).max()),
        'effort_limited': _limited(result),
        'beyond_limits': [one._asdict() for one in result.robot.limits.passed_by(motion)],
        'ignore_limits': scenario.trajectory.ignore_limits,
        'joints': list(result.robot.joints),
    }


def _limited(result: Result) -> list[dict[str, Any]]:
    """Return the joints whose motors gave all they can, and for how long [s]."""
    limits, tau = result.robot.limits, np.abs(result.motion.tau)
    if len(result.t) < 2 or not result.scenario.dynamics.limit_efforts:
        return []
    share = (tau >= limits.effort).mean(axis=0)
    return [{'joint': joint, 'limit': float(limit), 'seconds': float(part * result.t[-1])}
            for joint, limit, part in zip(result.robot.joints, limits.effort, share) if part > 0.0]


class ResultFile:
    """
    Where `robodyn simulate --output` writes to: there whole, or as it was before.

    The arrays go to a private name beside the file, which takes the file's place when it is
    complete. An earlier result outlives a run that fails, and an interrupted run leaves nothing
    behind.
    """

    def __init__(self, path: str):
        """Complain before the work, not after it, about a file that cannot be written."""
        self.path = path
        if os.path.splitext(path)[1].lower() != '.npz':
            raise ArgumentError(f'--output is {path!r}; arrays are written as NPZ and nothing '
                                'else: give a name that ends in .npz')
        try:
            if os.path.isdir(path):
                raise IsADirectoryError(21, 'Is a directory')
            if os.path.exists(path) and not os.access(path, os.W_OK):
                raise PermissionError(13, 'Permission denied')
            with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
                pass
        except OSError as error:
            raise ArgumentError(f'--output {path!r} cannot be written ({error.strerror}); give a '
                                'path in a folder that exists') from None

    def keep(self, result: Result) -> None:
        """Write a motion that was simulated to its end."""
        _write(self.path, result)

    def keep_broken_off(self, result: Result) -> str:
        """Write what a failed run got to, never over an earlier file; returns its name."""
        path = self.path
        if os.path.lexists(path):
            path = f'{os.path.splitext(path)[0]}_broken_off.npz'
        _write(path, result)
        return path


def _write(path: str, result: Result) -> None:
    """Write beside the file, then rename: whoever looks sees the old one or the new one."""
    arrays: dict[str, Any] = {  # and what a report needs to know beside them
        **result.motion._asdict(), 'scenario': result.scenario.name, 'urdf': result.robot.urdf,
        'frame': result.frame, 'row_names': np.array(result.row_names, dtype=str)}
    if result.reference is not None:
        arrays |= {'reference_q': result.reference.q, 'tool_reference': result.tool_reference}
    place = os.path.realpath(path)  # a link stays a link
    folder, name = os.path.split(place)
    private = os.path.join(folder, f'.{name}.{os.getpid()}')
    try:
        with open(private, 'wb') as file:  # by hand: savez would append .npz to this name
            np.savez(file, **arrays)
        os.replace(private, place)
    except BaseException:
        if os.path.exists(private):
            os.unlink(private)
        raise
