# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""The browser view as a whole: one server, one robot at a time, its panel and its history."""
from __future__ import annotations

from queue import Empty
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from robodyn_ros.errors import MessageRefused
from robodyn_ros.robots.joint_order import places_of
from robodyn_ros.robots.robot import Robot, robot_from_text
from robodyn_ros.viewing.camera import camera_around, FIELD_OF_VIEW
from robodyn_ros.viewing.handle import ToolHandle
from robodyn_ros.viewing.history import History, Moment
from robodyn_ros.viewing.page import Page
from robodyn_ros.viewing.scene import RobotScene
from robodyn_ros.viewing.server import Server

FAR = 1e6
"""Positions beyond it are no picture: one of them would take the camera away [rad] or [m]."""


class Viewer:
    """Shows in a browser what a node tells it."""

    def __init__(self, host: str, port: int, seconds: float):
        """
        Open the page.

        :param port: 0 takes a free one
        :param seconds: simulated time the plots show [s]
        """
        self._server = Server()
        self.server = self._server.viser
        try:
            self.gate = self._server.gate(host, port)
        except BaseException:
            self._server.close()
            raise
        self.server.gui.configure_theme(show_share_button=False, show_logo=False,
                                        control_width='large')
        self.server.scene.set_up_direction('+z')
        self.server.initial_camera.fov = FIELD_OF_VIEW
        self.address = self.gate.address
        self.history = History(seconds)
        self.robot: Robot | None = None
        self.described, self.looked = '', False
        self.page: Page | None = None
        self.scene: RobotScene | None = None
        self.handle: ToolHandle | None = None
        self.path = np.zeros((0, 3))
        self.tool = ''
        self.gains: Mapping[str, Sequence[float]] = {}
        self.settings: Mapping[str, float] = {}
        self.state, self.paused, self.pictures = '', False, 0

    def show_robot(self, urdf: str) -> list[str]:
        """
        Draw a robot from the text of its URDF; the one before goes away.

        :returns: what is not drawn as the text says, a sentence each
        """
        if self.robot is not None and self.described == urdf:
            return []
        robot = robot_from_text(urdf, 'the robot on the topic robot_description')
        with self.server.atomic():
            self.server.scene.reset()
            self.server.gui.reset()
            # docked, the picture ends where the panel begins; a reset undoes it
            self.server.gui.main_panel.dock_right()
            self.scene = RobotScene(self.server, robot)
            self.scene.show_path(self.path)
            self.page = Page(self.server, robot.name, robot.joints, self._saved)
            self.page.show_gains(self.gains)
            self.page.show_settings(self.settings)
            self.handle = ToolHandle(self.server, self.scene.size)
            self.follow(self.tool)
        self._look_at(np.zeros(robot.n))
        self.robot, self.described, self.looked = robot, urdf, False
        self.history.clear()
        return self.scene.warnings

    def _look_at(self, q: np.ndarray) -> None:
        """Put the camera where the whole arm at q and the desired path are seen."""
        assert self.scene is not None
        camera = camera_around(np.concatenate([
            self.scene.cloud(q), self.scene.swept(q, self.path), self.path]))
        cameras: list[Any] = [self.server.initial_camera, *(
            client.camera for client in self.server.get_clients().values())]
        for one in cameras:
            one.position, one.look_at = tuple(camera.position), tuple(camera.look_at)

    def follow(self, frame: str) -> None:
        """Trace a frame, such as trajectory.frame of the scenario."""
        self.tool = frame
        if self.scene is not None and self.handle is not None:
            self.scene.follow(frame)
            self.handle.lead(len(self.scene.leading), self.scene.led_axes())

    def show_path(self, points: np.ndarray) -> None:
        """
        Draw the desired path through points (k, 3) [m], those that can be drawn.

        The first one shall be seen whole.
        """
        points = points[(np.abs(points) < FAR).all(axis=1)]  # nor NaN
        if len(points) and not len(self.path):
            self.looked = False
        self.path = points
        if self.scene is not None:
            self.scene.show_path(points)

    def show_gains(self, gains: Mapping[str, Sequence[float]]) -> None:
        """Offer the controller's gains, those that are in use."""
        unused = {'kp', 'kd'} if any(gains.get('natural_frequency', ())) else {'damping'}
        self.gains = {name: values for name, values in gains.items()
                      if any(values) and name not in unused}
        if self.page is not None:
            self.page.show_gains(self.gains)

    def show_settings(self, settings: Mapping[str, float]) -> None:
        """Show what a visitor may change, as it is: speed and payload [kg]."""
        self.settings = settings
        if self.page is not None:
            self.page.show_settings(settings)

    def show_plant(self, paused: bool, state: str) -> None:
        """Show whether the plant is paused, and in words what goes on."""
        self.paused, self.state = paused, state
        if self.page is not None:
            self.page.show_pause(paused)

    def show_state(self, time: float, names: Sequence[str], q: Sequence[float],
                   tau: Sequence[float], error: float, violation: float, wall: float) -> None:
        """
        Move the robot; states of another robot, or that no robot can have, are passed over.

        :param time: simulated [s]; :param wall: of the wall clock [s]
        """
        robot, scene, page = self.robot, self.scene, self.page
        if robot is None or scene is None or page is None or len(q) != len(names):
            return
        try:
            order = places_of(robot.joints, names, 'joint_states', strangers=True)
        except MessageRefused:
            return
        if not (np.abs(np.array(q, dtype=float)) < FAR).all():
            return
        efforts = np.array(tau)[order] if len(tau) == len(names) else np.zeros(robot.n)
        moment = Moment(time, np.array(q)[order], efforts, error, violation)
        if not self.looked:
            self._look_at(moment.q)
            self.looked = True
        with self.server.atomic():
            if not self.history.add(moment, wall):
                scene.trace.clear()
            scene.update(moment.q, trace=True)
            if self.handle is not None and scene.tool_pose is not None:
                self.handle.follow(scene.tool_pose)
            self.pictures += 1
            if self.pictures % 6 == 0:  # plots and status change more slowly
                page.show_history(self.history, self.state)

    def forget(self) -> None:
        """Begin the traced path and the plots anew."""
        self.history.clear()
        if self.scene is not None:
            self.scene.trace.clear()

    def offer_goals(self, offered: bool) -> None:
        """Show the handle at the tool, if there is somebody who leads the arm to goals."""
        if self.handle is not None:
            self.handle.show(offered)
        if self.page is not None:
            self.page.offer_goals(offered)

    def in_tool_axes(self, vector: Sequence[float]) -> list[float]:
        """Return a vector of the base frame in the axes of the tool, as it stands now (3,)."""
        if self.scene is None or self.scene.tool_pose is None:
            return [0.0, 0.0, 0.0]
        return (np.array(self.scene.tool_pose.rotation, dtype=float).T @ vector).tolist()

    def requests(self) -> Iterator[tuple[str, Any]]:
        """Take out what visitors asked for."""
        goal = self.handle.goal() if self.handle is not None else None
        if goal is not None:
            yield 'goal', goal
        while self.page is not None:
            try:
                yield self.page.requests.get_nowait()
            except Empty:
                return

    def _saved(self) -> bytes:
        assert self.robot is not None
        return replay_html(self.robot, list(self.history.moments), self.path, self.tool)

    def close(self) -> None:
        """Close the page."""
        self.gate.close()
        self._server.close()


def replay_html(robot: Robot, moments: Sequence[Moment], path: np.ndarray,
                frame: str = '') -> bytes:
    """
    Return a motion as one HTML file that plays by itself, without a server.

    :param path: points of the desired path (k, 3) [m]
    :param frame: that is traced; the robot's tool by default
    """
    # a server of its own, so that nobody's live view jumps through the past
    server = Server()
    try:
        scene = RobotScene(server.viser, robot)
        scene.follow(frame)
        scene.show_path(path)
        if moments:
            scene.update(moments[0].q)
        recording = server.viser.get_scene_serializer()
        for before, moment in zip(moments, moments[1:]):
            recording.insert_sleep(moment.time - before.time)
            scene.update(moment.q, trace=True)
        return recording.as_html().encode()
    finally:
        server.close()
