# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The last seconds of a motion as one HTML file that plays by itself, without a server."""
from __future__ import annotations

from typing import Sequence

import numpy as np

from robodyn_ros.robots.robot import Robot
from robodyn_ros.viewing.history import Moment
from robodyn_ros.viewing.scene import RobotScene
from robodyn_ros.viewing.server import close_server, open_server


def replay_html(robot: Robot, moments: Sequence[Moment], path: np.ndarray) -> bytes:
    """
    Return the page.

    :param path: points of the desired path (k, 3) [m]
    """
    # a server of its own, so that nobody's live view jumps through the past
    server = open_server('127.0.0.1', 0)
    try:
        scene = RobotScene(server, robot)
        scene.show_path(path)
        if moments:
            scene.update(moments[0].q)
        recording = server.get_scene_serializer()
        for before, moment in zip(moments, moments[1:]):
            recording.insert_sleep(moment.time - before.time)
            scene.update(moment.q, trace=True)
        return recording.as_html().encode()
    finally:
        close_server(server)
