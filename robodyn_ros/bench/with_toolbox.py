# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
Robotics Toolbox for Python (Corke): Robot.URDF, accel.

Accelerations by accel(q, qd, torque); RK4 around it in Python (its own fdyn is SciPy's RK45 around
the same function). It has no closed chains.
"""
from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from robodyn_ros.bench.contender import (CannotError, Contender, recorded, runge_kutta, Work)
from robodyn_ros.bench.peers import bare_urdf, find, require_joints
from robodyn_ros.robots.robot import Robot
from robodyn_ros.signals import State


class Toolbox(Contender):
    """One robot in the Robotics Toolbox."""

    name, package, module = 'roboticstoolbox', 'roboticstoolbox-python', 'roboticstoolbox'
    slower = 1000
    usage = 'Robot.URDF; accel(q, qd, torque), RK4 around it in Python; no closed chains'

    def __init__(self, robot: Robot, step: float):
        """Read the robot's URDF from a file."""
        self.step = step
        with tempfile.TemporaryDirectory(prefix='robodyn_bench_') as folder:
            path = os.path.join(folder, 'robot.urdf')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(bare_urdf(robot))
            self.robot: Any = find('roboticstoolbox').Robot.URDF(path)
        self.robot.gravity = np.array(robot.parameters.gravity)
        names = [link._joint_name for link in self.robot.links if link.isjoint]
        require_joints('The Robotics Toolbox', tuple(names), robot)
        self.closed = bool(robot.loops)

    def _rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.robot.accel(q, v, np.zeros(len(q)))

    def forward(self, q: np.ndarray, v: np.ndarray) -> Work:
        """One call per state."""
        return lambda: np.array([self._rate(*pair) for pair in zip(q, v)])

    def constrained(self, q: np.ndarray, v: np.ndarray) -> Work:
        """Not offered."""
        raise CannotError('no closed chains')

    def steps(self, start: State, count: int) -> Work:
        """RK4 in Python."""
        if self.closed:
            raise CannotError('no closed chains')
        return lambda: runge_kutta(self._rate, start, self.step, count)

    def record(self, start: State, count: int) -> Work:
        """RK4 in Python."""
        return recorded(self._rate, self.step, start, count)
