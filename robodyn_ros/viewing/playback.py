# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
A robot in the browser without ROS and without masses: its joints follow a motion, over and over.

For robots that cannot be simulated, as they lack masses or moving joints. Pause, reset and speed
of the page work; what needs a plant does not.
"""
from __future__ import annotations

import time
from typing import Callable

import numpy as np
from robodyn_ros.robots.robot import Robot
from robodyn_ros.viewing.viewer import Viewer

RATE = 30.0
"""Pictures a second."""
STATE = 'shown without mechanics'


def play(viewer: Viewer, robot: Robot, positions: Callable[[float], np.ndarray],
         running: Callable[[], bool]) -> None:
    """
    Show a motion until running() says no.

    :param positions: q (n,) at a time [s]
    """
    now, speed, paused, before = 0.0, 1.0, False, time.monotonic()
    while running():
        for name, value in viewer.requests():
            if name == 'pause':
                paused = bool(value)
            elif name == 'speed':
                speed = float(value)
            elif name == 'reset':
                now = 0.0
                viewer.forget()
            elif name == 'step':
                now += 1.0 / RATE
        wall = time.monotonic()
        now += 0.0 if paused else speed * (wall - before)
        before = wall
        viewer.show_plant(paused, STATE)
        q = positions(now)
        viewer.show_state(now, robot.joints, q.tolist(), [], float('nan'), float('nan'), wall)
        time.sleep(1.0 / RATE)
