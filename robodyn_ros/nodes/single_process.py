# Copyright 2026 robodyn_ros developers
# SPDX-License-Identifier: Apache-2.0
"""
The three nodes of a scenario in one process, over the same topics: what `robodyn run` runs.

A monitor watches the plant from the side and keeps the largest tracking error and violation.
"""
from __future__ import annotations

import time
from typing import Callable, NamedTuple

import numpy as np
from rclpy.parameter import Parameter

from robodyn_ros.nodes.common.options import DynamicsOptions, ViewerOptions
from robodyn_ros.nodes.common.process import Session
from robodyn_ros.nodes.controller.node import ControllerNode
from robodyn_ros.nodes.dynamics.node import DynamicsNode
from robodyn_ros.nodes.dynamics.plant_runner import FAULT
from robodyn_ros.nodes.recorder.node import RecorderNode
from robodyn_ros.nodes.trajectory.node import TrajectoryNode
from robodyn_ros.scenario.result import Result
from robodyn_ros.scenario.schema import Scenario

SETTLE = 0.05
"""Wall time after which nothing that was sent is still on its way in this process [s]."""


class Status(NamedTuple):
    """How a run is going."""

    simulated: float
    """Since the motion began [s]."""
    wall: float
    """[s]"""
    tracking: float
    """Largest tracking error so far [m], or of any joint [rad] or [m]."""
    violation: float
    """Largest constraint error seen at the watch rate [m] or [rad]."""
    difference: float
    """Largest difference of a joint position from simulate() so far [rad] or [m]."""
    reason: str
    """Why the plant stopped, or does not start; empty while it is healthy."""


class Monitor:
    """Compares the plant with what simulate() says it should do, period by period."""

    def __init__(self, plant: DynamicsNode, controller: ControllerNode | None,
                 trajectory: TrajectoryNode | None, expected: Result, in_space: bool):
        """Start at the motion's zero."""
        self.plant, self.expected, self.in_space = plant, expected, in_space
        self.controller, self.trajectory = controller, trajectory
        self.seen, self.compared = -1, True
        self.tracking = self.violation = self.difference = 0.0
        self.begun = time.monotonic()

    def look(self) -> None:
        """Take the present state into account, if it is a new one."""
        runner, expected = self.plant.runner, self.expected
        k, last = runner.periods, len(expected.t) - 1
        self.compared = self.compared and k >= self.seen  # a visitor of the page may reset it
        if k == self.seen or not self.compared:
            return
        if k > last:  # a plant that waits for nobody may pass the end between two looks
            self.seen = last
            return
        if self.seen <= 0:
            self.begun = time.monotonic()
        self.seen = k
        self.difference = max(self.difference, float(np.abs(runner.q - expected.q[k]).max()))
        if self.in_space:
            tool = self.plant.robot.positions(expected.frame, runner.q)
            error = float(np.linalg.norm(tool - expected.tool_reference[k]))
        elif expected.reference is not None:
            error = float(np.abs(runner.q - expected.reference.q[k]).max())
        else:
            error = 0.0
        self.tracking = max(self.tracking, error)
        if expected.row_names and k % 50 == 0:
            self.violation = max(self.violation, float(runner.observe().violation[0]))

    @property
    def over(self) -> bool:
        """Return whether the motion has come to its end, or the plant has stopped."""
        return self.seen >= len(self.expected.t) - 1 or bool(self.status.reason)

    @property
    def status(self) -> Status:
        """Return what was seen so far."""
        runner = self.plant.runner
        simulated = max(0, self.seen) * self.plant.period * 1e-9
        reason = runner.reason if runner.mode == FAULT else ''
        if self.controller is not None:
            reason = reason or self.controller.unusable
        if self.trajectory is not None and self.trajectory.refused:
            reason = reason or f'the motion is not followed: {self.trajectory.refused}'
        return Status(simulated, time.monotonic() - self.begun, self.tracking, self.violation,
                      self.difference, reason)


def run_composed(scenario: Scenario, expected: Result, in_space: bool, mode: str, factor: float,
                 show: Callable[[Status], None], record: str | None = None,
                 view: int | None = None) -> Status:
    """
    Run a scenario's nodes until its motion is over; returns the last status.

    :param expected: the same motion by simulate()
    :param mode: 'free' or 'lockstep'
    :param factor: simulated seconds per wall second in free mode
    :param show: called some times a second
    :param record: path of a recording to write (MCAP)
    :param view: port of a page in the browser; the nodes then stay until Ctrl-C
    """
    with Session([]) as session:  # words of the verb, such as prefix:=left_, are not for ROS
        clock = [Parameter('use_sim_time', value=True)]
        recorder = None
        if record is not None:  # before the others: it hears their first words
            recorder = RecorderNode(record, {
                'scenario': scenario.name, 'robot': scenario.robot, 'frame': expected.frame})
            session.add(recorder)
        plant = DynamicsNode(scenario, DynamicsOptions(mode=mode, realtime_factor=factor))
        session.add(plant)
        controller = None
        if scenario.controller.kind != 'none':
            controller = ControllerNode(scenario, parameter_overrides=clock)
            session.add(controller)
        trajectory = None
        if scenario.trajectory.kind != 'none':
            trajectory = TrajectoryNode(scenario, parameter_overrides=clock)
            session.add(trajectory)
        if view is not None:
            from robodyn_ros.nodes.viewer.node import ViewerNode  # viser is optional
            session.add(ViewerNode(ViewerOptions(port=view)))
        monitor = Monitor(plant, controller, trajectory, expected, in_space)
        shown = 0.0
        while (view is not None or not monitor.over) and session.spin_once(0.1):
            monitor.look()
            if time.monotonic() - shown > 0.2:
                shown = time.monotonic()
                show(monitor.status)
        last = monitor.status
        if recorder is not None:
            session.serve_only(recorder)
            _hear_out(session, recorder)
    if session.ended and not (view is not None and monitor.over):
        raise KeyboardInterrupt
    return last


def _hear_out(session: Session, recorder: RecorderNode) -> None:
    """Let the recorder take what is still on its way."""
    heard, since = -1, time.monotonic()
    while time.monotonic() - since < SETTLE:
        if recorder.count != heard:
            heard, since = recorder.count, time.monotonic()
        if not session.spin_once(SETTLE):
            return
